"""The durable spool of samples: kept until the cloud has said 200, bounded by bytes and age, and honest about both.

Samples lie in chunks of what came together, compressed; a chunk is named by the number of its first sample, so numbers
tell the order and are never given twice. What is in flight is known in memory only: after a crash it is sent again
under the same numbers, and the cloud knows it by machine and time.
"""

import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from hashinsight.edge.settings import SpoolBounds
from hashinsight.edge.storage.disk import is_broken, open_store, set_aside, transaction
from hashinsight.edge.storage.events import GAPS_SCHEMA as GAPS
from hashinsight.edge.storage.events import Gap, mark_told, note_gap, take_gaps

_SCHEMA = f"""
create table if not exists chunks (
    no integer primary key, count integer not null, at real not null, size integer not null,
    alone integer not null, lines blob not null
);
create index if not exists chunks_depth on chunks (at, count, size);
create table if not exists numbers (name text primary key, value integer not null) without rowid;
insert or ignore into numbers values ('next', 1);
create table if not exists aside (no integer primary key, at real not null, reason text not null, line blob not null);
{GAPS}"""  # noqa: S608 - ours
_LEVEL = 1
_MOST_ASIDE = 1000
_ROOM = 4096  # what an emptied file may keep of pages before it gives them back


@dataclass(frozen=True)
class Batch:
    """Samples on their way: whole chunks, their lines in the order in which they are sent."""

    chunks: tuple[int, ...]
    lines: tuple[bytes, ...]
    first: int  # the smallest and the largest number among them
    last: int
    at: float  # when the oldest was stored

    @property
    def count(self) -> int:
        return len(self.lines)


@dataclass(frozen=True)
class Depth:
    samples: int
    size: int
    oldest_at: float | None


