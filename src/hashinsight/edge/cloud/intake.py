"""Where polling and protection hand over samples (to the spool) and events (to the outbox).

Handing over never blocks. Samples of about a second are stored in one transaction; a kill in between costs that
second. While the disk is full they wait in memory, up to a limit.
"""

import asyncio
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from hashinsight.edge.cloud.resources import Resources
from hashinsight.edge.storage.disk import is_corrupt
from hashinsight.edge.storage.events import make_event
from hashinsight.edge.storage.journal import StoredStop

MAX_WAITING = 20_000
# addresses and credentials of machines never leave the site, even if a record holds them
_LOCAL = frozenset({"ip", "ip_address", "host", "hostname", "address", "password", "username", "credentials", "port"})


class Intake:
    """The sink of the poller, and the store of protection and restarts."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        self._samples: list[Mapping[str, Any]] = []
        self._events: list[dict[str, Any]] = []
        self._lost, self._lost_since = 0, 0.0
        self._wakeup = asyncio.Event()
        self.max_hours: float | None = None  # from the remote configuration
        self.taken = 0

    def add_samples(self, samples: Sequence[Mapping[str, Any]]) -> None:
        self.taken += len(samples)
        self._samples += [sample if _LOCAL.isdisjoint(sample) else _without_local(sample) for sample in samples]
        excess = len(self._samples) - MAX_WAITING
        if excess > 0:
            del self._samples[:excess]
            self._lost_since = self._lost_since or self._resources.clock()
            self._lost += excess

    def add_event(  # noqa: PLR0917 - one event, field by field
        self,
        kind: str,
        severity: str,
        title: str,
        message: str = "",
        miner_id: str | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        now = self._resources.clock()
        self._events.append(make_event(kind, severity, title, message, miner_id=miner_id, details=details, now=now))
        del self._events[:-MAX_WAITING]
        self._wakeup.set()

    async def begin_restart(self, miner_id: str, *, now: float) -> None:
        await self._resources.journal_thread(self._resources.journal.begin_restart, miner_id, now=now)

    async def end_restart(self, miner_id: str) -> None:
        await self._resources.journal_thread(self._resources.journal.end_restart, miner_id)

    def list_restarts(self) -> dict[str, float]:
        """Called once, before anything can write."""
        return self._resources.journal.list_restarts()

    async def save_stop(self, miner_id: str, stop: StoredStop) -> None:
        await self._resources.journal_thread(self._resources.journal.save_stop, miner_id, stop)

    async def delete_stop(self, miner_id: str) -> None:
        await self._resources.journal_thread(self._resources.journal.delete_stop, miner_id)

    def list_stops(self) -> dict[str, StoredStop]:
        return self._resources.journal.list_stops()

    async def run(self) -> None:
        every = self._resources.settings.spool.store_every_sec
        while True:
            await self.store()
            try:
                async with asyncio.timeout(every):
                    await self._wakeup.wait()
            except TimeoutError:
                continue

    async def store(self) -> None:
        """Store everything that waits."""
        self._wakeup.clear()
        await self._store_events()
        samples, self._samples = self._samples, []
        try:
            await self._store_samples(samples)
            samples = []
            await self._store_lost()
            self._resources.faults.close("spool", "written again")
        except sqlite3.Error as error:
            self._samples[:0] = samples
            self._resources.faults.open("spool", f"cannot be written: {error}")
            if is_corrupt(error):
                await self._resources.spool_thread(self._resources.spool.renew, now=self._resources.clock())

    async def _store_samples(self, samples: Sequence[Mapping[str, Any]]) -> None:
        spool, spool_thread, now = self._resources.spool, self._resources.spool_thread, self._resources.clock()
        if samples:
            bad = await spool_thread(spool.put, samples, now=now, max_hours=self.max_hours)
            if bad:
                self._resources.faults.open(
                    "samples not stored", "some samples cannot be encoded as JSON and are dropped"
                )
            else:
                self._resources.faults.close("samples not stored", "all samples can be encoded again")

    async def _store_lost(self) -> None:
        lost, since = self._lost, self._lost_since
        if lost:
            await self._resources.spool_thread(
                self._resources.spool.note_lost, lost, since, now=self._resources.clock()
            )
            self._lost, self._lost_since = self._lost - lost, 0.0

    async def _store_events(self) -> None:
        """An event leaves this list once it is on disk. If it is written twice, its id is the same: reported once."""
        while self._events:
            event = self._events[0]
            try:
                await self._resources.journal_thread(self._resources.journal.events.put, event)
            except sqlite3.Error as error:
                self._resources.faults.open("events", f"cannot be written: {error}")
                return
            if self._events and self._events[0] is event:  # an event storm may have pushed it out meanwhile
                del self._events[0]
        self._resources.faults.close("events", "written again")


def _without_local(record: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name not in _LOCAL}
