"""The lifecycle of problems, all of them at once: what the verdicts of a cycle do to the events. Pure.

no row    ── hit ──> pending ── N hits in a row ──> open            pending ── one healthy cycle ──> dropped
open, ack, in progress ── hit ──> seen again        ── M healthy cycles on fresh data ──> resolved
resolved  ── hit within the cooldown ──> the same row reopens     ── later ──> a new row that links to this one
People resolve, too (`queries.actions`), whatever the cause given: a fault that is still there reopens the same row.
Unknown moves nothing. On a suppressed machine no problem opens or changes, but a pending one is still dropped. Planned
outages are never judged (`data_state`). People are notified when a problem opens, gets worse than ever notified, or is
resolved, but not of a recurrence within the cooldown nor of its end: a problem that comes and goes all day is one
notice in and one out.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hashinsight.problems.codes import ACTION_NO, CycleAction, EventStatus, Issue, RuleVerdict, Severity
from hashinsight.problems.config import LifecycleConfig
from hashinsight.problems.events import (
    EARLIER,
    NOT_NOTIFIED,
    Events,
    LifecycleStep,
    SubjectVerdicts,
    Transitions,
    concat_transitions,
    join_events,
    keys_of,
    new_events,
    no_events,
    transitions_of,
    worst_notified,
)
from hashinsight.problems.frame import Flags, Ints

# while the first is shown, the second is closed as escalated
WORSE_THAN: tuple[tuple[Issue, Issue], ...] = (
    (Issue.OVERHEAT_CRIT, Issue.OVERHEAT_WARN),
    (Issue.BOARDS_DEAD, Issue.BOARD_LOST),
    (Issue.BOARDS_DEAD, Issue.BOARDS_DEGRADING),
    (Issue.BOARD_LOST, Issue.BOARDS_DEGRADING),
)


def advance(events: Events, verdicts: SubjectVerdicts, *, now: float, life: LifecycleConfig) -> LifecycleStep:
    events, expired = _expire(events, now=now, life=life)
    if not len(verdicts.subject):
        return LifecycleStep(events, transitions_of(no_events(), np.empty(0, np.int8), np.empty(0, np.bool_)), expired)
    verdicts = _hold_lesser(events, verdicts)
    at, present = _column_of(verdicts, events.subject)
    verdict = np.where(present, verdicts.verdict[events.issue, at], RuleVerdict.UNKNOWN)
    suppressed = present & verdicts.suppressed[at]
    severity = np.where(verdict == RuleVerdict.HIT, verdicts.severity[events.issue, at], 127).astype(np.int8)
    moved, action, notify = _move(events, verdict, severity, suppressed, now=now, life=life)
    born, born_action, replaced, undetected = _detect(events, verdicts, now=now, life=life)
    healthy = (events.status == EventStatus.PENDING) & (verdict == RuleVerdict.FINE)
    moved, gone = _drop(moved, healthy, replaced)
    after, closed = _close_lesser(join_events(moved.take(~gone), born), now)
    touched = action >= 0
    parts = [
        transitions_of(moved.take(touched), action[touched], notify[touched]),
        transitions_of(born, born_action, born_action == ACTION_NO[CycleAction.CREATED]),
        undetected,
        transitions_of(
            closed,
            np.full(closed.n, ACTION_NO[CycleAction.ESCALATED], dtype=np.int8),
            np.zeros(closed.n, dtype=np.bool_),
        ),
    ]
    return LifecycleStep(after, concat_transitions(parts), join_events(events.take(replaced), expired))


def _expire(events: Events, *, now: float, life: LifecycleConfig) -> tuple[Events, Events]:
    """The events to keep, and those resolved too long ago."""
    # also by its end: a problem not seen for a month may have been resolved a minute ago, and its cooldown runs
    touched = np.fmax(events.last_seen_ts, events.resolved_ts)
    old = ~events.active & (now - touched >= life.remember_sec)
    return (events.take(~old), events.take(old)) if old.any() else (events, no_events())


def _move(
    events: Events,
    verdict: Ints,
    hit_severity: NDArray[np.int8],
    suppressed: Flags,
    *,
    now: float,
    life: LifecycleConfig,
) -> tuple[Events, NDArray[np.int8], Flags]:
    """Moves every existing row. Returns the rows, the action on each (-1: none), and whether to notify."""
    pending = events.status == EventStatus.PENDING
    is_hit = verdict == RuleVerdict.HIT
    hit, fine = is_hit & ~suppressed, (verdict == RuleVerdict.FINE) & (~suppressed | pending)
    resolved = events.status == EventStatus.RESOLVED
    shown = ~pending & ~resolved
    rises = hit & ~resolved & (hit_severity < events.severity)
    severity = np.where(rises, hit_severity, events.severity).astype(np.int8)
    fails = np.where(hit, events.consecutive_fail + 1, np.where(fine, 0, events.consecutive_fail))
    healthy = np.where(fine & shown, events.consecutive_ok + 1, np.where(hit, 0, events.consecutive_ok))
    opens = pending & hit & (fails >= hits_needed(severity, life))
    ends = shown & fine & (healthy >= np.where(events.flapping, life.resolve_flapping, life.resolve))
    returns = resolved & hit & (now - events.resolved_ts < life.cooldown_sec)
    severity = np.where(returns, hit_severity, severity).astype(np.int8)
    flap_since, flap_count = _count_flaps(events, returns, now, life)
    worst = worst_notified(events.notified)
    notify = (opens | (shown & rises) | returns) & (severity < worst)
    before = np.where(returns & (worst != NOT_NOTIFIED), worst + EARLIER, events.notified)
    moved = replace(
        events,
        severity=severity,
        status=np.select([opens | returns, ends], [EventStatus.OPEN, EventStatus.RESOLVED], events.status).astype(
            np.int8
        ),
        opened_ts=np.where(opens, now, events.opened_ts),
        last_seen_ts=np.where(hit & (~resolved | returns), now, events.last_seen_ts),
        resolved_ts=np.where(ends, now, np.where(returns, np.nan, events.resolved_ts)),
        recurrences=(events.recurrences + returns).astype(np.int32),
        consecutive_ok=np.where(returns, 0, healthy).astype(np.int32),
        consecutive_fail=np.where(returns, 1, fails).astype(np.int32),
        flap_since=flap_since,
        flap_count=flap_count,
        flapping=events.flapping | (flap_count >= life.flapping_recurrences),
        notified=np.where(notify, severity, before).astype(np.int8),
        escalated=events.escalated & ~returns,
    )
    action = np.select(
        [suppressed & is_hit, returns, opens, pending & hit, shown & rises, shown & hit, ends, shown & fine, ~resolved],
        [
            ACTION_NO[action]
            for action in (
                CycleAction.SUPPRESSED, CycleAction.RECURRED, CycleAction.CREATED,
                CycleAction.DEBOUNCING, CycleAction.ESCALATED,
                CycleAction.UPDATED, CycleAction.RESOLVED, CycleAction.COUNTING, CycleAction.NO_EVENT,
            )
        ],
        -1,
    ).astype(np.int8)  # fmt: skip
    return moved, action, notify | (ends & (events.notified < EARLIER))


def hits_needed(severity: NDArray[np.int8], life: LifecycleConfig) -> NDArray[np.int64]:
    """Hits in a row until a problem opens."""
    return np.where(severity == Severity.P0, life.debounce_p0, life.debounce)


def _count_flaps(
    events: Events, returns: Flags, now: float, life: LifecycleConfig
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Recurrences since the first one of the last day."""
    starts = returns & ~(now - events.flap_since < life.flapping_sec)
    since = np.where(starts, now, events.flap_since)
    count = np.where(starts, 1, events.flap_count + returns)
    return since, count.astype(np.int32)


