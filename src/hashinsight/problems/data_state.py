"""How far a machine's data can be trusted at a moment, and what is expected of it. It comes before every judgement."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hashinsight.problems.codes import DataState, ExpectedState
from hashinsight.problems.config import Config
from hashinsight.problems.frame import Flags, Floats, Frame, Ints
from hashinsight.telemetry.states import SampleStatus


@dataclass(frozen=True)
class DataStatus:
    """`judged`: fresh, with a sample that no cycle has seen yet. The same sample is never counted twice."""

    state: NDArray[np.int8]  # codes.DataState
    is_new: Flags
    judged: Flags
    offline: Flags
    without_samples: Flags  # for so long that it is offline by that alone
    planned_outage: Flags  # curtailed, stopped, rebooting or in maintenance until a deadline
    collectors: Ints  # numbers of the frame's collectors that have machines here
    collector_suppressed: Flags  # all of its machines are


def data_status(frame: Frame, seen_ts: Floats, *, now: float, config: Config) -> DataStatus:
    """`seen_ts` is the newest sample of the cycle before. Ages are 3 and 5 collection intervals."""
    age = now - frame.ts
    # samples are older than the word that brought them: one who has just fallen silent must not take all with him
    heard = now - frame.heard_at < config.stale_sec
    # a machine is missing while others of its collector report; where none does, it is the collector who says nothing
    unsure = ~heard | ~_any_of_collector(frame, age <= config.stale_sec, otherwise=True)
    never = np.isnan(frame.ts)
    says_offline = frame.status == SampleStatus.OFFLINE
    old = age >= config.offline_sec
    state = np.select(
        [never | (old & unsure), says_offline | old, age > config.stale_sec],
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
        collectors=collectors,
        collector_suppressed=suppressed,
    )


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
