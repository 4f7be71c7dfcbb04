"""How far a machine's data can be trusted at a moment, and what is expected of it. It comes before every judgement."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hashinsight.problems.codes import DataState, ExpectedState
from hashinsight.problems.config import Config
from hashinsight.problems.frame import Flags, Floats, Frame, Ints
from hashinsight.telemetry.states import SampleStatus
from hashinsight.wire.freshness import OFFLINE_INTERVALS, SHORTEST_INTERVAL_SEC, STALE_INTERVALS


@dataclass(frozen=True)
class AgeLimits:
    """`wire.freshness` as arrays: older than `stale_sec` is stale, `offline_sec` or older is offline."""

    stale_sec: Floats
    offline_sec: Floats


@dataclass(frozen=True)
class DataStatus:
    """`judged`: fresh, with a sample that no cycle has seen yet. The same sample is never counted twice."""

    state: NDArray[np.int8]  # codes.DataState
    is_new: Flags
    judged: Flags
    offline: Flags
    without_samples: Flags  # for so long that it is offline by that alone
    planned_outage: Flags  # an expected state whose end has not come: not judged; suppression is something else
    age_limits: AgeLimits
    collectors: Ints  # numbers of the frame's collectors that have machines here
    collector_age_limits: AgeLimits
    collector_suppressed: Flags  # all of its machines are


def data_status(frame: Frame, seen_ts: Floats, *, now: float, config: Config) -> DataStatus:
    """`seen_ts` is the newest sample of the cycle before. Each machine is judged by its own collection interval."""
    age = now - frame.ts
    interval_sec = np.where(np.isnan(frame.interval_sec), config.interval_sec, frame.interval_sec)
    limits, of_collector = _age_limits(interval_sec), _age_limits(_collector_intervals(frame, interval_sec))
    # samples are older than the call that delivered them: a machine that just went silent must not make all unknown
    heard = now - frame.heard_at < limits.stale_sec
    # a machine is offline if others of its collector report; if none do, the collector delivers nothing
    reports = age <= of_collector.stale_sec[frame.collector.no]
    unsure = ~heard | ~_any_of_collector(frame, reports, otherwise=True)
    never = np.isnan(frame.ts)
    says_offline = frame.status == SampleStatus.OFFLINE
    old = age >= limits.offline_sec
    state = np.select(
        [never | (old & unsure), says_offline | old, age > limits.stale_sec],
        [DataState.UNKNOWN, DataState.OFFLINE, DataState.STALE],
        DataState.FRESH,
    ).astype(np.int8)
    is_new = ~(frame.ts <= seen_ts)
    offline = state == DataState.OFFLINE
    collectors, suppressed = _collectors(frame)
    return DataStatus(
        state=state,
        is_new=is_new,
        judged=(state == DataState.FRESH) & is_new,
        offline=offline,
        without_samples=offline & old,
        planned_outage=(frame.expected != ExpectedState.NOTHING) & (now < frame.expected_until),
        age_limits=limits,
        collectors=collectors,
        collector_age_limits=AgeLimits(of_collector.stale_sec[collectors], of_collector.offline_sec[collectors]),
        collector_suppressed=suppressed,
    )


def _age_limits(interval_sec: Floats) -> AgeLimits:
    counted_sec = np.maximum(interval_sec, SHORTEST_INTERVAL_SEC)
    return AgeLimits(STALE_INTERVALS * counted_sec, OFFLINE_INTERVALS * counted_sec)


def _collector_intervals(frame: Frame, interval_sec: Floats) -> Floats:
    """By number: the shortest of its machines. A machine without samples yet has its site's longest."""
    shortest = np.full(len(frame.collector.of) + 1, np.inf)  # -1, no collector, is the last one
    np.minimum.at(shortest, frame.collector.no, interval_sec)
    return shortest


def _any_of_collector(frame: Frame, which: Flags, *, otherwise: bool) -> Flags:
    """By machine: whether one of its collector's machines is among these; `otherwise` where it has no collector."""
    collector = frame.collector.no
    any_of = np.bincount(collector[(collector >= 0) & which], minlength=len(frame.collector.of) + 1) > 0
    any_of[-1] = otherwise  # -1, no collector, is the last one
    flags: Flags = any_of[collector]
    return flags


def _collectors(frame: Frame) -> tuple[Ints, Flags]:
    """Those with machines here, and which of them have all of their machines suppressed."""
    collector, size = frame.collector.no, len(frame.collector.of)
    machines = np.bincount(collector[collector >= 0], minlength=size)
    suppressed = np.bincount(collector[(collector >= 0) & frame.suppressed], minlength=size)
    numbers = np.flatnonzero(machines > 0)
    return numbers, (suppressed == machines)[numbers]
