"""Reads every machine once an interval, spread evenly over it, and never later because of the sick ones among them.

`timetable` says whose turn it is. Those that failed last time wait in a queue of their own. One that cannot be
connected to costs one knock an interval until it is back; one that takes the connection and makes no sense is asked
more and more rarely. Both are told as offline every interval.
"""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

from hashinsight.edge import discovery
from hashinsight.edge.library_process.process import ChildLost, NotRead
from hashinsight.edge.library_process.reader import Auth, Reader, Told
from hashinsight.edge.miner_ids import IdRule, read_asset_list
from hashinsight.edge.readings.record import Record, make_record, offline_record
from hashinsight.edge.roster import Machine, NoRoom, Roster
from hashinsight.edge.settings import Settings
from hashinsight.edge.timetable import Timetable

SICK_SHARE = 4  # of all reads at once, so many times fewer for those that failed last time
MOST_SKIPPED = 8  # intervals between two tries of a machine that makes no sense
_KNOCKED = ("unreachable", "refused", "reset")
_IDLE_SEC = 0.5
_LOOK_SEC = 5.0  # how soon a configuration that wants discovery is heeded
log = logging.getLogger(__name__)


class Sink(Protocol):
    """Where what is read goes. Neither ever waits."""

    def note(self, samples: Sequence[Mapping[str, Any]]) -> None: ...

    def event(  # noqa: PLR0917 - as the cloud side takes it
        self,
        kind: str,
        severity: str,
        title: str,
        message: str = "",
        miner_id: str | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None: ...


@dataclass(frozen=True)
class Counts:
    """For heartbeat and status."""

    total: int
    online: int
    away: int  # asked, and did not answer; the rest was not asked yet
    by_reader: Mapping[str, int]
    troubles: Mapping[str, int]  # why those that are away are away
    reads: int
    failures: int
    latest_sec: float  # how late the latest read of the last interval began
    child_restarts: int


class Poller:
    def __init__(
        self,
        settings: Settings,
        sink: Sink,
        *,
        reader: Reader | None = None,
        device_id: str = "",
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._miners, self._now = (miners := settings.miners), now
        self.sink = sink
        self.table = Timetable(float(miners.interval_sec))
        self.timeout_sec, self.discovers = miners.timeout_sec, miners.discovery
        self.auth: Auth = tuple((one.make, one.username, one.password) for one in miners.credentials)
        self.reader = reader or Reader(children=miners.children, memory_mb=miners.child_memory_mb)
        listed = read_asset_list(miners.id_file) if miners.id_file is not None else {}
        self.roster = Roster(IdRule(miners.identity, device_id, listed), settings.state_dir / "machines.json")
        self.on_record: Callable[[Machine, Record], None] = lambda _, __: None
        self._well = asyncio.Semaphore(miners.at_once)
        self._sick = asyncio.Semaphore(max(miners.at_once // SICK_SHARE, 4))
        self._visits: set[asyncio.Task[None]] = set()
        self._reads = self._failures = 0
        self._latest, self._latest_before, self._turn = 0.0, 0.0, 0.0

    def find(self, miner_id: str) -> Machine | None:
        return self.roster.find(miner_id)

    def counts(self) -> Counts:
        readers = Counter(
            str(machine.record["raw_data"]["reader"]) for machine in self.roster if machine.online and machine.record
        )
        troubles = Counter(machine.trouble[0] for machine in self.roster if machine.online is False and machine.trouble)
        latest = max(self._latest, self._latest_before)
        return Counts(
            total=len(self.roster),
            online=readers.total(),
            away=troubles.total(),
            by_reader=readers,
            troubles=troubles,
            reads=self._reads,
            failures=self._failures,
            latest_sec=latest,
            child_restarts=self.reader.restarts,
        )

    def follow(self, interval_sec: float, timeout_sec: float, *, discovers: bool) -> None:
        """As a new configuration version says; with another interval all moments are planned anew from now."""
        self.timeout_sec, self.discovers = timeout_sec, discovers
        if interval_sec != self.table.interval_sec:
            self.table.begin(time.monotonic(), interval_sec)

    async def run(self) -> None:
        """Until cancelled."""
        self.table.begin(time.monotonic())
        async with self.reader:
            tasks = [asyncio.create_task(work) for work in (self._discover(), self._keep_time())]
            try:
                await asyncio.gather(*tasks)
            finally:
                for task in (*tasks, *self._visits):
                    task.cancel()
                await asyncio.gather(*tasks, *self._visits, return_exceptions=True)
                self.roster.save()

    async def read_now(self, machine: Machine) -> Record:
        """Out of turn, for those who act on it. `NotRead` says why not."""
        record = self._took(machine.address, await self._told(machine))
        self.sink.note((record,))
        return record

    async def _discover(self) -> None:
        """Once at the start; again and again where that is wanted."""
        while True:
            wanted = discovery.list_addresses(self._miners.ranges)
            done = await discovery.sweep(
                self.reader,
                self.roster,
                wanted,
                timeout_sec=self.timeout_sec,
                auth=self.auth,
                on_found=self._found,
            )
            log.info(
                "looked at %d addresses in %.0f s: %d answer, %d new", done.asked, done.seconds, done.found, done.new
            )
            again = time.monotonic() + self._miners.discovery_interval_sec
            while not self.discovers or time.monotonic() < again:  # noqa: ASYNC110 - a configuration may change it
                await asyncio.sleep(min(_LOOK_SEC, self._miners.discovery_interval_sec))

    def _found(self, machine: Machine, told: Told) -> None:
        self.sink.note((self._took(machine.address, told),))

    async def _keep_time(self) -> None:
        while True:
            now = time.monotonic()
            if len(self.table) != len(self.roster):
                self.table.plan(self.roster, now)
            for miner_id, due in self.table.take_due(now):
                machine = self.roster.find(miner_id)
                if machine is None:
                    self.table.forget(miner_id)
                    break
                if not machine.being_read:
                    self._visit_soon(machine, due)
            ahead = self.table.ahead_sec(now)
            await asyncio.sleep(_IDLE_SEC if ahead is None else min(max(ahead, 0.001), _IDLE_SEC))

    def _visit_soon(self, machine: Machine, due: float) -> None:
        machine.being_read = True
        visit = asyncio.create_task(self._visit(machine, due))
        self._visits.add(visit)
        visit.add_done_callback(self._visits.discard)

    async def _visit(self, machine: Machine, due: float) -> None:
        try:
            async with self._sick if machine.failures else self._well:
                if not machine.failures:
                    self._note_late(time.monotonic() - due)
                self.sink.note((await self._sample(machine),))
        finally:
            machine.being_read = False

    def _note_late(self, late_sec: float) -> None:
        now = time.monotonic()
        if now - self._turn > self.table.interval_sec:
            self._turn, self._latest_before, self._latest = now, self._latest, 0.0
        self._latest = max(self._latest, late_sec)

    async def _sample(self, machine: Machine) -> Record:
        kind = machine.trouble[0] if machine.trouble else ""
        if not machine.address:
            return self._missed(machine, "no_address", "another machine has its address, and it was not found again")
        if kind not in _KNOCKED and machine.failures and not _is_turn(machine.failures):
            return self._missed(machine, *machine.trouble)  # type: ignore[misc]
        try:
            address = machine.address  # it may be given to another one while we wait
            if kind in _KNOCKED and not await self.reader.knock(address):
                return self._missed(machine, *machine.trouble)  # type: ignore[misc]
            return self._took(address, await self._told(machine))
        except NotRead as problem:
            return self._missed(machine, problem.kind, str(problem))

    async def _told(self, machine: Machine) -> Told:
        self._reads += 1
        try:
            return await self.reader.read(machine.address, timeout_sec=self.timeout_sec, auth=self.auth)
        except ChildLost:
            raise NotRead("reader_lost", "the reader died, and could not be asked again") from None

    def _took(self, address: str, told: Told) -> Record:
        """Whoever answered may be another one than the one that was asked: it is told as who it says it is."""
        try:
            machine = discovery.seat(self.roster, address, told)
        except NoRoom as problem:
            raise NotRead("no_room", str(problem)) from None
        try:
            record = make_record(told, miner_id=machine.miner_id, at=self._now(), has_fans=machine.has_fans)
        except Exception as problem:  # noqa: BLE001 - what one machine says must not cost the others their turn
            raise NotRead("garbled", f"what it says cannot be understood: {type(problem).__name__}") from None
        self.roster.note_fans(machine, record.get("fan_speeds") or ())
        if machine.online is False:
            log.info("machine %s at %s is read again", machine.miner_id, machine.address)
        machine.online, machine.failures, machine.trouble = True, 0, None
        machine.record, machine.read_at = record, self._now()
        self.on_record(machine, record)
        return record

    def _missed(self, machine: Machine, kind: str, said: str) -> Record:
        self._failures += 1
        if machine.online is not False:
            log.warning("machine %s at %s cannot be read: %s", machine.miner_id, machine.address, said)
        machine.online, machine.trouble = False, (kind, said)
        machine.failures += 1
        return offline_record(machine.miner_id, at=self._now(), kind=kind, said=said, known=machine.record)


def _is_turn(failures: int) -> bool:
    """After 1, 2, 4, 8, 16, 24 … failures."""
    return failures & (failures - 1) == 0 if failures < MOST_SKIPPED else failures % MOST_SKIPPED == 0
