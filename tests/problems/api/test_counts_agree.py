"""The same fleet in every answer: machines are told alike wherever one looks, whatever state they are in.

Stopped, under maintenance, eco, dark, suppressed and dark, unknown, never seen, broken, and above what is expected.
"""

from collections import Counter
from datetime import timedelta
from typing import Any

import httpx
import pytest

from hashinsight.app.fleet_metrics import FleetFigures
from hashinsight.inventory.service.expected_states import expect
from hashinsight.kit.db.context import job_context
from hashinsight.problems.service.cycle import run_cycle
from tests.people import People
from tests.problems.api.fleet_of_all_states import (
    ECO,
    FLEET,
    RATED,
    SITES,
    live_of,
    make_fleet,
    pass_time,
    scan,
    site_of,
)
from tests.telemetry.fleet import Fleet

CELLS = "/api/v1/telemetry/cells"
SUMMARY = "/api/v1/sites/tx-1/health_summary"
STATES = ("healthy", "problem", "stopped", "down", "unknown")


@pytest.fixture
async def fleet(api: httpx.AsyncClient, people: People, superuser_url: str) -> Fleet:
    return await make_fleet(api, people, superuser_url)


def named(cells: dict[str, Any], name: str) -> list[str]:
    words = cells["named"][name]
    return [words["words"][no] for no in words["index"]]


async def test_every_answer_has_the_same_machine_counts_and_loss(fleet: Fleet) -> None:
    site = await site_of(fleet)
    cells = await fleet.ok(CELLS, site_id="tx-1")
    live = await live_of(fleet)
    summary = await fleet.ok(SUMMARY)
    counts = {name: n for name, n in site["conditions"].items() if n}
    assert Counter(named(cells, "condition")) == counts
    assert Counter(row["condition"] for row in live.values()) == counts
    with_problem = sum(counts.get(f"P{no}", 0) for no in range(4))
    wanted = [counts.get("fine", 0), with_problem, *(counts.get(name, 0) for name in STATES[2:])]
    assert [summary[f"{name}_miners"] for name in STATES] == wanted
    assert sum(wanted) == site["machines"] == summary["total_miners"] == len(FLEET) + 1
    assert site["unknown"] == counts["unknown"]
    assert summary["loss"]["ths"] == site["lost_ths"]
    by_zone = [(await fleet.ok(SITES, site_id="tx-1", zone=zone))["sites"][0] for zone in ("A", "B")]
    for name in ("machines", "online", "unknown", "hashrate_ths", "expected_ths", "stopped_ths", "lost_ths"):
        assert round(sum(zone[name] for zone in by_zone), 3) == round(site[name], 3), name


async def test_only_down_and_underperforming_machines_lose_hashrate_and_stopped_is_its_own_state(fleet: Fleet) -> None:
    site = await site_of(fleet)
    conditions = {name: row["condition"] for name, row in (await live_of(fleet)).items()}
    on_purpose = {*(f"stopped-{no}" for no in range(3)), "serviced", "serviced-dark"}
    assert {name for name, each in conditions.items() if each == "stopped"} == on_purpose
    assert (conditions["never-heard"], conditions["hushed-dark"]) == ("unknown", "down")
    assert {conditions[f"eco-{no}"] for no in range(6)} == {"fine"}
    assert not {conditions[name] for name in ("dark", "broken", "half")} & {"fine", "stopped", "unknown"}
    assert round(site["lost_ths"]) == 3 * RATED + RATED / 2  # dark, suppressed and dark, broken, half
    assert (site["stopped_ths"], site["expected_unknown_ths"]) == (5 * RATED, RATED)
    assert (site["efficiency_left_out"], site["power_unknown"]) == (1, 1)
    eco = (await live_of(fleet))["eco-0"]
    assert (eco["mode"], eco["hashrate"]["expected_source"]) == ("eco", "mode")
    assert round(eco["hashrate"]["expected_ths"]) == 73


