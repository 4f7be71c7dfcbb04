"""Machines stopped by protection: how long they are held, and which are started again.

Saved before the stop is sent, so that it survives a kill and a power cut; a failing disk never delays a stop. Holds
older than a week are dropped.
"""

import asyncio
import logging
import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from hashinsight.edge.roster import Machine
from hashinsight.edge.storage.journal import StoredStop

MAX_AGE_SEC = 7 * 86_400.0
FIRST_REST_SEC, LONGEST_REST_SEC = 600.0, 3600.0  # between two starts: a machine needs minutes until it hashes
_START_VERBS = ("enable", "restart", "reboot")
STATE_VERBS = ("disable", *_START_VERBS)
_ANTMINER = "antminer stock"

log = logging.getLogger(__name__)


class StopStore(Protocol):
    """On disk when a call returns; `list_stops` is called once, at the start."""

    async def save_stop(self, miner_id: str, stop: StoredStop) -> None: ...

    async def delete_stop(self, miner_id: str) -> None: ...

    def list_stops(self) -> dict[str, StoredStop]: ...


@dataclass
class Hold:
    at: float  # wall clock, for the disk
    until: float
    is_to_start: bool
    is_reported: bool = True
    start_at: float = float("-inf")  # earliest next start
    rest_sec: float = FIRST_REST_SEC / 2
    reported: set[str] = field(default_factory=set)  # outcomes of its start

    def note_start(self, now: float) -> None:
        self.rest_sec = min(2 * self.rest_sec, LONGEST_REST_SEC)
        self.start_at = now + self.rest_sec


class Holds:
    def __init__(self, store: StopStore, hold_sec: float, *, now: float, wall: Callable[[], float] = time.time) -> None:
        self._store, self._hold_sec, self._wall = store, hold_sec, wall
        self._changed: set[str] = set()
        self._writing: asyncio.Task[None] | None = None
        self._holds = {
            miner_id: Hold(stop.at, now + self._remaining_sec(stop), stop.is_to_start, stop.is_reported)
            for miner_id, stop in store.list_stops().items()
            if abs(wall() - stop.at) <= MAX_AGE_SEC
        }

    def find(self, miner_id: str) -> Hold | None:
        return self._holds.get(miner_id)

    async def begin(self, miner_id: str, *, now: float, is_to_start: bool) -> None:
        """Before the stop is sent: from here on it is ours, whatever is killed."""
        self._holds[miner_id] = Hold(self._wall(), now, is_to_start, is_reported=False)
        await self._write(miner_id)

    def hold(self, miner_id: str, *, now: float, is_to_start: bool) -> None:
        self._holds[miner_id] = Hold(self._wall(), now + self._hold_sec, is_to_start)
        self._save(miner_id)

    def release(self, miner_id: str, *, now: float) -> None:
        """Somebody started or stopped it: it is not started from here, and an expired hold ends."""
        hold = self._holds.get(miner_id)
        if hold is None or (not hold.is_to_start and hold.until > now):
            return
        hold.is_to_start = False
        if hold.until <= now:
            del self._holds[miner_id]
        self._save(miner_id)

    def drop(self, miner_id: str) -> None:
        if self._holds.pop(miner_id, None) is not None:
            self._save(miner_id)

    async def close(self) -> None:
        if self._writing is not None:
            await self._writing

    def _remaining_sec(self, stop: StoredStop) -> float:
        """Never longer than the hold time, even if the clock was set meanwhile."""
        return min(max(stop.at + self._hold_sec - self._wall(), 0.0), self._hold_sec)

    def _save(self, miner_id: str) -> None:
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
                await self._store.delete_stop(miner_id)
            else:
                await self._store.save_stop(miner_id, StoredStop(hold.at, hold.is_to_start, hold.is_reported))
        except sqlite3.Error as error:
            log.warning("machine %s: cannot save its stop: %s", miner_id, error)


def would_start(machine: Machine, verb: str) -> bool:
    """A stock Antminer's sleep is a power mode like eco: any other mode wakes it."""
    is_stock_antminer = str((machine.record or {}).get("firmware") or "").lower().startswith(_ANTMINER)
    return verb in _START_VERBS or (verb == "set_power_mode" and is_stock_antminer)
