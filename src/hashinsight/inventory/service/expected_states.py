"""Expected states: machines that are curtailed, stopped, rebooting or in maintenance, from when until when, and why."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import polars as pl
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action
from hashinsight.audit.service.entries import record
from hashinsight.identity.caller import Caller
from hashinsight.inventory.queries import expected_states as queries
from hashinsight.inventory.queries import miners, places
from hashinsight.inventory.schemas.miners import EndMaintenance, MinerSelection, SetMaintenance
from hashinsight.inventory.service.edit_scope import edit_scope
from hashinsight.kit.db.context import Context
from hashinsight.kit.db.database import Database
from hashinsight.kit.errors import ValidationFailed
from hashinsight.wire.times import write_time

ExpectedKind = Literal["curtailed", "stopped", "rebooting", "maintenance"]
_AUDITED_IDS = 1000


@dataclass(frozen=True)
class ExpectedInterval:
    """One machine, from now on; without `until_at` until it is ended."""

    miner_no: int
    state: ExpectedKind
    cause: str
    until_at: datetime | None


async def expect_each(session: AsyncSession, intervals: Sequence[ExpectedInterval], *, now: datetime) -> None:
    """Many machines, each with a cause of its own, in one statement."""
    if any(interval.until_at is not None and interval.until_at <= now for interval in intervals):
        raise ValidationFailed("until_at must be later than from_at")
    if intervals:
        rows = [(interval.miner_no, interval.state, interval.cause, interval.until_at) for interval in intervals]
        await queries.insert_each(session, rows, now=now)


async def end_causes(
    session: AsyncSession, miner_nos: Sequence[int], causes: Sequence[str], *, now: datetime
) -> list[int]:
    """End the expected states of these machines that have one of these causes."""
    return await queries.end_expected(session, miner_nos, states=None, causes=causes, now=now) if causes else []


async def end_states(
    session: AsyncSession, miner_nos: Sequence[int], states: Sequence[ExpectedKind], *, now: datetime
) -> list[int]:
    """End these states of these machines, whatever their causes."""
    return await queries.end_expected(session, miner_nos, states=states, causes=None, now=now) if miner_nos else []


async def change_causes(
    session: AsyncSession,
    miner_nos: Sequence[int],
    causes: Sequence[str],
    *,
    states: Sequence[ExpectedKind],
    beginning: str,
    now: datetime,
) -> None:
    """Replace the causes of open-ended states of these machines, where the old cause starts with `beginning`."""
    if miner_nos:
        await queries.update_causes(session, miner_nos, causes, states=states, beginning=beginning, now=now)


async def expect(
    session: AsyncSession,
    miner_nos: Sequence[int],
    state: ExpectedKind,
    *,
    cause: str,
    now: datetime,
    from_at: datetime | None = None,
    until_at: datetime | None = None,
) -> list[int]:
    """Open one interval for each machine in one statement; returns the machines.

    Where intervals overlap, the one created last counts.
    """
    begin = from_at or now
    if until_at is not None and until_at <= begin:
        raise ValidationFailed("until_at must be later than from_at")
    if not miner_nos:
        return []
    return await queries.insert_expected(
        session, miner_nos, state, cause=cause, from_at=begin, until_at=until_at, now=now
    )


async def end_expected(
    session: AsyncSession,
    miner_nos: Sequence[int],
    *,
    now: datetime,
    state: ExpectedKind | None = None,
    cause: str | None = None,
) -> list[int]:
    """End the expected states of these machines, or only those of one state or cause."""
    states, causes = (None if word is None else [word] for word in (state, cause))
    return await queries.end_expected(session, miner_nos, states=states, causes=causes, now=now)


async def expected_frame(
    database: Database, context: Context, as_of: datetime, *, site_id: int | None = None
) -> pl.DataFrame:
    """`miner_no, state, from_at, until_at, cause` of every machine with an expected state at that moment."""
    return await database.frame(context, queries.expected_as_of(as_of, site_id))


async def set_maintenance(session: AsyncSession, caller: Caller, body: SetMaintenance, *, now: datetime) -> list[int]:
    selected = await _select_miners(session, caller, body)
    machines = await expect(
        session,
        selected,
        "maintenance",
        cause=f"maintenance: {body.reason}",
        from_at=body.from_at,
        until_at=body.until_at,
        now=now,
    )
    until = write_time(body.until_at) if body.until_at else None
    await _record(session, caller, Action.MAINTENANCE_SET, machines, reason=body.reason, until=until, now=now)
    return machines


async def end_maintenance(session: AsyncSession, caller: Caller, body: EndMaintenance, *, now: datetime) -> list[int]:
    """Only maintenance ends: a machine that was curtailed in the meantime stays curtailed."""
    selected = await _select_miners(session, caller, body)
    machines = await end_expected(session, selected, state="maintenance", now=now)
    if machines:
        await _record(session, caller, Action.MAINTENANCE_ENDED, machines, reason=body.reason, now=now)
    return machines


async def _select_miners(session: AsyncSession, caller: Caller, selection: MinerSelection) -> list[int]:
    if selection.filter is not None:
        return await miners.list_miner_nos(session, edit_scope(caller), selection.filter)
    site_id = await places.find_site_id(session, caller.seen, selection.site_id)
    return await miners.list_miner_nos_by_id(session, edit_scope(caller), selection.miner_ids or [], site_id)


async def _record(
    session: AsyncSession,
    caller: Caller,
    action: Action,
    machines: list[int],
    *,
    reason: str,
    until: str | None = None,
    now: datetime,
) -> None:
    after = {"machines": len(machines), "miner_nos": machines[:_AUDITED_IDS], "until_at": until}
    await record(
        session, caller.actor, action, "miner", tenant_id=caller.tenant_id, after=after, reason=reason, now=now
    )
