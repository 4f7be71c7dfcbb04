"""The input of one cycle: one row per machine, as arrays. NaN is unknown; a column that nobody sends is all NaN."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hashinsight.facts.models import find_model

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


def zeroed(values: NDArray[np.floating]) -> Floats:
    """0 for NaN. `nan_to_num` looks for infinities, too, and costs three times as much."""
    return np.where(np.isnan(values), 0.0, values)


@dataclass(frozen=True)
class TextColumn:
    """A text per machine, each distinct one stored once: `no` points into `of`, -1 is none."""

    of: tuple[str, ...]
    no: Ints

    def take(self, rows: Ints) -> "TextColumn":
        return TextColumn(self.of, self.no[rows])


@dataclass(frozen=True)
class Frame:
    """The columns of `telemetry.queries.live_frame`, the expected states and the suppressions as of one moment.

    Rows are in order of `miner_no`, each once. Times are seconds since 1970. `heard_at` is when the machine's
    collector was last heard; `collector` says which one that is.
    """

    miner_no: Ints
    site: TextColumn
    collector: TextColumn
    model: TextColumn
    firmware: TextColumn
    mode: TextColumn
    pool: TextColumn
    worker: TextColumn
    temp_limits: TextColumn  # reported by the machine, as ingest stores them
    ts: Floats
    heard_at: Floats
    interval_sec: Floats  # of its own collector; unknown: `Config.interval_sec`
    status: NDArray[np.int8]  # telemetry.states.SampleStatus
    flags: NDArray[np.int16]  # telemetry.states.SampleFlags
    is_air: Flags  # cooled by fans of its own
    expected: NDArray[np.int8]  # codes.ExpectedState
    expected_until: Floats
    suppressed: Flags
    hashrate_ths: Floats  # mean of five minutes
    expected_ths: Floats
    temp_c: Floats
    temp_max_c: Floats
    temp_chip_c: Floats  # hottest by sensor kind, where a machine gives it
    temp_board_c: Floats
    fan_min_rpm: Floats  # of the slowest
    fan_rpm: Floats  # mean of all
    power_w: Floats  # mean of five minutes
    powered_ths: Floats  # the hashrate of the same samples: others may have no watts
    reject_rate: Floats
    accepted: Floats
    rejected: Floats
    hw_errors: Floats
    uptime_sec: Floats
    boards_healthy: Floats
    boards_total: Floats
    board_ths: NDArray[np.float64]  # (boards, machines); no rows where boards are not known

    @property
    def n(self) -> int:
        return len(self.miner_no)


_TEXTS = ("site", "collector", "model", "firmware", "mode", "pool", "worker", "temp_limits")
_READINGS = (
    "hashrate_ths", "expected_ths", "temp_c", "temp_max_c", "temp_chip_c", "temp_board_c", "fan_min_rpm", "fan_rpm",
    "power_w", "powered_ths", "reject_rate", "accepted", "rejected", "hw_errors", "uptime_sec", "boards_healthy",
    "boards_total",
)  # fmt: skip
READINGS: tuple[str, ...] = _READINGS


def make_frame(miner_no: Sequence[int] | Ints, columns: Mapping[str, object]) -> Frame:
    """A frame from the given columns; every other one is unknown."""
    rows = np.asarray(miner_no, dtype=np.int64)
    if len(rows) > 1 and not (np.diff(rows) > 0).all():
        raise ValueError("rows must be in order of miner_no, each machine once")
    n = len(rows)
    unknown = set(columns) - {field.name for field in fields(Frame)}
    if unknown:
        raise ValueError(f"a frame has no columns {sorted(unknown)}")

    def floats(name: str, otherwise: float = np.nan) -> Floats:
        given = columns.get(name)
        return np.full(n, otherwise) if given is None else np.asarray(given, dtype=np.float64)

    ts = floats("ts")
    none = TextColumn((), np.full(n, -1, dtype=np.int64))
    texts: dict[str, Any] = {name: _text(columns.get(name), none) for name in _TEXTS}
    readings: dict[str, Any] = {name: floats(name) for name in _READINGS}
    return Frame(
        miner_no=rows,
        **texts,
        ts=ts,
        heard_at=ts if columns.get("heard_at") is None else floats("heard_at"),
        interval_sec=floats("interval_sec"),
        status=np.where(np.isnan(ts), -1, floats("status", 1.0)).astype(np.int8),
        flags=floats("flags", 0.0).astype(np.int16),
        is_air=floats("is_air", 1.0).astype(np.bool_) & ~_built_for_water(texts["model"]),
        expected=floats("expected", 0.0).astype(np.int8),
        expected_until=floats("expected_until", np.inf),
        suppressed=floats("suppressed", 0.0).astype(np.bool_),
        **readings,
        board_ths=_boards(columns.get("board_ths"), n),
    )


def _built_for_water(model: TextColumn) -> Flags:
    """Models without fans, also where the registration does not say so."""
    of_water = [_is_built_for_water(name) for name in model.of]
    flags: Flags = np.array([*of_water, False])[model.no]  # -1, no model, is the last one
    return flags


@lru_cache(maxsize=4096)
def _is_built_for_water(model: str) -> bool:
    known = find_model(model)
    return known is not None and known.cooling == "hydro"


def _boards(given: object, n: int) -> NDArray[np.float64]:
    """A frame without machines has no boards: an empty array has no shape to keep."""
    if given is None or not n:
        return np.empty((0, n))
    return np.asarray(given, dtype=np.float64).reshape(-1, n)


def text_column(words: Sequence[str | None]) -> TextColumn:
    of = tuple(dict.fromkeys(word for word in words if word is not None))
    number = {word: no for no, word in enumerate(of)}
    return TextColumn(of, np.array([-1 if word is None else number[word] for word in words], dtype=np.int64))


def _text(given: object, none: TextColumn) -> TextColumn:
    if given is None:
        return none
    return given if isinstance(given, TextColumn) else text_column(list(given))  # type: ignore[call-overload]