async def test_the_state_of_each_machine_is_the_same_in_live_map_health_counts_and_metrics(fleet: Fleet) -> None:
    live = await live_of(fleet)
    states = {name: row["condition"] for name, row in live.items()}
    words = {name: "ok" if state == "fine" else state for name, state in states.items()}
    assert set(states.values()) >= {"P0", "P1", "down", "stopped", "unknown", "fine"}
    assert {name: row["overall_health"] for name, row in live.items()} == words
    cells = await fleet.ok(CELLS, site_id="tx-1")
    for column, wanted in (("condition", states), ("overall_health", words)):
        assert dict(zip(cells["columns"]["miner_id"], named(cells, column), strict=True)) == wanted
    healths = {name: await fleet.ok(f"/api/v1/miners/{name}/health", site_id="tx-1") for name in states}
    assert {name: row["condition"] for name, row in healths.items()} == states
    assert {name: row["health_state"] for name, row in healths.items()} == words
    sites = (await fleet.ok(SITES))["sites"]
    metrics = {each.name: each for each in await FleetFigures().read(fleet.database, now=fleet.now)}
    counted = {
        (each.labels["site"], each.labels["state"]): each.value for each in metrics["hashinsight_machines"].samples
    }
    assert counted == {(site["code"], name): n for site in sites for name, n in site["conditions"].items()}
    figures = {"hashrate_ths": "hashrate", "expected_ths": "expected_hashrate", "lost_ths": "lost_hashrate"}
    for figure, name in (figures | {"stopped_ths": "stopped_hashrate", "surplus_ths": "surplus_hashrate"}).items():
        answer = {each.labels["site"]: each.value for each in metrics[f"hashinsight_{name}_ths"].samples}
        assert answer == {site["code"]: site[figure] for site in sites if site[figure] is not None}, figure


async def test_cells_and_live_add_up_to_the_site_in_all_that_is_summed(fleet: Fleet) -> None:
    site, live = await site_of(fleet), (await live_of(fleet)).values()
    cells = (await fleet.ok(CELLS, site_id="tx-1"))["columns"]
    for name in ("hashrate_ths", "expected_ths", "power_w"):
        assert sum(each or 0.0 for each in cells[name]) == pytest.approx(site[name], abs=0.1), name
    assert sum(cells["online"]) == site["online"]
    for part, name in (("value", "hashrate_ths"), ("expected_ths", "expected_ths"), ("stopped_ths", "stopped_ths")):
        assert sum(row["hashrate"][part] or 0.0 for row in live) == pytest.approx(site[name], abs=0.1), name
    missing = site["expected_ths"] - site["hashrate_ths"]
    assert missing == pytest.approx(site["lost_ths"] + site["expected_unknown_ths"] - site["surplus_ths"])
    assert site["surplus_ths"] == pytest.approx(8.0, abs=0.5)  # of the one above expected: it offsets no loss
    numbers = dict(zip(cells["miner_id"], cells["miner_no"], strict=True))
    stopped = {name for name, no in numbers.items() if no in cells["stopped"]}
    assert stopped == {*(f"stopped-{no}" for no in range(3)), "serviced", "serviced-dark"}


async def test_figures_of_a_site_never_seen_are_unknown_and_not_zero(fleet: Fleet) -> None:
    (site,) = (await fleet.ok(SITES, site_id="new-1"))["sites"]
    known = {name: site[name] for name in ("hashrate_ths", "lost_ths", "stopped_ths", "surplus_ths", "power_w")}
    assert known == dict.fromkeys(known)
    assert (site["conditions"]["unknown"], site["expected_ths"]) == (2, 2 * RATED)
    assert (await fleet.ok("/api/v1/sites/new-1/health_summary"))["loss"]["ths"] is None
    live = (await fleet.live(site_id="new-1")).values()
    assert {row["hashrate"]["value"] for row in live} == {row["last_reported"] for row in live} == {None}
    async with fleet.database.transaction(job_context()) as session:  # also once a scan has looked at them
        await run_cycle(fleet.database, session, site["site_id"], period=fleet.now, now=fleet.now)
    summary = await fleet.ok("/api/v1/sites/new-1/health_summary")
    assert (summary["loss"]["ths"], summary["unknown_miners"], summary["down_miners"]) == (None, 2, 0)


