"""`hashinsight problem …`, from the machine itself: it acts as the system. Server packages are imported late."""

import typer

from hashinsight.cli.problems import acting, following, quieting

__all__ = ["problem_app"]

problem_app = typer.Typer(
    help="Problems of machines: list, show, acknowledge, resolve, suppress.", no_args_is_help=True
)
for name, verb in (
    ("list", following.list_problems),
    ("show", following.show),
    ("summary", following.summary),
    ("ack", acting.ack),
    ("start", acting.start),
    ("assign", acting.assign),
    ("comment", acting.comment),
    ("resolve", acting.resolve),
    ("suppress", quieting.suppress),
    ("unsuppress", quieting.unsuppress),
):
    problem_app.command(name)(verb)
