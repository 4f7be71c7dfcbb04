"""The state that goes from one cycle to the next: one wide row per machine, as arrays.

`columns()` and `from_columns()` are the form in which it is stored: flat columns, float32 where that suffices.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hashinsight.problems.codes import ANCHORED_METRICS, METRICS, REFERENCED_METRICS, Metric
from hashinsight.problems.events import Events, no_events
from hashinsight.problems.frame import Floats, Ints
from hashinsight.problems.mixtures import Mixtures, no_mixtures

BLOCKS = 12  # of six hours: three healthy days make an anchor
BOOTS = 8  # the newest ones, by their times

# name: (rows, dtype, initial value)
_NAN = float("nan")
FIELDS: dict[str, tuple[int, Any, float]] = {
    "ewma": (METRICS, np.float32, _NAN),
    "variance": (METRICS, np.float32, _NAN),
    "samples": (METRICS, np.float32, 0),
    "smooth": (METRICS, np.float32, 0),
    "last_raw": (METRICS, np.float32, _NAN),
    "last_residual": (METRICS, np.float32, _NAN),
    "anchor": (ANCHORED_METRICS, np.float32, _NAN),
    "cusum_up": (ANCHORED_METRICS, np.float32, 0),
    "cusum_down": (ANCHORED_METRICS, np.float32, 0),
    "block_sum": (ANCHORED_METRICS, np.float32, 0),
    "blocks": (ANCHORED_METRICS * BLOCKS, np.float32, _NAN),
    "block_samples": (ANCHORED_METRICS, np.float32, 0),
    "block_began": (1, np.float64, _NAN),
    "reference": (REFERENCED_METRICS, np.float32, _NAN),
    "reference_level": (REFERENCED_METRICS, np.int8, -1),
    "updated_at": (1, np.float64, _NAN),
    "frozen_since": (1, np.float64, _NAN),
    "thawed_at": (1, np.float64, _NAN),
    "thaw_reason": (1, np.int8, 0),
    "firmware_key": (1, np.int64, -1),
    "mode": (1, np.int8, 0),
    "mode_confidence": (1, np.float32, 0.3),
    "mode_candidate": (1, np.int8, 0),
    "mode_agreed": (1, np.int8, 0),
    "mode_changed_at": (1, np.float64, _NAN),
    "mode_hashrate": (1, np.float32, _NAN),
    "mode_power": (1, np.float32, _NAN),
    "own_ths": (1, np.float32, _NAN),
    "inferred_ths": (1, np.float32, _NAN),
    "inferred_by": (1, np.int8, 0),
    "expected_ths": (1, np.float32, _NAN),
    "expectation": (1, np.int8, 0),
    "seen_ts": (1, np.float64, _NAN),
    "hashing_since": (1, np.float64, _NAN),
    "booted_at": (1, np.float64, _NAN),
    "boot_times": (BOOTS, np.float64, _NAN),
    "accepted": (1, np.float64, _NAN),
    "rejected": (1, np.float64, _NAN),
    "hw_errors": (1, np.float64, _NAN),
    "uptime_sec": (1, np.float64, _NAN),
    "recent_accepted": (1, np.float32, 0),
    "recent_rejected": (1, np.float32, 0),
    "recent_errors": (1, np.float32, 0),
    "recent_ths_hours": (1, np.float32, 0),
    "last_temp_c": (1, np.float32, _NAN),
    "last_power_w": (1, np.float32, _NAN),
    "last_hashrate_ths": (1, np.float32, _NAN),
    "still_cycles": (1, np.float32, 0),
    "volatility": (1, np.float32, _NAN),
    "slope": (1, np.float32, 0),
    "slope_hours": (1, np.float32, 0),
}

# stored as arrays, because SQL reads them; the others are packed as bytes, which costs the server far less
AS_ARRAYS = frozenset({
    "ewma", "variance", "samples", "last_raw", "last_residual", "anchor", "reference", "mode", "mode_confidence",
    "mode_changed_at", "updated_at", "frozen_since", "thawed_at", "thaw_reason", "hashing_since",
})  # fmt: skip
PACKED = frozenset(FIELDS) - AS_ARRAYS


@dataclass
class State:
    """`of` has every array of `FIELDS`: (rows, machines), or (machines,) where there is one row."""

    miner_no: Ints
    of: dict[str, NDArray[Any]]
    events: Events = field(default_factory=no_events)
    mixtures: Mixtures = field(default_factory=no_mixtures)
    cycled_at: float = _NAN

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.of[name]

    @property
    def n(self) -> int:
        return len(self.miner_no)


def empty_state(miner_no: Ints | None = None) -> State:
    rows = np.empty(0, dtype=np.int64) if miner_no is None else miner_no
    return State(rows, {name: _fresh(name, len(rows)) for name in FIELDS})


def aligned(state: State, miner_no: Ints) -> State:
    """A copy with exactly these machines: new ones are empty, others are left out. Never the caller's arrays."""
    if np.array_equal(state.miner_no, miner_no):
        return replace(state, of={name: values.copy() for name, values in state.of.items()})
    at = np.searchsorted(state.miner_no, miner_no)
    known = np.flatnonzero(
        (at < state.n) & (state.miner_no[np.minimum(at, state.n - 1)] == miner_no if state.n else False)
    )
    of = {}
    for name, values in state.of.items():
        taken = _fresh(name, len(miner_no))
        taken[..., known] = values[..., at[known]]
        of[name] = taken
    return replace(state, miner_no=miner_no.copy(), of=of)


