"""The same fleet in every answer: stopped, eco, dark, unknown and broken machines are told alike wherever one looks."""

from collections import Counter
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import httpx
import pytest

from hashinsight.inventory.service.expected_states import expect
from hashinsight.kit.db.context import job_context
from hashinsight.problems.service.cycle import run_cycle
from tests.people import People
from tests.telemetry.fleet import Fleet, sample
from tests.telemetry.site_with_collector import SiteWithCollector

SITES, CELLS = (f"/api/v1/telemetry/{name}" for name in ("sites", "cells"))
SUMMARY = "/api/v1/sites/tx-1/health_summary"
STATES = ("healthy", "problem", "stopped", "down", "unknown")
RATED = 104.0
EXPECTED = ("rated_ths", "rated_source", "reference_ths", "expected_ths", "expected_source")
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
    place = SiteWithCollector(api, people, superuser_url)
    await place.open()
    made = Fleet(place)
    zones = {name: "B" if name.startswith(("eco", "dark")) else "A" for name in (*FLEET, "never-heard")}
    await made.load(*(f"{name},S19j Pro,{zone}," for name, zone in zones.items()))
    stopped = [no for (no,) in place.rows("select miner_no from miners where miner_id like 'stopped%'")]
    async with made.database.transaction(job_context()) as session:
        await expect(session, stopped, "stopped", cause="command 1", now=made.now - timedelta(minutes=1))
    for cycle in range(5):
        await pass_cycle(made, FLEET, warmth=cycle)
    return made


async def pass_time(fleet: Fleet, machines: Mapping[str, dict[str, Any]], *, warmth: float) -> None:
    """Five minutes of samples."""
    await fleet.pass_time(timedelta(minutes=5))
    for seconds in (-270, -210, -150, -90, -30):
        warm = {"temp_avg": 60.0 + warmth}  # values that never change are a problem themselves
        await fleet.send(*(sample(name, fleet.at(seconds), **said | warm) for name, said in machines.items()))
    await fleet.roll()


async def scan(fleet: Fleet) -> None:
    async with fleet.database.transaction(job_context()) as session:
        assert await run_cycle(fleet.database, session, fleet.place.site_id, period=fleet.now, now=fleet.now)


async def pass_cycle(fleet: Fleet, machines: Mapping[str, dict[str, Any]], *, warmth: float) -> None:
    await pass_time(fleet, machines, warmth=warmth)
    await scan(fleet)


async def story_of(fleet: Fleet, miner_id: str, issue_code: str) -> dict[str, Any]:
    found = (await fleet.ok(f"/api/v1/miners/{miner_id}/problems"))["problems"]
    by_issue = {one["issue_code"]: one["id"] for one in found}
    story: dict[str, Any] = await fleet.ok(f"/api/v1/problems/{by_issue[issue_code]}")
    return story


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


async def headers_of_zone(fleet: Fleet, code: str) -> dict[str, str]:
    zones = {one["code"]: one["id"] for one in (await fleet.ok("/api/admin/v1/zones"))["zones"]}
    return await fleet.place.people.headers("Customer", zones=[zones[code]])


async def test_who_sees_a_part_of_a_site_is_told_the_same_of_that_part(fleet: Fleet) -> None:
    only_b = await headers_of_zone(fleet, "B")
    (site,) = (await fleet.ok(SITES, only_b))["sites"]
    summary = await fleet.ok(SUMMARY, only_b)
    assert (summary["total_miners"], summary["healthy_miners"], summary["problem_miners"]) == (7, 6, 1)
    assert summary["loss"]["ths"] == site["lost_ths"] == RATED


