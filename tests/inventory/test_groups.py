"""Groups: listed or by filter, and grants over them."""

import httpx
import pytest

from hashinsight.identity.queries.accounts import delete_grants_of_user
from hashinsight.identity.scope import Reach
from hashinsight.inventory.service import refresh_groups
from hashinsight.kit.clock import system_clock
from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database
from tests.inventory.admin_client import AdminClient, SignIn
from tests.people import People


@pytest.fixture
async def fleet(owner: AdminClient) -> AdminClient:
    await owner.load("one", "m1,S21,A,1,Aurora", "m2,S21,A,1,Bo", "m3,S19,B,1,Aurora")
    await owner.load("two", "m4,S21,C,1,Aurora")
    return owner


async def by_filter(fleet: AdminClient, **chosen: object) -> int:
    made = await fleet.ok("POST", "/groups", json={"name": f"by {sorted(chosen)}", "filter": chosen})
    number: int = made["id"]
    return number


async def test_a_filter_group_has_its_machines_at_once_and_updates_on_refresh(fleet: AdminClient) -> None:
    group = await by_filter(fleet, model="antminer s21", owner="Aurora")
    assert await fleet.miners(group_id=group) == ["m1", "m4"]
    await fleet.ok("PATCH", "/miners/m1", json={"owner": "Bo"})
    await fleet.ok("PATCH", "/miners/m2", json={"owner": "Aurora"})
    assert await fleet.miners(group_id=group) == ["m1", "m4"]
    assert (await fleet.ok("POST", f"/groups/{group}/refresh"))["members"] == 2
    assert await fleet.miners(group_id=group) == ["m2", "m4"]


async def test_the_tick_refreshes_groups_of_all_tenants_with_their_own_machines(
    fleet: AdminClient, sign_in: SignIn, database: Database
) -> None:
    stranger = await sign_in(tenant="b")
    await stranger.ok("POST", "/sites", json={"code": "other", "name": "Other"})
    for client in (fleet, stranger):
        await by_filter(client, owner="Aurora")
    await stranger.load("other", "x1,S21,A,1,Aurora")
    await fleet.load("one", "m5,S21,A,1,Aurora")
    async with database.transaction(job_context()) as session:
        assert await refresh_groups(session, now=system_clock()) == 2
    async with database.transaction(job_context()) as session:
        assert await refresh_groups(session, now=system_clock()) == 0
    assert await fleet.miners(group_id=1) == ["m1", "m3", "m4", "m5"]
    assert await stranger.miners(group_id=2) == ["x1"]


async def test_machines_are_added_to_and_removed_from_a_listed_group(fleet: AdminClient) -> None:
    group = (await fleet.ok("POST", "/groups", json={"name": "g", "miner_ids": ["m1", "m1"]}))["id"]
    changed = await fleet.ok("PATCH", f"/groups/{group}", json={"add": ["m2", "m3"], "remove": ["m1"], "name": "h"})
    assert (changed["members"], changed["name"]) == (2, "h")
    assert await fleet.miners(group_id=group) == ["m2", "m3"]
    assert await fleet.refused("PATCH", f"/groups/{group}", json={"add": ["nobody"]}) == (404, "NOT_FOUND")
    assert await fleet.refused("POST", f"/groups/{group}/refresh") == (409, "GROUP_LISTED")


async def test_members_of_a_filter_group_cannot_be_listed(fleet: AdminClient) -> None:
    group = await by_filter(fleet, zone="A")
    assert await fleet.refused("PATCH", f"/groups/{group}", json={"add": ["m3"]}) == (409, "GROUP_BY_FILTER")
    assert (await fleet.ok("PATCH", f"/groups/{group}", json={"filter": {"zone": "B"}}))["members"] == 1
    assert await fleet.miners(group_id=group) == ["m3"]


async def test_a_retired_machine_leaves_its_filter_groups(fleet: AdminClient) -> None:
    group = await by_filter(fleet, zone="A")
    await fleet.ok("POST", "/miners/m1/retire", json={"reason": "sold"})
    await fleet.ok("POST", f"/groups/{group}/refresh")
    assert await fleet.miners(group_id=group, state="any") == ["m2"]


