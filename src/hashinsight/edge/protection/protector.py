"""Stops a machine that is too hot, without asking anybody, and tells the cloud afterwards.

It acts on limits that are known: the site's own, the machine's, the catalogue's; where none is known, only far above
what any machine bears. Every kind of sensor is judged by its own limit. One reading may be a lie, so it is read again
at once. While a machine that was stopped is held, nobody starts it through the cloud; one whose stop failed is not
held, because a person's command may be what helps.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

from hashinsight.edge.commands.checks import snapshot
from hashinsight.edge.commands.executor import Executor, Outcome
from hashinsight.edge.library_process.process import NotRead
from hashinsight.edge.polling import Poller
from hashinsight.edge.protection.heat import STOPPED_REST_SEC, Case, Sent, heat_of, is_mean, must_stop, proves_nothing
from hashinsight.edge.protection.holds import Holds, StopBook
from hashinsight.edge.readings.record import Record
from hashinsight.edge.roster import Machine
from hashinsight.edge.settings import Protection
from hashinsight.wire.acks import AckStatus

AGAIN_SEC = 1.0  # between two readings that confirm each other
TRIES, REST_SEC = 3, 5.0
MOST_UNCLEAR = 3  # readings that prove nothing, before the next interval looks again
COOL_BELOW_LIMIT_C = 5.0
_STARTING = ("enable", "restart", "reboot")
_ANTMINER = "antminer stock"
_STATES = ("disable", *_STARTING)

log = logging.getLogger(__name__)


class Protector:
    def __init__(
        self,
        poller: Poller,
        executor: Executor,
        settings: Protection,
        book: StopBook,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._poller, self._executor, self._settings, self._clock = poller, executor, settings, clock
        self._holds = Holds(book, settings.hold_sec, now=clock())
        self._cases: dict[str, Case] = {}
        self._acting: dict[str, asyncio.Task[None]] = {}
        executor.forbids = self.forbids

    def consider(self, machine: Machine, record: Record) -> None:
        """With every reading. What it starts runs beside the polling."""
        if not self._settings.on or machine.miner_id in self._acting:
            return
        case, heat = self._cases.get(machine.miner_id), must_stop(record, self._settings)
        if case is not None:
            case.watch(record)
        if record.get("state") == "running":
            self._holds.leave(machine.miner_id, now=self._clock())
        elif record.get("state") == "stopped":
            self._see_stopped(machine, record, case)
        if heat is not None:
            if case is None or case.is_due(heat, self._clock()):
                self._begin(machine, self._stop(machine, record))
        elif self._may_start(machine, record):
            self._begin(machine, self._start(machine))
        elif case is not None:
            self._look_at_cooler(machine, record, case)

    def forbids(self, machine: Machine, verb: str) -> str | None:
        """Asked before every command of the cloud; a machine that the cloud stops, too, is not started from here."""
        if verb == "disable":
            self._holds.leave(machine.miner_id, now=self._clock())
        if verb in _STATES and (case := self._cases.get(machine.miner_id)) is not None:
            case.sent = None  # what it shows from now on is that command's doing
        hold = self._holds.find(machine.miner_id)
        if hold is not None and not hold.is_told and verb in _STATES:  # the same
            self._holds.drop(machine.miner_id)
        if hold is None or not self._settings.on or not _starts(machine, verb):
            return None
        left = hold.until - self._clock()
        if left <= 0:
            return None
        return f"stopped here because it was too hot, and held for {left:.0f} s more"

    async def close(self) -> None:
        for task in tuple(self._acting.values()):
            task.cancel()
        await asyncio.gather(*self._acting.values(), return_exceptions=True)
        await self._holds.close()

    def _begin(self, machine: Machine, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._acting[machine.miner_id] = task

        def ended(_: "asyncio.Task[None]") -> None:
            self._acting.pop(machine.miner_id, None)
            if not task.cancelled() and task.exception() is not None:
                log.error("machine %s: protection failed", machine.miner_id, exc_info=task.exception())

        task.add_done_callback(ended)

    async def _stop(self, machine: Machine, record: Record) -> None:
        record, readings = await self._confirmed(machine, record)
        heat = must_stop(record, self._settings)
        if heat is None or readings < self._settings.confirm_readings:
            return
        await self._holds.begin(machine.miner_id, now=self._clock(), is_to_start=self._restarts)
        outcome, is_sent = await self._disable(machine)
        is_stopped = outcome.status is AckStatus.SUCCEEDED
        log.warning("machine %s: %s: %s", machine.miner_id, heat, _words(outcome))
        if is_stopped:  # not sooner: a machine that still runs is in people's hands, too
            self._hold(machine)
        elif not is_sent:
            self._holds.drop(machine.miner_id)
        case = self._cases.setdefault(machine.miner_id, Case())
        case.note(heat, self._clock(), is_stopped=is_stopped, is_mean=is_mean(record))
        case.sent = Sent(heat, readings, outcome) if is_sent and not is_stopped else None
        self._report(machine, case, Sent(heat, readings, outcome))

    def _hold(self, machine: Machine) -> None:
        self._holds.hold(machine.miner_id, now=self._clock(), is_to_start=self._restarts)

    @property
    def _restarts(self) -> bool:
        return self._settings.restart_below_c is not None

    def _see_stopped(self, machine: Machine, record: Record, case: Case | None) -> None:
        hold = self._holds.find(machine.miner_id)
        if case is not None and case.sent is not None:
            self._took_effect(machine, record, case, case.sent)
        elif hold is not None and not hold.is_told:  # the edge ended between its order and its report
            self._hold(machine)
            details = {"action": "disable", "temp_c": record.get("temp_max"), "hold_sec": self._settings.hold_sec}
            self._event(machine, "critical", "Stopped: too hot", "seen after a restart of the edge", details)

    def _took_effect(self, machine: Machine, record: Record, case: Case, sent: Sent) -> None:
        """A stop that nobody saw within its time is one all the same: held, told, and started again."""
        done = replace(
            sent.outcome,
            status=AckStatus.SUCCEEDED,
            error_code=None,
            message="done, and seen late",
            result={"confirmed": True},
            after=snapshot(record),
        )
        case.sent, case.rest_sec = None, STOPPED_REST_SEC
        self._hold(machine)
        self._report(machine, case, Sent(sent.heat, sent.readings, done))

    async def _confirmed(self, machine: Machine, record: Record) -> tuple[Record, int]:
        """The last reading that says how hot it is, and how many said too hot. A lost one or a mean denies nothing."""
        readings, unclear = 1, 0
        while readings < self._settings.confirm_readings and unclear < MOST_UNCLEAR:
            await asyncio.sleep(AGAIN_SEC)
            try:
                again = await self._poller.read_now(machine)
            except NotRead:
                unclear += 1
                continue
            if must_stop(again, self._settings) is not None:
                record, readings = again, readings + 1
            elif again.get("state") != "stopped" and proves_nothing(again, self._settings):
                unclear += 1
            else:
                return again, readings
        return record, readings

    async def _disable(self, machine: Machine) -> tuple[Outcome, bool]:
        """Some tries, as every second counts; an order that the machine does not take is not given again.

        And whether it may have heard one of them: only then it was looked at afterwards, which is the result.
        """
        is_sent = False
        for no in range(TRIES):
            await asyncio.sleep(REST_SEC if no else 0)
            outcome = await self._executor.act(machine, "disable", {}, is_local=True)
            is_sent = is_sent or outcome.result is not None
            if outcome.status is not AckStatus.FAILED:
                break
        return outcome, is_sent

    def _report(self, machine: Machine, case: Case, sent: Sent) -> None:
        """Each outcome once."""
        heat, outcome = sent.heat, sent.outcome
        if (key := outcome.error_code or outcome.status.value) in case.told:
            return
        case.told.add(key)
        is_stopped = outcome.status is AckStatus.SUCCEEDED
        details = sent.details(self._settings.hold_sec if is_stopped else None)
        title = "Stopped: too hot" if is_stopped else "Too hot: could not be stopped"
        self._event(machine, "critical", title, f"{heat}: {_words(outcome)}", details)

    def _look_at_cooler(self, machine: Machine, record: Record, case: Case) -> None:
        """Below the limit; some degrees further down the heat is over, and that is reported too."""
        heat = heat_of(record, self._settings)
        if heat is None or heat.is_too_much or not case.believes(record):
            return
        if record.get("state") != "stopped":
            case.told.clear()  # from here on another stop is news
        if heat.temp_c < heat.limit_c - COOL_BELOW_LIMIT_C:
            del self._cases[machine.miner_id]
            if (hold := self._holds.find(machine.miner_id)) is not None and hold.is_to_start:
                return  # its start will be reported
            details = {"action": None, "temp_c": heat.temp_c, "limit_c": heat.limit_c, "sensor": heat.sensor}
            self._event(machine, "info", "Cooled down", str(heat), {**details, "state": record.get("state")})

    def _may_start(self, machine: Machine, record: Record) -> bool:
        """Only where the site wants it: stopped by us, held long enough, and cool."""
        below, temp_c = self._settings.restart_below_c, record.get("temp_max")
        hold = self._holds.find(machine.miner_id)
        if below is None or hold is None or not hold.is_to_start or record.get("state") != "stopped":
            return False
        if hold.start_at > self._clock():
            return False
        case = self._cases.get(machine.miner_id)
        is_cool = temp_c is not None and temp_c < below and (case is None or case.believes(record))
        return is_cool and self.forbids(machine, "enable") is None

    async def _start(self, machine: Machine) -> None:
        """Until it is seen running, or somebody decides otherwise; each outcome is reported once."""
        hold = self._holds.find(machine.miner_id)
        outcome = await self._executor.act(machine, "enable", {}, is_local=True)
        is_started = outcome.status is AckStatus.SUCCEEDED
        if hold is not None:
            hold.note_start(self._clock())
            if (key := outcome.error_code or outcome.status.value) in hold.told:
                return
            hold.told.add(key)
        details = {"action": "enable", "status": outcome.status.value, "error_code": outcome.error_code}
        title = "Started again after it cooled down" if is_started else "Cooled down: could not be started again"
        self._event(machine, "info" if is_started else "warning", title, _words(outcome), details)

    def _event(self, machine: Machine, severity: str, title: str, message: str, details: dict[str, Any]) -> None:
        self._poller.sink.event("local_protection", severity, title, message, machine.miner_id, details)


def _starts(machine: Machine, verb: str) -> bool:
    """A stock Antminer's sleep is a power mode like eco: any other mode wakes it."""
    is_stock = str((machine.record or {}).get("firmware") or "").lower().startswith(_ANTMINER)
    return verb in _STARTING or (verb == "set_power_mode" and is_stock)


def _words(outcome: Outcome) -> str:
    return outcome.message or ("done" if outcome.status is AckStatus.SUCCEEDED else outcome.status.value)