async def test_a_summary_is_as_of_the_last_scan_for_the_whole_site_and_for_a_part_of_it(fleet: Fleet) -> None:
    """A stop between two scans, and a machine that goes dark: sites tell them at once, summaries by the next scan."""
    async with fleet.database.transaction(job_context()) as session:
        (number,) = [no for (no,) in fleet.place.rows("select miner_no from miners where miner_id = 'eco-0'")]
        await expect(session, [number], "stopped", cause="command 2", now=fleet.now + timedelta(minutes=1))
    scanned = {"whole": await fleet.ok(SUMMARY), "part": await fleet.ok(SUMMARY, await headers_of_zone(fleet, "B"))}
    after = FLEET | {"eco-0": ECO | {"hashrate_ths": 0.0, "power_w": 20.0}, "eco-1": {"online": False}}
    await pass_time(fleet, after, warmth=5)
    only_b = await headers_of_zone(fleet, "B")
    between = {"whole": await fleet.ok(SUMMARY), "part": await fleet.ok(SUMMARY, only_b)}
    assert between == scanned
    (part,) = (await fleet.ok(SITES, only_b))["sites"]
    assert (part["conditions"]["stopped"], part["conditions"]["down"]) == (1, 1)
    assert part["lost_ths"] > between["part"]["loss"]["ths"]
    await scan(fleet)
    for headers in (None, only_b):
        (told,), summary = (await fleet.ok(SITES, headers))["sites"], await fleet.ok(SUMMARY, headers)
        assert summary["last_scan_ts"] > scanned["whole"]["last_scan_ts"]
        assert summary["loss"]["ths"] == pytest.approx(told["lost_ths"])
        assert summary["stopped_miners"] == told["conditions"]["stopped"]


async def test_a_story_tells_rated_and_expected_hashrate_as_the_live_answer_does_in_eco_too(fleet: Fleet) -> None:
    weak = ECO | {"hashrate_ths": 49.0, "boards_healthy": 2, "boards_total": 3}
    for cycle in range(5, 20):  # in eco only its own past tells that a board is lost
        await pass_cycle(fleet, FLEET | ({"eco-5": weak} if cycle > 15 else {}), warmth=cycle)
    story = await story_of(fleet, "eco-5", "board_lost")
    live = (await fleet.live())["eco-5"]["hashrate"]
    assert {name: story["machine"][name] for name in EXPECTED} == {name: live[name] for name in EXPECTED}
    assert (live["rated_ths"], live["rated_source"]) == (RATED, "catalogue")
    assert (round(live["expected_ths"]), live["expected_source"]) == (73, "mode")
    newest = story["problem"]["evidence_json"][-1]
    assert (newest["expected_ths"], newest["expectation"]) == (live["reference_ths"], "given")
    assert newest["hashrate_ratio"] == pytest.approx(49.0 / live["reference_ths"], abs=0.01)
    sound = (await fleet.ok("/api/v1/miners/eco-0/health"))["baseline"]["metrics"]["hashrate_ratio"]
    assert sound["expected"] * live["reference_ths"] == pytest.approx(73.0, abs=1.0)  # its band lies at its own line


async def test_a_story_tells_an_inferred_rating_that_the_asset_list_does_not_have(
    api: httpx.AsyncClient, people: People, superuser_url: str
) -> None:
    place = SiteWithCollector(api, people, superuser_url)
    await place.open()
    fleet = Fleet(place)
    names = [f"nameless-{no}" for no in range(6)]
    await fleet.load(*(f"{name},,A," for name in names))
    whole = FINE | {"hashrate_ths": 200.0, "boards_healthy": 3, "boards_total": 3}
    for cycle in range(12):
        await pass_cycle(fleet, dict.fromkeys(names, whole), warmth=cycle)
    less = whole | {"hashrate_ths": 133.0, "boards_healthy": 2}
    for cycle in range(12, 15):
        await pass_cycle(fleet, dict.fromkeys(names, whole) | {names[0]: less}, warmth=cycle)
    story = await story_of(fleet, names[0], "board_lost")
    machine, newest = story["machine"], story["problem"]["evidence_json"][-1]
    assert newest["expectation"] in {"kind", "own_past"}
    assert (machine["rated_source"], machine["expected_source"]) == ("inferred", "inferred")
    assert machine["rated_ths"] == pytest.approx(newest["expected_ths"], rel=0.001) == pytest.approx(200.0, rel=0.03)
    live = (await fleet.live())[names[0]]["hashrate"]
    assert {name: machine[name] for name in EXPECTED} == {name: live[name] for name in EXPECTED}


