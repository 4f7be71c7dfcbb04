"""`hashinsight batch list | show | approve | reject | cancel`."""

from typing import Annotated, Any

import typer

from hashinsight.cli.commands.acting import (
    MOST_LINES,
    Acting,
    AnySiteOption,
    BatchArgument,
    CursorOption,
    JsonOption,
    LimitOption,
    ReasonOption,
    SinceOption,
    TenantOption,
    encoded,
    print_lines,
    print_rows,
    run,
    run_about,
    short,
    words,
)
from hashinsight.cli.commands.deciding import FreeReason
from hashinsight.cli.commands.names import Names, who


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

    async def work(acting: Acting) -> dict[str, Any]:
        from pydantic import AwareDatetime, TypeAdapter

        from hashinsight.cli.commands.names import with_site_codes
        from hashinsight.commands.queries.batches import BatchFilter
        from hashinsight.commands.service import batches

        since_then = TypeAdapter(AwareDatetime | None).validate_python(since)
        wanted = BatchFilter(acting.site_id, since=since_then, waiting=True if waiting else None)
        found = await batches.list_batches(acting.session, acting.asker.seen, wanted, limit=limit, cursor=cursor)
        rows = await with_site_codes(acting.session, found.rows)
        return {"batches": rows, "next_cursor": found.next_cursor}

    answer = run(work, tenant=tenant, site=site)
    if json:
        typer.echo(encoded(answer))
    else:
        print_rows([_line(one) for one in answer["batches"]], "batches", more=answer["next_cursor"])


def show(batch_id: BatchArgument, *, json: JsonOption = False) -> None:
    """Show one batch: progress, approvals, and machines left out with the reason."""

    async def work(acting: Acting) -> dict[str, Any]:
        from uuid import UUID

        from hashinsight.cli.commands.names import names_in, with_site_codes
        from hashinsight.commands.service import batches

        told = await batches.get_batch(acting.session, acting.asker.seen, UUID(batch_id))
        (batch,) = await with_site_codes(acting.session, [told])
        return batch if json else {"batch": batch, "names": await names_in(acting.session, batch)}

    answer = run_about(work, "command_batches", "batch_id", batch_id)
    if json:
        typer.echo(encoded(answer))
    else:
        _print(answer["batch"], answer["names"])


def approve(batch_id: BatchArgument, reason: ReasonOption, *, json: JsonOption = False) -> None:
    """Approve all waiting commands of a batch. Requests made on the command line need approval by a user."""
    _decide(batch_id, "approve", reason, as_json=json)


def reject(batch_id: BatchArgument, reason: ReasonOption, *, json: JsonOption = False) -> None:
    """Reject all waiting commands of a batch; they are canceled."""
    _decide(batch_id, "reject", reason, as_json=json)


def cancel(batch_id: BatchArgument, *, reason: FreeReason = "", json: JsonOption = False) -> None:
    """Cancel all open commands of a batch."""
    _decide(batch_id, "cancel", reason, as_json=json)


def _decide(batch_id: str, verb: str, reason: str, *, as_json: bool) -> None:
    async def work(acting: Acting) -> dict[str, Any]:
        from uuid import UUID

        from hashinsight.commands import service
        from hashinsight.commands.service import batches
        from hashinsight.commands.service.approvals import DecisionTarget

        which = DecisionTarget(batch_id=UUID(batch_id))
        act = getattr(service, verb)
        return batches.summarize_decision(
            UUID(batch_id), await act(acting.session, acting.asker, which, reason=reason, now=acting.now)
        )

    answer = run_about(work, "command_batches", "batch_id", batch_id)
    if as_json:
        typer.echo(encoded(answer))
    else:
        print_lines(f"{answer['commands']} commands: {_counted(answer['states'])}")


def _line(one: dict[str, Any]) -> dict[str, Any]:
    counts = one["counts"]
    return {
        "batch_id": one["batch_id"],
        "created": short(one["created_at"]),
        "site": one["site_code"],
        "command": f"{one['command_type']} {words(one['params'])}".strip(),
        "machines": counts["machines"],
        "commands": counts["created"],
        "refused": counts["refused"],
        "approval": "waiting" if one["waits"] else one["approval_state"],
        "reason": one["reason"],
    }


def _print(one: dict[str, Any], names: Names) -> None:
    asked_by = who(one["created_by_kind"], one["created_by"], names)
    print_lines(
        f"{one['command_type']} {words(one['params'])}".strip() + f" at site {one['site_code']}, {one['priority']}",
        f"requested {short(one['created_at'])} by {asked_by}: {one['reason'] or 'no reason given'}",
        f"machines: {_counted(one['counts'])}",
        f"states: {_counted(one['states']) or 'no commands'}",
    )
    if one["waiting_for_approval"]:
        print_lines(f"{one['waiting_for_approval']} waiting for approval: {one['approval_reason']}")
    for decision in one["approvals"]:
        by = who(decision["by_kind"], decision["by_id"], names)
        print_lines(f"{decision['decision']} {short(decision['at'])} by {by}: {decision['reason']}")
    if one["refused"]:
        shown = [{name: left[name] for name in ("miner_id", "error_code", "reason")} for left in one["refused"]]
        print_lines("", "left out:")
        print_rows(shown[:MOST_LINES], "machines")


def _counted(states: dict[str, int]) -> str:
    return ", ".join(f"{n} {state}" for state, n in states.items() if n)
