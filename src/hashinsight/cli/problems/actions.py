"""`hashinsight problem ack | start | assign | comment | resolve`."""

from typing import Annotated, Any

import typer

from hashinsight.cli.context import Context, JsonOption
from hashinsight.cli.output import print_result, to_plain
from hashinsight.cli.problems.lists import ProblemArgument, run_for_problem
from hashinsight.kit.errors import ValidationFailed

CommentOption = Annotated[str | None, typer.Option("--comment", help="Comment for the timeline.")]


def ack(problem_id: ProblemArgument, *, comment: CommentOption = None, json: JsonOption = False) -> None:
    """Acknowledge a problem."""
    _act("acknowledge", problem_id, as_json=json, comment=comment)


def start(problem_id: ProblemArgument, *, comment: CommentOption = None, json: JsonOption = False) -> None:
    """Start work on a problem."""
    _act("start", problem_id, as_json=json, comment=comment)


def assign(
    problem_id: ProblemArgument,
    *,
    to: Annotated[str | None, typer.Option("--to", help="E-mail or id of a user; default: nobody.")] = None,
    comment: CommentOption = None,
    json: JsonOption = False,
) -> None:
    """Assign a problem to a user, or to nobody."""
    _act("assign", problem_id, as_json=json, assignee=to, comment=comment)


def comment(
    problem_id: ProblemArgument, text: Annotated[str, typer.Argument(metavar="TEXT")], *, json: JsonOption = False
) -> None:
    """Add a comment to the timeline."""
    _act("comment", problem_id, as_json=json, comment=text)


def resolve(
    problem_id: ProblemArgument,
    cause: Annotated[str, typer.Option("--cause", help="repaired, replaced, cleaned, reconfigured, false_alarm …")],
    *,
    action: Annotated[str | None, typer.Option("--action", help="Action taken.")] = None,
    comment: CommentOption = None,
    json: JsonOption = False,
) -> None:
    """Resolve a problem with cause and action taken."""
    _act("resolve", problem_id, as_json=json, cause=cause, action=action, comment=comment)


def _act(verb: str, problem_id: str, *, as_json: bool, cause: str | None = None, **given: str | None) -> None:
    async def work(context: Context) -> Any:
        from uuid import UUID

        from hashinsight.problems.actions import ActionInput, ProblemAction, ResolutionCause
        from hashinsight.problems.service import lists
        from hashinsight.problems.service.actions import act_on_problem

        if cause is not None and cause not in set(ResolutionCause):
            raise ValidationFailed(f"{cause}: cause is one of {', '.join(ResolutionCause)}")
        action_input = ActionInput(**given, cause=None if cause is None else ResolutionCause(cause))
        session, caller, key = context.session, context.caller, UUID(problem_id)
        await act_on_problem(session, caller, ProblemAction(verb), key, action_input, now=context.now)
        (problem,) = await lists.list_by_ids(session, caller.seen, [key], now=context.now)
        return to_plain(problem)

    problem = run_for_problem(work, problem_id)
    machine = problem["miner_id"] or f"collector {problem['collector_id']}"
    text = f"{problem['severity']} {problem['issue_code']} on {machine}: {problem['status']}"
    print_result(problem, text, as_json=as_json)
