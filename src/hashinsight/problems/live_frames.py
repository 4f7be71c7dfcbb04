"""Turns the columns of the live layer into the frame that a cycle reads. Pure."""

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hashinsight.problems.codes import ExpectedState
from hashinsight.problems.config import Config
from hashinsight.problems.frame import Flags, Floats, Frame, Ints, TextColumn, make_frame

_NUMBERS = {
    "hashrate_5min_ths": "hashrate_ths", "given_ths": "expected_ths", "temp_c": "temp_c",
    "temp_max_c": "temp_max_c", "fan_min_rpm": "fan_min_rpm", "fan_rpm": "fan_rpm", "power_5min_w": "power_w",
    "powered_5min_ths": "powered_ths", "interval_sec": "interval_sec",
    "reject_rate": "reject_rate", "accepted": "accepted", "rejected": "rejected", "hw_errors": "hw_errors",
    "uptime_sec": "uptime_sec", "boards_healthy": "boards_healthy", "boards_total": "boards_total",
}  # fmt: skip
_TEXTS = {"model": "model", "firmware": "firmware", "mode": "mode"}
_SENSORS = {"temp_chip_max_c": "temp_chip_c", "temp_board_max_c": "temp_board_c"}
_ALLOWED = {"pool_url": "pool", "worker": "worker"}  # only read where the tenant has an allow list
_PLAIN = ("miner_no", "site_id", "collector_no", "ts", "heard_at", "status", "flags", "cooling", "hashrate_ths")
LIMITS_BY = ("miner_no", "site_id", "model", "firmware", "cooling", "flags")  # what temperature limits depend on
_MOST_BOARDS = 16
_STATES = {state.name.lower(): int(state) for state in ExpectedState}


def columns_for(config: Config) -> tuple[str, ...]:
    """The columns of the live layer that a cycle with this configuration reads."""
    has_lists = bool(config.allowed_pools or config.allowed_workers)
    return (*_PLAIN, *_NUMBERS, *_TEXTS, *(_ALLOWED if has_lists else ()))


def frame_of(
    live: pl.DataFrame,
    expected: pl.DataFrame,
    boards: pl.DataFrame | None = None,
    *,
    sensors: pl.DataFrame | None = None,
    suppressed: Sequence[int] = (),
) -> Frame:
    """`live` is `telemetry.queries.live_frame`, `expected` is `inventory`'s `expected_frame`, as of one moment.

    `boards` is `telemetry.queries.boards_frame`, `sensors` its `sensors_frame`.
    """
    texts = _TEXTS | {name: ours for name, ours in _ALLOWED.items() if name in live.columns}
    rows = live.select(*_PLAIN, *_NUMBERS, *texts).sort("miner_no")
    numbers = rows["miner_no"].cast(pl.Int64).to_numpy()
    state, until = _expected(expected, numbers)
    columns: dict[str, object] = {ours: to_floats(rows[name]) for name, ours in _NUMBERS.items()}
    columns |= {ours: _texts(rows[name]) for name, ours in texts.items()}
    columns |= {
        "site": _texts(rows["site_id"].cast(pl.String)),
        "collector": _numbered(rows["collector_no"]),
        "ts": _seconds(rows["ts"]),
        "heard_at": _seconds(rows["heard_at"]),
        "status": to_floats(rows["status"].fill_null(0)),
        "flags": to_floats(rows["flags"].fill_null(0)),
        "is_air": _is_air(rows["cooling"]),
        "expected": state,
        "expected_until": until,
        "suppressed": np.isin(numbers, list(suppressed)),
        "board_ths": None if boards is None else _boards(rows, boards),
    }
    if sensors is not None and not sensors.is_empty():
        columns |= _by_kind(rows, sensors)
    return make_frame(numbers, columns)


