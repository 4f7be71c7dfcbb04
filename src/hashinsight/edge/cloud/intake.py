"""Where the reading side hands over what it has: samples to the spool, events to the outbox.

Handing over never waits. Samples are stored together, a second's worth in one transaction; a kill in between costs
that second, which nobody was told was safe. While the disk takes nothing they wait in memory, up to a bound.
"""

import asyncio
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from hashinsight.edge.cloud.resources import Box
from hashinsight.edge.protection.holds import StoredStop
from hashinsight.edge.storage.disk import is_broken
from hashinsight.edge.storage.events import event_of

MOST_WAITING = 20_000
# addresses and credentials of machines stay here, whoever puts them into a record
_LOCAL = frozenset({"ip", "ip_address", "host", "hostname", "address", "password", "username", "credentials", "port"})


class Intake:
    """The `sink` of the poller and of protection."""

    def __init__(self, box: Box) -> None:
        self._box = box
        self._samples: list[Mapping[str, Any]] = []
        self._events: list[dict[str, Any]] = []
        self._lost, self._lost_since = 0, 0.0
        self._news = asyncio.Event()
        self.max_hours: float | None = None  # of the configuration
        self.taken = 0

    def note(self, samples: Sequence[Mapping[str, Any]]) -> None:
        self.taken += len(samples)
        self._samples += [one if _LOCAL.isdisjoint(one) else _without(one) for one in samples]
        excess = len(self._samples) - MOST_WAITING
        if excess > 0:
            del self._samples[:excess]
            self._lost_since = self._lost_since or self._box.clock()
            self._lost += excess

    def event(  # noqa: PLR0917 - as the reading side calls it
        self,
        kind: str,
        severity: str,
        title: str,
        message: str = "",
        miner_id: str | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        now = self._box.clock()
        self._events.append(event_of(kind, severity, title, message, miner_id=miner_id, details=details, now=now))
        del self._events[:-MOST_WAITING]
        self._news.set()

    async def begin_restart(self, miner_id: str, *, now: float) -> None:
        await self._box.on_journal(self._box.journal.begin_restart, miner_id, now=now)

    async def end_restart(self, miner_id: str) -> None:
        await self._box.on_journal(self._box.journal.end_restart, miner_id)

    def list_restarts(self) -> dict[str, float]:
        """Before anything runs that could write there."""
        return self._box.journal.list_restarts()

    async def keep_stop(self, miner_id: str, stop: StoredStop) -> None:
        await self._box.on_journal(self._box.journal.keep_stop, miner_id, stop)

    async def drop_stop(self, miner_id: str) -> None:
        await self._box.on_journal(self._box.journal.drop_stop, miner_id)

    def list_stops(self) -> dict[str, StoredStop]:
        return self._box.journal.list_stops()

    async def run(self) -> None:
        every = self._box.settings.spool.store_every_sec
        while True:
            await self.store()
            try:
                await asyncio.wait_for(self._news.wait(), every)
            except TimeoutError:
                continue

    async def store(self) -> None:
        """Everything that waits, now."""
        self._news.clear()
        await self._store_events()
        samples, self._samples = self._samples, []
        try:
            await self._store_samples(samples)
            samples = []
            await self._store_lost()
            self._box.say.good("spool", "written again")
        except sqlite3.Error as problem:
            self._samples[:0] = samples
            self._box.say.bad("spool", f"cannot be written: {problem}")
            if is_broken(problem):
                await self._box.on_spool(self._box.spool.renew, now=self._box.clock())

    async def _store_samples(self, samples: Sequence[Mapping[str, Any]]) -> None:
        spool, on_spool, now = self._box.spool, self._box.on_spool, self._box.clock()
        if samples:
            bad = await on_spool(spool.put, samples, now=now, max_hours=self.max_hours)
            if bad:
                self._box.say.bad("samples unwritable", "some readings cannot be written as JSON, and are left out")
            else:
                self._box.say.good("samples unwritable", "all readings can be written again")

    async def _store_lost(self) -> None:
        lost, since = self._lost, self._lost_since
        if lost:
            await self._box.on_spool(self._box.spool.note_lost, lost, since, now=self._box.clock())
            self._lost, self._lost_since = self._lost - lost, 0.0

    async def _store_events(self) -> None:
        """Each leaves this list when it is on the disk: one that is written twice has one id, and is told once."""
        while self._events:
            event = self._events[0]
            try:
                await self._box.on_journal(self._box.journal.events.put, event)
            except sqlite3.Error as problem:
                self._box.say.bad("events", f"cannot be written: {problem}")
                return
            if self._events and self._events[0] is event:  # a flood may have pushed it out meanwhile
                del self._events[0]
        self._box.say.good("events", "written again")


def _without(record: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name not in _LOCAL}
