"""A machine that goes offline delivers nothing at once, in every answer; what it last reported stays, with its time."""

from datetime import timedelta
from typing import Any

import pytest

from tests.telemetry.fleet import LIVE, Fleet, sample

SITES, CELLS = (f"/api/v1/telemetry/{name}" for name in ("sites", "cells"))
RUNS = {"hashrate_ths": 200.0, "power_w": 3500.0, "temp_avg": 61.0, "temp_max": 75.0, "fan_speeds": [5800, 5900]}


@pytest.fixture
async def offline_fleet(fleet: Fleet) -> Fleet:
    """Two that run; one that its collector cannot reach any more; one of which nothing came for six minutes."""
    await fleet.load(*(f"{name},S21,A,200" for name in ("runs", "cooler", "unreachable", "gone")))
    for seconds in (-480, -420, -360, -300):
        names = ("runs", "cooler", "unreachable", "gone") if seconds < -300 else ("runs", "cooler", "unreachable")
        await fleet.send(*(sample(name, fleet.at(seconds), **RUNS) for name in names))
        await fleet.roll()
    for seconds in (-240, -180, -120, -60, 0):
        cooler = RUNS | {"temp_max": 70.0}
        await fleet.send(
            *(sample(name, fleet.at(seconds), **cooler) for name in ("runs", "cooler")),
            sample("unreachable", fleet.at(seconds), online=False),
        )
        await fleet.roll()
    return fleet


async def by_answer(fleet: Fleet) -> dict[str, dict[str, tuple[Any, ...]]]:
    """Hashrate, efficiency, power and hottest of each machine, in each answer that tells machines."""
    cells = (await fleet.ok(CELLS, site_id="tx-1"))["columns"]
    columns = (cells[name] for name in ("hashrate_ths", "efficiency_j_th", "power_w", "temp_max_c"))
    lines = (await fleet.get(LIVE, format="csv")).text.splitlines()
    files = [dict(zip(lines[0].split(","), line.split(","), strict=True)) for line in lines[1:]]
    names = ("hashrate_ths", "efficiency_j_th", "power_w", "temp_max_c")
    return {
        "live": {
            name: tuple(machine[part][key] for part, key in (
                ("hashrate", "value"), ("efficiency", "value"), ("power", "value"), ("temperature", "max")
            ))
            for name, machine in (await fleet.live()).items()
        },
        "cells": dict(zip(cells["miner_id"], zip(*columns, strict=True), strict=True)),
        "file": {row["miner_id"]: tuple(float(row[name]) if row[name] else None for name in names) for row in files},
    }  # fmt: skip


async def test_an_offline_machine_delivers_nothing_and_has_no_readings_in_any_answer(offline_fleet: Fleet) -> None:
    running, nothing = (200.0, 17.5, 3500.0, 70.0), (0.0, None, None, None)
    wanted = {"runs": running, "cooler": running, "unreachable": nothing, "gone": nothing}
    for where, figures in (await by_answer(offline_fleet)).items():
        assert figures == wanted, where
    live = (await offline_fleet.live())["unreachable"]
    assert (live["hashrate"]["newest_ths"], live["temperature"]["avg"], live["fan"]["avg"]) == (None, None, None)
    shown = dict(offline_fleet.site.rows("select miner_id, hashrate_ghs / 1000 from miner_telemetry_live"))
    assert shown == {"runs": 200.0, "cooler": 200.0, "unreachable": None, "gone": None}


async def test_cells_and_live_add_up_to_the_site_from_the_first_minute_of_an_outage(fleet: Fleet) -> None:
    await fleet.load("runs,S21,A,200", "offline_fleet,S21,A,200")
    await fleet.send(*(sample(name, fleet.at(-60), **RUNS) for name in ("runs", "offline_fleet")))
    for minute in range(1, 8):
        await fleet.pass_time(timedelta(minutes=1))
        await fleet.send(sample("runs", fleet.at(0), **RUNS), sample("offline_fleet", fleet.at(0), online=False))
        await fleet.roll()
        (site,) = (await fleet.ok(SITES))["sites"]
        cells = (await fleet.ok(CELLS, site_id="tx-1"))["columns"]
        live = (await fleet.live()).values()
        assert site["hashrate_ths"] == sum(cells["hashrate_ths"]) == 200.0, minute
        assert site["hashrate_ths"] == sum(machine["hashrate"]["value"] for machine in live), minute
        assert site["power_w"] == sum(power_w or 0 for power_w in cells["power_w"]) == 3500.0, minute
        assert site["hottest_c"] == max(temp_c or 0 for temp_c in cells["temp_max_c"]), minute
        assert site["efficiency_j_th"] == 17.5, minute
        assert site["lost_ths"] == 200.0, minute