@pytest.mark.parametrize("bad", [{}, {"colour": "red"}, {"group_id": 1}, {"site_id": "nowhere"}])
async def test_an_empty_or_invalid_group_filter_is_refused(fleet: AdminClient, bad: dict[str, object]) -> None:
    await by_filter(fleet, zone="A")
    answer = await fleet("POST", "/groups", json={"name": "x", "filter": bad})
    assert answer.status_code in (404, 422)


async def test_group_names_are_unique_in_a_tenant(fleet: AdminClient) -> None:
    await by_filter(fleet, zone="A")
    again = {"name": "by ['zone']", "miner_ids": []}
    assert await fleet.refused("POST", "/groups", json=again) == (409, "GROUP_EXISTS")


async def test_a_group_with_a_grant_over_it_cannot_be_deleted(fleet: AdminClient, sign_in: SignIn) -> None:
    used, free = await by_filter(fleet, zone="A"), await by_filter(fleet, zone="B", owner="Aurora")
    await sign_in("Customer", groups=[used])
    assert await fleet.refused("DELETE", f"/groups/{used}") == (409, "GROUP_IN_USE")
    assert (await fleet("DELETE", f"/groups/{free}")).status_code == 204
    assert await fleet.refused("GET", f"/groups/{free}") == (404, "NOT_FOUND")


async def test_a_caller_with_one_site_creates_groups_of_that_site_only(fleet: AdminClient, sign_in: SignIn) -> None:
    noc = await sign_in("NOC", sites=[1])
    wide = {"name": "wide", "filter": {"model": "S21"}}
    assert await noc.refused("POST", "/groups", json=wide) == (403, "FORBIDDEN")
    made = await noc.ok("POST", "/groups", json={"name": "own", "filter": {"model": "S21", "site_id": "one"}})
    assert (made["members"], made["filter"]) == (2, {"model": "S21", "site_id": 1})
    tenant_wide = await by_filter(fleet, owner="Aurora")
    narrowed = {"filter": {"site_id": "one", "zone": "A"}}
    assert await noc.refused("PATCH", f"/groups/{tenant_wide}", json=narrowed) == (403, "FORBIDDEN")


async def refresh(database: Database) -> None:
    async with database.transaction(job_context()) as session:
        await refresh_groups(session, now=system_clock())


async def test_editing_the_inventory_moves_no_machine_into_a_group_with_a_grant_over_it(
    fleet: AdminClient, sign_in: SignIn, database: Database
) -> None:
    groups = [
        await by_filter(fleet, owner="Aurora"),
        await by_filter(fleet, rack="1", site_id="one"),
        await by_filter(fleet, model="S21"),
        await by_filter(fleet, text="m1"),
    ]
    customers = [await sign_in("Customer", groups=[group]) for group in groups]
    before = [await customer.miners() for customer in customers]
    noc = await sign_in("NOC")
    await noc.ok("POST", "/miners", json={"site_id": "one", "miner_id": "m9", "owner": "Bo", "model": "S19"})
    for change in ({"owner": "Aurora"}, {"model": "S21"}, {"zone": "A", "rack": "1"}, {"miner_id": "m1-9"}):
        await noc.ok("PATCH", "/miners/m9", json=change)
    await noc.load("one", "m2,,,,Aurora", "m3,S21,,,")
    await noc.ok("PATCH", "/miners/m4", json={"owner": "Bo"})
    await refresh(database)
    assert [await customer.miners() for customer in customers] == before, "nobody's sight has changed"
    for group in groups:
        assert await noc.refused("POST", f"/groups/{group}/refresh") == (403, "FORBIDDEN")
    shown = await fleet.ok("GET", f"/groups/{groups[0]}")
    assert (shown["to_join"], shown["to_leave"]) == (2, 1), "owners see what is pending"
    assert (await customers[0].ok("GET", f"/groups/{groups[0]}"))["to_join"] is None
    done = await fleet.ok("POST", f"/groups/{groups[0]}/refresh")
    assert (done["members"], done["to_join"], done["to_leave"]) == (4, None, None)
    assert await customers[0].miners() == ["m1", "m1-9", "m2", "m3"]