def limits_frame(live: pl.DataFrame, sensors: pl.DataFrame) -> Frame:
    """Only what temperature limits depend on; everything else is unknown."""
    rows = live.select(*LIMITS_BY).sort("miner_no")
    columns: dict[str, object] = {
        "site": _texts(rows["site_id"].cast(pl.String)),
        "model": _texts(rows["model"]),
        "firmware": _texts(rows["firmware"]),
        "flags": to_floats(rows["flags"].fill_null(0)),
        "is_air": _is_air(rows["cooling"]),
    }
    if not sensors.is_empty():
        columns |= _by_kind(rows, sensors)
    return make_frame(rows["miner_no"].cast(pl.Int64).to_numpy(), columns)


def _by_kind(rows: pl.DataFrame, sensors: pl.DataFrame) -> dict[str, object]:
    """Of machines that report by kind of sensor."""
    readings = rows.select("miner_no").join(sensors, on="miner_no", how="left", maintain_order="left")
    return {ours: to_floats(readings[name]) for name, ours in _SENSORS.items()} | {
        "temp_limits": _texts(readings["temp_limits"])
    }


def _expected(expected: pl.DataFrame, numbers: Ints) -> tuple[Floats, Floats]:
    state, until = np.zeros(len(numbers)), np.full(len(numbers), np.inf)
    known = expected.filter(pl.col("miner_no").is_in(numbers.tolist()))
    at = np.searchsorted(numbers, known["miner_no"].cast(pl.Int64).to_numpy())
    state[at] = known["state"].replace_strict(_STATES, default=0, return_dtype=pl.Float64).to_numpy()
    ends = _seconds(known["until_at"])
    until[at] = np.where(np.isnan(ends), np.inf, ends)
    return state, until


def _boards(rows: pl.DataFrame, boards: pl.DataFrame) -> NDArray[np.float64] | None:
    """By board and machine, scaled from the sample's moment to the five-minute mean that machines are judged by.

    Not scaled where they are nearer to the mean as they are: some machines report boards as means already.
    """
    reported = boards.filter(pl.col("board_ths").list.len().is_between(1, _MOST_BOARDS))
    if reported.is_empty():
        return None
    known = rows.select("miner_no", "hashrate_ths", "hashrate_5min_ths").join(reported, on="miner_no", how="left")
    now_ths, judged = to_floats(known["hashrate_ths"]), to_floats(known["hashrate_5min_ths"])
    mean = np.divide(judged, now_ths, out=np.full(len(judged), np.nan), where=now_ths > 0)  # NaN without hashrate
    most = int(known["board_ths"].list.len().max() or 0)  # type: ignore[arg-type] # typed loosely by the library
    of = np.stack([to_floats(known["board_ths"].list.get(no, null_on_oob=True)) for no in range(most)])
    total = np.nansum(of, axis=0)
    nearer = np.abs(total * mean - judged) < np.abs(total - judged)
    return of * np.where(np.isfinite(mean), np.where(nearer, mean, 1.0), np.nan)


def to_floats(column: pl.Series) -> Floats:
    return column.cast(pl.Float64).fill_null(float("nan")).to_numpy()


def _seconds(column: pl.Series) -> Floats:
    return (column.dt.epoch("us").cast(pl.Float64) / 1e6).fill_null(float("nan")).to_numpy()


def _is_air(cooling: pl.Series) -> Flags:
    """Air, unless something else is registered."""
    return (cooling.fill_null("air") == "air").to_numpy()


def _numbered(column: pl.Series) -> TextColumn:
    """Numbers that stay the same from cycle to cycle."""
    numbers = column.cast(pl.Int64).fill_null(-1).to_numpy()
    return TextColumn(tuple(map(str, range(int(numbers.max(initial=-1)) + 1))), numbers)


def _texts(column: pl.Series) -> TextColumn:
    words = column.unique(maintain_order=True).drop_nulls()
    if not len(words):
        return TextColumn((), np.full(len(column), -1, dtype=np.int64))
    number = {word: no for no, word in enumerate(words.to_list())}
    return TextColumn(tuple(number), column.replace_strict(number, default=-1, return_dtype=pl.Int64).to_numpy())
