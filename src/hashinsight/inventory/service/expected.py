"""Say which machines are expected to stand still, from when until when, and why."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import polars as pl
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.inventory.queries import expected as queries
from hashinsight.kit.db.context import Context
from hashinsight.kit.db.database import Database
from hashinsight.kit.errors import ValidationFailed

State = Literal["curtailed", "stopped", "rebooting", "maintenance"]


@dataclass(frozen=True)
class Expected:
    """One machine, from now on; without an end until somebody ends it."""

    miner_no: int
    state: State
    cause: str
    until_at: datetime | None


async def expect_each(session: AsyncSession, each: Sequence[Expected], *, now: datetime) -> None:
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
    session: AsyncSession, miner_nos: Sequence[int], states: Sequence[State], *, now: datetime
) -> list[int]:
    """End these states of these machines, whatever their causes."""
    return await queries.end_expected(session, miner_nos, states=states, causes=None, now=now) if miner_nos else []


async def change_causes(
    session: AsyncSession,
    miner_nos: Sequence[int],
    causes: Sequence[str],
    *,
    states: Sequence[State],
    beginning: str,
    now: datetime,
) -> None:
    """Another cause for what these machines are expected to be without an end, where the cause begins so."""
    if miner_nos:
        await queries.update_causes(session, miner_nos, causes, states=states, beginning=beginning, now=now)


async def expect(
    session: AsyncSession,
    miner_nos: Sequence[int],
    state: State,
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
    state: State | None = None,
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
