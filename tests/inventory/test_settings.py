"""Tenant settings: defaults, versions, conflicts, and who may change what."""

import asyncio

import httpx
import pytest
from sqlalchemy import select

from hashinsight.audit.models import AuditEntry
from hashinsight.inventory.service import get_settings
from hashinsight.kit.clock import system_clock
from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database
from tests.identity.test_login import bearer, refused
from tests.identity.test_second_factor import Phone
from tests.inventory.admin_client import AdminClient, SignIn
from tests.people import People
from tests.virtual_clock import VirtualClock

PRICES = {"currency": "EUR", "hashrate_per_ph_day": 44.0, "power_per_kwh": 0.07}
POOLS = {"allowed": ["*.pool.example:3333", "stratum.example"], "workers": ["aurora"]}


async def test_a_new_tenant_has_the_default_settings_of_the_specification(owner: AdminClient) -> None:
    settings = await owner.ok("GET", "/settings")
    assert settings["version"] == 0
    assert (settings["settings"]["approval"]["machines"], settings["settings"]["approval"]["power_kw"]) == (20, 100)
    assert settings["settings"]["pools"]["allowed"] == []


async def test_sections_change_separately_and_the_version_counts_up(owner: AdminClient, database: Database) -> None:
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


async def test_changing_an_old_version_is_a_conflict(owner: AdminClient) -> None:
    await owner.ok("PATCH", "/settings", json={"version": 0, "prices": PRICES})
    late = {"version": 0, "prices": PRICES | {"power_per_kwh": 9}}
    assert await owner.refused("PATCH", "/settings", json=late) == (409, "SETTINGS_CHANGED")
    assert (await owner.ok("GET", "/settings"))["settings"]["prices"] == PRICES


async def test_of_concurrent_changes_of_one_version_one_wins(owner: AdminClient) -> None:
    changes = [{"version": 0, "prices": PRICES | {"power_per_kwh": 0.1 + number}} for number in range(8)]
    answers = await asyncio.gather(*(owner("PATCH", "/settings", json=change) for change in changes))
    assert sorted(answer.status_code for answer in answers) == [200] + [409] * 7
    won = changes[[answer.status_code for answer in answers].index(200)]
    settings = await owner.ok("GET", "/settings")
    assert (settings["version"], settings["settings"]["prices"]) == (1, won["prices"])


async def test_managers_change_thresholds_and_only_owners_change_prices_and_pools(
    owner: AdminClient, sign_in: SignIn
) -> None:
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
async def test_an_owner_of_one_site_cannot_change_tenant_settings(sign_in: SignIn) -> None:
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


async def test_a_job_reads_the_settings_of_a_tenant(owner: AdminClient, database: Database, people: People) -> None:
    await owner.ok("PATCH", "/settings", json={"version": 0, "prices": PRICES})
    async with database.transaction(job_context()) as session:
        settings = await get_settings(session, await people.tenant_id("a"))
    assert (settings.version, settings.settings.prices.currency) == (1, "EUR")
    assert settings.updated_at is not None
    assert settings.updated_at <= system_clock()


async def test_changing_pools_needs_a_step_up_with_the_second_factor(api: httpx.AsyncClient, people: People) -> None:
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
