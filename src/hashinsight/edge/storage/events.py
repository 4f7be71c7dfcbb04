"""Events on their way to the cloud: on disk before anything else happens, told once, in order, and bounded."""

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
MOST_EVENTS, MOST_CRITICAL = 10_000, 50_000
_LINE, _PARAGRAPH = 200, 4000


def event_of(
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
    """As the registry takes it, cut to its bounds here: an event that is refused is one that nobody hears."""
    said = {
        "event_id": uuid.uuid4().hex,
        "kind": kind,
        "severity": severity,
        "title": title[:_LINE],
        "message": message[:_PARAGRAPH],
        "miner_id": miner_id and miner_id[:_LINE],
        "command_id": command_id and command_id[:_LINE],
        "details": bound_value(dict(details)) if details else None,
        "occurred_at": write_time(datetime.fromtimestamp(now, UTC)),
    }
    return {name: value for name, value in said.items() if value is not None}


class Outbox:
    """Lives in the journal's file, with its promise: what protection did to a machine outlives a power cut."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def put(self, event: Mapping[str, Any]) -> None:
        self._db.execute(
            "insert into events (event_id, body) values (?, ?)", (event["event_id"], msgspec.json.encode(event))
        )

    def take(self, most: int) -> list[tuple[int, dict[str, Any]]]:
        found = self._db.execute("select no, body from events order by no limit ?", (most,))
        return [(no, msgspec.json.decode(body)) for no, body in found]

    def drop(self, numbers: Sequence[int]) -> None:
        """Told, or refused for good."""
        with transaction(self._db):
            self._db.executemany("delete from events where no = ?", [(no,) for no in numbers])

    def count(self) -> int:
        (count,) = self._db.execute("select count(*) from events").fetchone()
        return int(count)

    def tidy(self) -> None:
        """A storm of events while the cloud is away: the oldest go, those that stopped a machine as the last resort."""
        excess = self.count() - MOST_EVENTS
        if excess > 0:
            oldest = (
                "select no from events where json_extract(cast(body as text), '$.severity') != 'critical'"
                " order by no limit ?"
            )
            self._db.execute(f"delete from events where no in ({oldest})", (excess,))  # noqa: S608 - ours
        oldest = "select no from events order by no desc limit -1 offset ?"
        self._db.execute(f"delete from events where no in ({oldest})", (MOST_CRITICAL,))  # noqa: S608 - ours


GAPS_SCHEMA = """
create table if not exists gaps (
    id integer primary key, event_id text not null, reason text not null, samples integer not null,
    from_at real not null, to_at real not null, closed integer not null default 0, told_at real
);
"""
_MOST_TOLD = 1000
_WORDS = {
    "spool_full": "the spool was full",
    "too_old": "they were older than the spool keeps them",
    "disk_full": "the disk took nothing",
    "spool_damaged": "the spool's file was damaged",
}


@dataclass(frozen=True)
class Gap:
    id: int
    event_id: str
    reason: str
    samples: int
    from_at: float
    to_at: float
    told_at: float | None = None

    def event(self) -> dict[str, Any]:
        why = _WORDS.get(self.reason, self.reason)
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
            "title": f"{self.samples} samples were dropped",
            "message": f"{self.samples} samples that the cloud had not taken were dropped: {why}",
            "details": details,
            "occurred_at": details["to"],
        }


def note_gap(db: sqlite3.Connection, reason: str, samples: int, from_at: float, to_at: float) -> None:
    """Within the caller's transaction. A gap grows until it is about to be told."""
    grown = db.execute(
        "update gaps set samples = samples + ?, from_at = min(from_at, ?), to_at = max(to_at, ?)"
        " where reason = ? and not closed",
        (samples, from_at, to_at, reason),
    )
    if not grown.rowcount:
        row = (uuid.uuid4().hex, reason, samples, from_at, to_at)
        db.execute("insert into gaps (event_id, reason, samples, from_at, to_at) values (?, ?, ?, ?, ?)", row)


def take_gaps(db: sqlite3.Connection) -> list[Gap]:
    """Those to be told. They grow no more: what is sent under an id must not change behind it.

    While one waits for a cloud that is away, the next of its reason grows: an outage of a week is two records.
    """
    with transaction(db):
        db.execute(
            "update gaps set closed = 1 where told_at is null and reason not in"
            " (select reason from gaps where closed and told_at is null)"
        )
    return list_gaps(db, "where closed and told_at is null")


def list_gaps(db: sqlite3.Connection, where: str = "") -> list[Gap]:
    query = f"select id, event_id, reason, samples, from_at, to_at, told_at from gaps {where} order by id"  # noqa: S608
    return [Gap(*row) for row in db.execute(query)]


def mark_told(db: sqlite3.Connection, gaps: Sequence[Gap], *, now: float) -> None:
    with transaction(db):
        db.executemany("update gaps set told_at = ? where id = ?", [(now, gap.id) for gap in gaps])
        newest = "select id from gaps where told_at is not null order by id desc limit ?"
        db.execute(f"delete from gaps where told_at is not null and id not in ({newest})", (_MOST_TOLD,))  # noqa: S608
