"""Events as arrays: the newest row of every problem of every machine, active or resolved, in order of its key.

And what goes into their lifecycle and comes out of it: verdicts in, transitions out.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hashinsight.problems.codes import ACTION_NO, CycleAction, EventStatus
from hashinsight.problems.frame import Flags, Floats, Ints

KEYS_PER_SUBJECT = 64


@dataclass(frozen=True)
class Events:
    """`subject` is a miner_no; a collector's is -1 less its number. One row per key, earlier rows are predecessors."""

    event_no: Ints  # of its site, in order of detection
    subject: Ints
    issue: NDArray[np.int8]
    severity: NDArray[np.int8]
    status: NDArray[np.int8]
    start_ts: Floats
    opened_ts: Floats  # NaN while pending
    last_seen_ts: Floats
    resolved_ts: Floats
    recurrences: NDArray[np.int32]
    consecutive_ok: NDArray[np.int32]
    consecutive_fail: NDArray[np.int32]
    flap_since: Floats  # the first of the recurrences that are being counted
    flap_count: NDArray[np.int32]
    flapping: Flags
    notified: NDArray[np.int8]  # the worst severity notified, `EARLIER` more if before it recurred
    escalated: Flags  # resolved because a worse problem replaced it
    predecessor: Ints  # event_no of the row before, or -1
    next_no: int = 1

    @property
    def key(self) -> Ints:
        return keys_of(self.subject, self.issue)

    @property
    def n(self) -> int:
        return len(self.event_no)

    @property
    def active(self) -> Flags:
        is_active: Flags = self.status != EventStatus.RESOLVED
        return is_active

    def take(self, rows: Ints | Flags) -> "Events":
        return replace(self, **{name: getattr(self, name)[rows] for name in ARRAYS})

    def copy(self) -> "Events":
        return replace(self, **{name: getattr(self, name).copy() for name in ARRAYS})


def keys_of(subject: Ints, issue: NDArray[np.integer]) -> Ints:
    packed: Ints = subject * KEYS_PER_SUBJECT + issue.astype(np.int64)
    return packed


KINDS: dict[str, type[np.generic]] = {
    "event_no": np.int64,
    "subject": np.int64,
    "issue": np.int8,
    "severity": np.int8,
    "status": np.int8,
    "start_ts": np.float64,
    "opened_ts": np.float64,
    "last_seen_ts": np.float64,
    "resolved_ts": np.float64,
    "recurrences": np.int32,
    "consecutive_ok": np.int32,
    "consecutive_fail": np.int32,
    "flap_since": np.float64,
    "flap_count": np.int32,
    "flapping": np.bool_,
    "notified": np.int8,
    "escalated": np.bool_,
    "predecessor": np.int64,
}
ARRAYS = tuple(KINDS)
NOT_NOTIFIED = 127
EARLIER = 8


def no_events() -> Events:
    empty: dict[str, Any] = {name: np.empty(0, dtype=kind) for name, kind in KINDS.items()}
    return Events(**empty)


def new_events(
    subject: Ints, issue: NDArray[np.int8], severity: NDArray[np.int8], *, now: float, first_no: int
) -> Events:
    """Rows of problems detected for the first time, pending."""
    n = len(subject)
    nan, zero = np.full(n, np.nan), np.zeros(n, dtype=np.int32)
    return Events(
        event_no=np.arange(first_no, first_no + n, dtype=np.int64),
        subject=subject.astype(np.int64),
        issue=issue.astype(np.int8),
        severity=severity.astype(np.int8),
        status=np.full(n, EventStatus.PENDING, dtype=np.int8),
        start_ts=np.full(n, now),
        opened_ts=nan,
        last_seen_ts=np.full(n, now),
        resolved_ts=nan.copy(),
        recurrences=zero,
        consecutive_ok=zero.copy(),
        consecutive_fail=zero + 1,
        flap_since=nan.copy(),
        flap_count=zero.copy(),
        flapping=np.zeros(n, dtype=np.bool_),
        notified=np.full(n, NOT_NOTIFIED, dtype=np.int8),
        escalated=np.zeros(n, dtype=np.bool_),
        predecessor=np.full(n, -1, dtype=np.int64),
        next_no=first_no + n,
    )


def worst_notified(notified: NDArray[np.int8]) -> NDArray[np.int8]:
    """Of this opening or an earlier one."""
    worst: NDArray[np.int8] = np.where(notified == NOT_NOTIFIED, NOT_NOTIFIED, notified % EARLIER).astype(np.int8)
    return worst


def close_events(events: Events, rows: Flags, now: float) -> Events:
    """These are resolved, because their machine has left the site.

    One that never opened has no time of resolution: if the machine comes back, it must be confirmed again.
    """
    resolved_ts = np.where(np.isnan(events.opened_ts), -np.inf, now)
    return replace(
        events,
        status=np.where(rows, EventStatus.RESOLVED, events.status).astype(np.int8),
        resolved_ts=np.where(rows, resolved_ts, events.resolved_ts),
    )


def join_events(first: Events, second: Events) -> Events:
    """Both, in order of key."""
    both: dict[str, Any] = {name: np.concatenate([getattr(first, name), getattr(second, name)]) for name in ARRAYS}
    order = np.argsort(keys_of(both["subject"], both["issue"]), kind="stable")
    return Events(
        **{name: values[order] for name, values in both.items()},
        next_no=max(first.next_no, second.next_no),
    )


@dataclass(frozen=True)
class SubjectVerdicts:
    """A cycle's verdicts: (issues, subjects). Subjects are in order; one that is missing is unknown."""

    subject: Ints
    verdict: NDArray[np.int8]
    severity: NDArray[np.int8]  # of a hit, by issue and subject
    suppressed: Flags


@dataclass(frozen=True)
class Transitions:
    """What a cycle did, one row per problem that was touched. `event_no` is -1 where there is no event."""

    event_no: Ints
    subject: Ints
    issue: NDArray[np.int8]
    severity: NDArray[np.int8]
    action: NDArray[np.int8]  # index into codes.ACTIONS
    notify: Flags  # it opened, got worse, or a notified problem was resolved

    def of(self, action: CycleAction) -> "Transitions":
        chosen = self.action == ACTION_NO[action]
        return Transitions(
            *(getattr(self, name)[chosen] for name in ("event_no", "subject", "issue", "severity", "action", "notify"))
        )

    def __len__(self) -> int:
        return len(self.event_no)


@dataclass(frozen=True)
class LifecycleStep:
    events: Events
    transitions: Transitions
    replaced: Events  # resolved rows that are not kept: replaced by a new row, or too old


def transitions_of(events: Events, action: NDArray[np.int8], notify: Flags) -> Transitions:
    return Transitions(events.event_no, events.subject, events.issue, events.severity, action, notify)


def concat_transitions(parts: list[Transitions]) -> Transitions:
    names = ("event_no", "subject", "issue", "severity", "action", "notify")
    return Transitions(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))