def _detect(
    events: Events, verdicts: SubjectVerdicts, *, now: float, life: LifecycleConfig
) -> tuple[Events, NDArray[np.int8], Ints, Transitions]:
    """New rows, for problems that have none or were resolved before the cooldown; and suppressed hits without a row."""
    issue, column = np.nonzero(verdicts.verdict == RuleVerdict.HIT)
    keys = keys_of(verdicts.subject[column], issue)
    known = events.key
    at = np.minimum(np.searchsorted(known, keys), max(events.n - 1, 0))
    has_row = known[at] == keys if events.n else np.zeros(len(keys), dtype=np.bool_)
    if events.n:
        over = (events.status[at] == EventStatus.RESOLVED) & ~(now - events.resolved_ts[at] < life.cooldown_sec)
        is_new, old = ~has_row | over, has_row & over
    else:
        is_new, old = ~has_row, has_row
    suppressed = verdicts.suppressed[column]
    subject, severity = verdicts.subject[column], verdicts.severity[issue, column]
    rows = is_new & ~suppressed
    born = new_events(subject[rows], issue[rows].astype(np.int8), severity[rows], now=now, first_no=events.next_no)
    replaced = at[old & ~suppressed]
    before = np.full(len(keys), -1, dtype=np.int64)
    if events.n:
        # a row that never opened is no predecessor: it passes on its own
        link = np.where(np.isnan(events.opened_ts[at]), events.predecessor[at], events.event_no[at])
        before[old] = link[old]
    opens = hits_needed(born.severity, life) <= 1
    born = replace(
        born,
        predecessor=before[rows],
        status=np.where(opens, EventStatus.OPEN, EventStatus.PENDING).astype(np.int8),
        opened_ts=np.where(opens, now, np.nan),
        notified=np.where(opens, born.severity, NOT_NOTIFIED).astype(np.int8),
    )
    action = np.where(opens, ACTION_NO[CycleAction.CREATED], ACTION_NO[CycleAction.DEBOUNCING]).astype(np.int8)
    # a suppressed hit without a row is reported, too; one with a row is reported by that row
    undetected = ~has_row & suppressed
    reported = transitions_of(
        new_events(subject[undetected], issue[undetected].astype(np.int8), severity[undetected], now=now, first_no=0),
        np.full(int(undetected.sum()), ACTION_NO[CycleAction.SUPPRESSED], dtype=np.int8),
        np.zeros(int(undetected.sum()), dtype=np.bool_),
    )
    reported.event_no[:] = -1
    return born, action, replaced, reported


