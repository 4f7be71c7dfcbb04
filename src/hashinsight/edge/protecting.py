"""Stops a machine that is too hot, without asking anybody, and tells the cloud afterwards.

The limit is the model's own for what its sensor measures, or the site's. One reading may be a lie, so it is read again
at once, as often as the site wants, and not an interval later. It is stopped once: for a while the cloud may not start
it, and people may do what they like.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from hashinsight.edge.executing import Executor, Outcome
from hashinsight.edge.miners import Machine
from hashinsight.edge.normalising import Record
from hashinsight.edge.polling import Poller
from hashinsight.edge.reading_process import NotRead
from hashinsight.edge.settings import Protection
from hashinsight.facts.temperatures import limits_for, sensor_kind
from hashinsight.wire.acks import AckStatus

AGAIN_SEC = 1.0  # between two readings that confirm each other
TRIES, REST_SEC = 3, 5.0
AGAIN_AT_LEAST_SEC = 60.0  # who runs hot again although it was stopped is stopped again, not faster than this
_STARTING = ("enable", "restart", "reboot")

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Heat:
    temp_c: float
    limit_c: float
    sensor: str

    @property
    def is_too_much(self) -> bool:
        return self.temp_c >= self.limit_c


def heat_of(record: Record, settings: Protection) -> Heat | None:
    """None where nothing is known: a machine without a temperature is not stopped for it. Pure."""
    temp_c = record.get("temp_max")
    if not record.get("online") or temp_c is None:
        return None
    kind = sensor_kind(record.get("firmware"))
    limit_c = settings.stop_at_c if settings.stop_at_c is not None else limits_for(record.get("model"), kind).critical_c
    return Heat(float(temp_c), limit_c, kind.value)


def must_stop(record: Record, settings: Protection) -> Heat | None:
    """The heat that calls for a stop; one that is stopped already only cools down. Pure."""
    heat = heat_of(record, settings)
    if heat is None or not heat.is_too_much or record.get("state") == "stopped":
        return None
    return heat


class Protector:
    def __init__(
        self, poller: Poller, executor: Executor, settings: Protection, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._poller, self._executor, self._settings, self._clock = poller, executor, settings, clock
        self._held: dict[str, float] = {}
        self._acted: dict[str, float] = {}
        self._last_told: dict[str, tuple[str, str | None]] = {}
        self._acting: dict[str, asyncio.Task[None]] = {}
        executor.forbids = self.forbids

    def consider(self, machine: Machine, record: Record) -> None:
        """With every reading. What it starts runs beside the polling."""
        if not self._settings.on or machine.miner_id in self._acting:
            return
        since = self._clock() - self._acted.get(machine.miner_id, float("-inf"))
        if must_stop(record, self._settings) is not None and since >= AGAIN_AT_LEAST_SEC:
            self._begin(machine, self._stop(machine, record))
        elif self._may_start(machine, record):
            self._begin(machine, self._start(machine))

    def forbids(self, machine: Machine, verb: str) -> str | None:
        until = self._held.get(machine.miner_id)
        if until is None or verb not in _STARTING:
            return None
        left = until - self._clock()
        if left <= 0:
            return None
        return f"it was stopped here because it was too hot, and is held for {left:.0f} s more"

    async def close(self) -> None:
        for task in tuple(self._acting.values()):
            task.cancel()
        await asyncio.gather(*self._acting.values(), return_exceptions=True)

    def _begin(self, machine: Machine, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._acting[machine.miner_id] = task
        task.add_done_callback(lambda _: self._acting.pop(machine.miner_id, None))

    async def _stop(self, machine: Machine, record: Record) -> None:
        heat, readings = must_stop(record, self._settings), 1
        while heat is not None and readings < self._settings.confirm_readings:
            await asyncio.sleep(AGAIN_SEC)
            try:
                heat = must_stop(await self._poller.read_now(machine), self._settings)
            except NotRead:
                return
            readings += 1
        if heat is None:
            return
        is_first = self.forbids(machine, "enable") is None
        self._acted[machine.miner_id] = self._clock()
        self._held[machine.miner_id] = self._clock() + self._settings.hold_sec
        outcome = await self._stopped(machine)
        log.warning("machine %s: %.1f °C, limit %.1f: %s", machine.miner_id, heat.temp_c, heat.limit_c, _told(outcome))
        how = (outcome.status.value, outcome.error_code)
        if is_first or how != self._last_told.get(
            machine.miner_id
        ):  # one that cannot be stopped is not told every minute
            self._tell(machine, heat, readings, outcome)
        self._last_told[machine.miner_id] = how

    async def _stopped(self, machine: Machine) -> Outcome:
        """Some tries, as every second counts; an order that the make does not take is not given again."""
        for _ in range(TRIES - 1):
            outcome = await self._executor.act(machine, "disable", {}, is_local=True)
            if outcome.status is not AckStatus.FAILED:
                return outcome
            await asyncio.sleep(REST_SEC)
        return await self._executor.act(machine, "disable", {}, is_local=True)

    def _tell(self, machine: Machine, heat: Heat, readings: int, outcome: Outcome) -> None:
        is_done = outcome.status is AckStatus.SUCCEEDED
        title = "Stopped: too hot" if is_done else "Too hot, and could not be stopped"
        message = f"{heat.temp_c:.1f} °C at the {heat.sensor}, limit {heat.limit_c:.1f} °C: {_told(outcome)}"
        details = {
            "action": "disable",
            "status": outcome.status.value,
            "error_code": outcome.error_code,
            "temp_c": heat.temp_c,
            "limit_c": heat.limit_c,
            "sensor": heat.sensor,
            "readings": readings,
            "hold_sec": self._settings.hold_sec,
            "confirmed": (outcome.result or {}).get("confirmed"),
            "before": outcome.before,
            "after": outcome.after,
        }
        self._poller.sink.event("local_protection", "critical", title, message, machine.miner_id, details)

    def _may_start(self, machine: Machine, record: Record) -> bool:
        """Only where the site wants it: stopped by us, held long enough, and cool."""
        below, temp_c = self._settings.restart_below_c, record.get("temp_max")
        if below is None or machine.miner_id not in self._held or record.get("state") != "stopped":
            return False
        return self.forbids(machine, "enable") is None and temp_c is not None and temp_c < below

    async def _start(self, machine: Machine) -> None:
        del self._held[machine.miner_id]
        outcome = await self._executor.act(machine, "enable", {}, is_local=True)
        details = {"action": "enable", "status": outcome.status.value, "error_code": outcome.error_code}
        title, message = "Started again after it cooled down", _told(outcome)
        self._poller.sink.event("local_protection", "info", title, message, machine.miner_id, details)


def _told(outcome: Outcome) -> str:
    return outcome.message or ("done" if outcome.status is AckStatus.SUCCEEDED else outcome.status.value)
