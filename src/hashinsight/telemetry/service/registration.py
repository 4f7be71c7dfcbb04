"""Automatic registration: unknown machines that a collector reports join the inventory, within its limits."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action
from hashinsight.audit.service.entries import record
from hashinsight.collectors.caller import CollectorCaller
from hashinsight.collectors.queries import events
from hashinsight.collectors.queries.registry import get_collector
from hashinsight.collectors.service.events import open_event
from hashinsight.collectors.states import REGISTRATION_LIMIT
from hashinsight.inventory.queries.discovery import count_registered, find_registered_at
from hashinsight.inventory.service.discovery import DiscoveredMiners, register_discovered
from hashinsight.wire.times import write_time

_DAY = timedelta(days=1)


@dataclass(frozen=True)
class RegistrationLimits:
    """How many machines a collector may register; beyond that, an operator has to import them."""

    per_call: int = 1000
    per_day: int = 5000
    first_day: int = 25_000  # in 24 hours and in one call, while its registration is open


@dataclass(frozen=True)
class Registered:
    """How many were registered, and why the rest were not."""

    count: int
    reason: str = ""


@dataclass(frozen=True)
class _Limit:
    name: str
    most: int
    period: str


async def register_reported(
    session: AsyncSession,
    caller: CollectorCaller,
    miner_ids: Sequence[str],
    limits: RegistrationLimits,
    *,
    now: datetime,
) -> Registered:
    """Register as many as the limits allow, in the given order. One call per collector at a time."""
    done = await count_registered(session, caller.site_id, caller.collector_no, since=now - _DAY)
    collector = await get_collector(session, caller.collector_id)
    open_until = collector.registration_open_until
    if open_until is not None and now < open_until and limits.first_day > limits.per_day:
        per_call = per_day = _Limit("first_day", limits.first_day, "in 24 hours")
    else:
        per_call = _Limit("per_call", limits.per_call, "in one upload")
        per_day = _Limit("per_day", limits.per_day, "in 24 hours")
    room = max(min(per_call.most, per_day.most - done), 0)
    chosen = list(miner_ids)[:room]
    if chosen:
        new = DiscoveredMiners(caller.tenant_id, caller.site_id, caller.stands_in, caller.collector_no, chosen)
        await register_discovered(session, caller.actor, new, now=now)
    refused = len(miner_ids) - len(chosen)
    if not refused:
        return Registered(len(chosen))
    limit = per_day if room < per_call.most else per_call
    if limit.name == "per_call":
        resumes = "the next upload continues"
    else:
        over = max(done + len(chosen) - limit.most, 0)
        oldest = await find_registered_at(session, caller.site_id, caller.collector_no, over, since=now - _DAY)
        resumes = (
            "no further machines will be registered" if oldest is None else f"resumes at {write_time(oldest + _DAY)}"
        )
    await _report_limit(session, caller, limit, refused=refused, resumes=resumes, now=now)
    return Registered(len(chosen), f"this collector has registered {limit.most} new machines {limit.period}: {resumes}")


async def _report_limit(
    session: AsyncSession,
    caller: CollectorCaller,
    limit: _Limit,
    *,
    refused: int,
    resumes: str,
    now: datetime,
) -> None:
    """An event for the operator and an audit entry, once a day per limit."""
    if await events.has_recent_event(
        session, caller.collector_id, REGISTRATION_LIMIT, ("limit", limit.name), since=now - _DAY
    ):
        return
    collector = await get_collector(session, caller.collector_id)
    details = {"limit": limit.name, "machines": limit.most, "refused": refused}
    advice = (
        "raise HASHINSIGHT_REGISTER_FIRST_DAY"
        if limit.name == "first_day"
        else "open registration on the collector for a few hours"
    )
    await open_event(
        session,
        collector,
        REGISTRATION_LIMIT,
        f"collector {collector.name} reports more than {limit.most} unknown machines {limit.period}",
        message=f"{refused} were not registered, and their samples were rejected: {resumes}. If these machines are "
        f"yours, import the asset list or {advice}; if not, revoke the collector's token.",
        details=details,
        now=now,
    )
    await record(
        session,
        caller.actor,
        Action.REGISTRATION_LIMITED,
        "collector",
        collector.id,
        tenant_id=collector.tenant_id,
        after=details,
        now=now,
    )
