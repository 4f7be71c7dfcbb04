"""`hashinsight problem …`."""

import typer

from hashinsight.cli.problems import actions, lists

__all__ = ["problem_app"]

problem_app = typer.Typer(
    help="Problems of machines: list, show, acknowledge, resolve, suppress.", no_args_is_help=True
)
for name, command in (
    ("list", lists.list_problems),
    ("show", lists.show),
    ("summary", lists.summary),
    ("ack", actions.ack),
    ("start", actions.start),
    ("assign", actions.assign),
    ("comment", actions.comment),
    ("resolve", actions.resolve),
    ("suppress", actions.suppress),
    ("unsuppress", actions.unsuppress),
):
    problem_app.command(name)(command)
