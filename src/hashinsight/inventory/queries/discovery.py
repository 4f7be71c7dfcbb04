"""Machines that collectors register: how many, when, and in which zones."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, func, select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.inventory.models import Miner

_ROWS = 2_000  # a statement takes 65,535 values


async def count_registered(session: AsyncSession, site_id: int, collector_no: int, *, since: datetime) -> int:
    """How many this collector registered; until the transaction ends, nobody else counts or registers for it."""
    # an advisory lock: with the collector's row locked, its polls would wait for an import too
    lock = text("select pg_advisory_xact_lock(hashtext('machines registered by'), :collector_no)")
    await session.execute(lock, {"collector_no": collector_no})
    query = select(func.count()).where(_registered(site_id, collector_no, since))
    return (await session.execute(query)).scalar_one()


async def find_registered_at(
    session: AsyncSession, site_id: int, collector_no: int, position: int, *, since: datetime
) -> datetime | None:
    """When this collector registered its machine number `position` since then; the oldest is 0."""
    query = select(Miner.created_at).where(_registered(site_id, collector_no, since))
    return (await session.execute(query.order_by(Miner.created_at).offset(position).limit(1))).scalar()


def _registered(site_id: int, collector_no: int, since: datetime) -> ColumnElement[bool]:
    return and_(Miner.registered_by == collector_no, Miner.created_at > since, Miner.site_id == site_id)


async def list_in_other_zones(
    session: AsyncSession, site_id: int, zone_id: int | None, miner_ids: Sequence[str]
) -> set[str]:
    """Which of these machines are in another zone than the collector's; none for a collector of the whole site."""
    if zone_id is None or not miner_ids:
        return set()
    query = select(Miner.miner_id).where(
        Miner.site_id == site_id, Miner.miner_id.in_(set(miner_ids)), Miner.zone_id != zone_id
    )
    return set((await session.execute(query)).scalars())


async def insert_discovered(session: AsyncSession, rows: Sequence[dict[str, Any]]) -> list[str]:
    """Insert machines that the site does not have; returns their ids."""
    added: list[str] = []
    for start in range(0, len(rows), _ROWS):
        statement = (
            insert(Miner)
            .values(rows[start : start + _ROWS])
            .on_conflict_do_nothing(index_elements=["site_id", "miner_id"])
            .returning(Miner.miner_id)
        )
        added += (await session.execute(statement)).scalars()
    return added
