"""`hashinsight command list | show | catalogue`."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Annotated, Any

import typer

from hashinsight.cli.commands.decisions import CommandArgument, run_for_command
from hashinsight.cli.context import (
    AnySiteOption,
    CliContext,
    CursorOption,
    JsonOption,
    LimitOption,
    SinceOption,
    TenantOption,
    need_server,
    run,
)
from hashinsight.cli.names import Names, list_story_names, show_actor, with_site_codes
from hashinsight.cli.output import (
    Columns,
    print_lines,
    print_list,
    print_result,
    print_rows,
    show_count,
    show_duration,
    show_params,
    show_time,
    to_json,
)


def show_command(row: Mapping[str, Any]) -> str:
    return f"{row['command_type']} {show_params(row['params'])}".strip()


_COLUMNS: Columns = {
    "id": "command_id",
    "created (UTC)": "created_at",
    "site": "site_code",
    "miner": "miner_id",
    "command": show_command,
    "priority": "priority",
    "state": "state",
    "reason": lambda row: row["wait_reason"] or row["error_code"] or row["error_message"],
}
_WAIT_REASONS = {
    "NOT_APPROVED": "approval",
    "BACKOFF": "retry delay",
    "MINER_LOCKED": "another command on this machine",
    "RATE_LIMITED": "site's rate limit for this command type",
    "BLAST_RADIUS": "site's limit of machines down by command",
    "COLLECTOR_OFFLINE": "no online collector with control permission",
}


def list_commands(
    *,
    site: AnySiteOption = None,
    miner: Annotated[str | None, typer.Option("--miner", help="Only this machine.")] = None,
    batch: Annotated[str | None, typer.Option("--batch", help="Only this batch.")] = None,
    state: Annotated[list[str] | None, typer.Option("--state", help="queued, dispatched, …; repeat for more.")] = None,
    command_type: Annotated[str | None, typer.Option("--type", help="Only this command type.")] = None,
    waiting: Annotated[bool, typer.Option("--waiting", help="Only commands waiting for approval.")] = False,
    since: SinceOption = None,
    limit: LimitOption = 50,
    cursor: CursorOption = None,
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """List commands, newest first, with the reason for waiting or failure."""

    async def work(context: CliContext) -> dict[str, Any]:
        from uuid import UUID

        from pydantic import AwareDatetime, TypeAdapter

        from hashinsight.commands import service
        from hashinsight.commands.queries.commands import CommandFilter
        from hashinsight.commands.schemas.commands import show_brief
        from hashinsight.commands.service.stories import find_machine
        from hashinsight.commands.states import State

        session, scope = context.session, context.caller.seen
        command_filter = CommandFilter(
            site_id=context.site_id,
            batch_id=TypeAdapter(UUID | None).validate_python(batch),
            state=("queued",) if waiting else tuple(TypeAdapter(list[State]).validate_python(state or [])),
            approval_state="required" if waiting else None,
            command_type=command_type,
            since=TypeAdapter(AwareDatetime | None).validate_python(since),
            **(await find_machine(session, scope, miner, context.site_id)),
        )
        page = await service.list_commands(session, scope, command_filter, limit=limit, cursor=cursor, now=context.now)
        rows = await with_site_codes(session, [show_brief(row) for row in page.rows])
        return {"commands": rows, "next_cursor": page.next_cursor}

    print_list(run(work, tenant=tenant, site=site), "commands", _COLUMNS, as_json=json)


def show(command_id: CommandArgument, *, json: JsonOption = False) -> None:
    """Show one command: requester, reason, approvals, history and attempts."""

    async def work(context: CliContext) -> tuple[Any, Any]:
        from uuid import UUID

        from hashinsight.commands import service

        row = await service.get_story(context.session, context.caller.seen, UUID(command_id), now=context.now)
        (story,) = await with_site_codes(context.session, [row])
        return story, await list_story_names(context.session, story)

    story, names = run_for_command(work, command_id)
    if json:
        typer.echo(to_json(story))
    else:
        print_lines(*_story_lines(story, names))


def catalogue(*, json: JsonOption = False) -> None:
    """List the command types with parameters and risk."""
    need_server()
    from hashinsight.commands.catalogue_table import catalogue_table
    from hashinsight.commands.schemas.catalogue import show_catalogue

    if json:
        print_result(show_catalogue(), "", as_json=True)
        return
    head, _, *rows = [line.strip("| ").split(" | ") for line in catalogue_table().replace("`", "").splitlines()]
    print_rows([dict(zip(head[:6], (*row, *[""] * 6), strict=False)) for row in rows], "types")


def _story_lines(story: Mapping[str, Any], names: Names) -> Iterator[str]:
    yield from _head(story, names)
    yield ""
    yield from _timeline(story, names)
    if story["attempts"]:
        yield ""
        yield from _attempts(story, names)


def _head(story: Mapping[str, Any], names: Names) -> Iterator[str]:
    what = f"{story['command_type']} {show_params(story['params'])}".strip()
    yield f"{what} for {story['miner_id']} at site {story['site_code']}: {story['state']}"
    if story["wait_reason"]:
        yield f"  waiting   {_WAIT_REASONS.get(story['wait_reason'], story['wait_reason'])} ({story['wait_reason']})"
    if story["error_code"]:
        yield f"  error     {story['error_code']} {story['error_message'] or ''}".rstrip()
    if story["superseded_by"]:
        yield f"  replaced  {story['superseded_by']}"
    yield f"  command   {story['command_id']}"
    yield f"  batch     {story['batch_id']}"
    by = show_actor(story["created_by_kind"], story["created_by"], names)
    yield f"  requested {show_time(story['created_at'])} by {by}: {story['created_reason'] or 'no reason given'}"
    rule = story["rule_id"] and f"rule {story['rule_id']} v{story['rule_version']}"
    cause = [part for part in (rule, story["problem_id"] and f"problem {story['problem_id']}") if part]
    if cause:
        yield f"  cause     {', '.join(cause)}"
    urgent = ", emergency" if story["emergency"] else ""
    until = f"until {show_time(story['expires_at'])}" if story["expires_at"] else "starts at approval"
    ttl = show_duration(story["ttl_sec"])
    yield f"  priority  {story['priority']} {story['priority_number']}{urgent}; TTL {ttl}, {until}"
    for decision in story["approvals"]:
        batch = "" if decision["command_id"] else f" (batch of {decision['commands']})"
        by = show_actor(decision["by_kind"], decision["by_id"], names)
        yield f"  {decision['decision']:<9} {show_time(decision['at'])} by {by}{batch}: {decision['reason']}"
    if story["over_cap"]:
        down, cap = story["over_cap"]["down"], story["over_cap"]["cap"]
        yield f"  over cap  {down} machines of the site down by command, cap {cap}; sent as emergency"
    if story["verification"]:
        yield f"  effect    {story['verification']}"


def _timeline(story: Mapping[str, Any], names: Names) -> Iterator[str]:
    before: datetime | None = None
    for entry in story["history"]:
        details = [entry["message"] or "", *_details(entry["details"] or {}), _took(entry["execution_time_ms"])]
        by = show_actor(entry["actor_kind"], entry["actor_id"], names)
        line = f"{_when(entry['at'], before)}  {entry['event']:<16} {entry['new_state']:<10} {by:<24} "
        yield (line + ", ".join(part for part in details if part)).rstrip()
        before = entry["at"]


def _when(at: datetime, before: datetime | None) -> str:
    """With the time since the previous change."""
    gap = "" if before is None else f"+{show_duration((at - before).total_seconds())}"
    return f"{at:%Y-%m-%d %H:%M:%S} {gap:>10}"


def _details(details: Mapping[str, Any]) -> Iterator[str]:
    if details.get("redelivered"):
        yield "redelivered"
    if details.get("attempt"):
        yield f"attempt {details['attempt']}"
    if details.get("device"):
        yield f"device {details['device']}"
    if details.get("error_code"):
        yield str(details["error_code"])
    if details.get("next_attempt_at"):
        yield f"retry at {details['next_attempt_at']}"
    if details.get("expired_at"):
        old, new = (show_time(datetime.fromisoformat(details[name])) for name in ("expired_at", "expires_at"))
        yield f"end {old} → {new}"
    if details.get("superseded_by"):
        yield f"by {details['superseded_by']}"


def _attempts(story: Mapping[str, Any], names: Names) -> Iterator[str]:
    yield "attempts:"
    for attempt in story["attempts"]:
        holder = names.get(str(attempt["collector_id"]), str(attempt["collector_id"]))
        where = f"{holder} {attempt['device'] or ''}".strip()
        parts = [attempt["result"] or "no ack yet", _took(attempt["execution_time_ms"]), attempt["error_code"] or ""]
        parts += [f"delivered {attempt['deliveries']} times"] if attempt["deliveries"] > 1 else []
        parts += [f"{show_count(attempt['late_count'], 'late ack')} ignored"] if attempt["late_count"] else []
        result = ", ".join(part for part in parts if part)
        yield f"  {attempt['n']}  dispatch {attempt['dispatch_id']} to {where}: {result}"
        for name in ("before", "after"):
            if attempt[f"snapshot_{name}"]:
                yield f"     {name:<7} {show_params(attempt[f'snapshot_{name}'])}"


def _took(milliseconds: int | None) -> str:
    return "" if milliseconds is None else f"took {show_duration(milliseconds / 1000)}"
