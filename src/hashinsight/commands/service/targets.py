"""The machines of a request: which it selects, which the caller may command, and what is open on them already."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.commands import errors
from hashinsight.commands.approval import Impact
from hashinsight.commands.arbitration import ArbitrationResult, Intent, OpenCommand, arbitrate_all
from hashinsight.commands.catalogue import Risk
from hashinsight.commands.limits import MAX_MACHINES
from hashinsight.commands.queries import requests as queries
from hashinsight.commands.queries import targets
from hashinsight.commands.requests import CreatedCommand, Refusal, ResolvedRequest
from hashinsight.commands.states import HIGH_CLASSES, Priority, State
from hashinsight.facts.models import find_model
from hashinsight.identity.permissions import Permission
from hashinsight.identity.scope import Scope
from hashinsight.inventory.queries import groups, places
from hashinsight.kit.errors import Forbidden, HashInsightError, NotFound

_MAX_AMBIGUOUS_SHOWN = 20


@dataclass(frozen=True)
class SelectedTargets:
    site_id: int
    machines: dict[int, str]  # miner_no → miner_id, in the order of the numbers
    zones: dict[int, int | None]
    refused: tuple[Refusal, ...]

    def without_moved(self, current: Mapping[int, tuple[int, int | None, str]]) -> "SelectedTargets":
        """`current`: site, zone and state under lock. Machines that moved since were selected by an outdated scope."""
        moved = {no for no in self.machines if current.get(no) != (self.site_id, self.zones[no], "in_service")}
        if not moved:
            return self
        reason = "moved or retired just now: try again"
        refused = [Refusal(name, "MINER_MOVED", reason) for no, name in self.machines.items() if no in moved]
        machines = {no: name for no, name in self.machines.items() if no not in moved}
        return replace(self, machines=machines, refused=(*self.refused, *refused))


@dataclass(frozen=True)
class ArbitratedTargets:
    accepted: dict[int, str]  # miner_no → miner_id
    results: dict[int, ArbitrationResult]  # of machines with open commands
    existing: tuple[CreatedCommand, ...]
    refused: tuple[Refusal, ...]


async def select_targets(session: AsyncSession, resolved: ResolvedRequest) -> SelectedTargets:
    """In one query. Single machines are refused with a reason; an error if none is left."""
    caller, request = resolved.caller, resolved.request
    allowed = _allowed_scope(resolved)
    site_id = None if request.site is None else (await places.get_site(session, caller.seen, request.site)).id
    condition = await _condition(session, resolved)
    rows = await targets.list_targets(
        session, caller.seen, condition, site_id=site_id, allowed=allowed, most=MAX_MACHINES + 1
    )
    if len(rows) > MAX_MACHINES:
        raise errors.too_many_machines()
    if request.emergency:
        rows = await _only_approvable(session, resolved, condition, site_id, rows)
    _check_one_site(resolved, rows)
    machines = {row.miner_no: row.miner_id for row in rows if row.is_allowed and row.state == "in_service"}
    refused = _refusals(resolved, rows)
    if not machines:
        raise _nothing_left(refused)
    zones = {row.miner_no: row.zone_id for row in rows}
    return SelectedTargets(next(row.site_id for row in rows), machines, zones, tuple(refused))


async def arbitrate_targets(
    session: AsyncSession, resolved: ResolvedRequest, selected: SelectedTargets, *, lock: bool, now: datetime
) -> ArbitratedTargets:
    """Compare the request with the open commands of its machines."""
    request, kind = resolved.request, resolved.kind
    if lock:
        await places.lock_sites_shared(session, [selected.site_id])
        selected = selected.without_moved(await targets.lock_machines(session, list(selected.machines)))
    existing = await _existing(session, resolved, list(selected.machines), now=now)
    machines = {no: name for no, name in selected.machines.items() if no not in existing}
    results: dict[int, ArbitrationResult] = {}
    if kind.is_control and machines:
        intent = Intent(kind.name, resolved.asks, Priority(request.priority), request.emergency, kind.opposes)
        rows = await queries.list_open(session, list(machines), lock=lock, now=now)
        results = arbitrate_all(intent, group_open_commands(rows))
    refused = [
        Refusal(machines[no], result.refused.value, result.reason, result.because_of)
        for no, result in results.items()
        if result.refused is not None
    ]
    accepted = {no: name for no, name in machines.items() if no not in results or results[no].refused is None}
    return ArbitratedTargets(accepted, results, tuple(existing.values()), (*selected.refused, *refused))


async def measure_impact(session: AsyncSession, site_id: int, miner_nos: Sequence[int], *, now: datetime) -> Impact:
    """Power and hashrate of the newest samples, else the model's rated power."""
    watts = ths = 0.0
    unknown_power = unknown_ths = 0
    for row in await targets.sum_power(session, miner_nos, now=now):
        rated = find_model(row.model) if row.model and not row.is_measured else None
        watts += row.power_w if row.is_measured else row.machines * rated.power_w if rated else 0.0
        unknown_power += 0 if row.is_measured or rated else row.machines
        ths += row.ths
        unknown_ths += row.unknown_ths
    site_machines = await targets.count_in_service(session, site_id)
    return Impact(len(miner_nos), watts / 1000, float(ths), unknown_power, unknown_ths, site_machines)


