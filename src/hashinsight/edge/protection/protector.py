"""Stops machines that are too hot, without asking the cloud, and reports it afterwards.

It acts on known limits: the site's, the machine's own, the catalogue's; if none is known, only far above what any
machine tolerates. Each sensor kind has its own limit. A single reading may be wrong, so the machine is read again at
once. While a stopped machine is held, the cloud cannot start it; a machine whose stop failed is not held, because a
person's command may be what helps.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

from hashinsight.edge.commands.checks import snapshot
from hashinsight.edge.commands.executor import Executor
from hashinsight.edge.commands.outcomes import Outcome
from hashinsight.edge.library_process.messages import MachineError
from hashinsight.edge.polling import Poller
from hashinsight.edge.protection.heat import (
    STOPPED_REST_SEC,
    HeatCase,
    StopAttempt,
    find_heat,
    is_inconclusive,
    is_mean,
    must_stop,
)
from hashinsight.edge.protection.holds import STATE_VERBS, Holds, StopStore, would_start
from hashinsight.edge.readings.record import Record
from hashinsight.edge.roster import Machine
from hashinsight.edge.settings import Protection
from hashinsight.wire.acks import AckStatus

CONFIRM_SEC = 1.0  # between two readings that confirm each other
STOP_TRIES, REST_SEC = 3, 5.0
MAX_UNCLEAR = 3  # inconclusive readings before giving up until the next interval
COOL_BELOW_LIMIT_C = 5.0

log = logging.getLogger(__name__)


class Protector:
    def __init__(
        self,
        poller: Poller,
        executor: Executor,
        settings: Protection,
        store: StopStore,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._poller, self._executor, self._settings, self._clock = poller, executor, settings, clock
        self._holds = Holds(store, settings.hold_sec, now=clock())
        self._cases: dict[str, HeatCase] = {}
        self._acting: dict[str, asyncio.Task[None]] = {}
        executor.why_forbidden = self.why_forbidden

    def evaluate(self, machine: Machine, record: Record) -> None:
        """With every reading. Stops and starts run in the background."""
        if not self._settings.on or machine.miner_id in self._acting:
            return
        case, heat = self._cases.get(machine.miner_id), must_stop(record, self._settings)
        if case is not None:
            case.watch(record)
        if record.get("state") == "running":
            self._holds.release(machine.miner_id, now=self._clock())
        elif record.get("state") == "stopped":
            self._on_stopped(machine, record, case)
        if heat is not None:
            if case is None or case.is_due(heat, self._clock()):
                self._begin(machine, self._stop(machine, record))
        elif self._may_start(machine, record):
            self._begin(machine, self._start(machine))
        elif case is not None:
            self._check_cooling(machine, record, case)

    def why_forbidden(self, machine: Machine, verb: str) -> str | None:
        """Called before every command of the cloud. A machine that the cloud also stops is not started from here."""
        if verb == "disable":
            self._holds.release(machine.miner_id, now=self._clock())
        if verb in STATE_VERBS and (case := self._cases.get(machine.miner_id)) is not None:
            case.unconfirmed = None  # a stop seen from now on is that command's effect
        hold = self._holds.find(machine.miner_id)
        if hold is not None and not hold.is_reported and verb in STATE_VERBS:  # the same
            self._holds.drop(machine.miner_id)
        if hold is None or not self._settings.on or not would_start(machine, verb):
            return None
        remaining_sec = hold.until - self._clock()
        if remaining_sec <= 0:
            return None
        return f"stopped by local protection (too hot); held for {remaining_sec:.0f} s more"

    async def close(self) -> None:
        for task in tuple(self._acting.values()):
            task.cancel()
        await asyncio.gather(*self._acting.values(), return_exceptions=True)
        await self._holds.close()

    def _begin(self, machine: Machine, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._acting[machine.miner_id] = task

        def on_end(_: "asyncio.Task[None]") -> None:
            self._acting.pop(machine.miner_id, None)
            if not task.cancelled() and task.exception() is not None:
                log.error("machine %s: protection failed", machine.miner_id, exc_info=task.exception())

        task.add_done_callback(on_end)

    async def _stop(self, machine: Machine, record: Record) -> None:
        record, readings = await self._confirm(machine, record)
        heat = must_stop(record, self._settings)
        if heat is None or readings < self._settings.confirm_readings:
            return
        await self._holds.begin(machine.miner_id, now=self._clock(), is_to_start=self._starts_again)
        outcome, is_sent = await self._disable(machine)
        is_stopped = outcome.status is AckStatus.SUCCEEDED
        log.warning("machine %s: %s: %s", machine.miner_id, heat, _result_text(outcome))
        if is_stopped:  # not earlier: a machine that still runs must stay open to people's commands
            self._hold(machine)
        elif not is_sent:
            self._holds.drop(machine.miner_id)
        attempt = StopAttempt(heat, readings, outcome)
        case = self._cases.setdefault(machine.miner_id, HeatCase())
        case.note_attempt(heat, self._clock(), is_stopped=is_stopped, is_mean=is_mean(record))
        case.unconfirmed = attempt if is_sent and not is_stopped else None
        self._report(machine, case, attempt)

    def _hold(self, machine: Machine) -> None:
        self._holds.hold(machine.miner_id, now=self._clock(), is_to_start=self._starts_again)

    @property
    def _starts_again(self) -> bool:
        return self._settings.restart_below_c is not None

    def _on_stopped(self, machine: Machine, record: Record, case: HeatCase | None) -> None:
        hold = self._holds.find(machine.miner_id)
        if case is not None and case.unconfirmed is not None:
            self._confirm_late(machine, record, case, case.unconfirmed)
        elif hold is not None and not hold.is_reported:  # the collector was killed between the stop and its report
            self._hold(machine)
            details = {"action": "disable", "temp_c": record.get("temp_max"), "hold_sec": self._settings.hold_sec}
            self._event(machine, "critical", "Stopped: too hot", "seen after a restart of the collector", details)

    def _confirm_late(self, machine: Machine, record: Record, case: HeatCase, attempt: StopAttempt) -> None:
        """A stop that takes effect late counts like any other: held, reported, and started again."""
        outcome = replace(
            attempt.outcome,
            status=AckStatus.SUCCEEDED,
            error_code=None,
            message="stopped late",
            result={"confirmed": True},
            after=snapshot(record),
        )
        case.unconfirmed, case.rest_sec = None, STOPPED_REST_SEC
        self._hold(machine)
        self._report(machine, case, replace(attempt, outcome=outcome))

    async def _confirm(self, machine: Machine, record: Record) -> tuple[Record, int]:
        """The last conclusive reading, and how many were too hot. A failed read or a mean does not call off a stop."""
        readings, unclear = 1, 0
        while readings < self._settings.confirm_readings and unclear < MAX_UNCLEAR:
            await asyncio.sleep(CONFIRM_SEC)
            try:
                again = await self._poller.read_now(machine)
            except MachineError:
                unclear += 1
                continue
            if must_stop(again, self._settings) is not None:
                record, readings = again, readings + 1
            elif again.get("state") != "stopped" and is_inconclusive(again, self._settings):
                unclear += 1
            else:
                return again, readings
        return record, readings

    async def _disable(self, machine: Machine) -> tuple[Outcome, bool]:
        """Several tries, because every second counts; no retry if the machine does not support it.

        Also returns whether the machine may have received a stop: only then was it read afterwards.
        """
        is_sent = False
        for no in range(STOP_TRIES):
            await asyncio.sleep(REST_SEC if no else 0)
            outcome = await self._executor.act(machine, "disable", {}, is_local=True)
            is_sent = is_sent or outcome.result is not None
            if outcome.status is not AckStatus.FAILED:
                break
        return outcome, is_sent

    def _report(self, machine: Machine, case: HeatCase, attempt: StopAttempt) -> None:
        """Each outcome once."""
        outcome = attempt.outcome
        if (key := outcome.error_code or outcome.status.value) in case.reported:
            return
        case.reported.add(key)
        is_stopped = outcome.status is AckStatus.SUCCEEDED
        details = attempt.details(self._settings.hold_sec if is_stopped else None)
        title = "Stopped: too hot" if is_stopped else "Too hot: could not be stopped"
        self._event(machine, "critical", title, f"{attempt.heat}: {_result_text(outcome)}", details)

    def _check_cooling(self, machine: Machine, record: Record, case: HeatCase) -> None:
        """Below the limit; some degrees lower the case is closed, and that is reported too."""
        heat = find_heat(record, self._settings)
        if heat is None or heat.is_too_much or not case.trusts(record):
            return
        if record.get("state") != "stopped":
            case.reported.clear()  # from now on another stop is reported again
        if heat.temp_c < heat.limit_c - COOL_BELOW_LIMIT_C:
            del self._cases[machine.miner_id]
            if (hold := self._holds.find(machine.miner_id)) is not None and hold.is_to_start:
                return  # the start will be reported
            details = {"action": None, "temp_c": heat.temp_c, "limit_c": heat.limit_c, "sensor": heat.sensor}
            self._event(machine, "info", "Cooled down", str(heat), {**details, "state": record.get("state")})

    def _may_start(self, machine: Machine, record: Record) -> bool:
        """Only if the site allows it: stopped by protection, held long enough, and cool."""
        below, temp_c = self._settings.restart_below_c, record.get("temp_max")
        hold = self._holds.find(machine.miner_id)
        if below is None or hold is None or not hold.is_to_start or record.get("state") != "stopped":
            return False
        if hold.start_at > self._clock():
            return False
        case = self._cases.get(machine.miner_id)
        is_cool = temp_c is not None and temp_c < below and (case is None or case.trusts(record))
        return is_cool and self.why_forbidden(machine, "enable") is None

    async def _start(self, machine: Machine) -> None:
        """Repeated until it is seen running or somebody intervenes; each outcome is reported once."""
        hold = self._holds.find(machine.miner_id)
        outcome = await self._executor.act(machine, "enable", {}, is_local=True)
        is_started = outcome.status is AckStatus.SUCCEEDED
        if hold is not None:
            hold.note_start(self._clock())
            if (key := outcome.error_code or outcome.status.value) in hold.reported:
                return
            hold.reported.add(key)
        details = {"action": "enable", "status": outcome.status.value, "error_code": outcome.error_code}
        title = "Started again after it cooled down" if is_started else "Cooled down: could not be started again"
        self._event(machine, "info" if is_started else "warning", title, _result_text(outcome), details)

    def _event(self, machine: Machine, severity: str, title: str, message: str, details: dict[str, Any]) -> None:
        self._poller.sink.add_event("local_protection", severity, title, message, machine.miner_id, details)


def _result_text(outcome: Outcome) -> str:
    return outcome.message or ("done" if outcome.status is AckStatus.SUCCEEDED else outcome.status.value)
