"""`hashinsight problem ack | start | assign | comment | resolve`."""

import json as jsons
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hashinsight.cli.acting import shell_user
from hashinsight.cli.commands.acting import Acting, JsonOption, encoded, print_lines, run_about
from hashinsight.cli.problems.following import ProblemArgument

if TYPE_CHECKING:
    from hashinsight.problems.actions import ActionInput

FreeComment = Annotated[str | None, typer.Option("--comment", help="Comment for the timeline.")]


def ack(problem_id: ProblemArgument, *, comment: FreeComment = None, json: JsonOption = False) -> None:
    """Acknowledge a problem."""
    _act("acknowledge", problem_id, json, comment=comment)


def start(problem_id: ProblemArgument, *, comment: FreeComment = None, json: JsonOption = False) -> None:
    """Start work on a problem."""
    _act("start", problem_id, json, comment=comment)


def assign(
    problem_id: ProblemArgument,
    *,
    to: Annotated[str | None, typer.Option("--to", help="E-mail or id of a user; default: nobody.")] = None,
    comment: FreeComment = None,
    json: JsonOption = False,
) -> None:
    """Assign a problem to a user, or to nobody."""
    _act("assign", problem_id, json, assignee=to, comment=comment)


def comment(
    problem_id: ProblemArgument,
    words: Annotated[str, typer.Argument(metavar="TEXT")],
    *,
    json: JsonOption = False,
) -> None:
    """Add a comment to the timeline."""
    _act("comment", problem_id, json, comment=words)


def resolve(
    problem_id: ProblemArgument,
    cause: Annotated[str, typer.Option("--cause", help="repaired, replaced, cleaned, reconfigured, false_alarm …")],
    *,
    action: Annotated[str | None, typer.Option("--action", help="Action taken.")] = None,
    comment: FreeComment = None,
    json: JsonOption = False,
) -> None:
    """Resolve a problem with cause and action taken."""
    _act("resolve", problem_id, json, cause=cause, action=action, comment=comment)


def _act(verb: str, problem_id: str, as_json: bool, **given: str | None) -> None:  # noqa: FBT001 - Typer's own form
    async def work(acting: Acting) -> dict[str, Any]:
        from uuid import UUID

        from hashinsight.problems.actions import ProblemAction
        from hashinsight.problems.caller import system_caller
        from hashinsight.problems.service import lists
        from hashinsight.problems.service.actions import act_on_problem

        asker = system_caller(acting.asker.tenant_id, shell_user())
        await act_on_problem(acting.session, asker, ProblemAction(verb), UUID(problem_id), _said(given), now=acting.now)
        (problem,) = await lists.list_by_ids(acting.session, asker.seen, [UUID(problem_id)], now=acting.now)
        return problem

    problem = jsons.loads(encoded(run_about(work, "problem_events", "id", problem_id)))
    if as_json:
        typer.echo(jsons.dumps(problem))
    else:
        print_lines(f"{problem['severity']} {problem['issue_code']} on {problem['miner_id']}: {problem['status']}")


def _said(given: dict[str, str | None]) -> "ActionInput":
    from hashinsight.kit.errors import ValidationFailed
    from hashinsight.problems.actions import ActionInput, ResolutionCause

    cause = given.pop("cause", None)
    if cause is not None and cause not in set(ResolutionCause):
        raise ValidationFailed(f"{cause}: cause is one of {', '.join(ResolutionCause)}")
    return ActionInput(**given, cause=None if cause is None else ResolutionCause(cause))
