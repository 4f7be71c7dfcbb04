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
    excused: Flags  # it is expected to stand still
    collectors: Ints  # numbers of the frame's collectors that have machines here
    collector_down: Flags
    collector_known: Flags
    collector_suppressed: Flags  # as everything is that depends on it


def data_status(frame: Frame, seen_ts: Floats, *, now: float, config: Config) -> DataStatus:
    """`seen_ts` is the newest sample of the cycle before. Ages are 3 and 5 collection intervals."""
    age = now - frame.ts
    silent = ~(now - frame.heard_at < config.offline_sec)  # never heard is silent, too
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
    excused = (frame.expected != ExpectedState.NOTHING) & (now < frame.expected_until)
    offline = state == DataState.OFFLINE
    reports = age < config.offline_sec
    collectors, down, known, suppressed = _collectors(frame, silent, heard, reports=reports, awaited=~never & ~excused)
    return DataStatus(
        state=state,
        is_new=is_new,
        judged=(state == DataState.FRESH) & is_new,
        offline=offline,
        without_samples=offline & old,
        excused=excused,
        collectors=collectors,
        collector_down=down,
        collector_known=known,
        collector_suppressed=suppressed,
    )


def _any_of_collector(frame: Frame, which: Flags, *, otherwise: bool) -> Flags:
    """By machine: whether one of its collector's machines is among these; `otherwise` where it has no collector."""
    whose = frame.collector.no
    named = whose >= 0
    found = np.bincount(whose[named & which], minlength=len(frame.collector.of) + 1) > 0
    found[-1] = otherwise  # -1, no collector, is the last one
    chosen: Flags = found[whose]
    return chosen


def _collectors(
    frame: Frame, silent: Flags, heard: Flags, *, reports: Flags, awaited: Flags
) -> tuple[Ints, Flags, Flags, Flags]:
    """Whose collectors are silent, or are heard but bring no sample of any machine that should run.

    One that was never heard is not down: it has not begun. Between heard and silent nobody knows.
    """
    whose = frame.collector.no
    named = whose >= 0
    size = len(frame.collector.of)

    def count(which: Flags) -> Ints:
        return np.bincount(whose[named & which], minlength=size)

    machines = np.bincount(whose[named], minlength=size)
    gone = count(silent) == machines
    mute = (count(awaited) > 0) & (count(reports) == 0)
    down = gone | (mute & (count(heard) > 0))
    known = (count(~np.isnan(frame.heard_at)) > 0) & (down | ~mute)
    numbers = np.flatnonzero(machines > 0)
    hushed = count(frame.suppressed)
    return numbers, down[numbers], known[numbers], (hushed == machines)[numbers]
