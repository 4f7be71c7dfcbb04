"""Machines that were seen before anybody listed them: they join the inventory of the site that saw them."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action, Actor
from hashinsight.audit.service import record
from hashinsight.inventory.models import Miner

_AT_ONCE = 2_000  # a statement takes 65,535 values
_NAMED = 50  # in the audit entry; the rest is counted


async def list_numbers(session: AsyncSession, site_id: int) -> dict[str, int]:
    rows = await session.execute(select(Miner.miner_id, Miner.miner_no).where(Miner.site_id == site_id))
    return {miner_id: miner_no for miner_id, miner_no in rows}  # noqa: C416 - a row is not a pair to dict()


async def register_seen(
    session: AsyncSession, actor: Actor, tenant_id: UUID, site_id: int, miner_ids: Sequence[str], *, now: datetime
) -> int:
    """Add those that are not there; says how many. Two processes that see the same machine add it once."""
    rows = [
        {"tenant_id": tenant_id, "site_id": site_id, "miner_id": one, "created_at": now, "updated_at": now}
        for one in sorted(set(miner_ids))
    ]
    made: list[str] = []
    for begin in range(0, len(rows), _AT_ONCE):
        added = insert(Miner).values(rows[begin : begin + _AT_ONCE])
        settled = added.on_conflict_do_nothing(index_elements=["site_id", "miner_id"]).returning(Miner.miner_id)
        made += (await session.execute(settled)).scalars()
    if made:
        await record(
            session,
            actor,
            Action.MINERS_REGISTERED,
            "site",
            site_id,
            tenant_id=tenant_id,
            after={"machines": len(made), "miner_ids": sorted(made)[:_NAMED]},
            now=now,
        )
    return len(made)
