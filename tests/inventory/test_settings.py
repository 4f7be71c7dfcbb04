"""Tenant settings: defaults, versions, conflicts, and who may change what."""

import asyncio

import httpx
import pytest
from sqlalchemy import select

from hashinsight.audit.models import AuditEntry
from hashinsight.inventory.service import get_settings
from hashinsight.kit.clock import VirtualClock, system_clock
from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database
from tests.identity.test_login import bearer, refused
from tests.identity.test_second_factor import Phone
from tests.inventory.admin_client import AdminClient, SignIn
from tests.people import People

PRICES = {"currency": "EUR", "hashrate_per_ph_day": 44.0, "power_per_kwh": 0.07}
POOLS = {"allowed": ["*.pool.example:3333", "stratum.example"], "workers": ["aurora"]}


async def test_a_tenant_that_never_changed_any_has_the_defaults_of_the_specification(owner: AdminClient) -> None:
    found = await owner.ok("GET", "/settings")
    assert found["version"] == 0
    assert (found["settings"]["approval"]["machines"], found["settings"]["approval"]["power_kw"]) == (20, 100)
    assert found["settings"]["pools"]["allowed"] == []


async def test_sections_change_one_by_one_and_the_version_counts(owner: AdminClient, database: Database) -> None:
    first = await owner.ok("PATCH", "/settings", json={"version": 0, "prices": PRICES})
    second = await owner.ok("PATCH", "/settings", json={"version": 1, "pools": POOLS})
    assert (first["version"], second["version"]) == (1, 2)
    assert second["settings"]["prices"] == PRICES
    assert second["settings"]["pools"]["allowed"] == POOLS["allowed"]
    assert (await owner.ok("GET", "/settings"))["settings"] == second["settings"]
    async with database.transaction(job_context()) as session:
        query = select(AuditEntry).where(AuditEntry.action == "settings_changed").order_by(AuditEntry.id)
        entries = (await session.execute(query)).scalars().all()
    assert [set(entry.after or {}) for entry in entries] == [{"prices"}, {"pools"}]


async def test_who_comes_second_is_told_and_overwrites_nothing(owner: AdminClient) -> None:
    await owner.ok("PATCH", "/settings", json={"version": 0, "prices": PRICES})
    late = {"version": 0, "prices": PRICES | {"power_per_kwh": 9}}
    assert await owner.refused("PATCH", "/settings", json=late) == (409, "SETTINGS_CHANGED")
    assert (await owner.ok("GET", "/settings"))["settings"]["prices"] == PRICES


async def test_of_many_who_change_the_same_version_at_once_one_wins(owner: AdminClient) -> None:
    asked = [{"version": 0, "prices": PRICES | {"power_per_kwh": 0.1 + number}} for number in range(8)]
    answers = await asyncio.gather(*(owner("PATCH", "/settings", json=one) for one in asked))
    assert sorted(answer.status_code for answer in answers) == [200] + [409] * 7
    won = asked[[answer.status_code for answer in answers].index(200)]
    found = await owner.ok("GET", "/settings")
    assert (found["version"], found["settings"]["prices"]) == (1, won["prices"])


async def test_thresholds_are_the_managers_and_prices_and_pools_the_owners(owner: AdminClient, sign_in: SignIn) -> None:
    manager = await sign_in("OpsManager")
    await manager.ok("PATCH", "/settings", json={"version": 0, "thresholds": {"debounce_cycles": 3}})
    for section in ({"prices": PRICES}, {"pools": POOLS}, {"approval": {"machines": 1000}}):
        assert await manager.refused("PATCH", "/settings", json={"version": 1, **section}) == (403, "FORBIDDEN")
    both = {"version": 1, "thresholds": {"debounce_cycles": 4}, "prices": PRICES}
    assert await manager.refused("PATCH", "/settings", json=both) == (403, "FORBIDDEN")
    noc = await sign_in("NOC")
    empty = {"version": 1}
    assert await noc.refused("PATCH", "/settings", json=empty) == (403, "FORBIDDEN")
    assert (await owner.ok("GET", "/settings"))["version"] == 1


@pytest.mark.usefixtures("owner")
async def test_an_owner_of_one_site_does_not_own_the_tenants_settings(sign_in: SignIn) -> None:
    narrow = await sign_in("Owner", sites=[1])
    assert await narrow.refused("GET", "/settings") == (403, "FORBIDDEN")
    assert await narrow.refused("PATCH", "/settings", json={"version": 0, "prices": PRICES}) == (403, "FORBIDDEN")


@pytest.mark.parametrize(
    "bad",
    [
        {"prices": {"power_per_kwh": -1}},
        {"prices": {"power_per_kwh": "NaN"}},
        {"prices": {"currency": "dollars"}},
        {"thresholds": {"overheat_warn_c": 90, "overheat_crit_c": 80}},
        {"pools": {"allowed": ["http://pool/../x"]}},
        {"pools": {"allowed": ["a"] * 201}},
        {"colour": {}},
    ],
)
async def test_settings_out_of_range_are_refused(owner: AdminClient, bad: dict[str, object]) -> None:
    assert await owner.refused("PATCH", "/settings", json={"version": 0, **bad}) == (422, "VALIDATION_FAILED")


async def test_those_above_read_the_settings_of_a_tenant_in_a_job(
    owner: AdminClient, database: Database, people: People
) -> None:
    await owner.ok("PATCH", "/settings", json={"version": 0, "prices": PRICES})
    async with database.transaction(job_context()) as session:
        found = await get_settings(session, await people.tenant_id("a"))
    assert (found.version, found.settings.prices.currency) == (1, "EUR")
    assert found.updated_at is not None
    assert found.updated_at <= system_clock()


async def test_whoever_has_a_second_factor_shows_it_again_before_the_pools_are_changed(
    api: httpx.AsyncClient, people: People
) -> None:
    clock = VirtualClock(system_clock())
    api.app.state.clock = people.clock = clock  # type: ignore[attr-defined]
    _, email = await people.user("Owner")
    phone = Phone(api, clock, email)
    headers = bearer(await phone.login())
    await phone.enrol(headers)
    change = {"version": 0, "pools": POOLS}
    refused(await api.patch("/api/admin/v1/settings", json=change, headers=headers), 403, "STEP_UP_REQUIRED")
    prices = await api.patch("/api/admin/v1/settings", json={"version": 0, "prices": PRICES}, headers=headers)
    assert prices.status_code == 200, "prices need no second look"
    up = await api.post("/api/v1/auth/step-up", json={"code": phone.next_code()}, headers=headers)
    changed = await api.patch("/api/admin/v1/settings", json=change | {"version": 1}, headers=bearer(up))
    assert changed.status_code == 200, changed.text