def group_open_commands(rows: Sequence[Any]) -> dict[int, Sequence[OpenCommand]]:
    """Open commands by machine."""
    by_machine: dict[int, list[OpenCommand]] = defaultdict(list)
    for row in rows:
        by_machine[row.miner_no].append(
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
    return dict(by_machine)


def _allowed_scope(resolved: ResolvedRequest) -> Scope:
    """High risk, batches and the higher classes need the permission for high risk; an emergency also that to approve.

    The higher classes, because they displace commands of others, approved ones too.
    """
    caller, request = resolved.caller, resolved.request
    is_batch = request.miner_ids is None or len(set(request.miner_ids)) > 1
    needs_high = resolved.kind.risk is Risk.HIGH or is_batch or request.priority in HIGH_CLASSES
    scope = caller.scope_for(Permission.COMMAND_HIGH if needs_high else Permission.COMMAND)
    if request.emergency and caller.find_scope(Permission.APPROVE) is None:
        raise Forbidden("your role does not allow emergency commands", code="EMERGENCY_NOT_ALLOWED")
    return scope


async def _condition(session: AsyncSession, resolved: ResolvedRequest) -> ColumnElement[bool]:
    caller, request = resolved.caller, resolved.request
    if request.miner_ids is not None:
        if len(set(request.miner_ids)) > MAX_MACHINES:
            raise errors.too_many_machines()
        return targets.has_id(request.miner_ids)
    if request.group_id is not None:
        await groups.get_group(session, caller.seen, request.group_id)
        return targets.in_group(request.group_id)
    if request.filter is None:
        raise errors.no_machine()
    site = request.filter.site_id
    site_id = None if site is None else (await places.get_site(session, caller.seen, site)).id
    return targets.matches_filter(request.filter, site_id, online=request.online, issue_code=request.issue_code)


async def _only_approvable(
    session: AsyncSession,
    resolved: ResolvedRequest,
    condition: ColumnElement[bool],
    site_id: int | None,
    rows: Sequence[Any],
) -> Sequence[Any]:
    """An emergency: only machines for which the caller may approve as well."""
    scope = resolved.caller.find_scope(Permission.APPROVE)
    approvable = await targets.list_targets(
        session, resolved.caller.seen, condition, site_id=site_id, allowed=scope, most=MAX_MACHINES + 1
    )
    allowed = {row.miner_no for row in approvable if row.is_allowed}
    return [row if row.miner_no in allowed else row._replace(is_allowed=False) for row in rows]


def _check_one_site(resolved: ResolvedRequest, rows: Sequence[Any]) -> None:
    if len({row.site_id for row in rows}) <= 1:
        return
    if resolved.request.miner_ids is not None:
        counts = Counter(row.miner_id for row in rows)
        ambiguous = sorted(miner_id for miner_id, count in counts.items() if count > 1)
        if ambiguous:
            raise errors.ambiguous_miner(ambiguous[:_MAX_AMBIGUOUS_SHOWN])
    raise errors.several_sites()


def _refusals(resolved: ResolvedRequest, rows: Sequence[Any]) -> list[Refusal]:
    missing = set(resolved.request.miner_ids or ()) - {row.miner_id for row in rows}
    refused = [Refusal(miner_id, "NOT_FOUND", "no such machine") for miner_id in sorted(missing)]
    for row in rows:
        if row.state != "in_service":
            refused.append(Refusal(row.miner_id, "MINER_RETIRED", "out of service"))
        elif not row.is_allowed:
            refused.append(Refusal(row.miner_id, "FORBIDDEN", "your role does not allow commands for this machine"))
    return refused


def _nothing_left(refused: Sequence[Refusal]) -> HashInsightError:
    codes = {refusal.error_code for refusal in refused}
    if "FORBIDDEN" in codes:
        return Forbidden("your role does not allow commands for these machines")
    if not refused:
        return NotFound("the selection matches no machine", code="NO_MACHINES")
    if codes == {"MINER_RETIRED"}:
        return NotFound("these machines are out of service", code="MINER_RETIRED")
    return errors.no_machine()


async def _existing(
    session: AsyncSession, resolved: ResolvedRequest, miner_nos: Sequence[int], *, now: datetime
) -> dict[int, CreatedCommand]:
    """Commands that the same dedupe key created before."""
    key = resolved.request.dedupe_key
    if key is None:
        return {}
    tenant_id, requester = resolved.caller.tenant_id, resolved.requester
    rows = await queries.list_by_dedupe_key(session, tenant_id, requester, key, miner_nos, now=now)
    return {
        row.miner_no: CreatedCommand(row.command_id, row.miner_id, row.state, row.approval_state, existing=True)
        for row in rows
    }
