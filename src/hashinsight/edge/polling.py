"""Reads every machine once per interval, spread evenly over it; machines that fail never delay the others.

`timetable` has the order. Machines that failed last time have read slots of their own. One that cannot be connected
to is only probed until it is back; one that fails in any other way is read more and more rarely. Both are reported
offline every interval.
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
from hashinsight.edge.library_process.messages import MachineError
from hashinsight.edge.library_process.process import ChildLost
from hashinsight.edge.library_process.reader import Auth, Reader, Reading
from hashinsight.edge.miner_ids import IdRule, read_asset_list
from hashinsight.edge.readings.record import Record, make_record, offline_record
from hashinsight.edge.roster import Machine, Roster, RosterFull
from hashinsight.edge.settings import Settings
from hashinsight.edge.timetable import Timetable

FAILING_SHARE = 4  # machines that failed last time get a quarter of the parallel reads
MAX_SKIPPED = 8  # intervals between two reads of a machine that connects and fails
_PROBE_FIRST = ("unreachable", "refused", "reset")
_IDLE_SEC = 0.5
_DISCOVERY_CHECK_SEC = 5.0  # how soon a configuration that switches discovery on takes effect
log = logging.getLogger(__name__)


class Sink(Protocol):
    """Takes samples and events. Never blocks."""

    def add_samples(self, samples: Sequence[Mapping[str, Any]]) -> None: ...

    def add_event(  # noqa: PLR0917 - one event, field by field
        self,
        kind: str,
        severity: str,
        title: str,
        message: str = "",
        miner_id: str | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None: ...


@dataclass(frozen=True)
class PollCounts:
    """For heartbeat and status."""

    total: int
    online: int
    offline: int  # read and did not answer; the rest has not been read yet
    by_reader: Mapping[str, int]
    errors_by_kind: Mapping[str, int]  # why machines are offline
    reads: int
    failures: int
    latest_sec: float  # delay of the latest read in the last interval
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
        self.timetable = Timetable(float(miners.interval_sec))
        self.timeout_sec, self.discovers = miners.timeout_sec, miners.discovery
        self.auth: Auth = tuple((login.make, login.username, login.password) for login in miners.credentials)
        self.reader = reader or Reader(children=miners.children, memory_mb=miners.child_memory_mb)
        listed = read_asset_list(miners.id_file) if miners.id_file is not None else {}
        self.roster = Roster(IdRule(miners.identity, device_id, listed), settings.state_dir / "machines.json")
        self.on_record: Callable[[Machine, Record], None] = lambda _, __: None
        self._slots = asyncio.Semaphore(miners.at_once)
        self._failing_slots = asyncio.Semaphore(max(miners.at_once // FAILING_SHARE, 4))
        self._visits: set[asyncio.Task[None]] = set()
        self._reads = self._failures = 0
        self._latest, self._latest_before, self._turn = 0.0, 0.0, 0.0

    def find(self, miner_id: str) -> Machine | None:
        return self.roster.find(miner_id)

    def counts(self) -> PollCounts:
        readers = Counter(
            str(machine.record["raw_data"]["reader"]) for machine in self.roster if machine.online and machine.record
        )
        errors = Counter(machine.error[0] for machine in self.roster if machine.online is False and machine.error)
        latest = max(self._latest, self._latest_before)
        return PollCounts(
            total=len(self.roster),
            online=readers.total(),
            offline=errors.total(),
            by_reader=readers,
            errors_by_kind=errors,
            reads=self._reads,
            failures=self._failures,
            latest_sec=latest,
            child_restarts=self.reader.restarts,
        )

    def apply_config(self, interval_sec: float, timeout_sec: float, *, discovers: bool) -> None:
        """From a new configuration; a new interval starts a new timetable."""
        self.timeout_sec, self.discovers = timeout_sec, discovers
        if interval_sec != self.timetable.interval_sec:
            self.timetable.begin(time.monotonic(), interval_sec)

    async def run(self) -> None:
        """Until cancelled."""
        self.timetable.begin(time.monotonic())
        async with self.reader:
            tasks = [asyncio.create_task(work) for work in (self._discover(), self._keep_timetable())]
            try:
                await asyncio.gather(*tasks)
            finally:
                for task in (*tasks, *self._visits):
                    task.cancel()
                await asyncio.gather(*tasks, *self._visits, return_exceptions=True)
                self.roster.save()

    async def read_now(self, machine: Machine) -> Record:
        """Outside the timetable, for commands and protection. Raises `MachineError`."""
        record = self._accept(machine.address, await self._read(machine))
        self.sink.add_samples((record,))
        return record

    async def _discover(self) -> None:
        """Once at the start, then repeatedly if discovery is on."""
        while True:
            result = await discovery.sweep(
                self.reader,
                self.roster,
                discovery.list_addresses(self._miners.ranges),
                timeout_sec=self.timeout_sec,
                auth=self.auth,
                on_found=self._on_found,
            )
            log.info(
                "discovery: %d addresses probed in %.0f s, %d answer, %d new",
                result.probed,
                result.seconds,
                result.found,
                result.new,
            )
            again = time.monotonic() + self._miners.discovery_interval_sec
            while not self.discovers or time.monotonic() < again:  # noqa: ASYNC110 - a configuration may change it
                await asyncio.sleep(min(_DISCOVERY_CHECK_SEC, self._miners.discovery_interval_sec))

    def _on_found(self, machine: Machine, reading: Reading) -> None:
        self.sink.add_samples((self._accept(machine.address, reading),))

    async def _keep_timetable(self) -> None:
        while True:
            now = time.monotonic()
            if len(self.timetable) != len(self.roster):
                self.timetable.plan(self.roster, now)
            for miner_id, due in self.timetable.take_due(now):
                machine = self.roster.find(miner_id)
                if machine is not None and not machine.being_read:
                    self._start_visit(machine, due)
            ahead = self.timetable.ahead_sec(now)
            await asyncio.sleep(_IDLE_SEC if ahead is None else min(max(ahead, 0.001), _IDLE_SEC))

    def _start_visit(self, machine: Machine, due: float) -> None:
        machine.being_read = True
        visit = asyncio.create_task(self._visit(machine, due))
        self._visits.add(visit)
        visit.add_done_callback(self._visits.discard)

    async def _visit(self, machine: Machine, due: float) -> None:
        try:
            async with self._failing_slots if machine.failures else self._slots:
                if not machine.failures:
                    self._note_late(time.monotonic() - due)
                self.sink.add_samples((await self._sample(machine),))
        finally:
            machine.being_read = False

    def _note_late(self, late_sec: float) -> None:
        now = time.monotonic()
        if now - self._turn > self.timetable.interval_sec:
            self._turn, self._latest_before, self._latest = now, self._latest, 0.0
        self._latest = max(self._latest, late_sec)

    async def _sample(self, machine: Machine) -> Record:
        kind = machine.error[0] if machine.error else ""
        if not machine.address:
            return self._fail(machine, "no_address", "another machine has its address; it was not found elsewhere")
        if kind not in _PROBE_FIRST and machine.failures and not _is_read_turn(machine.failures):
            return self._fail(machine, *machine.error)  # type: ignore[misc]
        try:
            address = machine.address  # may be given to another machine while we wait
            if kind in _PROBE_FIRST and not await self.reader.probe(address):
                return self._fail(machine, *machine.error)  # type: ignore[misc]
            return self._accept(address, await self._read(machine))
        except MachineError as error:
            return self._fail(machine, error.kind, str(error))

    async def _read(self, machine: Machine) -> Reading:
        self._reads += 1
        try:
            return await self.reader.read(machine.address, timeout_sec=self.timeout_sec, auth=self.auth)
        except ChildLost:
            raise MachineError("reader_lost", "the reader process died and the read could not be repeated") from None

    def _accept(self, address: str, reading: Reading) -> Record:
        """Another machine may have answered at this address: it is reported under its own name."""
        try:
            machine = discovery.identify(self.roster, address, reading)
        except RosterFull as error:
            raise MachineError("no_room", str(error)) from None
        try:
            record = make_record(reading, miner_id=machine.miner_id, at=self._now(), has_fans=machine.has_fans)
        except Exception as error:  # noqa: BLE001 - a strange answer of one machine must not stop the others
            raise MachineError("garbled", f"its response cannot be parsed: {type(error).__name__}") from None
        self.roster.note_fans(machine, record.get("fan_speeds") or ())
        if machine.online is False:
            log.info("machine %s at %s can be read again", machine.miner_id, machine.address)
        machine.online, machine.failures, machine.error = True, 0, None
        machine.record, machine.read_at = record, self._now()
        self.on_record(machine, record)
        return record

    def _fail(self, machine: Machine, kind: str, reason: str) -> Record:
        self._failures += 1
        if machine.online is not False:
            log.warning("machine %s at %s cannot be read: %s", machine.miner_id, machine.address, reason)
        machine.online, machine.error = False, (kind, reason)
        machine.failures += 1
        return offline_record(machine.miner_id, at=self._now(), kind=kind, reason=reason, last=machine.record)


def _is_read_turn(failures: int) -> bool:
    """After 1, 2, 4, 8, 16, 24 … failures."""
    return failures & (failures - 1) == 0 if failures < MAX_SKIPPED else failures % MAX_SKIPPED == 0
