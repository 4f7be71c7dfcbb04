"""The durable sample spool: samples stay until the cloud answers 200; bounded by size and age; drops are reported.

Samples are stored in compressed chunks of what was read together. A chunk is keyed by the sequence number of its first
sample: numbers give the order and are never reused. What is in flight is known in memory only: after a crash it is sent
again under the same numbers, and the cloud recognises it by machine and time.
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
from hashinsight.edge.storage.disk import is_corrupt, open_database, set_aside, transaction
from hashinsight.edge.storage.events import GAPS_SCHEMA, Gap, mark_reported, note_gap, take_gaps

_SCHEMA = f"""
create table if not exists chunks (
    no integer primary key, count integer not null, at real not null, size integer not null,
    alone integer not null, lines blob not null
);
create index if not exists chunks_depth on chunks (at, count, size);
create table if not exists numbers (name text primary key, value integer not null) without rowid;
insert or ignore into numbers values ('next', 1);
create table if not exists aside (no integer primary key, at real not null, reason text not null, line blob not null);
{GAPS_SCHEMA}"""  # noqa: S608 - our own text
_LEVEL = 1
_MAX_ASIDE = 1000
_MAX_FREE_PAGES = 4096  # beyond it a drained file gives space back to the disk


@dataclass(frozen=True)
class SampleBatch:
    """Samples to send: whole chunks, lines in sending order."""

    chunks: tuple[int, ...]
    lines: tuple[bytes, ...]
    first: int  # smallest and largest sequence number
    last: int
    at: float  # when the oldest was stored

    @property
    def count(self) -> int:
        return len(self.lines)


@dataclass(frozen=True)
class SpoolDepth:
    samples: int
    size: int
    oldest_at: float | None


class Spool:
    """Not thread-safe: the collector calls it through one `disk.FileThread`."""

    def __init__(self, path: Path, bounds: SpoolBounds, *, now: float) -> None:
        self._path, self._bounds = path, bounds
        self._max_bytes = bounds.max_mb * 1_000_000
        self._in_flight: set[int] = set()
        self.damaged: Path | None = None
        try:
            self._db = open_database(path, _SCHEMA, "NORMAL")
        except sqlite3.DatabaseError as error:
            if not is_corrupt(error):
                raise
            self.renew(now=now)
        self._depth = self._count()

    def renew(self, *, now: float) -> None:
        """Start a new file. The damaged one is renamed, and its content becomes a gap of unknown size."""
        if hasattr(self, "_db"):
            self._db.close()
        self.damaged = set_aside(self._path, now)
        self._in_flight.clear()
        self._db = open_database(self._path, _SCHEMA, "NORMAL")
        with transaction(self._db):
            # numbers of the lost file may already be in the cloud: continue where none can have been
            self._db.execute("update numbers set value = ? where name = 'next'", (int(now * 1000),))
            note_gap(self._db, "spool_damaged", 0, now, now)
        self._depth = self._count()

    def close(self) -> None:
        self._db.close()

    def put(self, records: Iterable[Mapping[str, Any]], *, now: float, max_hours: float | None = None) -> int:
        """Store records and drop what exceeds the bounds, in one transaction; returns how many cannot be encoded."""
        lines, bad = _encode(records)
        with self._change():
            if lines:
                (first,) = self._db.execute("select value from numbers where name = 'next'").fetchone()
                self._db.execute("update numbers set value = ? where name = 'next'", (first + len(lines),))
                self._insert(first, [_numbered(line, first + no) for no, line in enumerate(lines)], now)
            self._make_room(now, max_hours or self._bounds.max_hours)
        return bad

    def note_lost(self, samples: int, since: float, *, now: float) -> None:
        """Samples that never reached the file because the disk was full or read-only."""
        with transaction(self._db):
            note_gap(self._db, "disk_full", samples, since, now)

    def take_live(self, *, since: float, limit: int) -> SampleBatch | None:
        """Newest first: the cloud's live view is right at once, however large the backlog is."""
        return self._take("where at >= ? order by at desc, no desc", since, limit)

    def take_backlog(self, *, before: float, limit: int) -> SampleBatch | None:
        return self._take("where at < ? order by no", before, limit)

    def confirm(self, batch: SampleBatch) -> None:
        """The cloud has them (200 and success). What cannot be deleted now is sent again."""
        with self._landing(batch), self._change():
            self._delete(batch.chunks)

    def release(self, batch: SampleBatch) -> None:
        """Not delivered: it stays and is taken again later."""
        self._in_flight.difference_update(batch.chunks)

    def split(self, batch: SampleBatch, reason: str, *, now: float) -> int:
        """Split a refused batch into halves, to be sent separately. A single sample is set aside.

        Returns how many were set aside.
        """
        with self._landing(batch), self._change():
            self._delete(batch.chunks)
            if batch.count == 1:
                self._db.execute("insert into aside values (?, ?, ?, ?)", (batch.first, now, reason, batch.lines[0]))
                self._db.execute("delete from aside where no <= ? - ?", (batch.first, _MAX_ASIDE))
            else:
                ordered = sorted((_sequence_number(line), line) for line in batch.lines)
                for half in _halves(ordered):
                    self._insert(half[0][0], [line for _, line in half], batch.at, alone=True)
        return int(batch.count == 1)

    def depth(self) -> SpoolDepth:
        (oldest,) = self._db.execute("select min(at) from chunks").fetchone()
        return SpoolDepth(*self._depth, oldest)

    def take_gaps(self) -> list[Gap]:
        return take_gaps(self._db)

    def mark_reported(self, gaps: Sequence[Gap], *, now: float) -> None:
        mark_reported(self._db, gaps, now=now)

    def prune(self) -> None:
        """Give free space back to the disk, a little at a time."""
        (free,) = self._db.execute("pragma freelist_count").fetchone()
        if free > _MAX_FREE_PAGES:
            self._db.execute(f"pragma incremental_vacuum({_MAX_FREE_PAGES})").fetchall()

    def _take(self, where: str, bound: float, limit: int) -> SampleBatch | None:
        chunks: list[int] = []
        lines: list[bytes] = []
        oldest = float("inf")
        rows = self._db.execute(f"select no, count, at, alone, lines from chunks {where}", (bound,))  # noqa: S608
        for no, count, at, alone, packed in rows:
            if no in self._in_flight:
                continue
            if lines and (alone or len(lines) + count > limit):
                break
            chunks.append(no)
            lines += zlib.decompress(packed).split(b"\n")
            oldest = min(oldest, at)
            if alone or len(lines) >= limit:
                break
        rows.close()
        if not chunks:
            return None
        self._in_flight.update(chunks)
        numbers = [_sequence_number(line) for line in lines]
        return SampleBatch(tuple(chunks), tuple(lines), min(numbers), max(numbers), oldest)

    def _insert(self, first: int, lines: Sequence[bytes], at: float, *, alone: bool = False) -> None:
        """`alone`: half of a refused batch, never joined with the other half again."""
        packed = zlib.compress(b"\n".join(lines), _LEVEL)
        row = (first, len(lines), at, len(packed), alone, packed)
        self._db.execute("insert into chunks values (?, ?, ?, ?, ?, ?)", row)
        self._depth = (self._depth[0] + len(lines), self._depth[1] + len(packed))

    def _delete(self, chunks: Sequence[int]) -> None:
        for no in chunks:
            deleted = self._db.execute("delete from chunks where no = ? returning count, size", (no,)).fetchone()
            if deleted:
                self._depth = (self._depth[0] - deleted[0], self._depth[1] - deleted[1])

    def _make_room(self, now: float, max_hours: float) -> None:
        """Last resort, and reported as a gap: drop the oldest chunks that are not in flight."""
        no, next_oldest = 0, "select no, count, at from chunks where no > ? order by no limit 1"
        while row := self._db.execute(next_oldest, (no,)).fetchone():
            no, count, at = row
            is_old = at < now - max_hours * 3600
            if not is_old and self._depth[1] <= self._max_bytes:
                return
            if no not in self._in_flight:
                self._delete([no])
                note_gap(self._db, "too_old" if is_old else "spool_full", count, at, at)

    @contextmanager
    def _landing(self, batch: SampleBatch) -> Iterator[None]:
        """No longer in flight, even if the disk fails: otherwise it would never be sent or dropped again."""
        try:
            yield
        finally:
            self._in_flight.difference_update(batch.chunks)

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


def _encode(records: Iterable[Mapping[str, Any]]) -> tuple[list[bytes], int]:
    """One JSON line per record, and how many cannot be encoded; those cost no other record."""
    lines, bad = [], 0
    for record in records:
        try:
            lines.append(msgspec.json.encode(record))
        except (TypeError, ValueError, OverflowError, RecursionError):
            bad += 1
    return [line for line in lines if len(line) > len(b"{}")], bad


def _numbered(line: bytes, number: int) -> bytes:
    return b'{"source_seq":%d,%b' % (number, line[1:])


def _sequence_number(line: bytes) -> int:
    return int(line[len(b'{"source_seq":') : line.index(b",")])


def _halves(lines: Sequence[tuple[int, bytes]]) -> tuple[Sequence[tuple[int, bytes]], Sequence[tuple[int, bytes]]]:
    middle = len(lines) // 2
    return lines[:middle], lines[middle:]
