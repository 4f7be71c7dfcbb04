"""What a cycle's life of events changes in the registry's tables: pure, on arrays."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hashinsight.problems.codes import EventStatus
from hashinsight.problems.events import ARRAYS, Events
from hashinsight.problems.frame import Flags, Ints

TOUCH_SEC = 3600.0
# a change in one of these is a change that people see
_SHOWN = ("severity", "status", "opened_ts", "resolved_ts", "recurrences", "flapping", "escalated")


@dataclass(frozen=True)
class Changes:
    """Rows of the events after the cycle, and of those before it, that something has to be done with."""

    born: Flags  # after: were not there before
    told: Flags  # after: what people see has changed, or it is time to look at it again
    pulsed: Flags  # after: anything at all has changed
    seen: Flags  # after: found in this cycle
    came_from: Ints  # after: row before, -1 where it was born
    flaps: Flags  # after: comes back so often now that it is marked
    unseen: Flags  # after: pending until now, and never to be shown: only its number is remembered
    forgotten: Flags  # before: pending, and gone
    let_go: Flags  # before: resolved long ago; people still see it, a cycle need not


def changes_of(before: Events, after: Events, *, last: float, now: float) -> Changes:
    """`last` is the moment of the cycle before, NaN where there was none."""
    came_from = _find(before.event_no, after.event_no)
    was = came_from >= 0
    born = ~was
    differs = {name: born | ~_equal(getattr(before, name), getattr(after, name), came_from) for name in ARRAYS}
    seen = after.last_seen_ts >= now
    was_seen = np.zeros(after.n, dtype=np.bool_)
    was_seen[was] = before.last_seen_ts[came_from[was]] >= last
    shown = after.active | (seen != was_seen)
    told = born | (seen != was_seen)
    for name in _SHOWN:
        told |= differs[name]
    told |= shown & (np.floor((now - after.start_ts) / TOUCH_SEC) > np.floor((last - after.start_ts) / TOUCH_SEC))
    unseen = (after.status == EventStatus.RESOLVED) & np.isnan(after.opened_ts)
    gone = _find(after.event_no, before.event_no) < 0
    never_opened = np.isnan(before.opened_ts)
    return Changes(
        born=born,
        told=told & ~unseen,
        pulsed=np.logical_or.reduce(list(differs.values())),
        seen=seen,
        came_from=came_from,
        flaps=after.flapping & differs["flapping"],
        unseen=unseen,
        forgotten=gone & never_opened,
        let_go=gone & ~never_opened,
    )


def _find(numbers: Ints, wanted: Ints) -> Ints:
    """Where each wanted number is among these, -1 where it is not."""
    if not len(numbers):
        return np.full(len(wanted), -1, dtype=np.int64)
    order = np.argsort(numbers)
    at = np.minimum(np.searchsorted(numbers, wanted, sorter=order), len(numbers) - 1)
    found = order[at]
    return np.where(numbers[found] == wanted, found, -1)


def _equal(before: NDArray[Any], after: NDArray[Any], came_from: Ints) -> Flags:
    same = np.zeros(len(after), dtype=np.bool_)
    was = came_from >= 0
    old, new = before[came_from[was]], after[was]
    equal = old == new
    if old.dtype.kind == "f":
        equal |= np.isnan(old) & np.isnan(new)
    same[was] = equal
    return same
