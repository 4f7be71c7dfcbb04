"""How far a machine's data can be trusted at a moment, and what is expected of it. It comes before every judgement."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hashinsight.problems.codes import DataState, Expected
from hashinsight.problems.config import Config
from hashinsight.problems.frame import Flags, Floats, Frame, Ints
from hashinsight.telemetry.states import Status


@dataclass(frozen=True)
class Standing:
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


def stand(frame: Frame, seen_ts: Floats, *, now: float, config: Config) -> Standing:
    """`seen_ts` is the newest sample of the cycle before. Ages are 3 and 5 collection intervals."""
    age = now - frame.ts
    silent = ~(now - frame.heard_at < config.offline_sec)  # never heard is silent, too
    # samples are older than the word that brought them: one who has just fallen silent must not take all with him
    unsure = ~(now - frame.heard_at < config.stale_sec)
    never = np.isnan(frame.ts)
    says_offline = frame.status == Status.OFFLINE
    old = age >= config.offline_sec
    state = np.select(
        [never | (old & unsure), says_offline | old, age > config.stale_sec],
        [DataState.UNKNOWN, DataState.OFFLINE, DataState.STALE],
        DataState.FRESH,
    ).astype(np.int8)
    is_new = ~(frame.ts <= seen_ts)
    excused = (frame.expected != Expected.NOTHING) & (now < frame.expected_until)
    offline = state == DataState.OFFLINE
    collectors, down, known, suppressed = _collectors(frame, silent)
    return Standing(
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


def _collectors(frame: Frame, silent: Flags) -> tuple[Ints, Flags, Flags, Flags]:
    """Whose collectors are silent. One that was never heard is not down: it has not begun."""
    whose = frame.collector.no
    named = whose >= 0
    size = len(frame.collector.of)
    machines = np.bincount(whose[named], minlength=size)
    quiet = np.bincount(whose[named & silent], minlength=size)
    ever = np.bincount(whose[named & ~np.isnan(frame.heard_at)], minlength=size) > 0
    numbers = np.flatnonzero(machines > 0)
    hushed = np.bincount(whose[named & frame.suppressed], minlength=size)
    return numbers, (quiet == machines)[numbers], ever[numbers], (hushed == machines)[numbers]
