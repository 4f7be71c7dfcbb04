"""The registry as a cycle writes it: in bulk, a few statements however many problems. People's acts are beside it.

Nobody else writes `problem_events` and `problem_pulse`. A row that somebody has acted on since this cycle read it is
left as it is: the next cycle sees it.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np
import polars as pl
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.kit.ids import new_ids
from hashinsight.problems.changes import Changes, changes_of
from hashinsight.problems.codes import ACTION_NO, ACTIONS, CycleAction, EventStatus, Issue, Severity
from hashinsight.problems.events import ARRAYS, Events
from hashinsight.problems.evidence import EventDetails, describe
from hashinsight.problems.frame import Flags
from hashinsight.problems.pipeline import CycleResult
from hashinsight.problems.queries import registry as queries
from hashinsight.problems.queries.cycle import KnownEvents

_ISSUES = [issue.code for issue in Issue]
_SEVERITIES = [severity.name for severity in Severity]
_STATUSES = [status.name.lower() for status in EventStatus]
_TOLD = {
    CycleAction.CREATED: "opened",
    CycleAction.ESCALATED: "escalated",
    CycleAction.RECURRED: "recurred",
    CycleAction.RESOLVED: "resolved",
}


@dataclass(frozen=True)
class SiteKey:
    """Whose registry it is."""

    tenant_id: UUID
    site_id: int


async def write_cycle(
    session: AsyncSession,
    place: SiteKey,
    before: KnownEvents,
    found: CycleResult,
    subjects: pl.DataFrame,
    *,
    last: float,
    now: datetime,
) -> dict[str, int]:
    """Everything that this cycle changes; says how many problems had which action.

    `subjects` has a row for each machine and collector: `subject, miner_no, miner_id, collector_id, zone_id, model,
    firmware`, and for a collector `heard_at`.
    """
    after = found.lived.events
    changes = changes_of(before.events, after, last=last, now=found.observed.now)
    ids = _ids(before, changes, after.n)
    shown = changes.told & changes.seen & (after.status != EventStatus.PENDING)
    described = describe(found, after, shown)
    stale = await queries.write_pulse(session, place.tenant_id, place.site_id, _pulse(before, after, changes, ids))
    told = _told(after, changes, ids, subjects, described)
    if stale:  # somebody was first: the next cycle will see what they did
        told = told.filter(~pl.col("id").is_in(stale))
    await queries.follow_names(session, place.site_id, now=now)
    await queries.write_events(session, place.tenant_id, place.site_id, told, now=now)
    never_open = [*_taken(before.problem_id, changes.forgotten), *_taken(ids, changes.unseen)]
    await queries.delete_events(session, never_open)
    await queries.delete_pulse(session, _taken(before.problem_id, changes.forgotten | changes.let_go))
    happened = _timeline(found, after, changes, ids).filter(~pl.col("problem_id").is_in(stale))
    await queries.write_timeline(session, place.tenant_id, place.site_id, happened, now=now)
    await queries.write_suppressed(session, place.tenant_id, place.site_id, _suppressed(found), now=now)
    return _counts(found)


def _ids(before: KnownEvents, changes: Changes, n: int) -> pl.Series:
    ids = np.empty(n, dtype=object)
    was = changes.came_from >= 0
    ids[was] = before.problem_id.gather(changes.came_from[was]).to_numpy()
    ids[~was] = new_ids(int((~was).sum()))
    return pl.Series(ids.tolist(), dtype=pl.String)


def _pulse(before: KnownEvents, after: Events, changes: Changes, ids: pl.Series) -> pl.DataFrame:
    rows = np.flatnonzero(changes.pulsed)
    came = changes.came_from[rows]
    version = np.where(came >= 0, before.version[came] if len(before.version) else 0, -1)
    columns: dict[str, Any] = {"problem_id": ids.gather(rows), "version": version}
    return pl.DataFrame(columns | {name: getattr(after, name)[rows] for name in ARRAYS})


def _told(
    after: Events, changes: Changes, ids: pl.Series, subjects: pl.DataFrame, described: EventDetails
) -> pl.DataFrame:
    rows = np.flatnonzero(changes.told)
    taken = after.take(rows)
    told = pl.DataFrame(
        {
            "id": ids.gather(rows),
            "is_new": changes.born[rows],
            "event_no": taken.event_no,
            "subject": taken.subject,
            "issue_code": _words(_ISSUES, taken.issue),
            "severity": _words(_SEVERITIES, taken.severity),
            "status": _words(_STATUSES, taken.status),
            "start_ts": taken.start_ts,
            "opened_ts": pl.Series(taken.opened_ts).fill_nan(None),
            "last_seen_ts": taken.last_seen_ts,
            "seen": changes.seen[rows],
            "resolved_ts": pl.Series(taken.resolved_ts).fill_nan(None),
            "recurrence_count": taken.recurrences,
            "flapping": taken.flapping,
            "escalated": taken.escalated,
            "predecessor": taken.predecessor,
            "evidence": described.evidence.gather(rows),
            "peers": described.peers.gather(rows),
        }
    )
    return told.join(subjects.drop("heard_at"), on="subject", how="left")


def _timeline(found: CycleResult, after: Events, changes: Changes, ids: pl.Series) -> pl.DataFrame:
    """What happened to which problem; beside the moves, that it flaps, and that its machine's baseline learns again."""
    thawed = np.isin(after.subject, found.observed.frame.miner_no[found.thawed])
    shown = after.active & (after.status != EventStatus.PENDING)
    return pl.concat(
        [
            _moved(found, after, ids),
            _said_of("flapping", after, changes.flaps, ids),
            _said_of("thawed", after, thawed & shown, ids),
        ]
    )