SETTING = ECO | {"hashrate_ths": 100.8, "expected_ths": 100.8}  # 126 x 0.8, and its firmware says so
NAMEPLATE = 126.0


async def test_firmware_that_reports_the_figure_of_its_mode_lowers_what_is_expected_and_not_the_rating(
    api: httpx.AsyncClient, people: People, superuser_url: str
) -> None:
    place = SiteWithCollector(api, people, superuser_url)
    await place.open()
    fleet = Fleet(place)
    names = [f"m-{no}" for no in range(6)]
    await fleet.load(*(f"{name},M50S,A," for name in names), "unlisted,Thornfield TF-9,A,")
    full = FINE | {"hashrate_ths": NAMEPLATE, "expected_ths": NAMEPLATE}
    machines = dict.fromkeys((*names, "unlisted"), full)
    await pass_cycle(fleet, machines, warmth=0)
    assert {name: figures_of(one) for name, one in (await fleet.live()).items()} == {
        **dict.fromkeys(names, (NAMEPLATE, "catalogue", NAMEPLATE, NAMEPLATE, "reported")),
        "unlisted": (NAMEPLATE, "reported", NAMEPLATE, NAMEPLATE, "reported"),
    }
    machines = dict.fromkeys((*names, "unlisted"), SETTING)
    for cycle in range(1, 18):
        await pass_cycle(fleet, machines, warmth=cycle)
    assert {name: figures_of(one) for name, one in (await fleet.live()).items()} == {
        **dict.fromkeys(names, (NAMEPLATE, "catalogue", 100.8, 100.8, "reported")),
        "unlisted": (None, None, 100.8, 100.8, "reported"),  # nobody knows what it does in normal mode
    }


def figures_of(one: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(one["hashrate"][name] for name in EXPECTED)


async def test_an_eco_machine_that_goes_dark_within_half_an_hour_loses_what_it_did_in_eco(
    api: httpx.AsyncClient, people: People, superuser_url: str
) -> None:
    place = SiteWithCollector(api, people, superuser_url)
    await place.open()
    fleet = Fleet(place)
    await fleet.load("new,S19j Pro,A,", "runs,S19j Pro,A,")
    for cycle in range(4):
        await pass_cycle(fleet, {"new": ECO, "runs": FINE}, warmth=cycle)
    for cycle in range(4, 6):
        await pass_cycle(fleet, {"new": {"online": False, "mode": "eco"}, "runs": FINE}, warmth=cycle)
    assert (await fleet.live())["new"]["hashrate"]["expected_ths"] == pytest.approx(73.0, abs=1.0)
    (site,) = (await fleet.ok(SITES))["sites"]
    assert site["lost_ths"] == pytest.approx(73.0, abs=1.0)


async def test_what_a_machine_in_eco_lacks_of_the_figure_that_its_firmware_reports_is_lost(
    api: httpx.AsyncClient, people: People, superuser_url: str
) -> None:
    place = SiteWithCollector(api, people, superuser_url)
    await place.open()
    fleet = Fleet(place)
    names = [f"m-{no}" for no in range(6)]
    await fleet.load(*(f"{name},M50S,A," for name in names))
    machines = dict.fromkeys(names, SETTING)
    for cycle in range(12):
        await pass_cycle(fleet, machines, warmth=cycle)
    half = SETTING | {"hashrate_ths": 50.4, "boards_healthy": 1, "boards_total": 2}
    await pass_cycle(fleet, machines | {names[0]: half}, warmth=12)
    (site,) = (await fleet.ok(SITES))["sites"]
    assert site["lost_ths"] == pytest.approx(50.4, abs=0.1)
