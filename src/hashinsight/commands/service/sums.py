"""Sum: what one requester commands at a site without approval, over all their requests of a window."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.commands.approval import NO_RECENT_REQUESTS, ApprovalNeed, RecentRequests
from hashinsight.commands.queries import requesters, targets
from hashinsight.commands.service.understanding import Order
from hashinsight.commands.states import Approval
from hashinsight.facts.models import find_model


async def sum_before(
    session: AsyncSession, order: Order, site_id: int, machines: Mapping[int, str], *, lock: bool, now: datetime
) -> RecentRequests:
    """`lock`: until this request is stored, no other of the requester is judged.

    Behind all other locks, so that none is waited for in a circle.
    """
    if not order.kind.is_control or not machines:
        return NO_RECENT_REQUESTS
    requester = requesters.summed_as(order.requester)
    if lock:
        await requesters.take_turn(session, site_id, requester)
    since = _since(order, now=now)
    before, drew_w = await requesters.sum_unapproved(session, site_id, requester, list(machines), since=since)
    if not drew_w:
        return before
    draws = {row.miner_no: _power_w(row) for row in await targets.list_each_draw(session, list(drew_w), now=now)}
    more_w = sum(max(0.0, then - draws.get(no, 0.0)) for no, then in drew_w.items())
    return replace(before, more_kw=more_w / 1000)


async def note_unapproved(
    session: AsyncSession, order: Order, site_id: int, need: ApprovalNeed, made: Mapping[int, UUID], *, now: datetime
) -> None:
    """What nobody else decides about counts from now on, also when it is canceled. `made`: the commands by machine."""
    if not order.kind.is_control or not made or need.state is not Approval.NONE:
        return
    rows = [
        {"miner_no": row.miner_no, "command_id": made[row.miner_no], "power_w": _power_w(row)}
        for row in await targets.list_each_draw(session, list(made), now=now)
    ]
    requester = requesters.summed_as(order.requester)
    since = _since(order, now=now)
    await requesters.note_unapproved(session, order.asker.tenant_id, site_id, requester, rows, since=since, now=now)


def _since(order: Order, *, now: datetime) -> datetime:
    return now - timedelta(minutes=order.settings.approval.window_min)


def _power_w(row: Any) -> float:
    """What a fresh sample says, else what the model is rated for."""
    if row.power_w is not None:
        return float(row.power_w)
    rated = find_model(row.model) if row.model else None
    return rated.power_w if rated else 0.0
