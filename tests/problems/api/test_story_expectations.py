"""What a problem's story tells of its machine's rated and expected hashrate: as the live answer does."""

from typing import Any

import httpx
import pytest

from tests.people import People
from tests.problems.api.fleet_of_all_states import ECO, FINE, FLEET, RATED, SITES, make_fleet, pass_cycle
from tests.telemetry.fleet import Fleet
from tests.telemetry.site_with_collector import SiteWithCollector

EXPECTED = ("rated_ths", "rated_source", "reference_ths", "expected_ths", "expected_source")


@pytest.fixture
async def fleet(api: httpx.AsyncClient, people: People, superuser_url: str) -> Fleet:
    return await make_fleet(api, people, superuser_url)


async def story_of(fleet: Fleet, miner_id: str, issue_code: str) -> dict[str, Any]:
    rows = (await fleet.ok(f"/api/v1/miners/{miner_id}/problems"))["problems"]
    by_issue = {row["issue_code"]: row["id"] for row in rows}
    story: dict[str, Any] = await fleet.ok(f"/api/v1/problems/{by_issue[issue_code]}")
    return story


@pytest.fixture
async def empty_fleet(api: httpx.AsyncClient, people: People, superuser_url: str) -> Fleet:
    site = SiteWithCollector(api, people, superuser_url)
    await site.open()
    return Fleet(site)


async def test_rated_and_expected_hashrate_are_the_same_in_story_and_live_answer_also_in_eco(fleet: Fleet) -> None:
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


async def test_a_story_shows_an_inferred_rating_missing_from_the_asset_list(empty_fleet: Fleet) -> None:
    names = [f"nameless-{no}" for no in range(6)]
    await empty_fleet.load(*(f"{name},,A," for name in names))
    whole = FINE | {"hashrate_ths": 200.0, "boards_healthy": 3, "boards_total": 3}
    for cycle in range(12):
        await pass_cycle(empty_fleet, dict.fromkeys(names, whole), warmth=cycle)
    less = whole | {"hashrate_ths": 133.0, "boards_healthy": 2}
    for cycle in range(12, 15):
        await pass_cycle(empty_fleet, dict.fromkeys(names, whole) | {names[0]: less}, warmth=cycle)
    story = await story_of(empty_fleet, names[0], "board_lost")
    machine, newest = story["machine"], story["problem"]["evidence_json"][-1]
    assert newest["expectation"] in {"kind", "own_past"}
    assert (machine["rated_source"], machine["expected_source"]) == ("inferred", "inferred")
    assert machine["rated_ths"] == pytest.approx(newest["expected_ths"], rel=0.001) == pytest.approx(200.0, rel=0.03)
    live = (await empty_fleet.live())[names[0]]["hashrate"]
    assert {name: machine[name] for name in EXPECTED} == {name: live[name] for name in EXPECTED}


SETTING = ECO | {"hashrate_ths": 100.8, "expected_ths": 100.8}  # 126 x 0.8, and its firmware says so
NAMEPLATE = 126.0


async def test_a_rate_reported_for_the_mode_lowers_the_expected_hashrate_but_not_the_rating(empty_fleet: Fleet) -> None:
    names = [f"m-{no}" for no in range(6)]
    await empty_fleet.load(*(f"{name},M50S,A," for name in names), "unlisted,Thornfield TF-9,A,")
    full = FINE | {"hashrate_ths": NAMEPLATE, "expected_ths": NAMEPLATE}
    machines = dict.fromkeys((*names, "unlisted"), full)
    await pass_cycle(empty_fleet, machines, warmth=0)
    assert {name: figures_of(each) for name, each in (await empty_fleet.live()).items()} == {
        **dict.fromkeys(names, (NAMEPLATE, "catalogue", NAMEPLATE, NAMEPLATE, "reported")),
        "unlisted": (NAMEPLATE, "reported", NAMEPLATE, NAMEPLATE, "reported"),
    }
    machines = dict.fromkeys((*names, "unlisted"), SETTING)
    for cycle in range(1, 18):
        await pass_cycle(empty_fleet, machines, warmth=cycle)
    assert {name: figures_of(each) for name, each in (await empty_fleet.live()).items()} == {
        **dict.fromkeys(names, (NAMEPLATE, "catalogue", 100.8, 100.8, "reported")),
        "unlisted": (None, None, 100.8, 100.8, "reported"),  # nobody knows what it does in normal mode
    }


def figures_of(problem: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(problem["hashrate"][name] for name in EXPECTED)


async def test_an_eco_machine_going_offline_within_half_an_hour_loses_its_eco_hashrate(empty_fleet: Fleet) -> None:
    await empty_fleet.load("new,S19j Pro,A,", "runs,S19j Pro,A,")
    for cycle in range(4):
        await pass_cycle(empty_fleet, {"new": ECO, "runs": FINE}, warmth=cycle)
    for cycle in range(4, 6):
        await pass_cycle(empty_fleet, {"new": {"online": False, "mode": "eco"}, "runs": FINE}, warmth=cycle)
    assert (await empty_fleet.live())["new"]["hashrate"]["expected_ths"] == pytest.approx(73.0, abs=1.0)
    (site,) = (await empty_fleet.ok(SITES))["sites"]
    assert site["lost_ths"] == pytest.approx(73.0, abs=1.0)


async def test_a_machine_in_eco_loses_what_it_lacks_of_its_reported_rate(empty_fleet: Fleet) -> None:
    names = [f"m-{no}" for no in range(6)]
    await empty_fleet.load(*(f"{name},M50S,A," for name in names))
    machines = dict.fromkeys(names, SETTING)
    for cycle in range(12):
        await pass_cycle(empty_fleet, machines, warmth=cycle)
    half = SETTING | {"hashrate_ths": 50.4, "boards_healthy": 1, "boards_total": 2}
    await pass_cycle(empty_fleet, machines | {names[0]: half}, warmth=12)
    (site,) = (await empty_fleet.ok(SITES))["sites"]
    assert site["lost_ths"] == pytest.approx(50.4, abs=0.1)
