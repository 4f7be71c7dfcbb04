"""Machines side by side, each a little worse than the one before it: from just under a rule's threshold to over it."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hashinsight.problems.codes import Issue, Metric
from hashinsight.problems.frame import TextColumn
from hashinsight.problems.pipeline import CycleResult
from tests.problems.fleet import Fleet

WARM, ILL = 9, 7  # cycles before the faults begin, and with them
POOL, WORKER = "stratum+tcp://good.example:3333", "farm.1"
TREND = "trend 1.0"  # the firmware whose trends are told within minutes


@dataclass(frozen=True)
class GradedFault:
    """`sizes` of the fault, one a machine; how `close` to the threshold the nearest are; how many `cycles` open it."""

    issue: Issue
    sizes: tuple[float, ...]
    close: float
    cycles: int = 2


GRADED_FAULTS = (
    GradedFault(Issue.HASHRATE_DEGRADATION, (0.07, 0.09, 0.11, 0.12, 0.14, 0.16), 0.012),
    GradedFault(Issue.EFFICIENCY_DEGRADATION, (0.10, 0.12, 0.14, 0.16, 0.18), 0.4),
    GradedFault(Issue.TEMP_ANOMALY, (6.5, 7.0, 7.5, 8.0, 8.5, 9.0), 0.6),
    GradedFault(Issue.TREND_ANOMALY, (0.0, 0.02, 0.04, 0.06), 0.0015, cycles=4),
    GradedFault(Issue.REJECT_RATE_HIGH, (21, 24, 27, 30, 33, 36, 40), 0.006),
    GradedFault(Issue.HW_ERROR_RATE_HIGH, (1, 2, 3), 0.06),
    GradedFault(Issue.BOARDS_DEGRADING, (9, 10, 11), 0.011),
    GradedFault(Issue.FLEET_OUTLIER, (0.12, 0.14, 0.15, 0.16, 0.18), 0.02),
)
SPARE, MODED, FEW = 30, 24, 3  # well, and peers; of a firmware that runs in two modes; too few for any mode
N = sum(len(each.sizes) for each in GRADED_FAULTS) + 3 + SPARE + MODED + FEW
POOLS = sum(len(each.sizes) for each in GRADED_FAULTS) + np.arange(3)  # as it should be, another pool, another worker
MODES = N - FEW - MODED + np.arange(MODED)
ECO, WAVERS, SWITCHES = MODES[:8], int(MODES[8]), int(MODES[9])


def places() -> dict[Issue, np.ndarray[Any, Any]]:
    """Which machines stand on which ladder, the mildest first."""
    ends = np.cumsum([len(each.sizes) for each in GRADED_FAULTS])
    return {each.issue: np.arange(end - len(each.sizes), end) for each, end in zip(GRADED_FAULTS, ends, strict=True)}


def furnish(fleet: Fleet) -> None:
    of = places()
    boards = of[Issue.BOARDS_DEGRADING]
    for name in ("boards_healthy", "boards_total"):
        fleet.columns[name][boards] = 100.0
    firmware = np.zeros(N, dtype=np.int64)
    firmware[of[Issue.TREND_ANOMALY]] = 1
    firmware[MODES], firmware[N - FEW :] = 2, 3
    fleet.columns["firmware"] = TextColumn(("stock 1.0", TREND, "modes 1.0", "few 1.0"), firmware)
    pool, worker = np.zeros((2, N), dtype=np.int64)
    pool[POOLS[1]], worker[POOLS[2]] = 1, 1
    fleet.columns["pool"] = TextColumn((POOL, "stratum+tcp://evil.example:3333"), pool)
    fleet.columns["worker"] = TextColumn((WORKER, "thief.1"), worker)


def run(readings: dict[str, Any], eco: list[int]) -> None:
    """These at 80 % with 70 % of the power; nobody says so."""
    readings["hashrate_ths"][eco] *= 0.8
    readings["power_w"][eco] *= 0.7


def worsen(readings: dict[str, Any], cycle: int) -> None:
    """In its `cycle`th cycle of faults."""
    of, sizes = places(), {each.issue: np.array(each.sizes) for each in GRADED_FAULTS}
    for issue in (Issue.HASHRATE_DEGRADATION, Issue.FLEET_OUTLIER, Issue.TREND_ANOMALY):
        for name in ("hashrate_ths", "power_w"):
            readings[name][of[issue]] *= 1 - sizes[issue]
    readings["power_w"][of[Issue.EFFICIENCY_DEGRADATION]] *= 1 + sizes[Issue.EFFICIENCY_DEGRADATION]
    for name in ("temp_c", "temp_max_c"):
        readings[name][of[Issue.TEMP_ANOMALY]] += sizes[Issue.TEMP_ANOMALY]
    readings["rejected"][of[Issue.REJECT_RATE_HIGH]] += np.floor(sizes[Issue.REJECT_RATE_HIGH] * cycle / 10)
    readings["hw_errors"][of[Issue.HW_ERROR_RATE_HIGH]] += sizes[Issue.HW_ERROR_RATE_HIGH] * cycle
    readings["boards_healthy"][of[Issue.BOARDS_DEGRADING]] -= sizes[Issue.BOARDS_DEGRADING]


def as_stored(readings: dict[str, Any]) -> dict[str, Any]:
    """As the live layer keeps it: numbers of four bytes."""
    plain = {"ts", "heard_at", "status", "flags"}
    return {
        name: value if isinstance(value, TextColumn) or name in plain else value.astype(np.float32).astype(np.float64)
        for name, value in readings.items()
    }


def distance(result: CycleResult, issue: Issue, rows: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """How far each machine is beyond the threshold by the rule's first criterion; below 0 it has not reached it."""
    criterion = result.rules[issue].criteria[0]
    below = {Issue.HASHRATE_DEGRADATION, Issue.TREND_ANOMALY, Issue.BOARDS_DEGRADING, Issue.FLEET_OUTLIER}
    value, sign, metric = np.asarray(criterion.value)[rows], -1.0 if issue in below else 1.0, criterion.baseline
    if metric is not None and issue is not Issue.TREND_ANOMALY and metric < Metric.BOARDS_RATIO:  # judged by its mean
        own = result.observed.own
        value = own.value[metric, rows] - own.residual[metric, rows] + own.smooth[metric, rows]
    threshold = criterion.threshold
    assert isinstance(threshold, np.ndarray)
    distances: np.ndarray[Any, Any] = sign * (value - threshold[rows])
    return distances


def reached(distances: list[np.ndarray[Any, Any]], cycles: int) -> np.ndarray[Any, Any]:
    """How far beyond the threshold a machine was for as long as it takes to open; where it never was, how nearly."""
    long = np.array([np.min(distances[at : at + cycles], axis=0) for at in range(len(distances) - cycles + 1)])
    first = np.argmax(long >= 0, axis=0)
    reach: np.ndarray[Any, Any] = np.where(
        (long >= 0).any(axis=0), long[first, np.arange(long.shape[1])], long.max(axis=0)
    )
    return reach
