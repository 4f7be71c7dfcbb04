"""The same fleet in every answer: stopped, eco, dark, unknown and broken machines are told alike wherever one looks."""

from collections import Counter
from datetime import timedelta
from typing import Any

import httpx
import pytest

from hashinsight.inventory.service.expected import expect
from hashinsight.kit.db.context import job_context
from hashinsight.problems.service.cycle import run_cycle
from tests.people import People
from tests.telemetry.fleet import Fleet, sample
from tests.telemetry.place import Place

SITES, CELLS = (f"/api/v1/telemetry/{name}" for name in ("sites", "cells"))
SUMMARY = "/api/v1/sites/tx-1/health_summary"
STATES = ("healthy", "problem", "stopped", "down", "unknown")
RATED = 104.0
FINE: dict[str, Any] = {"hashrate_ths": RATED, "power_w": 3050.0, "mode": "normal"}
ECO = FINE | {"hashrate_ths": 73.0, "power_w": 1900.0, "mode": "eco"}
STANDS = FINE | {"hashrate_ths": 0.0, "power_w": 20.0}
FLEET: dict[str, dict[str, Any]] = {
    **{f"fine-{no}": FINE for no in range(8)},
    **{f"eco-{no}": ECO for no in range(6)},
    **{f"stopped-{no}": STANDS for no in range(3)},
    "silent-on-watts": {name: value for name, value in FINE.items() if name != "power_w"},
    "dark": {"online": False},
    "broken": STANDS,
    "half": FINE | {"hashrate_ths": 52.0, "power_w": 1700.0, "boards_healthy": 1, "boards_total": 2},
}


@pytest.fixture
async def fleet(api: httpx.AsyncClient, people: People, superuser_url: str) -> Fleet:
    """As above and one that was never heard of, after cycles enough to know what is wrong."""
    place = Place(api, people, superuser_url)
    await place.open()
    made = Fleet(place)
    zones = {name: "B" if name.startswith(("eco", "dark")) else "A" for name in (*FLEET, "never-heard")}
    await made.load(*(f"{name},S19j Pro,{zone}," for name, zone in zones.items()))
    stopped = [no for (no,) in place.rows("select miner_no from miners where miner_id like 'stopped%'")]
    async with made.database.transaction(job_context()) as session:
        await expect(session, stopped, "stopped", cause="command 1", now=made.now - timedelta(minutes=1))
    for cycle in range(5):
        await made.pass_time(timedelta(minutes=5))
        for seconds in (-270, -210, -150, -90, -30):
            warmth = {"temp_avg": 60.0 + cycle}  # values that never change are a problem themselves
            await made.send(*(sample(name, made.at(seconds), **said | warmth) for name, said in FLEET.items()))
        await made.roll()
        async with made.database.transaction(job_context()) as session:
            assert await run_cycle(made.database, session, place.site_id, period=made.now, now=made.now)
    return made


def named(cells: dict[str, Any], name: str) -> list[str]:
    words = cells["named"][name]
    return [words["words"][no] for no in words["index"]]


async def test_every_answer_counts_the_same_machines_and_tells_the_same_loss(fleet: Fleet) -> None:
    (site,) = (await fleet.ok(SITES))["sites"]
    cells = await fleet.ok(CELLS, site_id="tx-1")
    live = await fleet.live()
    summary = await fleet.ok(SUMMARY)
    counts = {name: n for name, n in site["conditions"].items() if n}
    assert Counter(named(cells, "condition")) == counts
    assert Counter(one["condition"] for one in live.values()) == counts
    with_problem = sum(counts.get(f"P{no}", 0) for no in range(4))
    wanted = [counts.get("fine", 0), with_problem, *(counts.get(name, 0) for name in STATES[2:])]
    assert [summary[f"{name}_miners"] for name in STATES] == wanted
    assert sum(wanted) == site["machines"] == summary["total_miners"] == len(FLEET) + 1
    assert site["unknown"] == counts["unknown"]
    assert summary["loss"]["ths"] == site["lost_ths"]
    by_zone = [(await fleet.ok(SITES, site_id="tx-1", zone=zone))["sites"][0] for zone in ("A", "B")]
    for name in ("machines", "online", "unknown", "hashrate_ths", "expected_ths", "stopped_ths", "lost_ths"):
        assert round(sum(zone[name] for zone in by_zone), 3) == round(site[name], 3), name


async def test_only_what_is_dark_or_broken_is_lost_and_what_was_stopped_is_a_state_of_its_own(fleet: Fleet) -> None:
    (site,) = (await fleet.ok(SITES))["sites"]
    conditions = {name: one["condition"] for name, one in (await fleet.live()).items()}
    assert {name for name, one in conditions.items() if one == "stopped"} == {f"stopped-{no}" for no in range(3)}
    assert conditions["never-heard"] == "unknown"
    assert {conditions[f"eco-{no}"] for no in range(6)} == {"fine"}
    assert not {conditions[name] for name in ("dark", "broken", "half")} & {"fine", "stopped", "unknown"}
    assert round(site["lost_ths"]) == RATED + RATED + RATED / 2  # dark, broken, half
    assert (site["stopped_ths"], site["expected_unknown_ths"]) == (3 * RATED, RATED)
    assert (site["efficiency_left_out"], site["power_unknown"]) == (1, 1)
    eco = (await fleet.live())["eco-0"]
    assert (eco["mode"], eco["hashrate"]["expected_source"]) == ("eco", "mode")
    assert round(eco["hashrate"]["expected_ths"]) == 73


async def test_who_sees_a_part_of_a_site_is_told_the_same_of_that_part(fleet: Fleet) -> None:
    zones = {one["code"]: one["id"] for one in (await fleet.ok("/api/admin/v1/zones"))["zones"]}
    only_b = await fleet.place.people.headers("Customer", zones=[zones["B"]])
    (site,) = (await fleet.ok(SITES, only_b))["sites"]
    summary = await fleet.ok(SUMMARY, only_b)
    assert (summary["total_miners"], summary["healthy_miners"], summary["problem_miners"]) == (7, 6, 1)
    assert summary["loss"]["ths"] == site["lost_ths"] == RATED
