"""A device that restarted: the leases from before its restart return to the queue."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.commands.queries.sweeps import lost_leases

# Only upwards: a late poll from before the restart, or a restored disk, changes nothing.
_UPDATE_INCARNATION = text("""
insert into command_devices (tenant_id, site_id, collector_id, device, last_seen_at, incarnation)
values (:tenant_id, :site_id, :collector_id, :device, :now, :incarnation)
on conflict (collector_id, device) do update
set incarnation = excluded.incarnation,
    last_seen_at = greatest(command_devices.last_seen_at, excluded.last_seen_at)
where coalesce(command_devices.incarnation, 0) < excluded.incarnation
returning incarnation
""")
# A command that could not be dispatched again keeps its lease: its ack may be on the way.
_RETURN_LEASES = text(
    lost_leases("""c.lease_owner = :collector_id
            and c.lease_device = :device
            and c.cancel_requested_at is null
            and c.expires_at > :now
            and c.attempt <= c.max_retries""")
)


@dataclass(frozen=True)
class DeviceIncarnation:
    """A device, and the number of its start."""

    tenant_id: UUID
    site_id: int
    collector_id: UUID
    device: str
    incarnation: int


async def update_incarnation(session: AsyncSession, device: DeviceIncarnation, *, now: datetime) -> bool:
    """False: this start, or a later one, was known before."""
    return (await session.execute(_UPDATE_INCARNATION, {**vars(device), "now": now})).first() is not None


async def move_returned_after_restart(
    session: AsyncSession, device: DeviceIncarnation, *, most: int, now: datetime
) -> Sequence[Any]:
    """Leased → queued, under the same dispatch id."""
    values = {"collector_id": device.collector_id, "device": device.device, "most": most, "now": now}
    return (await session.execute(_RETURN_LEASES, {**values, "reason": "device restarted"})).all()
