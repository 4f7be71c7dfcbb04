"""The command journal, written before a machine is touched: no dispatch runs twice, whenever the collector is killed.

begun   on disk before the machine is touched
done    with its ack, in one transaction; the ack is sent until the cloud accepts it

After a crash, a dispatch that was begun but not done is acked `skipped`, OUTCOME_UNKNOWN, and never tried again.
Parameters are not stored: they may hold a pool password.
"""

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from hashinsight.edge.storage.disk import is_corrupt, open_database, set_aside, transaction
from hashinsight.edge.storage.events import EVENTS_SCHEMA, Outbox
from hashinsight.wire.acks import OUTCOME_UNKNOWN, Ack, AckStatus
from hashinsight.wire.commands import Command

_SCHEMA = f"""
create table if not exists dispatches (
    command_id text primary key, miner_id text, command_type text, expires_at real not null,
    begun_at real, done_at real, status text, ack blob, delivered_at real, answer text,
    check ((done_at is null) = (ack is null)), check (begun_at is not null or done_at is not null)
) without rowid;
create index if not exists acks_waiting on dispatches (done_at) where delivered_at is null and ack is not null;
create index if not exists begun_lately on dispatches (begun_at) where begun_at is not null;
create table if not exists restarts (miner_id text primary key, at real not null) without rowid;
create table if not exists stops (
    miner_id text primary key, at real not null, is_to_start integer not null, is_told integer not null
) without rowid;
create table if not exists facts (name text primary key, value real not null) without rowid;
{EVENTS_SCHEMA}"""
_RETENTION_SEC = 86_400.0  # an expired dispatch is never handed out again; one day more for wrong clocks


class StoredStop(NamedTuple):
    """A stop by local protection, as stored."""

    at: float
    is_to_start: bool
    is_reported: bool


@dataclass(frozen=True)
class JournalEntry:
    command_id: str
    is_done: bool


@dataclass(frozen=True)
class JournalCounts:
    begun: int
    done: int
    undelivered: int


