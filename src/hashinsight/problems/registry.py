"""The registry as a cycle writes it: in bulk, a few statements however many problems.

Nothing else but operators' actions (`queries.actions`) writes `problem_events` and `problem_pulse`. A row that somebody
has acted on since this cycle read it is left alone: the next cycle sees the action.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.kit.ids import new_ids
from hashinsight.problems.codes import ACTION_NO, ACTIONS, CycleAction, EventStatus, Issue, Severity
from hashinsight.problems.events import ARRAYS, Events
from hashinsight.problems.evidence import EventDetails, describe
from hashinsight.problems.frame import Flags, Ints
from hashinsight.problems.pipeline import CycleResult
from hashinsight.problems.queries import registry as queries
from hashinsight.problems.queries.cycle import KnownEvents

_ISSUES = [issue.code for issue in Issue]
_SEVERITIES = [severity.name for severity in Severity]
_STATUSES = [status.name.lower() for status in EventStatus]
TIMELINE_KINDS = {
    CycleAction.CREATED: "opened",
    CycleAction.ESCALATED: "escalated",
    CycleAction.RECURRED: "recurred",
    CycleAction.RESOLVED: "resolved",
}
FLAPPING, THAWED = "flapping", "thawed"  # timeline kinds beside those
_REFRESH_SEC = 3600.0  # an open problem's row and evidence are written at least this often
_SHOWN_FIELDS = ("severity", "status", "opened_ts", "resolved_ts", "recurrences", "flapping", "escalated")


@dataclass(frozen=True)
class SiteKey:
    tenant_id: UUID
    site_id: int


async def write_cycle(
    session: AsyncSession,
    site: SiteKey,
    before: KnownEvents,
    result: CycleResult,
    subjects: pl.DataFrame,
    *,
    last: float,
    now: datetime,
) -> dict[str, int]:
    """Writes everything that this cycle changes; returns how many problems had which action.

    `subjects` has a row for each machine and collector: `subject, miner_no, miner_id, collector_id, zone_id, model,
    firmware`.
    """
    after = result.lifecycle.events
    changes = find_changes(before.events, after, last=last, now=result.observed.now)
    ids = _problem_ids(before, changes, after.n)
    described = describe(result, after, changes.shown & changes.seen & (after.status != EventStatus.PENDING))
    where = site.tenant_id, site.site_id
    acted_on = await queries.write_pulse(session, *where, _pulse_rows(before, after, changes, ids))
    events = _event_rows(after, changes, ids, subjects, described).filter(~pl.col("id").is_in(acted_on))
    await queries.follow_names(session, site.site_id, now=now)
    await queries.write_events(session, *where, events, now=now)
    await queries.follow_zones(session, site.site_id, now=now)
    await queries.delete_events(session, [*_taken(before.problem_id, changes.dropped), *_taken(ids, changes.unseen)])
    await queries.delete_pulse(session, _taken(before.problem_id, changes.dropped | changes.expired))
    timeline = _timeline_rows(result, after, changes, ids).filter(~pl.col("problem_id").is_in(acted_on))
    await queries.write_timeline(session, *where, timeline, now=now)
    await queries.write_suppressed(session, *where, _suppressed_rows(result), now=now)
    counts = np.bincount(result.lifecycle.transitions.action, minlength=len(ACTIONS))
    return {action.value: int(counts[number]) for number, action in enumerate(ACTIONS)}


@dataclass(frozen=True)
class Changes:
    """Rows of the events after the cycle, and of those before it, that have to be written or deleted."""

    born: Flags  # after: new
    shown: Flags  # after: what people see has changed, or is due for a refresh
    pulsed: Flags  # after: any field has changed
    seen: Flags  # after: hit in this cycle
    came_from: Ints  # after: row before, -1 where it is new
    flaps: Flags  # after: marked as flapping since this cycle
    unseen: Flags  # after: was pending and never opens; only its number is remembered
    dropped: Flags  # before: was pending, and is gone
    expired: Flags  # before: resolved long ago; people still see it, cycles do not need it


def find_changes(before: Events, after: Events, *, last: float, now: float) -> Changes:
    """`last` is the time of the cycle before, NaN where there was none."""
    came_from = _find(before.event_no, after.event_no)
    existed = came_from >= 0
    differs = {name: ~_equal(getattr(before, name), getattr(after, name), came_from) for name in ARRAYS}
    seen = after.last_seen_ts >= now
    was_seen = np.zeros(after.n, dtype=np.bool_)
    was_seen[existed] = before.last_seen_ts[came_from[existed]] >= last
    refreshes = np.floor((now - after.start_ts) / _REFRESH_SEC) > np.floor((last - after.start_ts) / _REFRESH_SEC)
    shown = ~existed | (seen != was_seen) | (after.active & refreshes)
    for name in _SHOWN_FIELDS:
        shown |= differs[name]
    unseen = (after.status == EventStatus.RESOLVED) & np.isnan(after.opened_ts)
    gone = _find(after.event_no, before.event_no) < 0
    never_opened = np.isnan(before.opened_ts)
    return Changes(
        born=~existed,
        shown=shown & ~unseen,
        pulsed=np.logical_or.reduce(list(differs.values())),
        seen=seen,
        came_from=came_from,
        flaps=after.flapping & differs["flapping"],
        unseen=unseen,
        dropped=gone & never_opened,
        expired=gone & ~never_opened,
    )


def _find(numbers: Ints, wanted: Ints) -> Ints:
    """The place of each wanted number, -1 where it is missing."""
    if not len(numbers):
        return np.full(len(wanted), -1, dtype=np.int64)
    order = np.argsort(numbers)
    place = order[np.minimum(np.searchsorted(numbers, wanted, sorter=order), len(numbers) - 1)]
    return np.where(numbers[place] == wanted, place, -1)


def _equal(before: NDArray[Any], after: NDArray[Any], came_from: Ints) -> Flags:
    same = np.zeros(len(after), dtype=np.bool_)
    existed = came_from >= 0
    old, new = before[came_from[existed]], after[existed]
    same[existed] = (old == new) | (np.isnan(old) & np.isnan(new)) if old.dtype.kind == "f" else old == new
    return same


def _problem_ids(before: KnownEvents, changes: Changes, n: int) -> pl.Series:
    ids = np.empty(n, dtype=object)
    ids[~changes.born] = before.problem_id.gather(changes.came_from[~changes.born]).to_numpy()
    ids[changes.born] = new_ids(int(changes.born.sum()))
    return pl.Series(ids.tolist(), dtype=pl.String)


def _pulse_rows(before: KnownEvents, after: Events, changes: Changes, ids: pl.Series) -> pl.DataFrame:
    rows = np.flatnonzero(changes.pulsed)
    came_from = changes.came_from[rows]
    version = np.where(came_from >= 0, before.version[came_from] if len(before.version) else 0, -1)
    columns: dict[str, Any] = {"problem_id": ids.gather(rows), "version": version}
    return pl.DataFrame(columns | {name: getattr(after, name)[rows] for name in ARRAYS})


def _event_rows(
    after: Events, changes: Changes, ids: pl.Series, subjects: pl.DataFrame, described: EventDetails
) -> pl.DataFrame:
    rows = np.flatnonzero(changes.shown)
    events = after.take(rows)
    frame = pl.DataFrame(
        {
            "id": ids.gather(rows),
            "is_new": changes.born[rows],
            "event_no": events.event_no,
            "subject": events.subject,
            "issue_code": _words(_ISSUES, events.issue),
            "severity": _words(_SEVERITIES, events.severity),
            "status": _words(_STATUSES, events.status),
            "start_ts": events.start_ts,
            "opened_ts": pl.Series(events.opened_ts).fill_nan(None),
            "last_seen_ts": events.last_seen_ts,
            "seen": changes.seen[rows],
            "resolved_ts": pl.Series(events.resolved_ts).fill_nan(None),
            "recurrence_count": events.recurrences,
            "flapping": events.flapping,
            "escalated": events.escalated,
            "predecessor": events.predecessor,
            "evidence": described.evidence.gather(rows),
            "peers": described.peers.gather(rows),
        }
    )
    return frame.join(subjects, on="subject", how="left")


def _timeline_rows(result: CycleResult, after: Events, changes: Changes, ids: pl.Series) -> pl.DataFrame:
    """Transitions that people see, problems that flap since now, and baselines that learn again."""
    thawed = np.isin(after.subject, result.observed.frame.miner_no[result.thawed])
    is_shown = after.active & (after.status != EventStatus.PENDING)
    moves = result.lifecycle.transitions
    chosen = np.flatnonzero(np.isin(moves.action, [ACTION_NO[action] for action in TIMELINE_KINDS]))
    kinds = _words([TIMELINE_KINDS.get(action, "") for action in ACTIONS], moves.action[chosen])
    moved = _entries(kinds, moves.event_no[chosen], moves.severity[chosen], moves.issue[chosen])
    marked = []
    for kind, which in ((FLAPPING, changes.flaps), (THAWED, thawed & is_shown)):
        events = after.take(which)
        marked.append(_entries(_words([kind], events.event_no * 0), events.event_no, events.severity, events.issue))
    problem_ids = pl.DataFrame({"event_no": after.event_no, "problem_id": ids})
    return pl.concat([moved, *marked]).join(problem_ids, on="event_no", how="inner", maintain_order="left")


def _entries(kinds: pl.Series, event_no: Ints, severity: NDArray[np.int8], issue: NDArray[np.int8]) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "event_no": event_no,
            "kind": kinds,
            "severity": _words(_SEVERITIES, severity),
            "issue_code": _words(_ISSUES, issue),
        }
    )


def _suppressed_rows(result: CycleResult) -> pl.DataFrame:
    moves = result.lifecycle.transitions.of(CycleAction.SUPPRESSED)
    return pl.DataFrame(
        {
            "miner_no": moves.subject,
            "issue_code": _words(_ISSUES, moves.issue),
            "severity": _words(_SEVERITIES, moves.severity),
        }
    ).filter(pl.col("miner_no") >= 0)


def _words(words: list[str], numbers: Any) -> pl.Series:
    return pl.Series(words, dtype=pl.String).gather(np.asarray(numbers, dtype=np.int64))


def _taken(ids: pl.Series, rows: Flags) -> list[str]:
    taken: list[str] = ids.filter(pl.Series(rows)).to_list()
    return taken
