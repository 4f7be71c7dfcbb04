"""Say which machines are expected to stand still, from when until when, and why."""

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
from hashinsight.kit.errors import NotFound, ValidationFailed

ExpectedKind = Literal["curtailed", "stopped", "rebooting", "maintenance"]


@dataclass(frozen=True)
class ExpectedInterval:
    """One machine, from now on; without an end until somebody ends it."""

    miner_no: int
    state: ExpectedKind
    cause: str
    until_at: datetime | None


async def expect_each(session: AsyncSession, each: Sequence[ExpectedInterval], *, now: datetime) -> None:
    """Many machines, each for a cause of its own, in one statement."""
    if any(one.until_at is not None and one.until_at <= now for one in each):
        raise ValidationFailed("the end must lie behind the beginning")
    if each:
        rows = [(one.miner_no, one.state, one.cause, one.until_at) for one in each]
        await queries.insert_each(session, rows, now=now)


async def end_causes(
    session: AsyncSession, miner_nos: Sequence[int], causes: Sequence[str], *, now: datetime
) -> list[int]:
    """End what these causes made these machines expected to be."""
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
    """Another cause for what these machines are expected to be without an end, where the cause begins so."""
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
    """Open one interval for each machine, in one statement; says which machines it was for.

    Where intervals overlap, the one that was created last holds.
    """
    begin = from_at or now
    if until_at is not None and until_at <= begin:
        raise ValidationFailed("the end must lie behind the beginning")
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
    """End what these machines are expected to be, or only what is of this state or cause."""
    states, causes = (None if word is None else [word] for word in (state, cause))
    return await queries.end_expected(session, miner_nos, states=states, causes=causes, now=now)


async def expected_frame(
    database: Database, context: Context, as_of: datetime, *, site_id: int | None = None
) -> pl.DataFrame:
    """`miner_no, state, from_at, until_at, cause` of every machine with an expected state at that moment."""
    return await database.frame(context, queries.expected_as_of(as_of, site_id))


_AUDITED_IDS = 1000


async def set_maintenance(session: AsyncSession, caller: Caller, asked: SetMaintenance, *, now: datetime) -> list[int]:
    chosen = await _choose(session, caller, asked)
    touched = await expect(
        session,
        chosen,
        "maintenance",
        cause=f"maintenance: {asked.reason}",
        from_at=asked.from_at,
        until_at=asked.until_at,
        now=now,
    )
    until = asked.until_at.isoformat() if asked.until_at else None
    await _record(session, caller, Action.MAINTENANCE_SET, touched, reason=asked.reason, until=until, now=now)
    return touched


async def end_maintenance(session: AsyncSession, caller: Caller, asked: EndMaintenance, *, now: datetime) -> list[int]:
    """Only maintenance ends: a machine that was curtailed meanwhile stays so."""
    chosen = await _choose(session, caller, asked)
    touched = await end_expected(session, chosen, state="maintenance", now=now)
    if touched:
        await _record(session, caller, Action.MAINTENANCE_ENDED, touched, reason=asked.reason, now=now)
    return touched


async def _choose(session: AsyncSession, caller: Caller, asked: MinerSelection) -> list[int]:
    if asked.filter is not None:
        return await miners.list_miner_nos(session, edit_scope(caller), asked.filter)
    site_id = None if asked.site_id is None else (await places.get_site(session, caller.seen, asked.site_id)).id
    found, missing = await miners.resolve_miners(session, edit_scope(caller), asked.miner_ids or [], site_id)
    if missing:
        raise NotFound("some of these miners do not exist", details={"miner_ids": missing[:100]})
    return list(found.values())


async def _record(
    session: AsyncSession,
    caller: Caller,
    action: Action,
    touched: list[int],
    *,
    reason: str,
    until: str | None = None,
    now: datetime,
) -> None:
    after = {"machines": len(touched), "miner_nos": touched[:_AUDITED_IDS], "until_at": until}
    tenant_id = caller.tenant_id
    await record(session, caller.actor, action, "miner", tenant_id=tenant_id, after=after, reason=reason, now=now)