def _said_of(kind: str, after: Events, which: Flags, ids: pl.Series) -> pl.DataFrame:
    rows = np.flatnonzero(which)
    return pl.DataFrame(
        {
            "kind": pl.Series([kind] * len(rows), dtype=pl.String),
            "severity": _words(_SEVERITIES, after.severity[rows]),
            "issue_code": _words(_ISSUES, after.issue[rows]),
            "problem_id": ids.gather(rows),
        }
    )


def _moved(found: CycleResult, after: Events, ids: pl.Series) -> pl.DataFrame:
    moves = found.lived.moves
    chosen = np.flatnonzero(np.isin(moves.action, [ACTION_NO[action] for action in _TOLD]))
    at = pl.DataFrame({"event_no": after.event_no, "problem_id": ids})
    rows = pl.DataFrame(
        {
            "event_no": moves.event_no[chosen],
            "kind": _words([_TOLD.get(action, "") for action in ACTIONS], moves.action[chosen]),
            "severity": _words(_SEVERITIES, moves.severity[chosen]),
            "issue_code": _words(_ISSUES, moves.issue[chosen]),
        }
    )
    return rows.join(at, on="event_no", how="inner").drop("event_no")


def _suppressed(found: CycleResult) -> pl.DataFrame:
    moves = found.lived.moves.of(CycleAction.SUPPRESSED)
    return pl.DataFrame(
        {
            "miner_no": moves.subject,
            "issue_code": _words(_ISSUES, moves.issue),
            "severity": _words(_SEVERITIES, moves.severity),
        }
    ).filter(pl.col("miner_no") >= 0)


def _counts(found: CycleResult) -> dict[str, int]:
    counted = np.bincount(found.lived.moves.action, minlength=len(ACTIONS))
    return {action.value: int(counted[number]) for number, action in enumerate(ACTIONS)}


def _words(words: list[str], numbers: Any) -> pl.Series:
    return pl.Series(words, dtype=pl.String).gather(np.asarray(numbers, dtype=np.int64))


def _taken(ids: pl.Series, rows: Flags) -> list[str]:
    taken: list[str] = ids.filter(pl.Series(rows)).to_list()
    return taken
