"""Efficiency is watts over the hashrate of the samples that have watts: now, at a past moment, and in every chart."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from hashinsight.telemetry.layers import LENGTH, Layer, bucket_start
from tests.telemetry.fleet import Fleet, sample

SITES, CELLS = (f"/api/v1/telemetry/{name}" for name in ("sites", "cells"))
RESOLUTIONS = ("5min", "hourly", "daily")
BUCKET = LENGTH[Layer.FIVE_MINUTES]
RUNS = {"hashrate_ths": 200.0, "power_w": 3500.0}
DRAWS_NOTHING = {"hashrate_ths": 0.0, "power_w": 0.0}  # of a machine that answers: its power is unknown
MINUTES: dict[str, tuple[dict[str, Any], ...]] = {
    "shed": (RUNS, RUNS, RUNS, DRAWS_NOTHING, DRAWS_NOTHING),
    "back": (DRAWS_NOTHING, DRAWS_NOTHING, RUNS, RUNS, RUNS),
    "no_watts": (RUNS, {"hashrate_ths": 100.0}, RUNS, {"hashrate_ths": 100.0}, RUNS),
    "no_hashrate": (RUNS, {"power_w": 1000.0}, RUNS, RUNS, RUNS),
    "apart": ({"hashrate_ths": 200.0}, {"power_w": 3500.0}, {"hashrate_ths": 200.0}),
    "plain": (RUNS, {"hashrate_ths": 100.0, "power_w": 2000.0}),
    "stands": (DRAWS_NOTHING, DRAWS_NOTHING),
    "mute": ({"hashrate_ths": 200.0}, {"hashrate_ths": 200.0}),
}
PLAIN = 5500 / 300
WANTED = dict.fromkeys(("shed", "back", "no_watts", "no_hashrate"), 17.5) | {"plain": round(PLAIN, 2)}
WANTED_ALL = WANTED | {"stands": 0.0, "mute": None, "apart": None}


async def send_bucket(fleet: Fleet, begins: datetime, *miner_ids: str) -> None:
    """A sample a minute from the beginning of a bucket on; the clock is where the bucket ends."""
    await fleet.pass_time(begins + BUCKET - fleet.now)
    rows = [
        sample(name, (begins + timedelta(minutes=minute)).isoformat(), **reading)
        for name in miner_ids
        for minute, reading in enumerate(MINUTES[name])
    ]
    await fleet.send(*rows)
    await fleet.roll()


async def charts_of(fleet: Fleet, begins: datetime) -> dict[str, dict[str, float | None]]:
    """Efficiency by resolution and machine, when the day is over; each has one point."""
    await fleet.pass_time(timedelta(days=1, minutes=10))
    await fleet.roll()
    means = {}
    for resolution in RESOLUTIONS:
        start = (begins - timedelta(days=1)).isoformat()
        series = await fleet.history(resolution=resolution, start=start)
        assert {len(points) for points in series.values()} == {1}, resolution
        means[resolution] = {name: rounded(points[0]["efficiency_j_th"]) for name, points in series.items()}
    return means


def rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)


async def test_live_past_and_charts_show_the_same_efficiency_for_machines_that_stop_start_or_miss_readings(
    fleet: Fleet,
) -> None:
    await fleet.load(*(f"{name},S21,A," for name in MINUTES))
    begins = bucket_start(fleet.now, Layer.FIVE_MINUTES) + BUCKET
    await send_bucket(fleet, begins, *MINUTES)
    live = {name: rounded(machine["efficiency"]["value"]) for name, machine in (await fleet.live()).items()}
    assert live == WANTED_ALL
    now = (await fleet.ok(CELLS, site_id="tx-1"))["columns"]
    names = dict(zip(now["miner_no"], now["miner_id"], strict=True))
    then = (await fleet.ok(CELLS, site_id="tx-1", at=begins.isoformat()))["columns"]
    stored = {names[no]: value for no, value in zip(then["miner_no"], then["efficiency_j_th"], strict=True)}
    assert stored == live
    charts = await charts_of(fleet, begins)
    assert charts == dict.fromkeys(RESOLUTIONS, live)


async def test_the_efficiency_of_a_past_time_equals_the_live_one_of_that_time(fleet: Fleet) -> None:
    names = ("shed", "back", "no_watts", "plain", "stands", "mute", "apart")
    await fleet.load(*(f"{name},S21,A," for name in names))
    begins = bucket_start(fleet.now, Layer.FIVE_MINUTES) + BUCKET
    await send_bucket(fleet, begins, *names)
    (now,) = (await fleet.ok(SITES, site_id="tx-1"))["sites"]
    (then,) = (await fleet.ok(SITES, site_id="tx-1", at=begins.isoformat()))["sites"]
    wanted = (3 * 3500 + 2750) / (3 * 200 + 150)
    for site in (now, then):
        assert (site["efficiency_j_th"], site["efficiency_left_out"]) == (pytest.approx(wanted), 3)


async def test_rows_without_powered_sums_fall_back_to_plain_means(
    fleet: Fleet,
) -> None:
    await fleet.load("shed,S21,A,", "plain,S21,A,")
    hour = bucket_start(fleet.now, Layer.HOUR) + LENGTH[Layer.HOUR]
    await send_bucket(fleet, hour, "shed", "plain")
    fleet.site.rows("update telemetry_5min set powered_w_sum = null, powered_ths_sum = null returning 1")
    before = {name: rounded(points[0]["efficiency_j_th"]) for name, points in (await fleet.history()).items()}
    assert before == {"shed": 29.17, "plain": round(PLAIN, 2)}
    (then,) = (await fleet.ok(SITES, site_id="tx-1", at=hour.isoformat()))["sites"]
    assert then["efficiency_j_th"] == pytest.approx((3500 + 2750) / (120 + 150))
    await send_bucket(fleet, hour + BUCKET, "shed", "plain")
    await fleet.pass_time(timedelta(days=1, minutes=10))
    await fleet.roll()
    for resolution, table in (("hourly", "telemetry_hour"), ("daily", "telemetry_day")):
        kept = fleet.site.rows(f"select distinct powered_w_sum, powered_ths_sum from {table}")
        assert kept == [(None, None)], resolution
        history = await fleet.history(resolution=resolution, start=(hour - timedelta(days=1)).isoformat())
        assert {name: rounded(points[0]["efficiency_j_th"]) for name, points in history.items()} == before, resolution
