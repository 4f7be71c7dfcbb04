"""Acks: dispatches read under lock with the facts that decide, and their commands moved."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Actor
from hashinsight.commands.queries.ack_sql import FINISHED_ACKED, LOCK_ACKED, MOVE_ACKED, NOTE_LATE
from hashinsight.commands.queries.fragments import audit_values, pack_ids, pack_rows
from hashinsight.kit.db.context import Context
from hashinsight.kit.db.pipeline import execute_together

LATE_KEPT = 20
NOTE_DEVICE_EVERY = timedelta(seconds=5)
_MACHINES = text("""
select a.dispatch_id, m.miner_id
from command_attempts a
join miners m on m.miner_no = a.miner_no
where a.dispatch_id = any (cast(:ids as uuid[])) and a.site_id = :site_id
""")


async def lock_acked(
    session: AsyncSession,
    actor: Actor,
    ids: Sequence[UUID],
    successes: Sequence[Mapping[str, Any]],
    *,
    site_id: int,
    tenant_id: UUID,
    collector_id: UUID,
    device: str | None,
    entering: Context | None = None,
    now: datetime,
) -> dict[UUID, Any]:
    """Facts by dispatch, for commands that are not archived yet, locked. The device is noted as heard.

    `successes`: of these, the ones by the holder of the lease are moved at once (`is_moved`).
    """
    values = {
        "tenant_id": tenant_id,
        "site_id": site_id,
        "collector_id": collector_id,
        "device": device,
        "ids": pack_ids(ids),
        "successes": pack_rows(successes),
        "lease_until": None,
        "stale": now - NOTE_DEVICE_EVERY,
        "now": now,
        **audit_values(actor),
    }
    (rows,) = await execute_together(session, (LOCK_ACKED, values), begin_as=entering)
    return {row.dispatch_id: row for row in rows}


async def list_finished(
    session: AsyncSession, site_id: int, collector_id: UUID, device: str | None, ids: Sequence[UUID]
) -> dict[UUID, Any]:
    """Facts of archived commands. A statement of its own: it sees what was archived since the one before."""
    values = {"site_id": site_id, "collector_id": collector_id, "device": device, "ids": list(ids)}
    rows = await session.execute(FINISHED_ACKED, values)
    return {row.dispatch_id: row for row in rows}


async def move_acked(
    session: AsyncSession,
    actor: Actor,
    rows: Sequence[Mapping[str, Any]],
    *,
    device: str | None,
    lease_until: datetime,
    now: datetime,
) -> set[UUID]:
    """Ids of the commands that were moved, each from the state and number of moves at which it was judged."""
    values = {"rows": pack_rows(rows), "device": device, "lease_until": lease_until, "now": now, **audit_values(actor)}
    (moved,) = await execute_together(session, (MOVE_ACKED, values))
    return {row.command_id for row in moved}


async def update_late(session: AsyncSession, rows: Sequence[Mapping[str, Any]]) -> None:
    """Keep acks that changed nothing with the dispatch that they name; one row per dispatch."""
    await session.execute(NOTE_LATE, {"rows": pack_rows(rows), "kept": LATE_KEPT})


async def list_machines(session: AsyncSession, site_id: int, dispatch_ids: Sequence[str]) -> dict[str, str]:
    """Miner ids by dispatch id, as the collector wrote it; unknown dispatches are left out."""
    ids = {name: parsed for name in dispatch_ids if (parsed := parse_uuid(name)) is not None}
    rows = await session.execute(_MACHINES, {"site_id": site_id, "ids": list(ids.values())})
    machines = {row.dispatch_id: row.miner_id for row in rows}
    return {name: machines[parsed] for name, parsed in ids.items() if parsed in machines}


def parse_uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
