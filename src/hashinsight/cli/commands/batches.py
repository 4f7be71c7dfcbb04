"""`hashinsight batch list | show | approve | reject | cancel`."""

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from hashinsight.cli.commands.lists import show_command
from hashinsight.cli.context import (
    AnySiteOption,
    CliContext,
    CursorOption,
    JsonOption,
    LimitOption,
    ReasonOption,
    SinceOption,
    TenantOption,
    need_server,
    run,
    run_for,
)
from hashinsight.cli.names import Names, list_story_names, show_actor, with_site_codes
from hashinsight.cli.output import (
    MAX_LINES,
    Columns,
    print_lines,
    print_list,
    print_result,
    print_rows,
    show_count,
    show_time,
    to_json,
)

BatchArgument = Annotated[str, typer.Argument(metavar="BATCH_ID")]
_COLUMNS: Columns = {
    "id": "batch_id",
    "created (UTC)": "created_at",
    "site": "site_code",
    "command": show_command,
    "machines": lambda row: row["counts"]["machines"],
    "commands": lambda row: row["counts"]["created"],
    "refused": lambda row: row["counts"]["refused"],
    "approval": lambda row: "waiting" if row["waits"] else row["approval_state"],
    "reason": "reason",
}


def list_batches(
    *,
    site: AnySiteOption = None,
    since: SinceOption = None,
    waiting: Annotated[bool, typer.Option("--waiting", help="Only batches waiting for approval.")] = False,
    limit: LimitOption = 50,
    cursor: CursorOption = None,
    tenant: TenantOption = None,
    json: JsonOption = False,
) -> None:
    """List batches, newest first. Every request is a batch, even for one machine."""

    async def work(context: CliContext) -> dict[str, Any]:
        from pydantic import AwareDatetime, TypeAdapter

        from hashinsight.commands.queries.batches import BatchFilter
        from hashinsight.commands.service import batches

        since_ts = TypeAdapter(AwareDatetime | None).validate_python(since)
        batch_filter = BatchFilter(context.site_id, since=since_ts, waiting=True if waiting else None)
        page = await batches.list_batches(
            context.session, context.caller.seen, batch_filter, limit=limit, cursor=cursor
        )
        return {"batches": await with_site_codes(context.session, page.rows), "next_cursor": page.next_cursor}

    print_list(run(work, tenant=tenant, site=site), "batches", _COLUMNS, as_json=json)


def show(batch_id: BatchArgument, *, json: JsonOption = False) -> None:
    """Show one batch: progress, approvals, and refused machines with the reason."""

    async def work(context: CliContext) -> tuple[Any, Any]:
        from uuid import UUID

        from hashinsight.commands.service import batches

        row = await batches.get_batch(context.session, context.caller.seen, UUID(batch_id))
        (batch,) = await with_site_codes(context.session, [row])
        return batch, await list_story_names(context.session, batch)

    batch, names = _run_for_batch(work, batch_id)
    if json:
        typer.echo(to_json(batch))
        return
    print_lines(*_batch_lines(batch, names))
    print_refused(batch["refused"], batch["counts"]["refused"])


def approve(batch_id: BatchArgument, reason: ReasonOption, *, json: JsonOption = False) -> None:
    """Approve all waiting commands of a batch. Requests made on the command line need approval by a user."""
    _decide(batch_id, "approve", reason, as_json=json)


def reject(batch_id: BatchArgument, reason: ReasonOption, *, json: JsonOption = False) -> None:
    """Reject all waiting commands of a batch; they are canceled."""
    _decide(batch_id, "reject", reason, as_json=json)


def cancel(batch_id: BatchArgument, *, reason: ReasonOption = "", json: JsonOption = False) -> None:
    """Cancel all open commands of a batch."""
    _decide(batch_id, "cancel", reason, as_json=json)


def print_refused(refused: list[dict[str, Any]], count: int) -> None:
    if not refused:
        return
    names = {"miner": "miner_id", "error": "error_code", "reason": "reason"}
    print_lines("", "refused:")
    print_rows([{name: row[field] for name, field in names.items()} for row in refused[:MAX_LINES]], "machines")
    if count > MAX_LINES:
        print_lines(f"… and {count - MAX_LINES} more: --json lists them")


def show_counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count)


def _run_for_batch(work: Any, batch_id: str) -> Any:
    need_server()
    from hashinsight.commands.queries.batches import find_tenant_of_batch

    return run_for(work, find_tenant_of_batch, "batch", batch_id)


def _decide(batch_id: str, verb: str, reason: str, *, as_json: bool) -> None:
    async def work(context: CliContext) -> dict[str, Any]:
        from uuid import UUID

        from hashinsight.commands import service
        from hashinsight.commands.service import batches
        from hashinsight.commands.service.approvals import DecisionTarget

        target = DecisionTarget(batch_id=UUID(batch_id))
        decide = {"approve": service.approve, "reject": service.reject, "cancel": service.cancel}[verb]
        decision = await decide(context.session, context.caller, target, reason=reason, now=context.now)
        return batches.summarize_decision(UUID(batch_id), decision)

    answer = _run_for_batch(work, batch_id)
    text = f"{show_count(answer['commands'], 'command')}: {show_counts(answer['states'])}"
    print_result(answer, text, as_json=as_json)


def _batch_lines(batch: dict[str, Any], names: Names) -> Iterator[str]:
    by = show_actor(batch["created_by_kind"], batch["created_by"], names)
    yield f"{show_command(batch)} at site {batch['site_code']}, {batch['priority']}"
    yield f"requested {show_time(batch['created_at'])} by {by}: {batch['reason'] or 'no reason given'}"
    counts = {name: count for name, count in batch["counts"].items() if name != "machines"}
    yield f"{show_count(batch['counts']['machines'], 'machine')}: {show_counts(counts)}"
    yield f"states: {show_counts(batch['states']) or 'no commands'}"
    if batch["waiting_for_approval"]:
        yield f"{batch['waiting_for_approval']} waiting for approval: {batch['approval_reason']}"
    for decision in batch["approvals"]:
        by = show_actor(decision["by_kind"], decision["by_id"], names)
        yield f"{decision['decision']} {show_time(decision['at'])} by {by}: {decision['reason']}"
