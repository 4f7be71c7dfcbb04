"""Machines that are listed without a zone: who reads one first claims it, and the operator is told."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action
from hashinsight.audit.service.entries import record
from hashinsight.collectors.caller import CollectorCaller
from hashinsight.collectors.models import Collector
from hashinsight.collectors.queries import events
from hashinsight.collectors.service.events import open_event
from hashinsight.collectors.states import MACHINES_CLAIMED, ZONE_MISMATCH
from hashinsight.inventory.queries.places import lock_sites_shared
from hashinsight.telemetry.queries.machines import update_claimed

_DAY = timedelta(days=1)
_NAMED = 50  # in an event; the rest is counted


@dataclass(frozen=True)
class RefusalText:
    """A refusal in words: what the collector reports, and what the operator does about it."""

    reports: str
    act: str


REFUSALS = {
    "ZONE_MISMATCH": RefusalText(
        "machines of another zone",
        "If they stand in its zone, set their zone; if not, check its ranges, or revoke its token.",
    ),
    "ZONE_NOT_SET": RefusalText(
        "machines without a zone that another collector reads",
        "Set their zone. If the collector that read them is gone for good, disable it.",
    ),
    "MINER_ID_ALIKE": RefusalText(
        "new ids that read like those of another zone's machines",
        "If they are machines of its zone, list them; if not, correct its ids, or revoke its token.",
    ),
}


async def claim_machines(
    session: AsyncSession, caller: CollectorCaller, miner_ids: Collection[str], *, now: datetime
) -> None:
    """For the caller's zone or the whole site, as far as nobody was first. A zone's is audited, and told once a day."""
    await lock_sites_shared(session, [caller.site_id])  # an import of the list may be giving them their zones
    claimed = await update_claimed(session, caller.site_id, caller.collector_no, miner_ids)
    if not claimed or caller.zone_id is None:
        return
    details = {"machines": len(claimed), "miner_ids": claimed[:_NAMED], "zone_id": caller.zone_id}
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
    collector = await session.get_one(Collector, caller.collector_id)
    await open_event(
        session,
        collector,
        MACHINES_CLAIMED,
        f"collector {collector.name} reports {_machines(claimed)} listed without a zone",
        message=f"{_listed(claimed)}. Nobody read them before; from now on no other zone's collector may. "
        "Set their zone.",
        details=details,
        now=now,
    )


async def report_refused(
    session: AsyncSession, caller: CollectorCaller, code: str, miner_ids: Collection[str], *, now: datetime
) -> None:
    """Once a day and code: an event for the operator, and an audit entry."""
    if await events.has_recent_event(
        session, caller.collector_id, ZONE_MISMATCH, ("error_code", code), since=now - _DAY
    ):
        return
    collector = await session.get_one(Collector, caller.collector_id)
    named, words = sorted(miner_ids), REFUSALS[code]
    details = {"error_code": code, "machines": len(named), "miner_ids": named[:_NAMED]}
    await open_event(
        session,
        collector,
        ZONE_MISMATCH,
        f"collector {collector.name} reports {words.reports}",
        message=f"Samples of {_machines(named)} were rejected: {_listed(named)}. {words.act}",
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


def _machines(named: Collection[str]) -> str:
    return "1 machine" if len(named) == 1 else f"{len(named):,} machines"


def _listed(named: list[str]) -> str:
    shown = ", ".join(named[:10])
    return shown if len(named) <= 10 else f"{shown} …"  # noqa: PLR2004 - as many as are shown
