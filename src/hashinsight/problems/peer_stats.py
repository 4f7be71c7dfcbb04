"""A machine among its peers as an answer shows it: in the evidence of a problem, and between two cycles."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hashinsight.problems import group_stats, peers
from hashinsight.problems.codes import DataState, Metric, Mode
from hashinsight.problems.config import Config
from hashinsight.problems.features import HASHING_RATIO
from hashinsight.problems.frame import Flags, Floats, Ints
from hashinsight.problems.live_frames import to_floats
from hashinsight.problems.peers import COMPARED, LEVELS, PeerPositions

_QUANTILES = {"p10": 0.1, "p25": 0.25, "p75": 0.75, "p90": 0.9, "min": 0.0, "max": 1.0}
_BINS = 32
# beyond so many deviations everything is one bar: a single broken sensor would squeeze all others into another
_SHOWN_SIGMAS = 8.0


def has_peers(position: PeerPositions, values: Floats, rows: Ints) -> Flags:
    """There are enough peers, and the machine has a value to compare."""
    flags: Flags = (position.level[rows] >= 0) & ~np.isnan(values[rows])
    return flags


def peer_columns(position: PeerPositions, values: Floats, rows: Ints) -> pl.Series:
    """One struct per row: level, count and quantiles of its peers, and its own position; null without peers."""
    level, group, value = position.level[rows], position.group[rows], values[rows]
    shares = {name: np.full(len(rows), np.nan) for name in (*_QUANTILES, "percentile")}
    for number in np.unique(level[level >= 0]).tolist():
        here = level == number
        ordered = position.stats[number].ordered
        for name, part in _QUANTILES.items():
            shares[name][here] = group_stats.quantile(ordered, part)[group[here]]
        shares["percentile"][here] = group_stats.percentile(ordered, value[here], group[here])
    columns = {
        "level": pl.Series(level).replace_strict(dict(enumerate(LEVELS)), default=None, return_dtype=pl.String),
        "value": rounded(value),
        "robust_z": rounded(position.z[rows]),
        "percentile": rounded(shares.pop("percentile")),
        "median": rounded(position.median[rows]),
        "mad": rounded(position.scale[rows]),
        "count": pl.Series(position.count[rows]),
        **{name: rounded(values) for name, values in shares.items()},
    }
    known = pl.Series(has_peers(position, values, rows))
    return pl.DataFrame(columns).select(pl.when(known).then(pl.struct(pl.all()))).to_series()


def rounded(values: NDArray[np.floating]) -> pl.Series:
    return pl.Series(np.asarray(values, dtype=np.float64)).fill_nan(None).round(6)


@dataclass(frozen=True)
class PeerSnapshot:
    """All machines of a site among their peers, as its newest cycle left them."""

    at: datetime
    miner_no: Ints
    values: dict[Metric, Floats]
    positions: dict[Metric, PeerPositions]

    def position_of(self, miner_no: int) -> dict[str, Any] | None:
        """By metric; null where there are too few peers or no value. None: the cycle did not see this machine."""
        row = int(np.searchsorted(self.miner_no, miner_no))
        if row >= len(self.miner_no) or self.miner_no[row] != miner_no:
            return None
        return {metric.name.lower(): self._of(metric, row) for metric in self.positions}

    def _of(self, metric: Metric, row: int) -> dict[str, Any] | None:
        position = self.positions[metric]
        shown: dict[str, Any] | None = peer_columns(position, self.values[metric], np.array([row]))[0]
        if shown is None:
            return None
        ordered = position.stats[position.level[row]].ordered
        start = ordered.start[position.group[row]]
        peer_values = ordered.values[start : start + ordered.count[position.group[row]]].astype(np.float64)
        return shown | {"spread": _spread(peer_values, shown)}


def peer_snapshot(rows: pl.DataFrame, *, at: datetime) -> PeerSnapshot:
    """`miner_no, model, firmware, mode, data_state, hashing_sec, set_apart`, and a column per compared metric."""
    config, rows = Config(), rows.sort("miner_no")
    mode = rows["mode"].cast(pl.Int8).to_numpy()
    values = {metric: to_floats(rows[metric.name.lower()]) for metric in COMPARED}
    levels = peers.levels_of(
        np.zeros(len(rows), dtype=np.int64), _numbered(rows["model"]), _numbered(rows["firmware"]), mode
    )
    steady = (rows["data_state"] == int(DataState.FRESH)).to_numpy() & (values[Metric.HASHRATE_RATIO] > HASHING_RATIO)
    steady &= to_floats(rows["hashing_sec"]) >= config.settle_sec
    healthy = steady & ~rows["set_apart"].to_numpy()
    plain = (mode == Mode.NORMAL) | (mode == Mode.UNKNOWN)
    positions = {}
    for metric, own in values.items():
        stats = peers.group_statistics(own, levels[: peers.level_count(metric)], healthy, min_members=config.min_peers)
        positions[metric] = peers.peer_positions(own, levels, stats, min_members=config.min_peers, plain=plain)
    return PeerSnapshot(at, rows["miner_no"].cast(pl.Int64).to_numpy(), values, positions)


def _spread(values: Floats, shown: dict[str, Any]) -> dict[str, list[float]]:
    """A histogram of the peers, wide enough for the machine itself."""
    reach = _SHOWN_SIGMAS * shown["mad"]
    low = max(shown["min"], shown["median"] - reach)
    high = min(shown["max"], shown["median"] + reach)
    low, high = min(low, shown["value"]), max(high, shown["value"])
    counts, edges = np.histogram(
        np.clip(values, low, high), bins=_BINS, range=(low, high if high > low else low + 1e-6)
    )
    return {"edges": np.round(edges, 6).tolist(), "counts": counts.tolist()}


def _numbered(column: pl.Series) -> Ints:
    return column.fill_null("").cast(pl.Categorical).to_physical().cast(pl.Int64).to_numpy()


T = TypeVar("T")
CACHE_SEC = 300.0
MAX_CACHED_SITES = 16


class PeerCache(Generic[T]):
    """One value per key, for a limited time. Two threads that miss at once compute once. Thread-safe.

    Beyond `max_keys` the oldest value is dropped.
    """

    def __init__(self, cache_sec: float = CACHE_SEC, *, max_keys: int = MAX_CACHED_SITES) -> None:
        self._cache_sec = cache_sec
        self._max_keys = max_keys
        self._lock = threading.Lock()
        self._values: dict[str, tuple[float, T]] = {}
        self._computing: dict[str, threading.Lock] = {}
        self.hits = 0
        self.misses = 0

    def get(self, key: str, *, now: float, compute: Callable[[], T], fits: Callable[[T], bool] = lambda _: True) -> T:
        """`fits`: whether a cached value still applies; there may be a newer cycle."""
        with self._lock:
            key_lock = self._computing.setdefault(key, threading.Lock())
        with key_lock:
            with self._lock:
                cached = self._values.get(key)
                if cached is not None and 0 <= now - cached[0] < self._cache_sec and fits(cached[1]):
                    self.hits += 1
                    return cached[1]
                self.misses += 1
            value = compute()
            with self._lock:
                self._values[key] = (now, value)
                if len(self._values) > self._max_keys:
                    oldest = min(self._values, key=lambda each: self._values[each][0])
                    del self._values[oldest]
                    self._computing.pop(oldest, None)
            return value
