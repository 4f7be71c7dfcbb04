"""A device that was started anew: its last life's leases go back to the queue."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.commands.queries.sweeps import lost

# Only forward: a poll of the last life that is still on its way, or a folder that was restored, moves nothing.
_BEGUN = text("""
insert into command_devices (tenant_id, site_id, collector_id, device, last_seen_at, incarnation)
values (:tenant_id, :site_id, :collector_id, :device, :now, :incarnation)
on conflict (collector_id, device) do update
set incarnation = excluded.incarnation, last_seen_at = greatest(command_devices.last_seen_at, excluded.last_seen_at)
where coalesce(command_devices.incarnation, 0) < excluded.incarnation
returning incarnation
""")
# What could not be handed out again keeps its lease: its ack may be on the way, and an early end would shut it out.
_LAST_LIFE = text(
    lost("""c.lease_owner = :collector_id and c.lease_device = :device and c.cancel_requested_at is null
        and c.expires_at > :now and c.attempt <= c.max_retries""")
)


@dataclass(frozen=True)
class DeviceIncarnation:
    """Of a device: the number of its start."""

    tenant_id: UUID
    site_id: int
    collector_id: UUID
    device: str
    incarnation: int


async def move_incarnation(session: AsyncSession, life: DeviceIncarnation, *, now: datetime) -> bool:
    """Note it; False where it, or a later one, was known before."""
    return (await session.execute(_BEGUN, {**vars(life), "now": now})).first() is not None


async def move_last_life(session: AsyncSession, life: DeviceIncarnation, *, most: int, now: datetime) -> Sequence[Any]:
    """Leased → queued, under the same dispatch."""
    values = {"collector_id": life.collector_id, "device": life.device, "most": most, "now": now}
    return (await session.execute(_LAST_LIFE, {**values, "why": "its device was started anew"})).all()
