"""`hashinsight problem list | show | summary`."""

import json as jsons
from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from hashinsight.cli.commands.acting import (
    Acting,
    AnySiteOption,
    JsonOption,
    TenantOption,
    encoded,
    print_lines,
    print_rows,
    run,
    run_about,
)
from hashinsight.cli.output import show_age, show_hashrate, show_time
from hashinsight.cli.problems.evidence import sentence

ProblemArgument = Annotated[str, typer.Argument(metavar="PROBLEM_ID")]
_SITE = Annotated[str, typer.Option("--site", help="The site's code or integer id.")]


def list_problems(
    *,
    site: AnySiteOption = None,
    severity: Annotated[list[str] | None, typer.Option("--severity", help="P0 … P3; repeat for more.")] = None,
    issue: Annotated[list[str] | None, typer.Option("--issue", help="Issue code; repeat for more.")] = None,
    status: Annotated[list[str] | None, typer.Option("--status", help="open, ack, …; repeat for more.")] = None,
    zone: Annotated[str | None, typer.Option("--zone", help="The zone's code.")] = None,
    miner: Annotated[str | None, typer.Option("--miner", help="Prefix of the machine id.")] = None,
    page: Annotated[int, typer.Option("--page", min=1, max=1_000_000)] = 1,
    per_page: Annotated[int, typer.Option("--per-page", min=1, max=500)] = 50,
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """List open problems: by severity, then risk, then last seen."""

    async def work(acting: Acting) -> dict[str, Any]:
        from hashinsight.cli.names import with_site_codes
        from hashinsight.problems.actions import status_word
        from hashinsight.problems.codes import EventStatus, Issue, Severity
        from hashinsight.problems.queries.lists import ProblemFilter
        from hashinsight.problems.service import lists

        wanted = ProblemFilter(
            site_id=acting.site_id,
            severity=_one_of("severity", severity, [one.name for one in Severity]),
            issue_code=_one_of("issue", issue, [one.code for one in Issue]),
            status=_one_of("status", status, [status_word(one) for one in EventStatus]),
            zone=(zone,) if zone else (),
            text=miner,
        )
        seen = acting.asker.seen
        found = await lists.list_page(acting.session, seen, wanted, page=page, per_page=per_page, now=acting.now)
        answer = found.shown()
        return {**answer, "problems": await with_site_codes(acting.session, answer["problems"])}

    answer = jsons.loads(encoded(run(work, tenant=tenant, site=site)))
    if json:
        typer.echo(jsons.dumps(answer))
        return
    now = datetime.now(UTC)
    print_rows([_line(one, now) for one in answer["problems"]], "problems")
    told = answer["pagination"]
    if told["pages"] > 1:
        print_lines(f"page {told['page']} of {told['pages']}, {told['total']} problems")


def show(problem_id: ProblemArgument, *, json: JsonOption = False) -> None:
    """Show one problem: evidence, recommended action, timeline, earlier occurrences."""

    async def work(acting: Acting) -> dict[str, Any]:
        from uuid import UUID

        from hashinsight.cli.names import with_site_codes
        from hashinsight.problems.service import details

        session, seen = acting.session, acting.asker.seen
        story = await details.get_details(session, seen, UUID(problem_id), history_hours=24, now=acting.now)
        (problem,) = await with_site_codes(session, [story["problem"]])
        return {**story, "problem": problem}

    answer = jsons.loads(encoded(run_about(work, "problem_events", "id", problem_id)))
    if json:
        typer.echo(jsons.dumps(answer))
    else:
        print_lines(*_story(answer))


def summary(site: _SITE, *, tenant: TenantOption = None, json: JsonOption = False) -> None:
    """Show a site: open problems, machines by state, lost hashrate."""

    async def work(acting: Acting) -> dict[str, Any]:
        from hashinsight.problems.service.sites import get_summary

        return await get_summary(acting.session, acting.asker.seen, str(acting.site_id))

    answer = jsons.loads(encoded(run(work, tenant=tenant, site=site)))
    if json:
        typer.echo(jsons.dumps(answer))
        return
    severities = ", ".join(f"{count} {name}" for name, count in answer["by_severity"].items())
    print_lines(
        f"{answer['total_miners']} machines: {answer['healthy_miners']} healthy, {answer['problem_miners']} with a"
        f" problem, {answer['stopped_miners']} stopped, {answer['down_miners']} down, {answer['unknown_miners']}"
        f" unknown; last scan {show_time(answer['last_scan_ts']) or 'never'}",
        f"lost hashrate: {show_hashrate(answer['loss']['ths'])}",
        f"open problems: {severities}",
        *(f"  {count} {code}" for code, count in answer["by_issue"].items()),
    )


def _one_of(name: str, given: list[str] | None, words: list[str]) -> tuple[str, ...]:
    from hashinsight.kit.errors import ValidationFailed

    if unknown := sorted(set(given or ()) - set(words)):
        raise ValidationFailed(f"{', '.join(unknown)}: {name} is one of {', '.join(words)}")
    return tuple(given or ())


def _line(one: dict[str, Any], now: datetime) -> dict[str, Any]:
    return {
        "id": one["id"],
        "sev": one["severity"],
        "problem": one["issue_code"],
        "machine": one["miner_id"] or f"collector {one['collector_id']}",
        "site": one["site_code"],
        "zone": one["zone"],
        "status": one["status"],
        "since (UTC)": show_time(one["start_ts"]),
        "last seen": show_age(one["last_seen_ts"], now=now),
        "recurrences": one["recurrence_count"] or None,
    }


def _story(told: dict[str, Any]) -> list[str]:
    one, rule = told["problem"], told["rule"] or {}
    whose = one["miner_id"] or one["collector_id"]
    seen = f"since {show_time(one['start_ts'])}, last seen {show_time(one['last_seen_ts'])} UTC"
    lines = [
        f"{one['severity']} {one['issue_code']} on {whose} at site {one['site_code']}: {one['status']}",
        f"  {rule.get('description', '')}",
        f"  {seen}, recurred {one['recurrence_count']} times",
        f"  recommended: {', '.join(rule.get('recommended_actions', []))}",
    ]
    lines += ["evidence", *(f"  {sentence(snapshot)}" for snapshot in one["evidence_json"][-3:])]
    lines += ["timeline", *(f"  {_entry(entry, told['people'])}" for entry in reversed(told["timeline"]))]
    lines += [f"earlier: {_before(old)}" for old in told["predecessors"]]
    return lines


def _entry(entry: dict[str, Any], people: dict[str, str]) -> str:
    who = people.get(entry["actor_id"], entry["actor_kind"])
    if entry["actor_kind"] == "system":
        who = "system" if entry["actor_id"] is None else f"{entry['actor_id']} (command line)"
    return f"{entry['at'][:19]}  {entry['kind']} by {who}{': ' + entry['message'] if entry['message'] else ''}"


def _before(old: dict[str, Any]) -> str:
    return f"{old['id']} {old['start_ts'][:19]} … {(old['resolved_ts'] or '')[:19]} {old['resolution_cause'] or ''}"
