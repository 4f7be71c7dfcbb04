"""Events on their way to the cloud: what happened on site (outbox), and samples that were dropped (gaps)."""

import sqlite3
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import msgspec

from hashinsight.edge.storage.disk import transaction
from hashinsight.wire.foreign_json import bound_value
from hashinsight.wire.times import write_time

EVENTS_SCHEMA = """
create table if not exists events (no integer primary key autoincrement, event_id text not null, body blob not null);
"""
GAPS_SCHEMA = """
create table if not exists gaps (
    id integer primary key, event_id text not null, reason text not null, samples integer not null,
    from_at real not null, to_at real not null, closed integer not null default 0,
    told_at real -- when it was reported to the cloud
);
"""
MAX_EVENTS, MAX_CRITICAL = 10_000, 50_000
_MAX_LINE, _MAX_PARAGRAPH = 200, 4000
_MAX_REPORTED_GAPS = 1000
_GAP_REASONS = {
    "spool_full": "the spool was full",
    "too_old": "they were older than the spool's time limit",
    "disk_full": "the disk was full or read-only",
    "spool_damaged": "the spool file was damaged",
}


def make_event(
    kind: str,
    severity: str,
    title: str,
    message: str = "",
    *,
    miner_id: str | None = None,
    command_id: str | None = None,
    details: Mapping[str, Any] | None = None,
    now: float,
) -> dict[str, Any]:
    """As the registry accepts it. Cut to its limits here, because a rejected event would be lost."""
    event = {
        "event_id": uuid.uuid4().hex,
        "kind": kind,
        "severity": severity,
        "title": title[:_MAX_LINE],
        "message": message[:_MAX_PARAGRAPH],
        "miner_id": miner_id and miner_id[:_MAX_LINE],
        "command_id": command_id and command_id[:_MAX_LINE],
        "details": bound_value(dict(details)) if details else None,
        "occurred_at": write_time(datetime.fromtimestamp(now, UTC)),
    }
    return {name: value for name, value in event.items() if value is not None}


class Outbox:
    """Events in order, each sent once, bounded. In the journal's file: what protection did survives a power cut."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def put(self, event: Mapping[str, Any]) -> None:
        self._db.execute(
            "insert into events (event_id, body) values (?, ?)", (event["event_id"], msgspec.json.encode(event))
        )

    def take(self, limit: int) -> list[tuple[int, dict[str, Any]]]:
        rows = self._db.execute("select no, body from events order by no limit ?", (limit,))
        return [(no, msgspec.json.decode(body)) for no, body in rows]

    def drop(self, numbers: Sequence[int]) -> None:
        """Delivered, or refused for good."""
        with transaction(self._db):
            self._db.executemany("delete from events where no = ?", [(no,) for no in numbers])

    def count(self) -> int:
        (count,) = self._db.execute("select count(*) from events").fetchone()
        return int(count)

    def prune(self) -> None:
        """Event storm while the cloud is unreachable: drop the oldest, critical ones only as a last resort."""
        excess = self.count() - MAX_EVENTS
        if excess > 0:
            oldest = (
                "select no from events where json_extract(cast(body as text), '$.severity') != 'critical'"
                " order by no limit ?"
            )
            self._db.execute(f"delete from events where no in ({oldest})", (excess,))  # noqa: S608 - our own text
        oldest = "select no from events order by no desc limit -1 offset ?"
        self._db.execute(f"delete from events where no in ({oldest})", (MAX_CRITICAL,))  # noqa: S608 - our own text


@dataclass(frozen=True)
class Gap:
    """Samples that were dropped before the cloud accepted them."""

    id: int
    event_id: str
    reason: str
    samples: int
    from_at: float
    to_at: float

    def event(self) -> dict[str, Any]:
        reason = _GAP_REASONS.get(self.reason, self.reason)
        details = {
            "reason": self.reason,
            "samples": self.samples,
            "from": write_time(datetime.fromtimestamp(self.from_at, UTC)),
            "to": write_time(datetime.fromtimestamp(self.to_at, UTC)),
        }
        return {
            "event_id": self.event_id,
            "kind": "telemetry_gap",
            "severity": "error",
            "title": f"{self.samples} samples dropped",
            "message": f"{self.samples} samples were dropped before upload: {reason}",
            "details": details,
            "occurred_at": details["to"],
        }


def note_gap(db: sqlite3.Connection, reason: str, samples: int, from_at: float, to_at: float) -> None:
    """In the caller's transaction. A gap grows until it is closed for reporting."""
    grown = db.execute(
        "update gaps set samples = samples + ?, from_at = min(from_at, ?), to_at = max(to_at, ?)"
        " where reason = ? and not closed",
        (samples, from_at, to_at, reason),
    )
    if not grown.rowcount:
        row = (uuid.uuid4().hex, reason, samples, from_at, to_at)
        db.execute("insert into gaps (event_id, reason, samples, from_at, to_at) values (?, ?, ?, ?, ?)", row)


def take_gaps(db: sqlite3.Connection) -> list[Gap]:
    """Gaps to report. They are closed: what is sent under an id must not change afterwards.

    While one waits for the cloud, the next gap of the same reason grows: an outage of a week makes two records.
    """
    with transaction(db):
        db.execute(
            "update gaps set closed = 1 where told_at is null and reason not in"
            " (select reason from gaps where closed and told_at is null)"
        )
    return list_gaps(db, "where closed and told_at is null")


def list_gaps(db: sqlite3.Connection, where: str = "") -> list[Gap]:
    query = f"select id, event_id, reason, samples, from_at, to_at from gaps {where} order by id"  # noqa: S608
    return [Gap(*row) for row in db.execute(query)]


def mark_reported(db: sqlite3.Connection, gaps: Sequence[Gap], *, now: float) -> None:
    with transaction(db):
        db.executemany("update gaps set told_at = ? where id = ?", [(now, gap.id) for gap in gaps])
        newest = "select id from gaps where told_at is not null order by id desc limit ?"
        db.execute(
            f"delete from gaps where told_at is not null and id not in ({newest})",  # noqa: S608 - our own text
            (_MAX_REPORTED_GAPS,),
        )
