"""Set and end maintenance on machines: one act, however many they are."""

from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action
from hashinsight.audit.service import record
from hashinsight.inventory.queries import miners, places
from hashinsight.inventory.rights import Rights
from hashinsight.inventory.schemas.maintenance import Chosen, EndMaintenance, SetMaintenance
from hashinsight.inventory.service.expected import end_expected, expect
from hashinsight.kit.errors import NotFound

_AUDITED_IDS = 1000


async def set_maintenance(session: AsyncSession, rights: Rights, asked: SetMaintenance, *, now: datetime) -> list[int]:
    chosen = await _choose(session, rights, asked)
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
    await _record(session, rights, Action.MAINTENANCE_SET, touched, reason=asked.reason, until=until, now=now)
    return touched


async def end_maintenance(session: AsyncSession, rights: Rights, asked: EndMaintenance, *, now: datetime) -> list[int]:
    """Only maintenance ends: a machine that was curtailed meanwhile stays so."""
    chosen = await _choose(session, rights, asked)
    touched = await end_expected(session, chosen, state="maintenance", now=now)
    if touched:
        await _record(session, rights, Action.MAINTENANCE_ENDED, touched, reason=asked.reason, now=now)
    return touched


async def _choose(session: AsyncSession, rights: Rights, asked: Chosen) -> list[int]:
    if asked.filter is not None:
        return await miners.list_miner_nos(session, rights.write, asked.filter)
    site_id = None if asked.site_id is None else (await places.get_site(session, rights.see, asked.site_id)).id
    found, missing = await miners.resolve_miners(session, rights.write, asked.miner_ids or [], site_id)
    if missing:
        raise NotFound("some of these miners do not exist", details={"miner_ids": missing[:100]})
    return list(found.values())


async def _record(
    session: AsyncSession,
    rights: Rights,
    action: Action,
    touched: list[int],
    *,
    reason: str,
    until: str | None = None,
    now: datetime,
) -> None:
    after = {"machines": len(touched), "miner_nos": touched[:_AUDITED_IDS], "until_at": until}
    tenant_id = rights.write.tenant_id
    await record(session, rights.actor, action, "miner", tenant_id=tenant_id, after=after, reason=reason, now=now)
