"""`hashinsight command …` and `hashinsight batch …`.

They act as the system, which is one requester: what it requests it cannot approve. A reboot requested here is approved
by a user through the API, and the other way round.
"""

import typer

from hashinsight.cli.commands import batches, checker, decisions, lists, requests

__all__ = ["batch_app", "command_app"]

command_app = typer.Typer(help="Commands to miners: request, list, show, approve, cancel, check.", no_args_is_help=True)
for name, command in (
    ("request", requests.request),
    ("list", lists.list_commands),
    ("show", lists.show),
    ("approve", decisions.approve),
    ("reject", decisions.reject),
    ("cancel", decisions.cancel),
    ("catalogue", lists.catalogue),
    ("check", checker.check_history),
):
    command_app.command(name)(command)

batch_app = typer.Typer(help="Batches: all commands of one request.", no_args_is_help=True)
for name, batch_command in (
    ("list", batches.list_batches),
    ("show", batches.show),
    ("approve", batches.approve),
    ("reject", batches.reject),
    ("cancel", batches.cancel),
):
    batch_app.command(name)(batch_command)
