"""`hashinsight problem list | show | summary`."""

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from hashinsight.cli.context import (
    AnySiteOption,
    CliContext,
    JsonOption,
    SiteOption,
    TenantOption,
    need_server,
    run,
    run_for,
)
from hashinsight.cli.names import show_actor, with_site_codes
from hashinsight.cli.output import (
    Columns,
    print_lines,
    print_list,
    show_age,
    show_count,
    show_hashrate,
    show_time,
    to_json,
    to_plain,
)
from hashinsight.cli.problems.evidence import sentence
from hashinsight.kit.errors import ValidationFailed

ProblemArgument = Annotated[str, typer.Argument(metavar="PROBLEM_ID")]
_COLUMNS: Columns = {
    "id": "id",
    "sev": "severity",
    "problem": "issue_code",
    "machine": lambda row: row["miner_id"] or f"collector {row['collector_id']}",
    "site": "site_code",
    "zone": "zone",
    "status": "status",
    "since (UTC)": lambda row: show_time(row["start_ts"]),
    "last seen": lambda row: show_age(row["last_seen_ts"]),
    "recurrences": lambda row: row["recurrence_count"] or None,
}


def list_problems(
    *,
    site: AnySiteOption = None,
    severity: Annotated[list[str] | None, typer.Option("--severity", help="P0 … P3; repeat for more.")] = None,
    issue: Annotated[list[str] | None, typer.Option("--issue", help="Issue code; repeat for more.")] = None,
    status: Annotated[list[str] | None, typer.Option("--status", help="open, ack, …; repeat for more.")] = None,
    zone: Annotated[str | None, typer.Option("--zone", help="Only this zone, by code.")] = None,
    miner: Annotated[str | None, typer.Option("--miner", help="Prefix of the machine id.")] = None,
    page: Annotated[int, typer.Option("--page", min=1, max=1_000_000, help="Number of the page.")] = 1,
    per_page: Annotated[int, typer.Option("--per-page", min=1, max=500, help="Problems per page.")] = 50,
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """List open problems: by severity, then risk, then last seen."""

    async def work(context: CliContext) -> dict[str, Any]:
        from hashinsight.problems.actions import status_word
        from hashinsight.problems.codes import EventStatus, Issue, Severity
        from hashinsight.problems.queries.lists import ProblemFilter
        from hashinsight.problems.service import lists

        problem_filter = ProblemFilter(
            site_id=context.site_id,
            severity=_check_choices("severity", severity, [level.name for level in Severity]),
            issue_code=_check_choices("issue", issue, [known.code for known in Issue]),
            status=_check_choices("status", status, [status_word(known) for known in EventStatus]),
            zone=(zone,) if zone else (),
            text=miner,
        )
        session, scope = context.session, context.caller.seen
        answer = to_plain(
            await lists.list_page(session, scope, problem_filter, page=page, per_page=per_page, now=context.now)
        )
        return {**answer, "problems": await with_site_codes(session, answer["problems"])}

    answer = run(work, tenant=tenant, site=site)
    print_list(answer, "problems", _COLUMNS, as_json=json)
    position = answer["pagination"]
    if position["pages"] > 1 and not json:
        print_lines(f"page {position['page']} of {position['pages']}, {show_count(position['total'], 'problem')}")


def show(problem_id: ProblemArgument, *, json: JsonOption = False) -> None:
    """Show one problem: evidence, recommended actions, timeline, earlier occurrences."""

    async def work(context: CliContext) -> dict[str, Any]:
        from uuid import UUID

        from hashinsight.problems.service.details import get_details

        session, scope = context.session, context.caller.seen
        details = to_plain(await get_details(session, scope, UUID(problem_id), history_hours=24, now=context.now))
        (problem,) = await with_site_codes(session, [details["problem"]])
        return {**details, "problem": problem}

    details = run_for_problem(work, problem_id)
    if json:
        typer.echo(to_json(details))
    else:
        print_lines(*_problem_lines(details))


def summary(site: SiteOption, *, tenant: TenantOption = None, json: JsonOption = False) -> None:
    """Show a site: open problems, machines by state, lost hashrate."""

    async def work(context: CliContext) -> Any:
        from hashinsight.problems.service.sites import get_summary

        return to_plain(await get_summary(context.session, context.caller.seen, str(context.site_id)))

    counts = run(work, tenant=tenant, site=site)
    if json:
        typer.echo(to_json(counts))
        return
    severities = ", ".join(f"{count} {name}" for name, count in counts["by_severity"].items())
    states = ", ".join(
        f"{counts[f'{state}_miners']:,} {text}"
        for state, text in (
            ("healthy", "healthy"),
            ("problem", "with a problem"),
            ("stopped", "stopped"),
            ("down", "down"),
            ("unknown", "unknown"),
        )
    )
    print_lines(
        f"{show_count(counts['total_miners'], 'machine')}: {states}",
        f"last scan: {show_age(counts['last_scan_ts']) or 'never'}",
        f"lost hashrate: {show_hashrate(counts['loss']['ths'])}",
        f"open problems: {severities}",
        *(f"  {count} {code}" for code, count in counts["by_issue"].items()),
    )


def run_for_problem(work: Any, problem_id: str) -> Any:
    need_server()
    from hashinsight.problems.queries.details import find_tenant_of_problem

    return run_for(work, find_tenant_of_problem, "problem", problem_id)


def _check_choices(name: str, values: list[str] | None, choices: list[str]) -> tuple[str, ...]:
    if unknown := sorted(set(values or ()) - set(choices)):
        raise ValidationFailed(f"{', '.join(unknown)}: {name} is one of {', '.join(choices)}")
    return tuple(values or ())


def _problem_lines(details: dict[str, Any]) -> Iterator[str]:
    problem, rule = details["problem"], details["rule"] or {}
    machine = problem["miner_id"] or f"collector {problem['collector_id']}"
    recurred = f", recurred {show_count(problem['recurrence_count'], 'time')}" if problem["recurrence_count"] else ""
    where = f"{machine} at site {problem['site_code']}"
    yield f"{problem['severity']} {problem['issue_code']} on {where}: {problem['status']}"
    if rule:
        yield f"  {rule['description']}"
    yield f"  since {show_time(problem['start_ts'])} UTC, last seen {show_age(problem['last_seen_ts'])}{recurred}"
    if rule.get("recommended_actions"):
        yield f"  recommended: {', '.join(rule['recommended_actions'])}"
    yield "evidence"
    yield from (f"  {sentence(snapshot)}" for snapshot in problem["evidence_json"][-3:])
    yield "timeline (UTC)"
    yield from (f"  {_timeline_line(entry, details['people'])}" for entry in reversed(details["timeline"]))
    for earlier in details["predecessors"]:
        times = f"{show_time(earlier['start_ts'])} to {show_time(earlier['resolved_ts']) or 'now'} UTC"
        yield f"earlier: {earlier['id']}, {times}, {earlier['resolution_cause'] or 'recovered on its own'}"


def _timeline_line(entry: dict[str, Any], people: dict[str, str]) -> str:
    by = show_actor(entry["actor_kind"], entry["actor_id"], people)
    return f"{show_time(entry['at'])}  {entry['kind']} by {by}{': ' + entry['message'] if entry['message'] else ''}"
