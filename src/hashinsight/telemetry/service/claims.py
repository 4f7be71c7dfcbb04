"""Machines listed without a zone: the first collector that reads one claims it, and the operator is informed."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action
from hashinsight.audit.service.entries import record
from hashinsight.collectors.caller import CollectorCaller
from hashinsight.collectors.queries import events
from hashinsight.collectors.queries.registry import get_collector
from hashinsight.collectors.service.events import open_event
from hashinsight.collectors.states import MACHINES_CLAIMED, ZONE_MISMATCH
from hashinsight.inventory.queries.places import lock_sites_shared
from hashinsight.telemetry.queries.machines import update_claimed

_DAY = timedelta(days=1)
_MAX_LISTED = 50  # in an event; the rest is only counted


@dataclass(frozen=True)
class RefusalText:
    """The text of an event: what the collector reports, and what the operator should do."""

    reports: str
    act: str


REFUSALS = {
    "ZONE_MISMATCH": RefusalText(
        "machines of another zone",
        "If they are in this collector's zone, set their zone; otherwise correct the collector's address ranges"
        " or revoke its token.",
    ),
    "ZONE_NOT_SET": RefusalText(
        "machines without a zone that another collector reads",
        "Set their zone. If the collector that read them is gone, disable it.",
    ),
    "MINER_ID_ALIKE": RefusalText(
        "new ids that look like those of another zone's machines",
        "If they belong to this collector's zone, add them to the inventory; otherwise correct the ids it sends"
        " or revoke its token.",
    ),
}


async def claim_machines(
    session: AsyncSession, caller: CollectorCaller, miner_ids: Collection[str], *, now: datetime
) -> None:
    """For the caller's zone or the whole site. A zone's claim is audited, and reported once a day."""
    await lock_sites_shared(session, [caller.site_id])  # an import may be setting their zones
    claimed = await update_claimed(session, caller.site_id, caller.collector_no, miner_ids)
    if not claimed or caller.zone_id is None:
        return
    details = {"machines": len(claimed), "miner_ids": claimed[:_MAX_LISTED], "zone_id": caller.zone_id}
    await record(
        session,
        caller.actor,
        Action.MINERS_CLAIMED,
        "site",
        caller.site_id,
        tenant_id=caller.tenant_id,
        after=details,
        now=now,
    )
    if await events.has_recent_event(session, caller.collector_id, MACHINES_CLAIMED, since=now - _DAY):
        return
    collector = await get_collector(session, caller.collector_id)
    await open_event(
        session,
        collector,
        MACHINES_CLAIMED,
        f"collector {collector.name} reports {_machines(claimed)} listed without a zone",
        message=f"{_list(claimed)}. No collector had read them before. From now on, collectors of other zones cannot"
        " report them. Set their zone.",
        details=details,
        now=now,
    )


async def report_refused(
    session: AsyncSession, caller: CollectorCaller, code: str, miner_ids: Collection[str], *, now: datetime
) -> None:
    """An event for the operator and an audit entry, once a day per code."""
    if await events.has_recent_event(
        session, caller.collector_id, ZONE_MISMATCH, ("error_code", code), since=now - _DAY
    ):
        return
    collector = await get_collector(session, caller.collector_id)
    miner_ids_sorted, text = sorted(miner_ids), REFUSALS[code]
    details = {"error_code": code, "machines": len(miner_ids_sorted), "miner_ids": miner_ids_sorted[:_MAX_LISTED]}
    await open_event(
        session,
        collector,
        ZONE_MISMATCH,
        f"collector {collector.name} reports {text.reports}",
        message=f"Samples of {_machines(miner_ids_sorted)} were rejected: {_list(miner_ids_sorted)}. {text.act}",
        details=details,
        now=now,
    )
    await record(
        session,
        caller.actor,
        Action.COLLECTOR_REFUSED,
        "collector",
        collector.id,
        tenant_id=collector.tenant_id,
        after=details,
        now=now,
    )


def _machines(miner_ids_sorted: Collection[str]) -> str:
    return "1 machine" if len(miner_ids_sorted) == 1 else f"{len(miner_ids_sorted):,} machines"


def _list(miner_ids_sorted: list[str]) -> str:
    shown = ", ".join(miner_ids_sorted[:10])
    return shown if len(miner_ids_sorted) <= 10 else f"{shown} …"  # noqa: PLR2004 - as many as are shown