async def test_machines_stopped_on_purpose_are_not_compared_with_expectation_or_peers(fleet: Fleet) -> None:
    live = await live_of(fleet)
    states = {"stopped-0": "stopped", "serviced": "maintenance", "serviced-dark": "maintenance", "fine-0": None}
    for name, state in states.items():
        peers = await fleet.ok(f"/api/v1/miners/{name}/peers", site_id="tx-1")
        assert (peers["expected_state"], peers["peers"] is None) == (state, state is not None), name
        assert (await fleet.ok(f"/api/v1/miners/{name}/health", site_id="tx-1"))["expected_state"] == state
        hashrate = live[name]["hashrate"]
        if state is not None:
            assert (hashrate["value"], hashrate["expected_ths"]) == (0.0, 0.0)
            assert hashrate["expected_source"] == "expected_state"
            assert (hashrate["stopped_ths"], hashrate["rated_ths"]) == (RATED, RATED)
            assert not (await fleet.ok(f"/api/v1/miners/{name}/problems", site_id="tx-1"))["problems"]


async def headers_of_zone(fleet: Fleet, code: str) -> dict[str, str]:
    zones = {row["code"]: row["id"] for row in (await fleet.ok("/api/admin/v1/zones"))["zones"]}
    return await fleet.site.people.headers("Customer", zones=[zones[code]])


async def test_summary_of_a_zone_equals_the_site_page_of_that_zone(fleet: Fleet) -> None:
    only_b = await headers_of_zone(fleet, "B")
    site = await site_of(fleet, only_b)
    summary = await fleet.ok(SUMMARY, only_b)
    assert (summary["total_miners"], summary["healthy_miners"], summary["problem_miners"]) == (7, 6, 1)
    assert summary["loss"]["ths"] == site["lost_ths"] == RATED


async def test_a_summary_is_as_of_the_last_scan_for_the_whole_site_and_for_a_part_of_it(fleet: Fleet) -> None:
    """A stop between two scans, and a machine that goes dark: sites tell them at once, summaries by the next scan."""
    async with fleet.database.transaction(job_context()) as session:
        (number,) = [no for (no,) in fleet.site.rows("select miner_no from miners where miner_id = 'eco-0'")]
        await expect(session, [number], "stopped", cause="command 2", now=fleet.now + timedelta(minutes=1))
    scanned = {"whole": await fleet.ok(SUMMARY), "part": await fleet.ok(SUMMARY, await headers_of_zone(fleet, "B"))}
    after = FLEET | {"eco-0": ECO | {"hashrate_ths": 0.0, "power_w": 20.0}, "eco-1": {"online": False}}
    await pass_time(fleet, after, warmth=5)
    only_b = await headers_of_zone(fleet, "B")
    between = {"whole": await fleet.ok(SUMMARY), "part": await fleet.ok(SUMMARY, only_b)}
    assert between == scanned
    part = await site_of(fleet, only_b)
    assert (part["conditions"]["stopped"], part["conditions"]["down"]) == (1, 1)
    assert part["lost_ths"] > between["part"]["loss"]["ths"]
    await scan(fleet)
    for headers in (None, only_b):
        readings, summary = await site_of(fleet, headers), await fleet.ok(SUMMARY, headers)
        assert summary["last_scan_ts"] > scanned["whole"]["last_scan_ts"]
        assert summary["loss"]["ths"] == pytest.approx(readings["lost_ths"])
        assert summary["stopped_miners"] == readings["conditions"]["stopped"]
