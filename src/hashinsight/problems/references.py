"""References: what is common to machines of a kind at the moment, so that weather does not move their baselines."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from hashinsight.problems import baselines, group_stats, peers
from hashinsight.problems.codes import ANCHORED_METRICS, REFERENCED_METRICS, Metric
from hashinsight.problems.config import Config
from hashinsight.problems.frame import Flags, Floats, zeroed
from hashinsight.problems.state import FIELDS, State

_FADES_SEC = 7200.0  # by half: sixty samples are none after half a day
_Result = TypeVar("_Result")


def peer_statistics(
    values: Floats, levels: tuple[peers.PeerLevel, ...], healthy: Flags, config: Config
) -> dict[Metric, tuple[peers.GroupStats, ...]]:
    """Of every metric that is compared with peers."""

    def statistics(metric: Metric) -> tuple[peers.GroupStats, ...]:
        return peers.group_statistics(
            values[metric], levels[: peers.level_count(metric)], healthy, min_members=config.min_peers
        )

    return dict(zip(peers.COMPARED, _in_parallel(statistics, peers.COMPARED), strict=True))


def update_references(
    state: State, values: Floats, levels: tuple[peers.PeerLevel, ...], *, healthy: Flags, elapsed: Floats,
    config: Config,
) -> Floats:  # fmt: skip
    """By referenced metric and machine: the median of how far its group is from their own baselines. In place.

    Of differences and not of values, so that a machine that joins or leaves a group of five moves nobody. Too small a
    group leans on the next coarser one, at last on all machines of the site that are cooled alike.
    """

    def reference(metric: Metric) -> Floats:
        apart = np.where(state["samples"][metric] >= baselines.COLD, values[metric] - state["ewma"][metric], np.nan)
        stats = peers.group_statistics(apart, levels, healthy, min_members=config.min_reference, scaled=False)
        median, level = peers.group_median(levels, stats, min_members=config.min_reference)

        def median_at(number: int) -> Floats:
            group = levels[number]
            return group_stats.median(apart, group.group, healthy & ~np.isnan(apart), group.groups)[group.group]

        return _update(state, metric, median, level, median_at, elapsed=elapsed)

    return np.stack(_in_parallel(reference, tuple(Metric)[:REFERENCED_METRICS]))


def _update(
    state: State, metric: Metric, median: Floats, level: NDArray[np.int8], median_at: Callable[[int], Floats],
    *, elapsed: Floats,
) -> Floats:  # fmt: skip
    """The reference of one metric: `median` on its `level`, -1 where there is none. In place.

    A baseline is relative to the group that it was learnt in. When the group changes, the baseline moves by the
    difference of both (`median_at` gives the present median on a level). Without any group, hashrate goes on by
    itself; what follows the weather waits, unjudged, until its baseline has faded (half a day), and starts again.
    """
    before, samples = state["reference_level"][metric], state["samples"][metric]
    learnt = samples > 0
    lost = learnt & (level < 0) & (before >= 0) & (metric is not Metric.HASHRATE_RATIO)
    if lost.any():
        np.multiply(samples, 0.5 ** (elapsed / _FADES_SEC), out=samples, where=lost)
        faded = lost & (samples < 1)
        _forget(state, metric, faded)
        lost &= ~faded
        learnt = samples > 0
    moved = learnt & (level != before) & ~lost
    for old in np.unique(before[moved]).tolist():
        rows = moved & (before == old)
        last = state["reference"][metric, rows].astype(np.float64)
        new = np.where(level[rows] >= 0, median[rows], 0.0)
        then = zeroed(np.where(np.isnan(now := median_at(old)[rows]), last, now)) if old >= 0 else 0.0
        _shift(state, metric, rows, then - new)
    median = np.where(level >= 0, median, 0.0)
    state["reference_level"][metric] = np.where(lost, before, level)
    state["reference"][metric] = np.where(lost, state["reference"][metric], median)
    return np.where(lost, np.nan, median)


def _shift(state: State, metric: Metric, rows: Flags, by: Floats) -> None:
    state["ewma"][metric, rows] += by
    if metric < ANCHORED_METRICS:
        state["anchor"][metric, rows] += by
        state["blocks"].reshape(ANCHORED_METRICS, -1, state.n)[metric][:, rows] += by
        state["block_sum"][metric, rows] += by * state["block_samples"][metric, rows]


def _forget(state: State, metric: Metric, rows: Flags) -> None:
    for name in ("ewma", "variance", "samples", "smooth"):
        state[name][metric, rows] = FIELDS[name][2]
    if metric < ANCHORED_METRICS:
        for name in ("anchor", "cusum_up", "cusum_down", "block_sum", "block_samples"):
            state[name][metric, rows] = FIELDS[name][2]
        state["blocks"].reshape(ANCHORED_METRICS, -1, state.n)[metric][:, rows] = FIELDS["blocks"][2]


def _in_parallel(function: Callable[[Metric], _Result], metrics: Sequence[Metric]) -> list[_Result]:
    """Each metric writes only its own rows of the state, and sorting releases the interpreter lock."""
    with ThreadPoolExecutor() as pool:
        return list(pool.map(function, metrics))
