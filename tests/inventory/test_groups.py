"""Groups: listed or by filter, materialised."""

import pytest

from hashinsight.inventory.service import refresh_groups
from hashinsight.kit.clock import system_clock
from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database
from tests.inventory.asking import Asking, SignIn


@pytest.fixture
async def fleet(owner: Asking) -> Asking:
    await owner.load("one", "m1,S21,A,1,Aurora", "m2,S21,A,1,Bo", "m3,S19,B,1,Aurora")
    await owner.load("two", "m4,S21,C,1,Aurora")
    return owner


async def by_filter(fleet: Asking, **chosen: object) -> int:
    made = await fleet.ok("POST", "/groups", json={"name": f"by {sorted(chosen)}", "filter": chosen})
    number: int = made["id"]
    return number


async def test_a_filter_group_has_its_machines_at_once_and_follows_when_refreshed(fleet: Asking) -> None:
    group = await by_filter(fleet, model="antminer s21", owner="Aurora")
    assert await fleet.miners(group_id=group) == ["m1", "m4"]
    await fleet.ok("PATCH", "/miners/m1", json={"owner": "Bo"})
    await fleet.ok("PATCH", "/miners/m2", json={"owner": "Aurora"})
    assert await fleet.miners(group_id=group) == ["m1", "m4"]
    assert (await fleet.ok("POST", f"/groups/{group}/refresh"))["members"] == 2
    assert await fleet.miners(group_id=group) == ["m2", "m4"]


async def test_the_tick_refreshes_the_groups_of_all_tenants_each_with_its_own_machines(
    fleet: Asking, sign_in: SignIn, database: Database
) -> None:
    stranger = await sign_in(tenant="b")
    await stranger.ok("POST", "/sites", json={"code": "other", "name": "Other"})
    for asking in (fleet, stranger):
        await by_filter(asking, owner="Aurora")
    await stranger.load("other", "x1,S21,A,1,Aurora")
    await fleet.load("one", "m5,S21,A,1,Aurora")
    async with database.transaction(job_context()) as session:
        assert await refresh_groups(session, now=system_clock()) == 2
    async with database.transaction(job_context()) as session:
        assert await refresh_groups(session, now=system_clock()) == 0
    assert await fleet.miners(group_id=1) == ["m1", "m3", "m4", "m5"]
    assert await stranger.miners(group_id=2) == ["x1"]


async def test_a_listed_group_takes_and_gives_machines(fleet: Asking) -> None:
    group = (await fleet.ok("POST", "/groups", json={"name": "g", "miner_ids": ["m1", "m1"]}))["id"]
    changed = await fleet.ok("PATCH", f"/groups/{group}", json={"add": ["m2", "m3"], "remove": ["m1"], "name": "h"})
    assert (changed["members"], changed["name"]) == (2, "h")
    assert await fleet.miners(group_id=group) == ["m2", "m3"]
    assert await fleet.refused("PATCH", f"/groups/{group}", json={"add": ["nobody"]}) == (404, "NOT_FOUND")
    assert await fleet.refused("POST", f"/groups/{group}/refresh") == (409, "GROUP_LISTED")


async def test_the_members_of_a_filter_group_are_not_written_by_hand(fleet: Asking) -> None:
    group = await by_filter(fleet, zone="A")
    assert await fleet.refused("PATCH", f"/groups/{group}", json={"add": ["m3"]}) == (409, "GROUP_BY_FILTER")
    assert (await fleet.ok("PATCH", f"/groups/{group}", json={"filter": {"zone": "B"}}))["members"] == 1
    assert await fleet.miners(group_id=group) == ["m3"]


async def test_a_retired_machine_leaves_its_filter_groups(fleet: Asking) -> None:
    group = await by_filter(fleet, zone="A")
    await fleet.ok("POST", "/miners/m1/retire", json={"reason": "sold"})
    await fleet.ok("POST", f"/groups/{group}/refresh")
    assert await fleet.miners(group_id=group, state="any") == ["m2"]


