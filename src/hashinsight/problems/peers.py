"""How a machine stands among its like: the finest group with enough healthy members, and what is usual there."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hashinsight.problems import group_stats
from hashinsight.problems.codes import Metric
from hashinsight.problems.config import distinct
from hashinsight.problems.frame import Flags, Floats, Ints

COMPARED = (Metric.HASHRATE_RATIO, Metric.TEMP_MAX, Metric.EFFICIENCY)
LEVELS = ("site:model:firmware:mode", "site:model:mode", "site:model", "site")
OF_ONE_MODE = 2
OF_ONE_MODEL = 3  # levels within which temperatures and watts can be compared
MAD_TO_SD = 1.4826
LEAST_SCALE = 0.001
_PRIOR = 30.0  # the parent group's scale counts as much as this many machines
NO_LEVEL = -1


@dataclass(frozen=True)
class PeerLevel:
    group: Ints
    groups: int


@dataclass(frozen=True)
class Known:
    """What is usual for one metric in the groups of one level."""

    ordered: group_stats.Sorted
    median: Floats
    scale: Floats


@dataclass(frozen=True)
class PeerPositions:
    """One metric of all machines among their peers. NaN and level -1 where there are too few."""

    level: NDArray[np.int8]
    group: Ints  # number of the group within its level
    count: Ints
    median: Floats
    scale: Floats
    z: Floats
    known: tuple[Known, ...]


def reach(metric: Metric) -> int:
    """How many levels a metric is compared on: hashrate against what is expected also among models."""
    return len(LEVELS) if metric is Metric.HASHRATE_RATIO else OF_ONE_MODEL


def levels_of(site: Ints, model: Ints, firmware: Ints, mode: NDArray[np.int8]) -> tuple[PeerLevel, ...]:
    modes = mode.astype(np.int64)
    columns = ((site, model, firmware, modes), (site, model, modes), (site, model), (site,))
    levels: list[PeerLevel] = []
    for one in columns:
        found, which = distinct(*one)
        # a coarser cut with as many groups is the same cut: one and the same level, looked at once
        same = bool(levels) and levels[-1].groups == len(found)
        levels.append(levels[-1] if same else PeerLevel(which, len(found)))
    return tuple(levels)


def of_one_cooling(levels: tuple[PeerLevel, ...], site: Ints, is_air: Flags) -> tuple[PeerLevel, ...]:
    """The levels of one model, and the machines of the site that feel its weather alike."""
    found, which = distinct(site, is_air.astype(np.int64))
    return (*levels[:OF_ONE_MODEL], PeerLevel(which, len(found)))


def usual(
    values: Floats, levels: tuple[PeerLevel, ...], healthy: Flags, *, least: int, scaled: bool = True
) -> tuple[Known, ...]:
    """Median and scale level by level, and no further than anybody needs: the parent's is for the scale."""
    use = healthy & ~np.isnan(values)
    found: list[Known] = []
    short = True
    for number, level in enumerate(levels):
        if number and level is levels[number - 1]:
            found.append(found[-1])
            continue
        ordered = group_stats.sort(values, level.group, use, level.groups)
        middle = group_stats.quantile(ordered, 0.5)
        spread = np.full(level.groups, np.nan)
        if scaled:
            off = np.abs(values - middle[level.group])
            spread = group_stats.median(off, level.group, use, level.groups) * MAD_TO_SD
        found.append(Known(ordered, middle, np.maximum(spread, LEAST_SCALE)))
        if len(found) > 1 and not short:
            break
        short = bool((ordered.count < least).any())
        if not short and not scaled:
            break
    return tuple(found)


def stand_among(
    values: Floats, levels: tuple[PeerLevel, ...], known: tuple[Known, ...], *, least: int, plain: Flags
) -> PeerPositions:
    """Each machine in the finest group that has enough; its scale drawn towards the next coarser group's.

    `plain` ones run as most do. Who is in a mode of its own is not compared with machines in others: eco would be bad.
    """
    n = len(values)
    chosen, group = np.full(n, NO_LEVEL, dtype=np.int8), np.zeros(n, dtype=np.int64)
    count, median, scale = np.zeros(n, dtype=np.int64), np.full(n, np.nan), np.full(n, np.nan)
    for number, (level, one) in enumerate(zip(levels, known, strict=False)):
        counts = one.ordered.count[level.group]
        here = (chosen == NO_LEVEL) & (counts >= least) & (plain | (number < OF_ONE_MODE))
        own = one.scale[level.group] ** 2
        if number + 1 < len(known):
            parent = known[number + 1].scale[levels[number + 1].group] ** 2
            own = (counts * own + _PRIOR * parent) / (counts + _PRIOR)
        chosen[here], group[here], count[here] = number, level.group[here], counts[here]
        median[here], scale[here] = one.median[level.group][here], np.sqrt(own)[here]
    return PeerPositions(chosen, group, count, median, scale, (values - median) / scale, known)


def reference(
    levels: tuple[PeerLevel, ...], known: tuple[Known, ...], *, least: int
) -> tuple[Floats, NDArray[np.int8]]:
    """What is common to machines of a kind just now, and on which level: the finest one with a few members."""
    n = len(levels[0].group)
    middle, chosen = np.zeros(n), np.full(n, NO_LEVEL, dtype=np.int8)
    for number, (level, one) in enumerate(zip(levels, known, strict=False)):
        here = (chosen == NO_LEVEL) & (one.ordered.count[level.group] >= least)
        middle[here], chosen[here] = one.median[level.group][here], number
    return middle, chosen