def restart(state: State, rows: Ints | NDArray[np.bool_], names: tuple[str, ...]) -> None:
    """Resets these arrays to their initial values. In place."""
    for name in names:
        state.of[name][..., rows] = FIELDS[name][2]


BASELINE = ("ewma", "variance", "samples", "smooth", "last_residual", "slope", "slope_hours")
ANCHOR = ("anchor", "cusum_up", "cusum_down", "block_sum", "blocks", "block_samples", "block_began")


def columns(state: State) -> dict[str, NDArray[Any]]:
    """Flat columns to store: `hashrate_ratio_ewma`, `anchor` blocks by number, plain names for the rest."""
    flat: dict[str, NDArray[Any]] = {"miner_no": state.miner_no}
    for name in FIELDS:
        flat |= dict(zip(column_names(name), np.atleast_2d(state.of[name]), strict=True))
    return flat


def from_columns(flat: dict[str, NDArray[Any]]) -> State:
    """The state of stored columns. Events and mode models are stored apart."""
    of = {}
    for name, (rows, dtype, _) in FIELDS.items():
        stacked = np.stack([flat[column] for column in column_names(name)]).astype(dtype)
        of[name] = stacked[0] if rows == 1 else stacked
    return State(np.asarray(flat["miner_no"], dtype=np.int64), of)


def column_names(name: str) -> tuple[str, ...]:
    rows = FIELDS[name][0]
    if rows == 1:
        return (name,)
    if name == "blocks":
        return tuple(
            f"{Metric(metric).name.lower()}_block{b}" for metric in range(ANCHORED_METRICS) for b in range(BLOCKS)
        )
    if name == "boot_times":
        return tuple(f"boot_time{number}" for number in range(BOOTS))
    return tuple(f"{Metric(row).name.lower()}_{name}" for row in range(rows))


def _fresh(name: str, n: int) -> NDArray[Any]:
    rows, dtype, value = FIELDS[name]
    shape = n if rows == 1 else (rows, n)
    return np.full(shape, value, dtype=dtype)


__all__ = ["ANCHOR", "BASELINE", "BLOCKS", "Floats", "State", "aligned", "columns", "empty_state",
           "from_columns", "restart"]  # fmt: skip