class Spool:
    """Not for use by two threads at a time: `database.Worker` is how the edge calls it."""

    def __init__(self, path: Path, bounds: SpoolBounds, *, now: float) -> None:
        self._path, self._bounds = path, bounds
        self._most_bytes = bounds.max_mb * 1_000_000
        self._out: set[int] = set()
        self.damaged: Path | None = None
        try:
            self._db = open_store(path, _SCHEMA, "NORMAL")
        except sqlite3.DatabaseError as problem:
            if not is_broken(problem):
                raise
            self.renew(now=now)
        self._depth = self._count()

    def renew(self, *, now: float) -> None:
        """Begin with a new file; the damaged one is kept beside it, and what it held is a gap of unknown size."""
        if hasattr(self, "_db"):
            self._db.close()
        self.damaged = set_aside(self._path, now)
        self._out.clear()
        self._db = open_store(self._path, _SCHEMA, "NORMAL")
        with transaction(self._db):
            # numbers of the lost file may be in the cloud already, so the new ones begin where none has been
            self._db.execute("update numbers set value = ? where name = 'next'", (int(now * 1000),))
            note_gap(self._db, "spool_damaged", 0, now, now)
        self._depth = self._count()

    def close(self) -> None:
        self._db.close()

    def put(self, records: Iterable[Mapping[str, Any]], *, now: float, max_hours: float | None = None) -> int:
        """Store these, in one transaction with what must go to make room; says how many could not be written."""
        lines, bad = _encoded(records)
        with self._change():
            if lines:
                (first,) = self._db.execute("select value from numbers where name = 'next'").fetchone()
                self._db.execute("update numbers set value = ? where name = 'next'", (first + len(lines),))
                self._insert(first, [_numbered(line, first + no) for no, line in enumerate(lines)], now)
            self._make_room(now, max_hours or self._bounds.max_hours)
        return bad

    def note_lost(self, samples: int, since: float, *, now: float) -> None:
        """Readings that never reached the file, because the disk took nothing."""
        with transaction(self._db):
            note_gap(self._db, "disk_full", samples, since, now)

    def take_live(self, *, since: float, most: int) -> Batch | None:
        """The newest first: what the cloud shows is right at once, however much lies behind it."""
        return self._take("where at >= ? order by at desc, no desc", since, most)

    def take_backlog(self, *, before: float, most: int) -> Batch | None:
        return self._take("where at < ? order by no", before, most)

    def confirm(self, batch: Batch) -> None:
        """The cloud has them: 200 and success, nothing less. What cannot be deleted now is sent again."""
        with self._landed(batch), self._change():
            self._delete(batch.chunks)

    def release(self, batch: Batch) -> None:
        """Not delivered: it stays, and will be taken again."""
        self._out.difference_update(batch.chunks)

    def split(self, batch: Batch, reason: str, *, now: float) -> int:
        """Of a batch that is refused as it is: halves, each to be judged alone. A single sample is set aside.

        Says how many were set aside.
        """
        with self._landed(batch), self._change():
            self._delete(batch.chunks)
            if batch.count == 1:
                self._db.execute("insert into aside values (?, ?, ?, ?)", (batch.first, now, reason, batch.lines[0]))
                self._db.execute("delete from aside where no <= ? - ?", (batch.first, _MOST_ASIDE))
            else:
                ordered = sorted((_number_of(line), line) for line in batch.lines)
                for half in _halves(ordered):
                    self._insert(half[0][0], [line for _, line in half], batch.at, alone=True)
        return int(batch.count == 1)

    def depth(self) -> Depth:
        (oldest,) = self._db.execute("select min(at) from chunks").fetchone()
        return Depth(*self._depth, oldest)

    def take_gaps(self) -> list[Gap]:
        return take_gaps(self._db)

    def mark_told(self, gaps: Sequence[Gap], *, now: float) -> None:
        mark_told(self._db, gaps, now=now)

    def tidy(self) -> None:
        """Give a drained backlog's room back to the disk, a little at a time."""
        (free,) = self._db.execute("pragma freelist_count").fetchone()
        if free > _ROOM:
            self._db.execute(f"pragma incremental_vacuum({_ROOM})").fetchall()

    def _take(self, where: str, bound: float, most: int) -> Batch | None:
        chunks: list[int] = []
        lines: list[bytes] = []
        oldest = float("inf")
        found = self._db.execute(f"select no, count, at, alone, lines from chunks {where}", (bound,))  # noqa: S608 - ours
        for no, count, at, alone, packed in found:
            if no in self._out:
                continue
            if lines and (alone or len(lines) + count > most):
                break
            chunks.append(no)
            lines += zlib.decompress(packed).split(b"\n")
            oldest = min(oldest, at)
            if alone or len(lines) >= most:
                break
        found.close()
        if not chunks:
            return None
        self._out.update(chunks)
        numbers = [_number_of(line) for line in lines]
        return Batch(tuple(chunks), tuple(lines), min(numbers), max(numbers), oldest)

    def _insert(self, first: int, lines: Sequence[bytes], at: float, *, alone: bool = False) -> None:
        """`alone`: the half of a refused batch is not put together with the other half again."""
        packed = zlib.compress(b"\n".join(lines), _LEVEL)
        row = (first, len(lines), at, len(packed), alone, packed)
        self._db.execute("insert into chunks values (?, ?, ?, ?, ?, ?)", row)
        self._depth = (self._depth[0] + len(lines), self._depth[1] + len(packed))

    def _delete(self, chunks: Sequence[int]) -> None:
        for no in chunks:
            gone = self._db.execute("delete from chunks where no = ? returning count, size", (no,)).fetchone()
            if gone:
                self._depth = (self._depth[0] - gone[0], self._depth[1] - gone[1])

    def _make_room(self, now: float, max_hours: float) -> None:
        """The last resort, and said: the oldest go, those in flight excepted."""
        no, next_oldest = 0, "select no, count, at from chunks where no > ? order by no limit 1"
        while found := self._db.execute(next_oldest, (no,)).fetchone():
            no, count, at = found
            is_old = at < now - max_hours * 3600
            if not is_old and self._depth[1] <= self._most_bytes:
                return
            if no not in self._out:
                self._delete([no])
                note_gap(self._db, "too_old" if is_old else "spool_full", count, at, at)

    @contextmanager
    def _landed(self, batch: Batch) -> Iterator[None]:
        """No longer on its way, also where the disk takes nothing: else it would be neither sent nor dropped again."""
        try:
            yield
        finally:
            self._out.difference_update(batch.chunks)

    @contextmanager
    def _change(self) -> Iterator[None]:
        try:
            with transaction(self._db):
                yield
        except BaseException:
            self._depth = self._count()
            raise

    def _count(self) -> tuple[int, int]:
        samples, size = self._db.execute(
            "select coalesce(sum(count), 0), coalesce(sum(size), 0) from chunks"
        ).fetchone()
        return samples, size


def _encoded(records: Iterable[Mapping[str, Any]]) -> tuple[list[bytes], int]:
    """Each as JSON on one line; one that cannot be written costs only itself."""
    lines, bad = [], 0
    for record in records:
        try:
            lines.append(msgspec.json.encode(record))
        except (TypeError, ValueError, OverflowError, RecursionError):
            bad += 1
    return [line for line in lines if len(line) > len(b"{}")], bad


def _numbered(line: bytes, number: int) -> bytes:
    return b'{"source_seq":%d,%b' % (number, line[1:])


def _number_of(line: bytes) -> int:
    return int(line[len(b'{"source_seq":') : line.index(b",")])


def _halves(lines: Sequence[tuple[int, bytes]]) -> tuple[Sequence[tuple[int, bytes]], Sequence[tuple[int, bytes]]]:
    middle = len(lines) // 2
    return lines[:middle], lines[middle:]
