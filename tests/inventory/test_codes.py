"""Codes of sites and zones keep their case and match in any case."""

import asyncio

import pytest
from sqlalchemy import text

from hashinsight.identity.caller import system_caller
from hashinsight.identity.queries import accounts, sessions
from hashinsight.inventory.schemas.places import NewZone
from hashinsight.inventory.service.places import create_zone
from hashinsight.inventory.tenant_settings import RuleLimits, Rules, TenantSettings
from hashinsight.kit.clock import system_clock
from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database
from hashinsight.problems.config import site_config
from hashinsight.wire.sites import fold_code
from tests.inventory.admin_client import AdminClient, SignIn
from tests.lock_waits import wait_until_blocked
from tests.people import People


@pytest.mark.parametrize("code", ["SITE-001", "TX1", "tx_2.B", "a", "7a", "Z" * 63])
async def test_a_site_code_keeps_its_case_and_matches_in_any_case(owner: AdminClient, code: str) -> None:
    made = await owner.ok("POST", "/sites", json={"code": code, "name": "x"})
    assert made["code"] == code
    for ref in (code, code.lower(), code.upper(), str(made["id"])):
        assert (await owner.ok("GET", f"/sites/{ref}"))["code"] == code
    await owner.load(code.swapcase(), "m1,S21,A,1,Aurora")
    await owner.ok("POST", "/miners", json={"site_id": code.lower(), "miner_id": "m2"})
    assert await owner.miners(site_id=code.upper()) == ["m1", "m2"]
    exported = await owner("GET", f"/miners/export?site_id={code.lower()}")
    assert f'filename="{code}-miners.csv"' in exported.headers["content-disposition"]


@pytest.mark.parametrize("code", ["007", "3", "-a", ".a", "a b", "a/b", "é1", "tx-\u212a", "x" * 64, "", "A\nB"])
async def test_a_code_of_digits_only_or_with_non_ascii_letters_is_refused(owner: AdminClient, code: str) -> None:
    assert (await owner("POST", "/sites", json={"code": code, "name": "x"})).status_code == 422


async def test_site_codes_are_unique_in_the_installation_in_any_case(owner: AdminClient, sign_in: SignIn) -> None:
    stranger = await sign_in(tenant="b")
    for client in (owner, stranger):
        assert await client.refused("POST", "/sites", json={"code": "ONE", "name": "x"}) == (409, "SITE_EXISTS")
    assert await owner.refused("PATCH", "/sites/one", json={"code": "Two"}) == (409, "SITE_EXISTS")
    assert (await owner.ok("PATCH", "/sites/one", json={"code": "One"}))["code"] == "One", "its own in another case"
    assert await stranger.refused("GET", "/sites/ONE") == (404, "NOT_FOUND")


async def test_grants_and_filters_take_a_site_code_in_any_case(
    owner: AdminClient, people: People, database: Database
) -> None:
    await owner.load("one", "m1,S21,A,1,Aurora")
    group = await owner.ok("POST", "/groups", json={"name": "g", "filter": {"site_id": "ONE", "zone": "a"}})
    assert (group["filter"]["site_id"], group["members"]) == (1, 1)
    tenant_id = await people.tenant_id()
    async with database.transaction(job_context()) as session:
        site_ids = await accounts.list_sites_by_code(session, tenant_id, ["ONE", "two", "three"])
    assert site_ids == {"ONE": 1, "two": 2}


async def test_rule_limits_of_a_site_match_its_code_in_any_case(owner: AdminClient) -> None:
    rules = Rules(sites={"site-001": RuleLimits(overheat_warn_c=60), "SITE-001": RuleLimits(overheat_warn_c=61)})
    for code, warn in (("SITE-001", 61.0), ("site-001", 60.0), ("Site-001", 60.0)):
        config = site_config(TenantSettings(rules=rules), site_id=3, site_code=code, interval_sec=60)
        assert config.layers.sites == {"3": {"overheat_warn_c": warn}}, code
    settings = await owner.ok("GET", "/settings")
    twice = {name: limits.model_dump(exclude_none=True) for name, limits in rules.sites.items()}
    changed = {"version": settings["version"], "rules": {**settings["settings"]["rules"], "sites": twice}}
    assert await owner.refused("PATCH", "/settings", json=changed) == (422, "VALIDATION_FAILED")


