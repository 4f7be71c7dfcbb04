"""The life of a problem, for all of them at once: what each cycle's verdicts do to the events. Pure.

no row    ── hit ──> pending ── N hits in a row ──> open            pending ── one healthy cycle ──> forgotten
open, ack, in progress ── hit ──> seen again        ── M healthy cycles on fresh data ──> resolved
resolved  ── hit within the cooldown ──> the same row is open again     ── later ──> a new row that knows this one
Unknown moves nothing. A suppressed machine's events stay as they are, and nothing new begins; one healthy cycle still
ends a row of hits that was not yet long enough.

People are told when it opens, when it gets worse than they were ever told, and when that is over. Coming back within
the cooldown is not told, so its end is not either: what comes and goes all day is one notice in and one out.
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
    join_events,
    keys_of,
    new_events,
    no_events,
    together,
    transitions_of,
    worst_told,
)
from hashinsight.problems.frame import Flags, Ints

# while the worse one is shown, the lesser is closed as escalated
WORSE_THAN: tuple[tuple[Issue, Issue], ...] = (
    (Issue.OVERHEAT_CRIT, Issue.OVERHEAT_WARN),
    (Issue.BOARDS_DEAD, Issue.BOARD_LOST),
    (Issue.BOARDS_DEAD, Issue.BOARDS_DEGRADING),
    (Issue.BOARD_LOST, Issue.BOARDS_DEGRADING),
)


def advance(events: Events, judged: SubjectVerdicts, *, now: float, life: LifecycleConfig) -> LifecycleStep:
    events, old = _let_go(events, now=now, life=life)
    if not len(judged.subject):
        return LifecycleStep(events, transitions_of(no_events(), np.empty(0, np.int8), np.empty(0, np.bool_)), old)
    judged = _hold_lesser(events, judged)
    at, present = _column_of(judged, events.subject)
    said = np.where(present, judged.verdict[events.issue, at], RuleVerdict.UNKNOWN)
    quiet = present & judged.suppressed[at]
    worst = np.where(said == RuleVerdict.HIT, judged.severity[events.issue, at], 127).astype(np.int8)
    moved, action, notify = _move(events, said=said, quiet=quiet, worst=worst, now=now, life=life)
    born, born_action, replaced_rows, unborn = _begin(events, judged, now=now, life=life)
    forgotten = (events.status == EventStatus.PENDING) & (said == RuleVerdict.FINE)
    moved, gone = _forget(moved, forgotten, replaced_rows)
    everything = join_events(moved.take(~gone), born)
    everything, closed = _close_lesser(everything, now)
    touched = action >= 0
    parts = [
        transitions_of(moved.take(touched), action[touched], notify[touched]),
        transitions_of(born, born_action, born_action == ACTION_NO[CycleAction.CREATED]),
        unborn,
        transitions_of(
            closed,
            np.full(closed.n, ACTION_NO[CycleAction.ESCALATED], dtype=np.int8),
            np.zeros(closed.n, dtype=np.bool_),
        ),
    ]
    return LifecycleStep(everything, together(parts), join_events(events.take(replaced_rows), old))


def _let_go(events: Events, *, now: float, life: LifecycleConfig) -> tuple[Events, Events]:
    """What is kept in mind, and what is over for so long that it need not be."""
    # by its end, too: what nobody could see for a month may have ended a minute ago, and its cooldown runs
    touched = np.fmax(events.last_seen_ts, events.resolved_ts)
    old = ~events.active & (now - touched >= life.remember_sec)
    return (events.take(~old), events.take(old)) if old.any() else (events, no_events())


def _move(
    events: Events, *, said: Ints, quiet: Flags, worst: NDArray[np.int8], now: float, life: LifecycleConfig
) -> tuple[Events, NDArray[np.int8], Flags]:
    """Moves every row that there is. Returns the rows, what was done with each (-1: nothing) and who is to be told."""
    pending = events.status == EventStatus.PENDING
    hit, fine = (said == RuleVerdict.HIT) & ~quiet, (said == RuleVerdict.FINE) & (~quiet | pending)
    resolved = events.status == EventStatus.RESOLVED
    shown = ~pending & ~resolved
    rises = hit & ~resolved & (worst < events.severity)
    severity = np.where(rises, worst, events.severity).astype(np.int8)
    fails = np.where(hit, events.consecutive_fail + 1, np.where(fine, 0, events.consecutive_fail))
    healthy = np.where(fine & shown, events.consecutive_ok + 1, np.where(hit, 0, events.consecutive_ok))
    opens = pending & hit & (fails >= needed(severity, life))
    ends = shown & fine & (healthy >= np.where(events.flapping, life.resolve_flapping, life.resolve))
    returns = resolved & hit & (now - events.resolved_ts < life.cooldown_sec)
    severity = np.where(returns, worst, severity).astype(np.int8)
    flap_since, flap_count = _count_flaps(events, returns, now, life)
    told = worst_told(events.notified)
    tell = (opens | (shown & rises) | returns) & (severity < told)
    before = np.where(returns & (told != NOT_NOTIFIED), told + EARLIER, events.notified)
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
        notified=np.where(tell, severity, before).astype(np.int8),
        escalated=events.escalated & ~returns,
    )
    action = np.select(
        [
            quiet & (said == RuleVerdict.HIT), returns, opens, pending & hit, shown & rises, shown & hit, ends,
            shown & fine, ~resolved,
        ],
        [
            ACTION_NO[one]
            for one in (
                CycleAction.SUPPRESSED, CycleAction.RECURRED, CycleAction.CREATED,
                CycleAction.DEBOUNCING, CycleAction.ESCALATED,
                CycleAction.UPDATED, CycleAction.RESOLVED, CycleAction.COUNTING, CycleAction.NO_EVENT,
            )
        ],
        -1,
    ).astype(np.int8)  # fmt: skip
    return moved, action, tell | (ends & (events.notified < EARLIER))


def needed(severity: NDArray[np.int8], life: LifecycleConfig) -> NDArray[np.int64]:
    """Detections in a row until a problem opens."""
    return np.where(severity == Severity.P0, life.debounce_p0, life.debounce)


def _count_flaps(
    events: Events, returns: Flags, now: float, life: LifecycleConfig
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Recurrences since the first one of the last day."""
    anew = returns & ~(now - events.flap_since < life.flapping_sec)
    since = np.where(anew, now, events.flap_since)
    count = np.where(anew, 1, events.flap_count + returns)
    return since, count.astype(np.int32)


