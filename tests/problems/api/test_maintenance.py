"""A machine suppressed for maintenance is stopped on purpose in every answer: neither down nor lost until it ends."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import httpx
import pytest

from hashinsight.inventory.service.expected_states import end_expected, expect
from hashinsight.kit.db.context import job_context
from hashinsight.problems.service.cycle import run_cycle
from tests.people import People
from tests.telemetry.fleet import Fleet, sample
from tests.telemetry.site_with_collector import SiteWithCollector

SITES, CELLS, V1 = "/api/v1/telemetry/sites", "/api/v1/telemetry/cells", "/api/v1"
STANDS = {"hashrate_ths": 0.0, "power_w": 20.0}
REASON = {"maintenance": True, "reason": "on the bench"}


@pytest.fixture
async def fleet(api: httpx.AsyncClient, people: People, superuser_url: str) -> Fleet:
    """Four machines of 100 TH/s that stand still: two in zone A, two in zone B."""
    place = SiteWithCollector(api, people, superuser_url)
    await place.open()
    made = Fleet(place)
    await made.load("a1,S21,A,100", "a2,S21,A,100", "b1,S21,B,100", "b2,S21,B,100")
    await stand(made)
    return made


async def stand(fleet: Fleet) -> None:
    names = ("a1", "a2", "b1", "b2")
    await fleet.send(*(sample(name, fleet.at(seconds), **STANDS) for name in names for seconds in (-60, 0)))
    await fleet.roll()


async def post(fleet: Fleet, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
    answer = await fleet.api.post(path, json=dict(body), headers=fleet.site.owner)
    assert answer.status_code in (200, 201), answer.text
    rows: dict[str, Any] = answer.json()
    return rows


async def suppress(fleet: Fleet, kind: str, **body: Any) -> str:
    site = {} if kind == "group" else {"site_id": "tx-1"}
    (made,) = (await post(fleet, f"{V1}/suppressions", {"kind": kind, **site, **REASON, **body}))["suppressions"]
    rows: str = made["id"]
    return rows


async def stopped(fleet: Fleet, headers: Mapping[str, str] | None = None) -> set[str]:
    """Who is stopped, by its live state; map, sums and counts of the site say the same."""
    live = await fleet.live(headers)
    (site,) = (await fleet.ok(SITES, headers))["sites"]
    cells = (await fleet.ok(CELLS, headers, site_id="tx-1"))["named"]["condition"]
    names = {name for name, row in live.items() if row["condition"] == "stopped"}
    assert {name for name, row in live.items() if row["expected_state"] == "maintenance"} == names
    assert [cells["words"][no] for no in cells["index"]].count("stopped") == len(names)
    assert (site["conditions"]["stopped"], site["conditions"]["down"]) == (len(names), len(live) - len(names))
    assert (site["stopped_ths"], site["lost_ths"]) == (100.0 * len(names), 100.0 * (len(live) - len(names)))
    return names


async def test_a_machine_suppressed_for_maintenance_is_stopped_until_it_is_lifted(fleet: Fleet) -> None:
    assert await stopped(fleet) == set()
    await post(fleet, f"{V1}/miners/a2/suppress", {"reason": "noisy"})  # not worked on: its loss is a loss
    assert await stopped(fleet) == set()
    await post(fleet, f"{V1}/miners/a1/suppress", REASON)
    assert await stopped(fleet) == {"a1"}
    shown = (await fleet.ok("/api/admin/v1/miners/a1"))["expected"]
    assert (shown["state"], shown["cause"]) == ("maintenance", "suppressed for maintenance: on the bench")
    await post(fleet, f"{V1}/miners/a1/unsuppress", {})
    assert await stopped(fleet) == set()
    assert (await fleet.ok("/api/admin/v1/miners/a1"))["expected"] is None


async def test_maintenance_ends_with_its_time_and_does_not_begin_before_it(fleet: Fleet) -> None:
    at = {"from": fleet.at(600), "until": fleet.at(1200)}
    await suppress(fleet, "miner", miner_id="a1", **at)
    await suppress(fleet, "miner", miner_id="b1", until=fleet.at(900))
    for names in ({"b1"}, {"a1", "b1"}, {"a1"}, set()):
        assert await stopped(fleet) == names
        await fleet.pass_time(timedelta(minutes=10) if names == {"b1"} else timedelta(minutes=6))
        await stand(fleet)


async def test_maintenance_of_a_zone_a_group_or_the_site_counts_for_their_machines(fleet: Fleet) -> None:
    zone = await suppress(fleet, "zone", zone="A")
    assert await stopped(fleet) == {"a1", "a2"}
    zones = {row["code"]: row["id"] for row in (await fleet.ok("/api/admin/v1/zones"))["zones"]}
    assert await stopped(fleet, await fleet.site.people.headers("Customer", zones=[zones["A"]])) == {"a1", "a2"}
    assert await stopped(fleet, await fleet.site.people.headers("Customer", zones=[zones["B"]])) == set()
    members = {"name": "g", "miner_ids": ["a1", "b1"], "site_id": "tx-1"}
    group = (await post(fleet, "/api/admin/v1/groups", members))["id"]
    by_group = await suppress(fleet, "group", group_id=group)
    assert await stopped(fleet) == {"a1", "a2", "b1"}
    await post(fleet, f"{V1}/suppressions/{zone}/lift", {})
    assert await stopped(fleet) == {"a1", "b1"}
    await post(fleet, f"{V1}/suppressions/{by_group}/lift", {})
    await suppress(fleet, "site")
    assert await stopped(fleet) == {"a1", "a2", "b1", "b2"}
    for name in ("a1", "b2"):
        assert (await fleet.ok(f"/api/admin/v1/miners/{name}"))["expected"]["state"] == "maintenance"


async def test_of_a_stop_and_maintenance_each_goes_on_when_the_other_ends(fleet: Fleet) -> None:
    (number,) = (no for (no,) in fleet.site.rows("select miner_no from miners where miner_id = 'a1'"))
    async with fleet.database.transaction(job_context()) as session:
        await expect(session, [number], "stopped", cause="command 1", now=fleet.now)
    await post(fleet, f"{V1}/miners/a1/suppress", REASON)

    async def of_a1() -> tuple[str | None, str]:
        live = (await fleet.live())["a1"]
        return live["expected_state"], live["condition"]

    assert await of_a1() == ("stopped", "stopped")
    async with fleet.database.transaction(job_context()) as session:
        await end_expected(session, [number], state="stopped", now=fleet.now + timedelta(seconds=1))
    fleet.set_clock(fleet.now + timedelta(seconds=2))
    assert await of_a1() == ("maintenance", "stopped")
    async with fleet.database.transaction(job_context()) as session:
        await expect(session, [number], "curtailed", cause="command 2", now=fleet.now)
    await post(fleet, f"{V1}/miners/a1/unsuppress", {})
    assert await of_a1() == ("curtailed", "stopped")


async def test_the_registrys_summary_counts_machines_under_maintenance_as_stopped(fleet: Fleet) -> None:
    await suppress(fleet, "zone", zone="A")
    for _ in range(3):
        await fleet.pass_time(timedelta(minutes=5))
        await stand(fleet)
        async with fleet.database.transaction(job_context()) as session:
            assert await run_cycle(fleet.database, session, fleet.site.site_id, period=fleet.now, now=fleet.now)
    summary = await fleet.ok(f"{V1}/sites/tx-1/health_summary")
    (site,) = (await fleet.ok(SITES))["sites"]
    assert (summary["stopped_miners"], summary["problem_miners"], summary["down_miners"]) == (2, 2, 0)
    assert summary["loss"]["ths"] == site["lost_ths"] == 200.0


MAINTENANCE = "/api/admin/v1/miners/maintenance"


async def test_maintenance_by_suppression_is_listed_with_that_of_machines_until_it_is_lifted(fleet: Fleet) -> None:
    await post(fleet, MAINTENANCE, {"miner_ids": ["b2"], "site_id": "tx-1", "reason": "fans"})
    await post(fleet, f"{V1}/miners/a1/suppress", REASON)
    await post(fleet, f"{V1}/miners/a2/suppress", {"reason": "noise"})  # not for maintenance
    zone = await suppress(fleet, "zone", zone="B")
    group = (await post(fleet, "/api/admin/v1/groups", {"name": "bench", "miner_ids": ["a2"], "site_id": "tx-1"}))["id"]
    of_group = await suppress(fleet, "group", group_id=group)
    planned = await suppress(fleet, "site", **{"from": (fleet.now + timedelta(hours=1)).isoformat()})
    listed = (await fleet.ok(MAINTENANCE, site_id="tx-1"))["maintenance"]
    names = {(row["kind"], row["miner_id"] or row["zone"] or row["group"] or row["site"]) for row in listed}
    assert names == {("miner", "b2"), ("miner", "a1"), ("zone", "B"), ("group", "bench"), ("site", "tx-1")}
    causes = {row["miner_id"]: row["cause"] for row in listed if row["kind"] == "miner"}
    assert causes == {"b2": "maintenance: fans", "a1": "suppressed for maintenance: on the bench"}
    assert {row["suppression_id"] for row in listed} >= {None, zone, of_group, planned}
    assert listed[-1]["kind"] == "site"  # it begins last
    short = await fleet.ok(MAINTENANCE, limit=2)
    assert (len(short["maintenance"]), short["more"]) == (2, True)
    zones = {row["code"]: row["id"] for row in (await fleet.ok("/api/admin/v1/zones"))["zones"]}
    only_a = await fleet.site.people.headers("Customer", zones=[zones["A"]])
    seen = {row["kind"]: row for row in (await fleet.ok(MAINTENANCE, only_a))["maintenance"]}
    assert set(seen) == {"miner", "group", "site"}  # those that reach a machine of zone A
    for each in (zone, of_group, planned):
        await post(fleet, f"{V1}/suppressions/{each}/lift", {})
    await post(fleet, f"{V1}/miners/a1/unsuppress", {})
    left = (await fleet.ok(MAINTENANCE))["maintenance"]
    assert [row["miner_id"] for row in left] == ["b2"]
