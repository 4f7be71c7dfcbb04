"""Machines and collectors that leave and come back, sites that are emptied, and clocks that were wrong."""

from datetime import UTC, datetime

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.kit.db.context import job_context
from hashinsight.kit.ids import new_id
from hashinsight.problems.queries.details import find_last_scan
from tests.problems.fleet import readings_of
from tests.problems.stored_site import StoredFleet, StoredSite

HOT = 97.0


def set_state(site: StoredSite, place: int, state: str) -> None:
    site.rows("update miners set state = %s where miner_no = %s returning 1", state, site.numbers[place])


async def test_confirmation_restarts_when_a_machine_returns(site: StoredSite) -> None:
    fleet = StoredFleet(site)
    await fleet.cycle(readings_of(3, temp_max_c=HOT))
    set_state(site, 3, "retired")
    await fleet.cycle()
    assert site.events() == []
    set_state(site, 3, "in_service")
    ran = await fleet.cycle(readings_of(3, temp_max_c=HOT))
    assert (ran.actions["debouncing"], ran.actions["recurred"]) == (1, 0)
    assert [row["status"] for row in site.events()] == ["pending"]
    await fleet.cycle(readings_of(3, temp_max_c=HOT))
    assert fleet.open() == {("m-003", "overheat_crit")}


async def test_a_collector_that_no_machine_depends_on_any_more_is_no_problem(site: StoredSite) -> None:
    fleet = StoredFleet(site)
    await fleet.cycle()
    for _ in range(8):
        fleet.fleet.now += 300
        await site.cycle(fleet.now)
    assert fleet.open() == {("collector", "collector_down")}
    other = new_id()
    site.rows(
        "insert into collectors (id, tenant_id, site_id, name, status, permissions, collection_interval_sec,"
        " created_at, updated_at) values (%s, %s, %s, 'new', 'active', '{read}', 300, now(), now()) returning 1",
        other, site.tenant_id, site.site_id,
    )  # fmt: skip
    site.brought_by, site.dead = dict.fromkeys(site.numbers, other), {site.collector_id}
    await fleet.cycle(times=2)
    assert fleet.open() == set()


async def test_a_site_that_was_emptied_has_no_machines_in_its_last_scan(site: StoredSite) -> None:
    fleet = StoredFleet(site)
    await fleet.cycle(times=2)
    site.rows("update miners set state = 'retired' where site_id = %s returning 1", site.site_id)
    await fleet.cycle()
    async with site.database.transaction(job_context()) as session:
        assert await machines_of_last_scan(session, site) == 0
    assert site.rows("select count(*) from problem_state") == [(0,)]
    fleet.fleet.now += 300
    assert await site.cycle(fleet.now) is None  # from here on there is nothing to look at


async def test_a_clock_that_was_ahead_stops_no_cycle_once_it_is_right_again(site: StoredSite) -> None:
    fleet = StoredFleet(site)
    await fleet.cycle()
    assert await site.cycle(fleet.now + 86_400.0) is not None
    assert await site.cycle(fleet.now + 86_300.0) is None  # a small step back is no other moment
    await fleet.cycle(readings_of(3, temp_max_c=HOT), times=2)
    assert fleet.open() == {("m-003", "overheat_crit")}
    async with site.database.transaction(job_context()) as session:
        scan = await find_last_scan(session, site.site_id)
    assert scan is not None
    assert scan.ran_at == datetime.fromtimestamp(fleet.now, UTC)


async def machines_of_last_scan(session: AsyncSession, site: StoredSite) -> int:
    scan = await find_last_scan(session, site.site_id)
    assert scan is not None
    return int(scan.machines)