class Journal:
    def __init__(self, path: Path, *, now: float) -> None:
        self._path = path
        self.damaged: Path | None = None
        try:
            self._db = open_database(path, _SCHEMA, "FULL")
        except sqlite3.DatabaseError as error:
            if not is_corrupt(error):
                raise
            self.damaged = set_aside(path, now)
            self._db = open_database(path, _SCHEMA, "FULL")
            self._db.execute("insert or replace into facts values ('accept_from', ?)", (now,))
        self.events = Outbox(self._db)

    def close(self) -> None:
        self._db.close()

    @property
    def accept_from(self) -> float:
        """Set after the journal was lost: commands issued before this time may have run already."""
        row = self._db.execute("select value from facts where name = 'accept_from'").fetchone()
        return row[0] if row else 0.0

    def next_incarnation(self) -> int:
        """Number of this start of the device. After a lost journal it is 1: the cloud then frees no lease early."""
        query = (
            "insert into facts values ('incarnation', 1)"
            " on conflict (name) do update set value = value + 1 returning value"
        )
        ((value,),) = self._db.execute(query).fetchall()
        return int(value)

    def find(self, command_id: str) -> JournalEntry | None:
        row = self._db.execute("select done_at from dispatches where command_id = ?", (command_id,)).fetchone()
        return None if row is None else JournalEntry(command_id, row[0] is not None)

    def begin(self, command: Command, *, now: float) -> bool:
        """On disk when this returns. False: it was begun or answered before and must not run."""
        row = (command.command_id, command.miner_id, command.command_type, command.expires_at.timestamp(), now)
        with transaction(self._db):
            inserted = self._db.execute(
                "insert or ignore into dispatches (command_id, miner_id, command_type, expires_at, begun_at)"
                " values (?, ?, ?, ?, ?)",
                row,
            )
            return inserted.rowcount == 1

    def withdraw(self, command_id: str) -> None:
        """Begun, but the machine was never touched: the command may come again."""
        self._db.execute("delete from dispatches where command_id = ? and done_at is null", (command_id,))

    def finish(self, ack: Ack, *, now: float) -> bool:
        """From begun to done, once."""
        with transaction(self._db):
            updated = self._db.execute(
                "update dispatches set done_at = ?, status = ?, ack = ? where command_id = ? and done_at is null",
                (now, ack.status.value, msgspec.json.encode(ack.to_wire()), ack.command_id),
            )
            return updated.rowcount == 1

    def refuse(self, ack: Ack, expires_at: float, *, now: float) -> bool:
        """Acked without touching a machine."""
        row = (ack.command_id, ack.miner_id, expires_at, now, ack.status.value, msgspec.json.encode(ack.to_wire()))
        with transaction(self._db):
            inserted = self._db.execute(
                "insert or ignore into dispatches (command_id, miner_id, expires_at, done_at, status, ack)"
                " values (?, ?, ?, ?, ?, ?)",
                row,
            )
            return inserted.rowcount == 1

    def resend_ack(self, command_id: str) -> None:
        """The cloud delivered the command again, so the ack got lost: send the stored ack again, unchanged."""
        self._db.execute(
            "update dispatches set delivered_at = null where command_id = ? and done_at is not null", (command_id,)
        )

    def recover(self, device_id: str, *, now: float) -> list[str]:
        """Called once, before the first command: what a crash interrupted is over, with unknown outcome."""
        query = "select command_id, miner_id, begun_at from dispatches where done_at is null"
        interrupted = self._db.execute(query).fetchall()
        for command_id, miner_id, begun_at in interrupted:
            self.finish(
                Ack(
                    command_id,
                    AckStatus.SKIPPED,
                    miner_id=miner_id,
                    device_id=device_id,
                    started_at=datetime.fromtimestamp(begun_at, UTC),
                    error_code=OUTCOME_UNKNOWN,
                    message="the collector was killed while the command ran; outcome on the machine unknown",
                ),
                now=now,
            )
        return [row[0] for row in interrupted]

    def begin_restart(self, miner_id: str, *, now: float) -> None:
        """Before the machine is stopped: see `commands.restarts`."""
        self._db.execute("insert or replace into restarts values (?, ?)", (miner_id, now))

    def end_restart(self, miner_id: str) -> None:
        self._db.execute("delete from restarts where miner_id = ?", (miner_id,))

    def list_restarts(self) -> dict[str, float]:
        return dict(self._db.execute("select miner_id, at from restarts").fetchall())

    def save_stop(self, miner_id: str, stop: StoredStop) -> None:
        """A machine stopped by protection: see `protection.holds`."""
        self._db.execute("insert or replace into stops values (?, ?, ?, ?)", (miner_id, *stop))

    def delete_stop(self, miner_id: str) -> None:
        self._db.execute("delete from stops where miner_id = ?", (miner_id,))

    def list_stops(self) -> dict[str, StoredStop]:
        rows = self._db.execute("select miner_id, at, is_to_start, is_told from stops").fetchall()
        return {
            miner_id: StoredStop(at, bool(is_to_start), bool(is_reported))
            for miner_id, at, is_to_start, is_reported in rows
        }

    def count_begun_since(self, at: float) -> int:
        """For the site's rate limit, which also holds across restarts."""
        (count,) = self._db.execute("select count(*) from dispatches where begun_at >= ?", (at,)).fetchone()
        return int(count)

    def list_undelivered(self, limit: int) -> list[dict[str, Any]]:
        """Oldest first."""
        query = "select ack from dispatches where delivered_at is null and ack is not null order by done_at limit ?"
        return [msgspec.json.decode(row[0]) for row in self._db.execute(query, (limit,))]

    def mark_delivered(self, answers: Iterable[tuple[str, str]], *, now: float) -> None:
        """Each command with the cloud's answer, `applied` or an error code: both are final."""
        with transaction(self._db):
            self._db.executemany(
                "update dispatches set delivered_at = ?, answer = ? where command_id = ?",
                [(now, answer, command_id) for command_id, answer in answers],
            )

    def counts(self) -> JournalCounts:
        return count_dispatches(self._db)

    def prune(self, *, now: float) -> None:
        """Delete what cannot come back: expired for a day, and its ack delivered or a week old."""
        with transaction(self._db):
            self._db.execute(
                "delete from dispatches where done_at is not null and expires_at < ?"
                " and (delivered_at is not null or done_at < ?)",
                (now - _RETENTION_SEC, now - 7 * _RETENTION_SEC),
            )
            self.events.prune()


def count_dispatches(db: sqlite3.Connection) -> JournalCounts:
    query = (
        "select count(*) filter (where done_at is null), count(*) filter (where done_at is not null),"
        " count(*) filter (where ack is not null and delivered_at is null) from dispatches"
    )
    return JournalCounts(*db.execute(query).fetchone())
