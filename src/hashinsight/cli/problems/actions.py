"""`hashinsight problem ack | start | assign | comment | resolve | suppress | unsuppress`."""

from typing import Annotated, Any

import typer

from hashinsight.cli.context import CliContext, JsonOption, ReasonOption, SiteOption, TenantOption, run
from hashinsight.cli.output import print_result, show_time, to_plain
from hashinsight.cli.problems.lists import ProblemArgument, run_for_problem
from hashinsight.kit.errors import ValidationFailed

CommentOption = Annotated[str | None, typer.Option("--comment", help="Comment for the timeline.")]
_MINER = Annotated[str | None, typer.Option("--miner", help="Only this machine.")]
_ZONE = Annotated[str | None, typer.Option("--zone", help="Only this zone, by code.")]


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


def suppress(
    site: SiteOption,
    reason: ReasonOption,
    *,
    miner: _MINER = None,
    zone: _ZONE = None,
    until: Annotated[
        str | None, typer.Option("--until", help="End, such as 2026-03-01T18:00:00Z; default: until lifted.")
    ] = None,
    maintenance: Annotated[bool, typer.Option("--maintenance", help="Also mark as under maintenance.")] = False,
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """Suppress new problems on a machine, in a zone or, without either, at the whole site."""

    async def work(context: CliContext) -> dict[str, Any]:
        from pydantic import TypeAdapter

        from hashinsight.kit.web.times import AwareInstant
        from hashinsight.problems.service.suppressions import SuppressionRequest, get_target
        from hashinsight.problems.service.suppressions import suppress as suppress_target

        until_at = TypeAdapter(AwareInstant | None).validate_python(until)
        session, caller = context.session, context.caller
        kind = "miner" if miner else "zone" if zone else "site"
        target = await get_target(session, caller, kind, context.site_id, miner_id=miner, zone=zone)
        request = SuppressionRequest(reason, until_at, maintenance=maintenance)
        (row,) = await suppress_target(session, caller, target, request, now=context.now)
        return row

    row = run(work, tenant=tenant, site=site)
    until_text = f"until {show_time(row['until_at'])} UTC" if row["until_at"] else "until lifted"
    print_result(row, f"{row['miner_id'] or row['zone'] or row['site']}: suppressed {until_text}", as_json=json)


def unsuppress(
    site: SiteOption,
    miner: Annotated[str, typer.Option("--miner", help="This machine.")],
    *,
    reason: Annotated[str | None, typer.Option("--reason", help="Why; stored in the audit log.")] = None,
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """Lift the suppressions of a machine. Those of its zone, groups and site stay."""

    async def work(context: CliContext) -> dict[str, Any]:
        from hashinsight.problems.service.suppressions import unsuppress_miner

        lifted, remaining = await unsuppress_miner(
            context.session, context.caller, miner, context.site_id, reason=reason, now=context.now
        )
        return {"miner_id": miner, "lifted": lifted, "still_by": sorted({row["kind"] for row in remaining})}

    answer = run(work, tenant=tenant, site=site)
    still = f"; still suppressed by its {', '.join(answer['still_by'])}" if answer["still_by"] else ""
    print_result(answer, f"{miner}: {answer['lifted']} lifted{still}", as_json=json)


def _act(verb: str, problem_id: str, *, as_json: bool, cause: str | None = None, **given: str | None) -> None:
    async def work(context: CliContext) -> Any:
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
