"""Create, change and retire one machine. It keeps its `miner_no` and its history whatever changes."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action
from hashinsight.audit.service.entries import record
from hashinsight.facts.models import find_model
from hashinsight.identity.caller import Caller
from hashinsight.inventory.errors import conflict_errors
from hashinsight.inventory.expected_hashrate import get_expected_hashrate
from hashinsight.inventory.models import Miner, MinerChange, Site
from hashinsight.inventory.queries import miners as queries
from hashinsight.inventory.queries import places
from hashinsight.inventory.queries.miners import LocatedMiner
from hashinsight.inventory.schemas.miners import MinerUpdate, NewMiner
from hashinsight.inventory.service.edit_scope import check_place, get_miner_to_edit, get_site_to_edit
from hashinsight.kit.errors import NotFound
from hashinsight.kit.ids import new_id

_SIMPLE = ("miner_id", "serial", "mac", "firmware", "cooling", "position", "owner", "state")
_NODES = ("power_node_id", "network_node_id")


@dataclass(frozen=True)
class _Place:
    site: Site
    zone: str | None
    zone_id: int | None
    rack: str | None
    rack_id: int | None


async def create_miner(session: AsyncSession, caller: Caller, new: NewMiner, *, now: datetime) -> LocatedMiner:
    site = await places.get_site(session, caller.seen, new.site_id)
    await places.lock_sites_shared(session, [site.id])
    place = await _place(session, caller, site, new.zone, new.rack)
    check_place(caller, site.id, place.zone_id)
    await _check_nodes(session, caller, site.id, new.power_node_id, new.network_node_id)
    expected = get_expected_hashrate(new.model, new.expected_ths)
    known = find_model(new.model) if new.model else None
    miner = Miner(
        tenant_id=site.tenant_id,
        site_id=site.id,
        zone_id=place.zone_id,
        rack_id=place.rack_id,
        model=expected.model,
        expected_ths=expected.ths,
        expected_source=expected.source,
        cooling=new.cooling or (known.cooling if known else "air"),
        state="in_service",
        created_at=now,
        updated_at=now,
        **new.model_dump(include={"miner_id", "serial", "mac", "firmware", "position", "owner", *_NODES}),
    )
    session.add(miner)
    with conflict_errors():
        await session.flush()
    after = new.model_dump(exclude_none=True) | {"miner_no": miner.miner_no, "site_id": site.id}
    await record(
        session,
        caller.actor,
        Action.MINER_CREATED,
        "miner",
        miner.miner_no,
        tenant_id=site.tenant_id,
        after=after,
        now=now,
    )
    return LocatedMiner(miner, site.code, place.zone, place.rack)


async def change_miner(
    session: AsyncSession,
    caller: Caller,
    miner_id: str,
    change: MinerUpdate,
    *,
    site: str | int | None = None,
    now: datetime,
) -> LocatedMiner:
    located = await get_miner_to_edit(session, caller, miner_id, site, change.site_id)
    before = _fields(located)
    place = await _new_place(session, caller, located, change)
    given = change.model_dump(include=change.model_fields_set)
    moved_site = place.site.id != located.miner.site_id
    miner = located.miner
    if moved_site:
        given |= {name: given.get(name) for name in _NODES}  # power and network nodes belong to the old site
    await _check_nodes(session, caller, place.site.id, given.get("power_node_id"), given.get("network_node_id"))
    for name in (*_SIMPLE, *_NODES):
        if name in given:
            setattr(miner, name, given[name])
    _set_expected(miner, given)
    miner.site_id, miner.zone_id, miner.rack_id = place.site.id, place.zone_id, place.rack_id
    changed = LocatedMiner(miner, place.site.code, place.zone, place.rack)
    await _store(session, caller, changed, before, now=now)
    if moved_site:
        await queries.update_site_of_miner(session, miner)
    return changed


async def retire_miner(
    session: AsyncSession, caller: Caller, miner_id: str, *, site: str | int | None = None, reason: str, now: datetime
) -> LocatedMiner:
    """Take a machine out of service. Its record stays, and its id and serial stay taken."""
    located = await get_miner_to_edit(session, caller, miner_id, site)
    before = _fields(located)
    located.miner.state = "retired"
    await _store(session, caller, located, before, now=now, action=Action.MINER_RETIRED, reason=reason)
    return located


async def _new_place(session: AsyncSession, caller: Caller, located: LocatedMiner, change: MinerUpdate) -> _Place:
    """Where the change puts the machine. A new zone or site clears the rack, unless a new one is given."""
    given = change.model_fields_set
    site = await places.get_site(session, caller.seen, located.miner.site_id)
    if change.site_id is not None:
        target = await places.get_site(session, caller.seen, change.site_id)
        if target.id != site.id:
            await get_site_to_edit(session, caller, site.id)
            await get_site_to_edit(session, caller, target.id)
            return await _place(session, caller, target, change.zone, change.rack)
    if not given & {"zone", "rack"}:
        return _Place(site, located.zone, located.miner.zone_id, located.rack, located.miner.rack_id)
    zone = located.zone
    if "zone" in given:  # as the site spells it
        zone = None if change.zone is None else (await places.get_zone(session, caller.seen, site.id, change.zone)).code
    old_rack = located.rack if zone == located.zone else None
    rack = change.rack if "rack" in given else old_rack
    if zone == located.zone and rack == located.rack:
        return _Place(site, located.zone, located.miner.zone_id, located.rack, located.miner.rack_id)
    place = await _place(session, caller, site, zone, rack)
    check_place(caller, site.id, place.zone_id)
    return place


async def _place(session: AsyncSession, caller: Caller, site: Site, zone: str | None, rack: str | None) -> _Place:
    in_zone = None if zone is None else await places.get_zone(session, caller.seen, site.id, zone)
    code, zone_id = (None, None) if in_zone is None else (in_zone.code, in_zone.id)
    if rack is None:
        return _Place(site, code, zone_id, None, None)
    in_rack = await places.find_rack(session, site.id, zone_id, rack)
    if in_rack is None:
        raise NotFound("no such rack in this zone")
    return _Place(site, code, zone_id, rack, in_rack.id)


async def _check_nodes(session: AsyncSession, caller: Caller, site_id: int, *node_ids: int | None) -> None:
    for node_id in node_ids:
        if node_id is not None:
            await places.get_node(session, caller.seen, site_id, node_id)


def _set_expected(miner: Miner, given: dict[str, Any]) -> None:
    """The operator's figure survives a new model; clearing it (null) brings back the catalogue's."""
    if "expected_ths" in given or "model" in given:
        by_operator = miner.expected_ths if miner.expected_source == "operator" else None
        ths = given.get("expected_ths", by_operator)
        expected = get_expected_hashrate(given.get("model", miner.model), ths)
        miner.model, miner.expected_ths, miner.expected_source = expected.model, expected.ths, expected.source


async def _store(
    session: AsyncSession,
    caller: Caller,
    located: LocatedMiner,
    before: dict[str, str | None],
    *,
    now: datetime,
    action: Action = Action.MINER_CHANGED,
    reason: str | None = None,
) -> None:
    """Write the machine, a history row for each changed field, and one audit entry; nothing when nothing changed."""
    miner = located.miner
    after = _fields(located)
    changed = [name for name in after if after[name] != before[name]]
    if not changed:
        return
    miner.updated_at = now
    with conflict_errors():
        await session.flush()
    session.add_all(
        MinerChange(
            id=new_id(),
            tenant_id=miner.tenant_id,
            site_id=miner.site_id,
            miner_no=miner.miner_no,
            at=now,
            field=name,
            old=before[name],
            new=after[name],
            cause="operator",
        )
        for name in changed
    )
    await session.flush()
    await record(
        session,
        caller.actor,
        action,
        "miner",
        miner.miner_no,
        tenant_id=miner.tenant_id,
        before={name: before[name] for name in changed},
        after={name: after[name] for name in changed},
        reason=reason,
        now=now,
    )


def _fields(located: LocatedMiner) -> dict[str, str | None]:
    names = (*_SIMPLE, "model", "expected_ths", "expected_source", *_NODES)
    values = {name: getattr(located.miner, name) for name in names}
    values |= {"site": located.site, "zone": located.zone, "rack": located.rack}
    return {name: None if value is None else str(value) for name, value in values.items()}