async def test_the_last_report_of_an_offline_machine_keeps_its_time(offline_fleet: Fleet) -> None:
    figures = {"hashrate_ths": 200.0, "power_w": 3500.0, "efficiency_j_th": 17.5}
    at = {"unreachable": offline_fleet.at(-300), "gone": offline_fleet.at(-360)}
    wanted = {name: {"at": at_text.replace("+00:00", "Z"), **figures} for name, at_text in at.items()}
    wanted_all = {"runs": None, "cooler": None} | wanted
    assert {name: machine["last_reported"] for name, machine in (await offline_fleet.live()).items()} == wanted_all
    for _ in range(3):  # however long it is offline
        await offline_fleet.pass_time(timedelta(minutes=20))
        await offline_fleet.send(*(sample(name, offline_fleet.at(0), **RUNS) for name in ("runs", "cooler")))
        await offline_fleet.send(sample("unreachable", offline_fleet.at(0), online=False))
        await offline_fleet.roll()
    assert {name: machine["last_reported"] for name, machine in (await offline_fleet.live()).items()} == wanted_all


async def test_the_right_now_view_separates_the_last_report_too(fleet: Fleet) -> None:
    await fleet.load("m1,S21,A,200")
    await fleet.send(sample("m1", fleet.at(-60), **RUNS))
    await fleet.roll()
    reported_at = fleet.at(-60)
    await fleet.send(sample("m1", fleet.at(0), online=False))  # not rolled up yet
    await fleet.app.state.right_now.settle()
    machine = (await fleet.live(right_now=True))["m1"]
    assert (machine["hashrate"]["value"], machine["efficiency"]["value"], machine["power"]["value"]) == (
        0.0,
        None,
        None,
    )
    assert machine["last_reported"] == {
        "at": reported_at.replace("+00:00", "Z"), "hashrate_ths": 200.0, "power_w": 3500.0, "efficiency_j_th": 17.5,
    }  # fmt: skip


async def test_hashrate_of_a_machine_behind_a_silent_collector_is_unknown(offline_fleet: Fleet) -> None:
    offline_fleet.set_clock(offline_fleet.now + timedelta(minutes=10))
    offline_fleet.site.owner = await offline_fleet.site.people.headers("Owner")
    live = await offline_fleet.live()
    assert {machine["hashrate"]["value"] for machine in live.values()} == {None}
    assert live["runs"]["last_reported"]["hashrate_ths"] == 200.0
    (site,) = (await offline_fleet.ok(SITES))["sites"]
    assert (site["hashrate_ths"], site["lost_ths"], site["power_w"], site["expected_ths"]) == (None, None, None, 800.0)


async def test_figures_of_a_site_never_seen_are_null(fleet: Fleet) -> None:
    await fleet.load("m1,S21,A,200", "m2,S21,A,200")
    (site,) = (await fleet.ok(SITES))["sites"]
    figures = ("hashrate_ths", "stopped_ths", "lost_ths", "lost_with_problem_ths", "surplus_ths", "power_w")
    assert {name: site[name] for name in figures} == dict.fromkeys(figures)
    assert (site["machines"], site["online"], site["unknown"], site["expected_ths"]) == (2, 0, 2, 400.0)


async def test_site_power_without_reported_power_is_null(fleet: Fleet) -> None:
    await fleet.load("m1,S21,A,200")
    await fleet.send(sample("m1", fleet.at(-30), hashrate_ths=200.0))
    await fleet.roll()
    (site,) = (await fleet.ok(SITES))["sites"]
    assert (site["power_w"], site["power_unknown"], site["hashrate_ths"]) == (None, 1, 200.0)
