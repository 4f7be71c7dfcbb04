"""Peer groups: each machine among the healthy machines of the finest group that has enough of them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hashinsight.problems import group_stats
from hashinsight.problems.codes import Metric
from hashinsight.problems.frame import Flags, Floats, Ints
from hashinsight.problems.group_stats import distinct_rows

COMPARED = (Metric.HASHRATE_RATIO, Metric.TEMP_MAX, Metric.EFFICIENCY)
LEVELS = ("site:model:firmware:mode", "site:model:mode", "site:model", "site")
_ONE_MODE_LEVELS = 2
_ONE_MODEL_LEVELS = 3  # within these temperatures and watts can be compared
MAD_TO_SD = 1.4826
MIN_SCALE = 0.001
_PRIOR = 30.0  # the parent group's scale counts as much as this many machines
NO_LEVEL = -1


@dataclass(frozen=True)
class PeerLevel:
    group: Ints
    groups: int


@dataclass(frozen=True)
class GroupStats:
    """One metric in the groups of one level."""

    ordered: group_stats.Sorted
    median: Floats
    scale: Floats


@dataclass(frozen=True)
class PeerPositions:
    """One metric of all machines among their peers. NaN and level -1 where there are too few peers."""

    level: NDArray[np.int8]
    group: Ints  # number of the group within its level
    count: Ints
    median: Floats
    scale: Floats
    z: Floats
    stats: tuple[GroupStats, ...]  # by level


def level_count(metric: Metric) -> int:
    """How many levels a metric is compared on: hashrate over expected hashrate also across models."""
    return len(LEVELS) if metric is Metric.HASHRATE_RATIO else _ONE_MODEL_LEVELS


def levels_of(site: Ints, model: Ints, firmware: Ints, mode: NDArray[np.int8]) -> tuple[PeerLevel, ...]:
    modes = mode.astype(np.int64)
    columns = ((site, model, firmware, modes), (site, model, modes), (site, model), (site,))
    levels: list[PeerLevel] = []
    for codes in columns:
        groups, which = distinct_rows(*codes)
        # a coarser level with as many groups is the same one, and sorted once
        same = bool(levels) and levels[-1].groups == len(groups)
        levels.append(levels[-1] if same else PeerLevel(which, len(groups)))
    return tuple(levels)


def with_cooling_level(levels: tuple[PeerLevel, ...], site: Ints, is_air: Flags) -> tuple[PeerLevel, ...]:
    """The levels of one model, then the machines of the site that are cooled alike: the weather moves them together."""
    groups, which = distinct_rows(site, is_air.astype(np.int64))
    return (*levels[:_ONE_MODEL_LEVELS], PeerLevel(which, len(groups)))


def group_statistics(
    values: Floats, levels: tuple[PeerLevel, ...], healthy: Flags, *, min_members: int, scaled: bool = True
) -> tuple[GroupStats, ...]:
    """Median and scale level by level, no further than any machine needs; one level more for the parent's scale."""
    use = healthy & ~np.isnan(values)
    stats: list[GroupStats] = []
    short = True
    for number, level in enumerate(levels):
        if number and level is levels[number - 1]:
            stats.append(stats[-1])
            continue
        ordered = group_stats.sort(values, level.group, use, level.groups)
        middle = group_stats.quantile(ordered, 0.5)
        spread = np.full(level.groups, np.nan)
        if scaled:
            off = np.abs(values - middle[level.group])
            spread = group_stats.median(off, level.group, use, level.groups) * MAD_TO_SD
        stats.append(GroupStats(ordered, middle, np.maximum(spread, MIN_SCALE)))
        if len(stats) > 1 and not short:
            break
        short = bool((ordered.count < min_members).any())
        if not short and not scaled:
            break
    return tuple(stats)


def peer_positions(
    values: Floats, levels: tuple[PeerLevel, ...], stats: tuple[GroupStats, ...], *, min_members: int, plain: Flags
) -> PeerPositions:
    """Each machine in the finest group with enough members; its scale leans towards the next coarser group's.

    `plain` machines run as most do. The others are compared only within their mode: eco would look bad elsewhere.
    """
    n = len(values)
    chosen, group = np.full(n, NO_LEVEL, dtype=np.int8), np.zeros(n, dtype=np.int64)
    count, median, scale = np.zeros(n, dtype=np.int64), np.full(n, np.nan), np.full(n, np.nan)
    for number, (level, members) in enumerate(zip(levels, stats, strict=False)):
        counts = members.ordered.count[level.group]
        here = (chosen == NO_LEVEL) & (counts >= min_members) & (plain | (number < _ONE_MODE_LEVELS))
        own = members.scale[level.group] ** 2
        if number + 1 < len(stats):
            parent = stats[number + 1].scale[levels[number + 1].group] ** 2
            own = (counts * own + _PRIOR * parent) / (counts + _PRIOR)
        chosen[here], group[here], count[here] = number, level.group[here], counts[here]
        median[here], scale[here] = members.median[level.group][here], np.sqrt(own)[here]
    return PeerPositions(chosen, group, count, median, scale, (values - median) / scale, stats)


def group_median(
    levels: tuple[PeerLevel, ...], stats: tuple[GroupStats, ...], *, min_members: int
) -> tuple[Floats, NDArray[np.int8]]:
    """The current median of each machine's group, and its level: the finest one with a few members."""
    n = len(levels[0].group)
    middle, chosen = np.zeros(n), np.full(n, NO_LEVEL, dtype=np.int8)
    for number, (level, members) in enumerate(zip(levels, stats, strict=False)):
        here = (chosen == NO_LEVEL) & (members.ordered.count[level.group] >= min_members)
        middle[here], chosen[here] = members.median[level.group][here], number
    return middle, chosen
