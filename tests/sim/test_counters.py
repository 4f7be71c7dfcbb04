"""Counters grow until a boot, and a boot is when uptime starts again."""

from dataclasses import replace

import numpy as np
import polars as pl

from hashinsight.sim.frames import stream
from hashinsight.sim.scenario import from_library
from tests.sim.playing import HOUR, START, quiet_world, watch


def test_counters_never_decrease_except_at_a_boot_where_uptime_starts_again() -> None:
    scenario = from_library("demo").resized(150)
    busy = replace(scenario, rates=replace(scenario.rates, reboots_per_year=500.0), defects=type(scenario.defects)())
    frame = pl.concat(stream(busy, seed=2, start=START, days=2)).filter(pl.col("online") == 1)
    steps = frame.sort("miner_id", "ts").select(
        "miner_id",
        *(pl.col(name).diff().over("miner_id").alias(name) for name in ("accepted", "rejected", "hw_errors")),
        # less than the time that passed: it started again
        late=pl.col("uptime_seconds").diff().over("miner_id") - pl.col("ts").diff().over("miner_id").dt.total_seconds(),
    )
    fell = steps.filter((pl.col("accepted") < 0) | (pl.col("rejected") < 0) | (pl.col("hw_errors") < 0))
    assert fell.height > 50
    assert (fell["late"] < -30).all()


def test_shares_come_at_the_pools_pace_and_few_are_rejected() -> None:
    world = quiet_world(220)
    before = world.readings()
    world.advance(world.at + 6 * HOUR)
    after = world.readings()
    accepted, rejected = after.accepted - before.accepted, after.rejected - before.rejected
    assert abs(accepted.mean() / (0.2 * 6 * 3600) - 1) < 0.02
    assert 0.002 < rejected.sum() / accepted.sum() < 0.004
    # Poisson: the spread is the root of the mean, beside the units' own differences
    assert accepted.std() < 2.5 * np.sqrt(accepted.mean())


def test_a_rebooted_machine_is_away_for_a_minute_and_warm_after_a_quarter_of_an_hour() -> None:
    world = quiet_world(22, step=10.0)
    world.inject("spontaneous_reboot", np.arange(22))
    said, _ = watch(world, 1200, 10)
    reachable = np.array([one.reachable for one in said])
    ratio = np.array([one.hashrate_ths / one.expected_ths for one in said])
    away = (~reachable).sum(axis=0) * 10
    assert ((away >= 40) & (away <= 90)).all()
    assert (ratio[10] == 0).all()
    assert (ratio[-1] > 0.93).all()
    first = np.argmax(ratio > 0, axis=0)
    assert (ratio[first, np.arange(22)] < 0.6).all()
    assert (said[-1].uptime_sec <= 1200).all()


def test_a_machines_estimate_is_smooth_from_poll_to_poll_but_noisy_from_minute_to_minute() -> None:
    world = quiet_world(220, step=5.0)
    said, _ = watch(world, 600, 5)
    ratio = np.array([one.hashrate_ths / one.expected_ths for one in said])
    quick, slow = np.diff(ratio, axis=0).std(), (ratio[::24][1:] - ratio[::24][:-1]).std()
    assert quick < 0.5 * slow
    assert 0.011 < slow / np.sqrt(2) < 0.015
