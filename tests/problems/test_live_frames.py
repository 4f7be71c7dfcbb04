"""What the live layer tells is what a cycle reads."""

import dataclasses
from datetime import UTC, datetime, timedelta

import numpy as np
import polars as pl
import pytest

from hashinsight.problems.codes import ExpectedState
from hashinsight.problems.config import Config
from hashinsight.problems.group_stats import distinct_rows
from hashinsight.problems.live_frames import columns_for, frame_of
from hashinsight.problems.pipeline import step
from hashinsight.problems.state import empty_state
from hashinsight.telemetry.live_state import NEEDED, SCHEMA, evaluate

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def live(**columns: list[object]) -> pl.DataFrame:
    n = len(columns["miner_no"])
    rows = pl.DataFrame({name: columns.get(name, [None] * n) for name in SCHEMA}, schema=SCHEMA)
    return evaluate(rows, as_of=NOW)


def test_columns_of_the_live_layer_become_a_frame() -> None:
    rows = live(
        miner_no=[7, 3],
        miner_id=["b", "a"],
        site_id=[1, 1],
        cooling=[None, "hydro"],
        ts=[NOW - timedelta(seconds=30), None],
        heard_at=[NOW, NOW],
        status=[1, None],
        flags=[1, None],
        hashrate_5min_ths=[100.0, None],
        reported_ths=[104.0, None],
        inventory_model=["Antminer S19j Pro", None],
        mode=["eco", None],
    )
    expected = pl.DataFrame({"miner_no": [3, 99], "state": ["curtailed", "stopped"], "until_at": [None, NOW]})
    frame = frame_of(rows, expected.with_columns(pl.col("until_at").cast(pl.Datetime("us", "UTC"))), suppressed=[7])
    assert frame.miner_no.tolist() == [3, 7]
    assert frame.hashrate_ths[1] == 100.0
    assert np.isnan(frame.hashrate_ths[0])
    assert frame.expected_ths[1] == 104.0
    assert (frame.ts[1], frame.heard_at[0]) == (NOW.timestamp() - 30, NOW.timestamp())
    assert np.isnan(frame.ts[0])
    assert frame.expected.tolist() == [ExpectedState.CURTAILED, ExpectedState.NOTHING]
    assert frame.expected_until[0] == np.inf
    assert frame.is_air.tolist() == [False, True]
    assert frame.suppressed.tolist() == [False, True]
    assert frame.flags.tolist() == [0, 1]
    assert [frame.model.of[frame.model.no[1]], frame.mode.of[frame.mode.no[1]]] == ["Antminer S19j Pro", "eco"]
    assert frame.model.no[0] == -1


def test_a_cycle_divides_watts_by_the_hashrate_of_the_samples_that_have_watts() -> None:
    """The second machine booted within the five minutes: its first samples have neither watts nor hashrate."""
    rows = live(
        miner_no=[1, 2, 3],
        miner_id=["runs", "boots", "meter_late"],
        site_id=[1, 1, 1],
        ts=[NOW] * 3,
        heard_at=[NOW] * 3,
        status=[1] * 3,
        flags=[0] * 3,
        reported_ths=[200.0] * 3,
        hashrate_5min_ths=[200.0, 120.0, 120.0],
        power_5min_w=[3500.0, 3500.0, 20.0],
        powered_5min_ths=[200.0, 200.0, 0.0],
    )
    nothing = pl.DataFrame(schema={"miner_no": pl.Int64, "state": pl.String, "until_at": pl.Datetime("us", "UTC")})
    _, result = step(empty_state(), frame_of(rows, nothing), NOW.timestamp(), Config())
    assert result.observed.features.efficiency[:2].tolist() == [17.5, 17.5]
    assert np.isnan(result.observed.features.efficiency[2])
    assert result.observed.features.hashrate_ratio.tolist() == [1.0, 0.6, 0.6]


def test_board_temperatures_are_reduced_to_the_mean_that_is_judged() -> None:
    rows = live(
        miner_no=[1, 2, 3, 4],
        miner_id=["a", "b", "c", "d"],
        site_id=[1, 1, 1, 1],
        hashrate_5min_ths=[90.0, 100.0, 50.0, None],
        hashrate_ths=[100.0, 100.0, 0.0, 100.0],
    )
    nothing = pl.DataFrame(schema={"miner_no": pl.Int64, "state": pl.String, "until_at": pl.Datetime("us", "UTC")})
    answer = pl.DataFrame(
        {"miner_no": [1, 2, 3], "board_ths": [[50.0, 50.0], [30.0, 40.0, 30.0], [1.0, 1.0]]},
        schema={"miner_no": pl.Int32, "board_ths": pl.List(pl.Float64)},
    )
    frame = frame_of(rows, nothing, answer)
    assert frame.board_ths.shape == (3, 4)
    assert frame.board_ths[:2, 0].tolist() == pytest.approx([45.0, 45.0])
    assert frame.board_ths[:, 1].tolist() == [30.0, 40.0, 30.0]
    assert np.isnan(frame.board_ths[:, 2:]).all()  # nothing to bring them to, and none told
    assert np.isnan(frame.board_ths[2, 0])
    assert frame_of(rows, nothing, answer.clear()).board_ths.shape == (0, 4)


@pytest.mark.parametrize(
    ("config", "lists"),
    [
        (Config(), ()),
        (Config(allowed_pools=("good.example",)), ("pool", "worker")),
        (Config(allowed_workers=("a",)), ("pool", "worker")),
    ],
)
def test_the_columns_that_a_cycle_reads_make_the_same_frame_as_all_of_them(
    config: Config, lists: tuple[str, ...]
) -> None:
    answer = {"miner_no": [2, 1], "site_id": [1, 1], "ts": [NOW, None], "pool_url": ["p", None], "worker": ["a", "b"]}
    rest: dict[str, list[object]] = {
        name: ["Antminer S21", "b"] if kind == pl.String else [NOW, NOW] if isinstance(kind, pl.Datetime) else [3, 4]
        for name, kind in SCHEMA.items()
        if name not in answer
    }
    rows = pl.DataFrame({name: (answer | rest)[name] for name in SCHEMA}, schema=SCHEMA)
    nothing = pl.DataFrame(schema={"miner_no": pl.Int64, "state": pl.String, "until_at": pl.Datetime("us", "UTC")})
    read = [name for name in SCHEMA if name in NEEDED or name in columns_for(config)]
    few, whole = (frame_of(evaluate(each, as_of=NOW), nothing) for each in (rows.select(read), rows))
    for each in dataclasses.fields(few):
        left, right = getattr(few, each.name), getattr(whole, each.name)
        if each.name in {"pool", "worker"} - set(lists):
            assert (left.no == -1).all()
        elif isinstance(left, np.ndarray):
            np.testing.assert_array_equal(left, right)
        else:
            assert (left.of, left.no.tolist()) == (right.of, right.no.tolist())


@pytest.mark.parametrize("spread", [1, 1_000])
def test_distinct_rows_are_the_same_by_a_list_of_all_and_by_sorting(spread: int) -> None:
    numbers = np.maximum(np.random.default_rng(3).integers(-1, 5, size=(3, 500)) * spread, -1)
    outcome, which = distinct_rows(*numbers)
    assert outcome.tolist() == [list(row) for row in sorted(set(zip(*numbers.tolist(), strict=True)))]
    assert (outcome[which] == numbers.T).all()
