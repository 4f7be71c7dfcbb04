"""A heartbeat: kept for a week, and its newest figures beside the collector."""

from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.collectors.models import Collector
from hashinsight.collectors.queries import heartbeats
from hashinsight.kit.ids import new_id
from hashinsight.kit.scrub import scrub

# how a heartbeat's fields are called beside the collector
_BESIDE = {
    "status": "reported_status",
    "cpu_usage": "cpu_usage",
    "memory_usage": "memory_usage",
    "disk_usage": "disk_usage",
    "uptime_sec": "uptime_sec",
    "version": "version",
    "miners_online": "active_miners",
    "miners_total": "total_miners",
    "clock_skew_sec": "clock_skew_sec",
}


def clock_skew_sec(sent_at: datetime | None, now: datetime) -> float | None:
    """How far the collector's clock is ahead of ours, the time on the way included; None when it did not say."""
    return None if sent_at is None else round((sent_at - now).total_seconds(), 3)


async def beat(
    session: AsyncSession,
    collector: Collector,
    fields: dict[str, Any],
    *,
    device_id: str | None,
    sent_at: datetime | None,
    now: datetime,
) -> float | None:
    """Store it; gives the skew of the collector's clock. What it does not say stays as it was said before."""
    values = dict(fields)
    values["clock_skew_sec"] = skew = clock_skew_sec(sent_at, now)
    if values.get("extra_data") is not None:
        values["extra_data"] = scrub(values["extra_data"])
    row = {
        "id": new_id(),
        "at": now,
        "tenant_id": collector.tenant_id,
        "site_id": collector.site_id,
        "collector_id": collector.id,
        "device_id": device_id,
        **values,
    }
    await heartbeats.insert_heartbeat(session, row, now=now)
    beside = {column: values[name] for name, column in _BESIDE.items() if values.get(name) is not None}
    await heartbeats.update_reported(session, collector.id, beside, now=now)
    return skew