async def test_the_tick_refreshes_a_group_only_while_no_grant_is_over_it(
    fleet: AdminClient, people: People, database: Database
) -> None:
    group = await by_filter(fleet, owner="Aurora")
    await fleet.load("one", "m5,S21,A,1,Aurora")
    await refresh(database)
    assert "m5" in await fleet.miners(group_id=group)
    user_id, _ = await people.user("Customer", reach=Reach(groups=(group,)))
    await fleet.load("one", "m6,S21,A,1,Aurora")
    await refresh(database)
    assert "m6" not in await fleet.miners(group_id=group)
    async with database.transaction(job_context()) as session:
        await delete_grants_of_user(session, user_id)
    await refresh(database)
    assert "m6" in await fleet.miners(group_id=group)
    shown = await fleet.ok("GET", f"/groups/{group}")
    assert (shown["to_join"], shown["to_leave"]) == (None, None)


async def test_only_owners_of_the_tenant_change_a_group_with_a_grant_over_it(
    fleet: AdminClient, sign_in: SignIn
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
    for client in (noc, manager):
        for method, path, body in acts:
            await client.ok(method, path, json=body)
    await sign_in("Owner", groups=[listed, filtered, outer])
    for client in (noc, manager, await sign_in("Owner", sites=[1])):
        for method, path, body in acts:
            assert await client.refused(method, path, json=body) == (403, "FORBIDDEN"), path
    for method, path, body in acts:
        await fleet.ok(method, path, json=body)
    assert (await manager.ok("PATCH", f"/groups/{listed}", json={"name": "other"}))["name"] == "other"


async def test_changing_a_group_with_a_grant_over_it_needs_a_step_up(
    fleet: AdminClient, sign_in: SignIn, api: httpx.AsyncClient, people: People
) -> None:
    """An owner's API key or an old session could otherwise widen somebody's scope without a password or code."""
    listed = (await fleet.ok("POST", "/groups", json={"name": "g", "miner_ids": ["m1"]}))["id"]
    filtered = await by_filter(fleet, site_id="one", zone="A")
    acts: list[tuple[str, str, dict[str, object] | None]] = [
        ("PATCH", f"/groups/{listed}", {"add": ["m2"]}),
        ("PATCH", f"/groups/{listed}", {"remove": ["m2"]}),
        ("PATCH", f"/groups/{listed}", {"name": "renamed"}),
        ("PATCH", f"/groups/{filtered}", {"filter": {"site_id": "one", "zone": "B"}}),
        ("POST", f"/groups/{filtered}/refresh", None),
        ("DELETE", f"/groups/{filtered}", None),
    ]
    key = AdminClient(
        api, {"X-API-Key": (await fleet.ok("POST", "/api-keys", json={"name": "k", "role": "Owner"}))["key"]}
    )
    _, email = await people.user("Owner")
    signed_in = await people.sign_in(email)
    renewed = await api.post("/api/v1/auth/refresh", json={"refresh_token": signed_in.refresh_token})
    stale = AdminClient(api, {"Authorization": f"Bearer {renewed.json()['access_token']}"})
    for client in (key, stale):
        for method, path, body in acts[:3]:
            await client.ok(method, path, json=body)
    await sign_in("Customer", groups=[listed, filtered])
    before = [await fleet.miners(group_id=group) for group in (listed, filtered)]
    for method, path, body in acts:
        assert await key.refused(method, path, json=body) == (403, "PERSON_REQUIRED"), path
        assert await stale.refused(method, path, json=body) == (403, "STEP_UP_REQUIRED"), path
    assert [await fleet.miners(group_id=group) for group in (listed, filtered)] == before
    for method, path, body in acts[:-1]:
        await fleet.ok(method, path, json=body)
    assert await fleet.refused("DELETE", f"/groups/{filtered}") == (409, "GROUP_IN_USE")