async def test_a_zone_matches_by_exact_code_else_in_any_case(owner: AdminClient) -> None:
    made = await owner.ok("POST", "/zones", json={"site_id": "one", "code": "Hall-A"})
    for code in ("hall-a", "HALL-A", "Hall-A"):
        again = {"site_id": "one", "code": code}
        assert await owner.refused("POST", "/zones", json=again) == (409, "ZONE_EXISTS")
    report = await owner.load("one", "m1,S21,hall-a,1,x", "m2,S21,yard,1,x", "m3,S21,YARD,1,x", "m4,S21,Hall-A,1,x")
    assert report["zones_created"] == 1, "a list makes no second one"
    assert await owner.miners(zone="HALL-A") == ["m1", "m4"]
    assert await owner.miners(zone="yard") == ["m2", "m3"]
    again = await owner.load("one", "m1,S21,HALL-a,1,x", "m3,S21,Yard,1,x")
    assert (again["unchanged"], again["zones_created"]) == (2, 0)
    changed = await owner.ok("PATCH", "/miners/m1", json={"zone": "HALL-A"})
    assert (changed["zone"], changed["rack"]) == ("Hall-A", "1"), "the same place: nothing moves"
    assert (await owner.ok("GET", "/miners/m1/history"))["changes"] == []
    created = await owner.ok("POST", "/miners", json={"site_id": "one", "miner_id": "m5", "zone": "hall-a"})
    assert created["zone"] == "Hall-A"
    assert (await owner.ok("PATCH", f"/zones/{made['id']}", json={"code": "HALL-A"}))["code"] == "HALL-A"
    assert await owner.refused("PATCH", f"/zones/{made['id']}", json={"code": "YARD"}) == (409, "ZONE_EXISTS")


async def test_zones_of_older_installations_that_differ_only_in_case_stay_apart(
    owner: AdminClient, database: Database, people: People
) -> None:
    tenant_id = await people.tenant_id()
    for code in ("b", "B"):
        async with database.transaction(job_context()) as session:
            values = {"tenant_id": tenant_id, "code": code}
            insert = "insert into zones (tenant_id, site_id, code, name) values (:tenant_id, 1, :code, :code)"
            await session.execute(text(insert), values)
    await owner.load("one", "m1,S21,b,1,x", "m2,S21,B,1,x")
    assert (await owner.miners(zone="b"), await owner.miners(zone="B")) == (["m1"], ["m2"])


def test_codes_fold_ascii_letters_only_as_the_database_does() -> None:
    assert fold_code("SITE-001_Ä.İ\u212a") == "site-001_Ä.İ\u212a"


@pytest.mark.parametrize("rename", [False, True])
async def test_concurrent_requests_cannot_create_zones_that_differ_only_in_case(
    owner: AdminClient, database: Database, people: People, superuser_url: str, *, rename: bool
) -> None:
    other = await owner.ok("POST", "/zones", json={"site_id": "one", "code": "other"})
    tenant_id = await people.tenant_id("a")
    async with database.transaction(job_context()) as session:
        await sessions.enter_tenant(session, tenant_id)
        new = NewZone(site_id="one", code="Hall-A")
        await create_zone(session, system_caller(tenant_id), new, now=system_clock())
        method, path = ("PATCH", f"/zones/{other['id']}") if rename else ("POST", "/zones")
        body = {"code": "HALL-A"} | ({} if rename else {"site_id": "one"})
        second = asyncio.create_task(owner(method, path, json=body))
        await wait_until_blocked(superuser_url, second)
    answer = await second
    assert (answer.status_code, answer.json()["error_code"]) == (409, "ZONE_EXISTS")
