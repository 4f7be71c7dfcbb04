"""What machines are compared with: their like, and what is common to their kind just now."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np

from hashinsight.problems import baselines, group_stats, peers
from hashinsight.problems.codes import REFERENCED_METRICS, Metric
from hashinsight.problems.config import Config
from hashinsight.problems.frame import Flags, Floats
from hashinsight.problems.state import State

_REFERRED = tuple(Metric)[:REFERENCED_METRICS]
_Result = TypeVar("_Result")


def compared(
    values: Floats, levels: tuple[peers.PeerLevel, ...], healthy: Flags, config: Config
) -> dict[Metric, tuple[peers.Known, ...]]:
    def of(metric: Metric) -> tuple[peers.Known, ...]:
        return peers.usual(values[metric], levels[: peers.reach(metric)], healthy, least=config.least_peers)

    return dict(zip(peers.COMPARED, _side_by_side(of, peers.COMPARED), strict=True))


def refer(
    state: State,
    values: Floats,
    levels: tuple[peers.PeerLevel, ...],
    *,
    healthy: Flags,
    elapsed: Floats,
    config: Config,
) -> Floats:
    """What is common to each machine's kind just now: the median of how far its members are from their own past.

    Of differences and not of values: whoever joins or leaves a kind of five then moves nobody. Too few of a kind lean
    on the next wider group, at last on all of the site that are cooled alike.
    """

    def of(metric: Metric) -> Floats:
        apart = np.where(state["samples"][metric] >= baselines.COLD, values[metric] - state["ewma"][metric], np.nan)
        known = peers.usual(apart, levels, healthy, least=config.least_reference, scaled=False)
        middle, level = peers.reference(levels, known, least=config.least_reference)

        def at(number: int, apart: Floats = apart) -> Floats:
            group = levels[number]
            return group_stats.median(apart, group.group, healthy & ~np.isnan(apart), group.groups)[group.group]

        return baselines.refer(state, metric, middle, level, at, elapsed=elapsed)

    return np.stack(_side_by_side(of, _REFERRED))


def _side_by_side(of: Callable[[Metric], _Result], metrics: Sequence[Metric]) -> list[_Result]:
    """Each metric is sorted by itself, in rows of the state that are its own, and sorting lets others run."""
    with ThreadPoolExecutor() as pool:
        return list(pool.map(of, metrics))