def _begin(
    events: Events, judged: SubjectVerdicts, *, now: float, life: LifecycleConfig
) -> tuple[Events, NDArray[np.int8], Ints, Transitions]:
    """Rows for problems that have none, or whose row is resolved for longer than the cooldown."""
    issue, column = np.nonzero(judged.verdict == RuleVerdict.HIT)
    keys = keys_of(judged.subject[column], issue)
    known = events.key
    at = np.minimum(np.searchsorted(known, keys), max(events.n - 1, 0))
    has_row = known[at] == keys if events.n else np.zeros(len(keys), dtype=np.bool_)
    if events.n:
        over = (events.status[at] == EventStatus.RESOLVED) & ~(now - events.resolved_ts[at] < life.cooldown_sec)
        is_new, old = ~has_row | over, has_row & over
    else:
        is_new, old = ~has_row, has_row
    quiet = judged.suppressed[column]
    subject, severity = judged.subject[column], judged.severity[issue, column]
    rows = is_new & ~quiet
    born = new_events(subject[rows], issue[rows].astype(np.int8), severity[rows], now=now, first_no=events.next_no)
    replaced = at[old & ~quiet]
    before = np.full(len(keys), -1, dtype=np.int64)
    if events.n:
        # a row that never opened is nobody's predecessor: it hands on its own
        handed = np.where(np.isnan(events.opened_ts[at]), events.predecessor[at], events.event_no[at])
        before[old] = handed[old]
    opens = needed(born.severity, life) <= 1
    born = replace(
        born,
        predecessor=before[rows],
        status=np.where(opens, EventStatus.OPEN, EventStatus.PENDING).astype(np.int8),
        opened_ts=np.where(opens, now, np.nan),
        notified=np.where(opens, born.severity, NOT_NOTIFIED).astype(np.int8),
    )
    action = np.where(opens, ACTION_NO[CycleAction.CREATED], ACTION_NO[CycleAction.DEBOUNCING]).astype(np.int8)
    # a suppressed detection without any row is said, too; one with a row is said by that row
    unborn = ~has_row & quiet
    silent = transitions_of(
        new_events(subject[unborn], issue[unborn].astype(np.int8), severity[unborn], now=now, first_no=0),
        np.full(int(unborn.sum()), ACTION_NO[CycleAction.SUPPRESSED], dtype=np.int8),
        np.zeros(int(unborn.sum()), dtype=np.bool_),
    )
    silent.event_no[:] = -1
    return born, action, replaced, silent


def _forget(moved: Events, forgotten: Flags, replaced: Ints) -> tuple[Events, Flags]:
    """A pending row that got healthy goes; one with a predecessor stays unseen, so that the link is not lost."""
    kept = forgotten & (moved.predecessor >= 0)
    gone = forgotten & ~kept
    gone[replaced] = True
    unseen = replace(
        moved,
        status=np.where(kept, EventStatus.RESOLVED, moved.status).astype(np.int8),
        resolved_ts=np.where(kept, -np.inf, moved.resolved_ts),
    )
    return unseen, gone


def _hold_lesser(events: Events, judged: SubjectVerdicts) -> SubjectVerdicts:
    """While the worse problem is seen or shown, the lesser one is not judged."""
    verdict = judged.verdict.copy()
    for worse, lesser in WORSE_THAN:
        rows = (
            (events.issue == worse) & (events.status != EventStatus.RESOLVED) & (events.status != EventStatus.PENDING)
        )
        at, present = _column_of(judged, events.subject[rows])
        verdict[lesser, at[present]] = RuleVerdict.UNKNOWN
        verdict[lesser, judged.verdict[worse] == RuleVerdict.HIT] = RuleVerdict.UNKNOWN
    return replace(judged, verdict=verdict)


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


def _column_of(judged: SubjectVerdicts, subject: Ints) -> tuple[Ints, Flags]:
    at = np.minimum(np.searchsorted(judged.subject, subject), max(len(judged.subject) - 1, 0))
    present = judged.subject[at] == subject if len(judged.subject) else np.zeros(len(subject), dtype=np.bool_)
    return at, present
