"""Machines that protection stopped: until when they are held, and which are to be started again.

Written down before the stop is ordered, so that it outlives a kill and a power cut; a disk that takes nothing keeps no
hot machine running. Not for ever: after a week people have decided otherwise.
"""

import asyncio
import logging
import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

LONGEST_SEC = 7 * 86_400.0
FIRST_REST_SEC, LONGEST_REST_SEC = 600.0, 3600.0  # between two starts: a machine needs minutes until it hashes

log = logging.getLogger(__name__)


class StoredStop(NamedTuple):
    """As it is on disk."""

    at: float
    is_to_start: bool
    is_told: bool


class StopBook(Protocol):
    """On disk when it returns; `list_stops` is asked once, at the start."""

    async def keep_stop(self, miner_id: str, stop: StoredStop) -> None: ...

    async def drop_stop(self, miner_id: str) -> None: ...

    def list_stops(self) -> dict[str, StoredStop]: ...


@dataclass
class Hold:
    at: float  # by the clock of the wall, for the disk
    until: float
    is_to_start: bool
    is_told: bool = True
    start_at: float = float("-inf")  # not before
    rest_sec: float = FIRST_REST_SEC / 2
    told: set[str] = field(default_factory=set)  # outcomes of its start that were reported

    def note_start(self, now: float) -> None:
        self.rest_sec = min(2 * self.rest_sec, LONGEST_REST_SEC)
        self.start_at = now + self.rest_sec


class Holds:
    def __init__(self, book: StopBook, hold_sec: float, *, now: float, wall: Callable[[], float] = time.time) -> None:
        self._book, self._hold_sec, self._wall = book, hold_sec, wall
        self._changed: set[str] = set()
        self._writing: asyncio.Task[None] | None = None
        self._holds = {
            miner_id: Hold(stop.at, now + self._left_sec(stop), stop.is_to_start, stop.is_told)
            for miner_id, stop in book.list_stops().items()
            if abs(wall() - stop.at) <= LONGEST_SEC
        }

    def find(self, miner_id: str) -> Hold | None:
        return self._holds.get(miner_id)

    async def begin(self, miner_id: str, *, now: float, is_to_start: bool) -> None:
        """Before the order: from here on its stop is ours, whatever ends in between."""
        self._holds[miner_id] = Hold(self._wall(), now, is_to_start, is_told=False)
        await self._write(miner_id)

    def hold(self, miner_id: str, *, now: float, is_to_start: bool) -> None:
        self._holds[miner_id] = Hold(self._wall(), now + self._hold_sec, is_to_start)
        self._store(miner_id)

    def leave(self, miner_id: str, *, now: float) -> None:
        """Somebody started or stopped it: it is not started from here, and held no longer than it was to be."""
        hold = self._holds.get(miner_id)
        if hold is None or (not hold.is_to_start and hold.until > now):
            return
        hold.is_to_start = False
        if hold.until <= now:
            del self._holds[miner_id]
        self._store(miner_id)

    def drop(self, miner_id: str) -> None:
        if self._holds.pop(miner_id, None) is not None:
            self._store(miner_id)

    async def close(self) -> None:
        if self._writing is not None:
            await self._writing

    def _left_sec(self, stop: StoredStop) -> float:
        """A clock that was set meanwhile holds it no longer than it was to be."""
        return min(max(stop.at + self._hold_sec - self._wall(), 0.0), self._hold_sec)

    def _store(self, miner_id: str) -> None:
        self._changed.add(miner_id)
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write_changed())

    async def _write_changed(self) -> None:
        while self._changed:
            await self._write(self._changed.pop())

    async def _write(self, miner_id: str) -> None:
        hold = self._holds.get(miner_id)
        try:
            if hold is None:
                await self._book.drop_stop(miner_id)
            else:
                await self._book.keep_stop(miner_id, StoredStop(hold.at, hold.is_to_start, hold.is_told))
        except sqlite3.Error as problem:
            log.warning("machine %s: its stop cannot be written down: %s", miner_id, problem)