@pytest.mark.parametrize("bad", [{}, {"colour": "red"}, {"group_id": 1}, {"site_id": "nowhere"}])
async def test_a_filter_that_means_everything_or_nothing_is_refused(fleet: Asking, bad: dict[str, object]) -> None:
    await by_filter(fleet, zone="A")
    answer = await fleet("POST", "/groups", json={"name": "x", "filter": bad})
    assert answer.status_code in (404, 422)


async def test_a_group_of_one_name_exists_once_in_a_tenant(fleet: Asking) -> None:
    await by_filter(fleet, zone="A")
    again = {"name": "by ['zone']", "miner_ids": []}
    assert await fleet.refused("POST", "/groups", json=again) == (409, "GROUP_EXISTS")


async def test_a_group_that_rights_rest_on_is_not_deleted(fleet: Asking, sign_in: SignIn) -> None:
    used, free = await by_filter(fleet, zone="A"), await by_filter(fleet, zone="B", owner="Aurora")
    await sign_in("Customer", groups=[used])
    assert await fleet.refused("DELETE", f"/groups/{used}") == (409, "GROUP_IN_USE")
    assert (await fleet("DELETE", f"/groups/{free}")).status_code == 204
    assert await fleet.refused("GET", f"/groups/{free}") == (404, "NOT_FOUND")


async def test_who_holds_one_site_makes_groups_of_that_site_alone(fleet: Asking, sign_in: SignIn) -> None:
    noc = await sign_in("NOC", sites=[1])
    wide = {"name": "wide", "filter": {"model": "S21"}}
    assert await noc.refused("POST", "/groups", json=wide) == (403, "FORBIDDEN")
    made = await noc.ok("POST", "/groups", json={"name": "own", "filter": {"model": "S21", "site_id": "one"}})
    assert (made["members"], made["filter"]) == (2, {"model": "S21", "site_id": 1})
    tenant_wide = await by_filter(fleet, owner="Aurora")
    narrowed = {"filter": {"site_id": "one", "zone": "A"}}
    assert await noc.refused("PATCH", f"/groups/{tenant_wide}", json=narrowed) == (403, "FORBIDDEN")


async def test_a_group_that_rights_rest_on_is_changed_by_those_alone_who_give_rights(
    fleet: Asking, sign_in: SignIn
) -> None:
    listed = (await fleet.ok("POST", "/groups", json={"name": "g", "miner_ids": ["m1"]}))["id"]
    filtered = await by_filter(fleet, site_id="one", zone="A")
    inner = (await fleet.ok("POST", "/groups", json={"name": "inner", "miner_ids": ["m1"]}))["id"]
    outer = await by_filter(fleet, site_id="one", group_id=inner)
    acts: list[tuple[str, str, dict[str, object]]] = [
        ("PATCH", f"/groups/{listed}", {"add": ["m2"]}),
        ("PATCH", f"/groups/{listed}", {"remove": ["m2"]}),
        ("PATCH", f"/groups/{filtered}", {"filter": {"site_id": "one", "zone": "B"}}),
        ("POST", f"/groups/{filtered}/refresh", {}),
        ("PATCH", f"/groups/{inner}", {"add": ["m2"]}),
    ]
    noc, manager = await sign_in("NOC", sites=[1]), await sign_in("OpsManager")
    for asking in (noc, manager):
        for method, path, body in acts:
            await asking.ok(method, path, json=body)
    await sign_in("Owner", groups=[listed, filtered, outer])
    for asking in (noc, manager, await sign_in("Owner", sites=[1])):
        for method, path, body in acts:
            assert await asking.refused(method, path, json=body) == (403, "FORBIDDEN"), path
    for method, path, body in acts:
        await fleet.ok(method, path, json=body)
    assert (await manager.ok("PATCH", f"/groups/{listed}", json={"name": "other"}))["name"] == "other"