def _drop(moved: Events, healthy: Flags, replaced: Ints) -> tuple[Events, Flags]:
    """A healthy pending row is dropped; one with a predecessor stays, hidden, so that the link is not lost."""
    hidden = healthy & (moved.predecessor >= 0)
    gone = healthy & ~hidden
    gone[replaced] = True
    moved = replace(
        moved,
        status=np.where(hidden, EventStatus.RESOLVED, moved.status).astype(np.int8),
        resolved_ts=np.where(hidden, -np.inf, moved.resolved_ts),
    )
    return moved, gone


def _hold_lesser(events: Events, verdicts: SubjectVerdicts) -> SubjectVerdicts:
    """While the worse problem is hit or shown, the lesser one is not judged."""
    verdict = verdicts.verdict.copy()
    for worse, lesser in WORSE_THAN:
        rows = (
            (events.issue == worse) & (events.status != EventStatus.RESOLVED) & (events.status != EventStatus.PENDING)
        )
        at, present = _column_of(verdicts, events.subject[rows])
        verdict[lesser, at[present]] = RuleVerdict.UNKNOWN
        verdict[lesser, verdicts.verdict[worse] == RuleVerdict.HIT] = RuleVerdict.UNKNOWN
    return replace(verdicts, verdict=verdict)


def _close_lesser(events: Events, now: float) -> tuple[Events, Events]:
    closes = np.zeros(events.n, dtype=np.bool_)
    shown = (events.status != EventStatus.RESOLVED) & (events.status != EventStatus.PENDING)
    for worse, lesser in WORSE_THAN:
        taken = events.subject[(events.issue == worse) & shown]
        closes |= (events.issue == lesser) & events.active & np.isin(events.subject, taken)
    if not closes.any():
        return events, no_events()
    was_shown = closes & shown
    closed = replace(
        events,
        status=np.where(closes, EventStatus.RESOLVED, events.status).astype(np.int8),
        resolved_ts=np.where(was_shown, now, np.where(closes, -np.inf, events.resolved_ts)),
        escalated=events.escalated | was_shown,
    )
    return closed, closed.take(was_shown)


def _column_of(verdicts: SubjectVerdicts, subject: Ints) -> tuple[Ints, Flags]:
    at = np.minimum(np.searchsorted(verdicts.subject, subject), max(len(verdicts.subject) - 1, 0))
    present = verdicts.subject[at] == subject if len(verdicts.subject) else np.zeros(len(subject), dtype=np.bool_)
    return at, present
