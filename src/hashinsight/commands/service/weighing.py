"""Weigh: a request against what its machines have open, and what it would reach. The same for a dry run."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.commands.approval import Impact
from hashinsight.commands.arbitration import ArbitrationResult, Intent, OpenCommand, arbitrate_all
from hashinsight.commands.queries import requests as queries
from hashinsight.commands.queries import targets
from hashinsight.commands.requests import CreatedCommand, Refusal
from hashinsight.commands.service.choosing import Chosen
from hashinsight.commands.service.understanding import Order
from hashinsight.commands.states import Priority, State
from hashinsight.facts.models import find_model
from hashinsight.inventory.queries import places


@dataclass(frozen=True)
class Weighed:
    accepted: dict[int, str]  # miner_no → miner_id
    verdicts: dict[int, ArbitrationResult]  # of the machines that had something to weigh
    existing: tuple[CreatedCommand, ...]
    refused: tuple[Refusal, ...]


async def weigh(session: AsyncSession, order: Order, chosen: Chosen, *, lock: bool, now: datetime) -> Weighed:
    asked, kind = order.asked, order.kind
    if lock:
        await places.lock_sites_shared(session, [chosen.site_id])
        chosen = chosen.without_moved(await targets.lock_machines(session, list(chosen.machines)))
    nos = list(chosen.machines)
    existing = await _existing(session, order, nos, now=now)
    left = {no: name for no, name in chosen.machines.items() if no not in existing}
    verdicts: dict[int, ArbitrationResult] = {}
    if kind.is_control and left:
        wish = Intent(kind.name, order.asks, Priority(asked.priority), asked.emergency, kind.opposes)
        present = await queries.list_present(session, list(left), lock=lock, now=now)
        verdicts = arbitrate_all(wish, by_machine(present))
    refused = {no: one for no, one in verdicts.items() if one.refused is not None}
    told = [_refusal(left[no], one) for no, one in refused.items()]
    accepted = {no: name for no, name in left.items() if no not in refused}
    return Weighed(accepted, verdicts, tuple(existing.values()), (*chosen.refused, *told))


async def measure(session: AsyncSession, site_id: int, miner_nos: Sequence[int], *, now: datetime) -> Impact:
    """Power and hashrate of the newest samples; where there are none, what the model is rated for."""
    watts = ths = 0.0
    unknown_power = unknown_ths = 0
    for row in await targets.list_draws(session, miner_nos, now=now):
        rated = find_model(row.model) if row.model and not row.says else None
        watts += row.power_w if row.says else row.machines * rated.power_w if rated else 0.0
        unknown_power += 0 if row.says or rated else row.machines
        ths += row.ths
        unknown_ths += row.unknown_ths
    of_site = await targets.count_in_service(session, site_id)
    return Impact(len(miner_nos), watts / 1000, float(ths), unknown_power, unknown_ths, of_site)


async def _existing(
    session: AsyncSession, order: Order, nos: Sequence[int], *, now: datetime
) -> dict[int, CreatedCommand]:
    key = order.asked.dedupe_key
    if key is None:
        return {}
    rows = await queries.list_repeated(session, order.asker.tenant_id, order.requester, key, nos, now=now)
    return {
        row.miner_no: CreatedCommand(row.command_id, row.miner_id, row.state, row.approval_state, existing=True)
        for row in rows
    }


def by_machine(rows: Sequence[Any]) -> dict[int, Sequence[OpenCommand]]:
    found: dict[int, list[OpenCommand]] = defaultdict(list)
    for row in rows:
        found[row.miner_no].append(
            OpenCommand(
                row.command_id,
                row.moves,
                row.command_type,
                bytes(row.asks),
                Priority(row.priority),
                row.emergency,
                State(row.state),
                row.dispatch_id,
            )
        )
    return dict(found)


def _refusal(miner_id: str, verdict: ArbitrationResult) -> Refusal:
    code = "" if verdict.refused is None else verdict.refused.value
    return Refusal(miner_id, code, verdict.reason, verdict.because_of)
