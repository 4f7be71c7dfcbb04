"""Problems are called as their machines are called, whatever people rename."""

from tests.problems.fleet import both, readings_of
from tests.problems.stored_site import StoredFleet, StoredSite

HOT = 97.0


def called(site: StoredSite) -> dict[int, tuple[str, str]]:
    """By place in the fleet: the name on the problem, and its key."""
    rows = site.events("status <> 'resolved'")
    return {site.numbers.index(row["miner_no"]): (row["miner_id"], row["dedup_key"]) for row in rows}


def rename(site: StoredSite, place: int, name: str) -> None:
    site.rows("update miners set miner_id = %s where miner_no = %s returning 1", name, site.numbers[place])


async def test_problems_follow_the_names_of_their_machines_also_when_two_swap_them(site: StoredSite) -> None:
    fleet = StoredFleet(site)
    await fleet.cycle(readings_of(3, temp_max_c=HOT), times=2)
    for place, name in ((3, "spare"), (4, "m-003"), (3, "m-004")):
        rename(site, place, name)
    hot = both(readings_of(3, temp_max_c=HOT), readings_of(4, temp_max_c=HOT))
    await fleet.cycle(hot, times=2)
    assert called(site) == {3: ("m-004", "m-004:overheat_crit"), 4: ("m-003", "m-003:overheat_crit")}
    for place, name in ((3, "spare"), (4, "m-004"), (3, "m-003")):  # and back, while both are open
        rename(site, place, name)
    await fleet.cycle(hot)
    assert called(site) == {3: ("m-003", "m-003:overheat_crit"), 4: ("m-004", "m-004:overheat_crit")}


async def test_an_open_problem_is_in_the_zone_of_its_machine_also_while_nothing_new_is_found(site: StoredSite) -> None:
    fleet = StoredFleet(site)
    await fleet.cycle(readings_of(3, temp_max_c=HOT), times=2)
    (before,) = site.events("status <> 'resolved'")
    ((zone_id,),) = site.rows(
        "with z as (insert into zones (tenant_id, site_id, code, name)"
        " select tenant_id, site_id, 'other', 'x' from miners where miner_no = %s returning id, site_id)"
        " update miners m set zone_id = z.id from z where m.miner_no = %s returning m.zone_id",
        site.numbers[3], site.numbers[3],
    )  # fmt: skip
    await fleet.cycle(readings_of(3, temp_max_c=HOT))
    (after,) = site.events("status <> 'resolved'")
    assert (before["zone_id"] != zone_id, after["zone_id"]) == (True, zone_id)


async def test_a_machine_may_take_the_name_of_one_that_left_with_a_problem(site: StoredSite) -> None:
    fleet = StoredFleet(site)
    await fleet.cycle(readings_of(3, temp_max_c=HOT), times=2)
    site.rows(
        "with s as (insert into sites (tenant_id, code, name, created_at) values (%s, 'south', 'south', now())"
        " returning id) update miners set site_id = s.id from s where miner_no = %s returning 1",
        site.tenant_id, site.numbers[3],
    )  # fmt: skip
    rename(site, 4, "m-003")
    await fleet.cycle(readings_of(4, temp_max_c=HOT), times=2)
    left, here = site.events()
    assert (left["status"], left["resolution_cause"], left["dedup_key"]) == (
        *("resolved", "left_site", "m-003:overheat_crit"),
    )
    assert (here["miner_no"], here["status"], here["dedup_key"]) == (site.numbers[4], "open", "m-003:overheat_crit")
