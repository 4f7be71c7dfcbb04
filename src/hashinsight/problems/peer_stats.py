"""Where machines stand among their peers, in words: for the evidence of a problem, and for whoever asks in between."""

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
from hashinsight.problems.peers import COMPARED, LEVELS, PeerPositions

_QUANTILES = {"p10": 0.1, "p25": 0.25, "p75": 0.75, "p90": 0.9, "min": 0.0, "max": 1.0}
_BINS = 32
# beyond so many deviations everything is one bar, or a single broken sensor would squeeze all others into another
_SHOWN_SIGMAS = 8.0


def has_peers(among: PeerPositions, values: Floats, rows: Ints) -> Flags:
    """There are peers, and the machine has a value of its own to be compared with theirs."""
    found: Flags = (among.level[rows] >= 0) & ~np.isnan(values[rows])
    return found


def peer_columns(among: PeerPositions, values: Floats, rows: Ints) -> pl.Series:
    """One struct a row: level, count and quantiles of its peers, and its own place; null where it has none."""
    level, group, value = among.level[rows], among.group[rows], values[rows]
    shares = {name: np.full(len(rows), np.nan) for name in (*_QUANTILES, "percentile")}
    for number in np.unique(level[level >= 0]).tolist():
        here = level == number
        ordered = among.known[number].ordered
        for name, part in _QUANTILES.items():
            shares[name][here] = group_stats.quantile(ordered, part)[group[here]]
        shares["percentile"][here] = group_stats.percentile(ordered, value[here], group[here])
    columns = {
        "level": pl.Series(level).replace_strict(dict(enumerate(LEVELS)), default=None, return_dtype=pl.String),
        "value": rounded(value),
        "robust_z": rounded(among.z[rows]),
        "percentile": rounded(shares.pop("percentile")),
        "median": rounded(among.median[rows]),
        "mad": rounded(among.scale[rows]),
        "count": pl.Series(among.count[rows]),
        **{name: rounded(values) for name, values in shares.items()},
    }
    known = pl.Series(has_peers(among, values, rows))
    return pl.DataFrame(columns).select(pl.when(known).then(pl.struct(pl.all()))).to_series()


def rounded(values: NDArray[np.floating]) -> pl.Series:
    return pl.Series(np.asarray(values, dtype=np.float64)).fill_nan(None).round(6)


@dataclass(frozen=True)
class PeerSnapshot:
    """All machines of a site among their peers, as its newest cycle left them."""

    at: datetime
    miner_no: Ints
    values: dict[Metric, Floats]
    among: dict[Metric, PeerPositions]

    def tell(self, miner_no: int) -> dict[str, Any] | None:
        """By metric; null where there are too few peers or no value. None: the cycle did not see this machine."""
        row = int(np.searchsorted(self.miner_no, miner_no))
        if row >= len(self.miner_no) or self.miner_no[row] != miner_no:
            return None
        return {metric.name.lower(): self._of(metric, row) for metric in self.among}

    def _of(self, metric: Metric, row: int) -> dict[str, Any] | None:
        among = self.among[metric]
        found: dict[str, Any] | None = peer_columns(among, self.values[metric], np.array([row]))[0]
        if found is None:
            return None
        ordered = among.known[among.level[row]].ordered
        begin = ordered.start[among.group[row]]
        peer_values = ordered.values[begin : begin + ordered.count[among.group[row]]].astype(np.float64)
        return found | {"spread": _spread(peer_values, found)}


def peer_snapshot(rows: pl.DataFrame, *, at: datetime) -> PeerSnapshot:
    """`miner_no, model, firmware, mode, data_state, hashing_sec, set_apart`, and a column a compared metric."""
    config, rows = Config(), rows.sort("miner_no")
    mode = rows["mode"].cast(pl.Int8).to_numpy()
    values = {metric: _floats(rows[metric.name.lower()]) for metric in COMPARED}
    levels = peers.levels_of(
        np.zeros(len(rows), dtype=np.int64), _numbered(rows["model"]), _numbered(rows["firmware"]), mode
    )
    steady = (rows["data_state"] == int(DataState.FRESH)).to_numpy() & (values[Metric.HASHRATE_RATIO] > HASHING_RATIO)
    steady &= _floats(rows["hashing_sec"]) >= config.settle_sec
    healthy = steady & ~rows["set_apart"].to_numpy()
    plain = (mode == Mode.NORMAL) | (mode == Mode.UNKNOWN)
    among = {}
    for metric, own in values.items():
        known = peers.usual(own, levels[: peers.reach(metric)], healthy, least=config.least_peers)
        among[metric] = peers.stand_among(own, levels, known, least=config.least_peers, plain=plain)
    return PeerSnapshot(at, rows["miner_no"].cast(pl.Int64).to_numpy(), values, among)


def _spread(values: Floats, found: dict[str, Any]) -> dict[str, list[float]]:
    """How many peers lie where: bars between edges, with room for the machine itself."""
    reach = _SHOWN_SIGMAS * found["mad"]
    low = max(found["min"], found["median"] - reach)
    high = min(found["max"], found["median"] + reach)
    low, high = min(low, found["value"]), max(high, found["value"])
    counts, edges = np.histogram(
        np.clip(values, low, high), bins=_BINS, range=(low, high if high > low else low + 1e-6)
    )
    return {"edges": np.round(edges, 6).tolist(), "counts": counts.tolist()}


def _floats(column: pl.Series) -> Floats:
    return column.cast(pl.Float64).fill_null(float("nan")).to_numpy()


def _numbered(column: pl.Series) -> Ints:
    return column.fill_null("").cast(pl.Categorical).to_physical().cast(pl.Int64).to_numpy()


T = TypeVar("T")
CACHE_SEC = 300.0
MAX_CACHED_SITES = 16


class PeerCache(Generic[T]):
    """One value a key, for so long and no longer. Two threads that miss at once compute once.

    Of more than `most` keys the oldest value goes.
    """

    def __init__(self, kept_sec: float = CACHE_SEC, *, most: int = MAX_CACHED_SITES) -> None:
        self._kept_sec = kept_sec
        self._most = most
        self._lock = threading.Lock()
        self._kept: dict[str, tuple[float, T]] = {}
        self._computing: dict[str, threading.Lock] = {}
        self.hits = 0
        self.misses = 0

    def get(self, key: str, *, now: float, compute: Callable[[], T], fits: Callable[[T], bool] = lambda _: True) -> T:
        """`fits`: whether what was kept is what is asked for; a newer cycle may have come."""
        with self._lock:
            turn = self._computing.setdefault(key, threading.Lock())
        with turn:
            with self._lock:
                kept = self._kept.get(key)
                if kept is not None and 0 <= now - kept[0] < self._kept_sec and fits(kept[1]):
                    self.hits += 1
                    return kept[1]
                self.misses += 1
            value = compute()
            self.put(key, value, now=now)
            return value

    def put(self, key: str, value: T, *, now: float) -> None:
        with self._lock:
            self._kept[key] = (now, value)
            if len(self._kept) > self._most:
                oldest = min(self._kept, key=lambda one: self._kept[one][0])
                del self._kept[oldest]
                self._computing.pop(oldest, None)

    def invalidate(self, key: str | None = None) -> None:
        """One key, or everything."""
        with self._lock:
            if key is None:
                self._kept.clear()
            else:
                self._kept.pop(key, None)
