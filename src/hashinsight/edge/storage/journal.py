"""What was done to machines, written down before it is done: no dispatch runs twice, whenever the edge is killed.

begun   on disk before the machine is touched
done    with its ack, in one transaction; the ack is sent until the cloud has taken it

After a crash a dispatch that was begun and not done is answered `skipped`, OUTCOME_UNKNOWN: nobody knows, and it is
never tried again. Params are not written down: they may hold the password of a pool.
"""

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from hashinsight.edge.protection.holds import StoredStop
from hashinsight.edge.storage.disk import is_broken, open_store, set_aside, transaction
from hashinsight.edge.storage.events import EVENTS_SCHEMA as EVENTS
from hashinsight.edge.storage.events import Outbox
from hashinsight.wire.acks import Ack, AckStatus
from hashinsight.wire.commands import Command

OUTCOME_UNKNOWN = "OUTCOME_UNKNOWN"
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
{EVENTS}"""
_KEPT_SEC = 86_400.0  # after a dispatch has expired nobody may hand it out again; a day more for clocks


@dataclass(frozen=True)
class Entry:
    command_id: str
    is_done: bool


@dataclass(frozen=True)
class Counts:
    begun: int
    done: int
    undelivered: int


class Journal:
    def __init__(self, path: Path, *, now: float) -> None:
        self._path = path
        self.damaged: Path | None = None
        try:
            self._db = open_store(path, _SCHEMA, "FULL")
        except sqlite3.DatabaseError as problem:
            if not is_broken(problem):
                raise
            self.damaged = set_aside(path, now)
            self._db = open_store(path, _SCHEMA, "FULL")
            self._db.execute("insert or replace into facts values ('accept_from', ?)", (now,))
        self.events = Outbox(self._db)

    def close(self) -> None:
        self._db.close()

    @property
    def accept_from(self) -> float:
        """After the journal was lost: what was issued before may have run, and the record of it is gone."""
        found = self._db.execute("select value from facts where name = 'accept_from'").fetchone()
        return found[0] if found else 0.0

    def next_incarnation(self) -> int:
        """Which life of this device begins: a lost journal begins anew, and then nothing is asked back early."""
        counted = (
            "insert into facts values ('incarnation', 1)"
            " on conflict (name) do update set value = value + 1 returning value"
        )
        ((value,),) = self._db.execute(counted).fetchall()
        return int(value)

    def find(self, command_id: str) -> Entry | None:
        row = self._db.execute("select done_at from dispatches where command_id = ?", (command_id,)).fetchone()
        return None if row is None else Entry(command_id, row[0] is not None)

    def begin(self, command: Command, *, now: float) -> bool:
        """On disk when this returns. False: it was begun or answered before, so it must not be run."""
        row = (command.command_id, command.miner_id, command.command_type, command.expires_at.timestamp(), now)
        with transaction(self._db):
            made = self._db.execute(
                "insert or ignore into dispatches (command_id, miner_id, command_type, expires_at, begun_at)"
                " values (?, ?, ?, ?, ?)",
                row,
            )
            return made.rowcount == 1

    def withdraw(self, command_id: str) -> None:
        """It was begun and the machine was never touched: it may come again."""
        self._db.execute("delete from dispatches where command_id = ? and done_at is null", (command_id,))

    def finish(self, ack: Ack, *, now: float) -> bool:
        """From begun to done, once."""
        with transaction(self._db):
            moved = self._db.execute(
                "update dispatches set done_at = ?, status = ?, ack = ? where command_id = ? and done_at is null",
                (now, ack.status.value, msgspec.json.encode(ack.to_wire()), ack.command_id),
            )
            return moved.rowcount == 1

    def refuse(self, ack: Ack, expires_at: float, *, now: float) -> bool:
        """Answered without touching a machine."""
        row = (ack.command_id, ack.miner_id, expires_at, now, ack.status.value, msgspec.json.encode(ack.to_wire()))
        with transaction(self._db):
            made = self._db.execute(
                "insert or ignore into dispatches (command_id, miner_id, expires_at, done_at, status, ack)"
                " values (?, ?, ?, ?, ?, ?)",
                row,
            )
            return made.rowcount == 1

    def answer_again(self, command_id: str) -> None:
        """The cloud delivers it a second time, so our answer got lost: the stored one goes out again, unchanged."""
        self._db.execute(
            "update dispatches set delivered_at = null where command_id = ? and done_at is not null", (command_id,)
        )

    def recover(self, device_id: str, *, now: float) -> list[str]:
        """Called once, before the first command: what a crash cut short is over, and its outcome unknown."""
        cut = self._db.execute("select command_id, miner_id, begun_at from dispatches where done_at is null").fetchall()
        for command_id, miner_id, begun_at in cut:
            self.finish(
                Ack(
                    command_id,
                    AckStatus.SKIPPED,
                    miner_id=miner_id,
                    device_id=device_id,
                    started_at=datetime.fromtimestamp(begun_at, UTC),
                    error_code=OUTCOME_UNKNOWN,
                    message="the edge ended while the command ran: what it did to the machine is unknown",
                ),
                now=now,
            )
        return [row[0] for row in cut]

    def begin_restart(self, miner_id: str, *, now: float) -> None:
        """Before the machine is stopped: see `restarting`."""
        self._db.execute("insert or replace into restarts values (?, ?)", (miner_id, now))

    def end_restart(self, miner_id: str) -> None:
        self._db.execute("delete from restarts where miner_id = ?", (miner_id,))

    def list_restarts(self) -> dict[str, float]:
        return dict(self._db.execute("select miner_id, at from restarts").fetchall())

    def keep_stop(self, miner_id: str, stop: StoredStop) -> None:
        """A machine that protection stops: see `holding`."""
        self._db.execute("insert or replace into stops values (?, ?, ?, ?)", (miner_id, *stop))

    def drop_stop(self, miner_id: str) -> None:
        self._db.execute("delete from stops where miner_id = ?", (miner_id,))

    def list_stops(self) -> dict[str, StoredStop]:
        rows = self._db.execute("select miner_id, at, is_to_start, is_told from stops").fetchall()
        return {
            miner_id: StoredStop(at, bool(is_to_start), bool(is_told)) for miner_id, at, is_to_start, is_told in rows
        }

    def begun_since(self, at: float) -> int:
        """How many were begun: the local rate holds also over restarts."""
        (count,) = self._db.execute("select count(*) from dispatches where begun_at >= ?", (at,)).fetchone()
        return int(count)

    def list_undelivered(self, most: int) -> list[dict[str, Any]]:
        """In the order in which they came about."""
        query = "select ack from dispatches where delivered_at is null and ack is not null order by done_at limit ?"
        return [msgspec.json.decode(row[0]) for row in self._db.execute(query, (most,))]

    def mark_delivered(self, answers: Iterable[tuple[str, str]], *, now: float) -> None:
        """Command and what the cloud said of it, `applied` or a code: each of them is final."""
        with transaction(self._db):
            self._db.executemany(
                "update dispatches set delivered_at = ?, answer = ? where command_id = ?",
                [(now, answer, command_id) for command_id, answer in answers],
            )

    def counts(self) -> Counts:
        query = (
            "select count(*) filter (where done_at is null), count(*) filter (where done_at is not null),"
            " count(*) filter (where ack is not null and delivered_at is null) from dispatches"
        )
        return Counts(*self._db.execute(query).fetchone())

    def tidy(self, *, now: float) -> None:
        """Forget what can come back no more: expired for a day, and its ack delivered or a week late."""
        with transaction(self._db):
            self._db.execute(
                "delete from dispatches where done_at is not null and expires_at < ?"
                " and (delivered_at is not null or done_at < ?)",
                (now - _KEPT_SEC, now - 7 * _KEPT_SEC),
            )
            self.events.tidy()
