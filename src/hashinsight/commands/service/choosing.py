"""Choose: which machines a request means, and which of them this asker may not have, each with its reason."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import ColumnElement
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.commands import errors
from hashinsight.commands.catalogue import CommandType, Risk
from hashinsight.commands.limits import MAX_MACHINES
from hashinsight.commands.queries import targets
from hashinsight.commands.requests import CommandCaller, CommandRequest, Refusal
from hashinsight.commands.service.understanding import Order
from hashinsight.commands.states import HIGH_CLASSES
from hashinsight.identity.permissions import Permission
from hashinsight.identity.scope import Scope
from hashinsight.inventory.queries import groups, places
from hashinsight.kit.errors import Forbidden, NotFound

_SHOWN = 20


@dataclass(frozen=True)
class Chosen:
    site_id: int
    machines: dict[int, str]  # miner_no → miner_id, in the order of the numbers
    zones: dict[int, int | None]
    refused: tuple[Refusal, ...]

    def without_moved(self, now: Mapping[int, tuple[int, int | None, str]]) -> "Chosen":
        """`now`: where they stand under their locks. What left its place since was chosen by a right that is gone."""
        gone = [no for no in self.machines if now.get(no) != (self.site_id, self.zones[no], "in_service")]
        if not gone:
            return self
        told = [Refusal(self.machines[no], "MINER_MOVED", "it was moved or retired just now: ask again") for no in gone]
        left = {no: name for no, name in self.machines.items() if no not in set(gone)}
        return replace(self, machines=left, refused=(*self.refused, *told))


async def choose(session: AsyncSession, order: Order) -> Chosen:
    """In one query. Refusals of single machines are told beside the rest; when nobody is left, that is an error."""
    asker, asked = order.asker, order.asked
    may = _scope_for(asker, asked, order.kind)
    site_id = None if asked.site is None else (await places.get_site(session, asker.seen, asked.site)).id
    meant = await _meant(session, asker, asked)
    rows = await targets.list_targets(session, asker.seen, meant, site_id=site_id, may=may, most=MAX_MACHINES + 1)
    if len(rows) > MAX_MACHINES:
        raise errors.too_many_machines()
    if asked.emergency:
        rows = await _may_approve(session, asker, meant, site_id, rows)
    _check_one_site(asked, rows)
    machines = {row.miner_no: row.miner_id for row in rows if row.is_allowed and row.state == "in_service"}
    refused = _refused(asked, rows)
    if not machines:
        raise _nobody(refused)
    zones = {row.miner_no: row.zone_id for row in rows}
    return Chosen(next(row.site_id for row in rows), machines, zones, tuple(refused))


def _scope_for(asker: CommandCaller, asked: CommandRequest, kind: CommandType) -> Scope:
    """High risk and batches are for some roles, the rest for more; an emergency for those who may approve.

    So are the classes above the ordinary: they displace what others asked for, also what was approved.
    """
    is_batch = asked.miner_ids is None or len(set(asked.miner_ids)) > 1
    needs_high = kind.risk is Risk.HIGH or is_batch or asked.priority in HIGH_CLASSES
    scope, permission = (asker.high, Permission.COMMAND_HIGH) if needs_high else (asker.low, Permission.COMMAND)
    if scope is None:
        raise Forbidden(f"your role does not allow: {permission.value}")
    if asked.emergency and asker.approve is None:
        raise Forbidden(f"your role does not allow: {Permission.APPROVE.value}", code="EMERGENCY_NOT_ALLOWED")
    return scope


async def _meant(session: AsyncSession, asker: CommandCaller, asked: CommandRequest) -> ColumnElement[bool]:
    if asked.miner_ids is not None:
        if len(set(asked.miner_ids)) > MAX_MACHINES:
            raise errors.too_many_machines()
        return targets.by_ids(asked.miner_ids)
    if asked.group_id is not None:
        await groups.get_group(session, asker.seen, asked.group_id)
        return targets.by_group(asked.group_id)
    if asked.filter is None:
        raise errors.no_machine()
    of = asked.filter.site_id
    site_id = None if of is None else (await places.get_site(session, asker.seen, of)).id
    return targets.by_filter(asked.filter, site_id, online=asked.online, issue_code=asked.issue_code)


async def _may_approve(
    session: AsyncSession, asker: CommandCaller, meant: ColumnElement[bool], site_id: int | None, rows: Sequence[Any]
) -> Sequence[Any]:
    """Of an emergency, only the machines for which the asker may approve as well."""
    most = MAX_MACHINES + 1
    both = await targets.list_targets(session, asker.seen, meant, site_id=site_id, may=asker.approve, most=most)
    approved = {row.miner_no for row in both if row.is_allowed}
    return [row if row.miner_no in approved else row._replace(is_allowed=False) for row in rows]


def _check_one_site(asked: CommandRequest, rows: Sequence[Any]) -> None:
    if len({row.site_id for row in rows}) <= 1:
        return
    if asked.miner_ids is not None:
        counted = Counter(row.miner_id for row in rows)
        twice = sorted(one for one, times in counted.items() if times > 1)
        if twice:
            raise errors.ambiguous(twice[:_SHOWN])
    raise errors.several_sites()


def _refused(asked: CommandRequest, rows: Sequence[Any]) -> list[Refusal]:
    found = {row.miner_id for row in rows}
    refused = [
        Refusal(one, "NOT_FOUND", "there is no such miner") for one in sorted(set(asked.miner_ids or ()) - found)
    ]
    for row in rows:
        if row.state != "in_service":
            refused.append(Refusal(row.miner_id, "MINER_RETIRED", "it is out of service"))
        elif not row.is_allowed:
            refused.append(Refusal(row.miner_id, "FORBIDDEN", "you see this miner, but may not command it"))
    return refused


def _nobody(refused: Sequence[Refusal]) -> Exception:
    codes = {one.error_code for one in refused}
    if "FORBIDDEN" in codes:
        return Forbidden("you see these miners, but may not command them")
    if not refused:
        return NotFound("no machine is meant by this", code="NO_MACHINES")
    if codes == {"MINER_RETIRED"}:
        return NotFound("these machines are out of service", code="MINER_RETIRED")
    return errors.no_machine()
