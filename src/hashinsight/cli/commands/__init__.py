"""`hashinsight command …` and `hashinsight batch …`, from the machine itself. Server packages are imported late.

They act as the system, which is one actor: what it asks for, it cannot approve. A reboot that is requested here is
approved by a person through the API, and the other way round.
"""

import typer

from hashinsight.cli.commands import batches, deciding, following, requesting

__all__ = ["batch_app", "command_app"]

command_app = typer.Typer(help="Commands to miners: request, list, show, approve, cancel.", no_args_is_help=True)
for name, verb in (
    ("request", requesting.request),
    ("list", following.list_commands),
    ("show", following.show),
    ("approve", deciding.approve),
    ("reject", deciding.reject),
    ("cancel", deciding.cancel),
    ("catalogue", following.catalogue),
):
    command_app.command(name)(verb)

batch_app = typer.Typer(help="Batches: all commands of one request.", no_args_is_help=True)
for name, of_batch in (
    ("list", batches.list_batches),
    ("show", batches.show),
    ("approve", batches.approve),
    ("reject", batches.reject),
    ("cancel", batches.cancel),
):
    batch_app.command(name)(of_batch)
