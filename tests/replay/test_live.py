"""The newest state of every machine during a replay: means of the last five minutes."""

from datetime import UTC, datetime, timedelta

import numpy as np
import polars as pl

from hashinsight.replay.live import NewestState

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


def add_samples(newest: NewestState, *minutes: tuple[int, float, float]) -> None:
    """Samples of one machine: how many minutes ago, TH/s and watts."""
    rows = pl.DataFrame(
        {
            "miner_id": ["m1"] * len(minutes),
            "ts": [NOW - timedelta(minutes=ago) for ago, _, _ in minutes],
            "hashrate_ths": [ths for _, ths, _ in minutes],
            "power_w": [watts for _, _, watts in minutes],
        }
    )
    newest.take(newest.arrays_of(rows), slice(0, len(minutes)))


def test_power_is_the_mean_of_the_same_samples_as_the_hashrate() -> None:
    newest = NewestState()
    add_samples(newest, (4, 200.0, 3500.0), (3, 200.0, 3500.0), (2, 200.0, 3500.0), (1, 0.0, 20.0), (0, 0.0, 20.0))
    frame = newest.frame()
    assert (frame.hashrate_ths[0], frame.power_w[0], frame.powered_ths[0]) == (120.0, 2108.0, 120.0)


def test_efficiency_uses_only_samples_that_have_both_power_and_hashrate() -> None:
    newest = NewestState()
    add_samples(newest, (9, 0.0, 0.0), (8, 0.0, 0.0), (7, 200.0, 3500.0), (6, 200.0, 3500.0), (5, 200.0, 3500.0))
    frame = newest.frame()
    assert (frame.hashrate_ths[0], frame.power_w[0], frame.powered_ths[0]) == (120.0, 3500.0, 200.0)
    add_samples(newest, (0, 150.0, 0.0))
    frame = newest.frame()
    assert frame.hashrate_ths[0] == 150.0
    assert np.isnan(frame.powered_ths[0])
