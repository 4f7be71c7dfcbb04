"""Restarts in progress: a machine that was stopped for a restart is started again, whatever is killed in between.

A restart is written to disk before the stop, so that it survives a kill of all processes and a power cut. After half
an hour it is dropped: by then somebody may have stopped the machine on purpose.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from hashinsight.edge.commands.outcomes import Outcome
from hashinsight.edge.polling import Sink
from hashinsight.edge.roster import Machine
from hashinsight.wire.acks import AckStatus

LONGEST_SEC = 1800.0

log = logging.getLogger(__name__)


class RestartStore(Protocol):
    """On disk when a call returns; `list_restarts` is called once, at the start."""

    async def begin_restart(self, miner_id: str, *, now: float) -> None: ...

    async def end_restart(self, miner_id: str) -> None: ...

    def list_restarts(self) -> dict[str, float]: ...


class Restarts:
    def __init__(self, store: RestartStore, *, clock: Callable[[], float] = time.time) -> None:
        self._store, self._clock = store, clock
        self._open = store.list_restarts()

    async def begin(self, miner_id: str) -> None:
        now = self._clock()
        await self._store.begin_restart(miner_id, now=now)
        self._open[miner_id] = now

    async def end(self, miner_id: str) -> None:
        """Started, or stopped on purpose. If the disk fails, it is closed in memory all the same."""
        if self._open.pop(miner_id, None) is not None:
            await self._store.end_restart(miner_id)

    def is_open(self, miner_id: str) -> bool:
        return miner_id in self._open

    def is_late(self, miner_id: str) -> bool:
        return not 0 <= self._clock() - self._open.get(miner_id, 0.0) <= LONGEST_SEC


class Starter(Protocol):
    """What finishing a restart needs of the executor."""

    why_forbidden: Callable[[Machine, str], str | None]

    def is_busy(self, miner_id: str) -> bool: ...

    async def act(
        self, machine: Machine, verb: str, params: Mapping[str, Any], *, is_local: bool = False
    ) -> Outcome: ...


class RestartFinisher:
    """Completes a restart that was cut short: sends the start, whatever the machine shows, and reports it.

    A machine stopped a second ago still shows its old hashrate, and a start does a running machine no harm.
    """

    def __init__(self, executor: Starter, restarts: Restarts, sink: Sink) -> None:
        self._executor, self._restarts, self._sink = executor, restarts, sink
        self._starting: dict[str, asyncio.Task[None]] = {}

    def evaluate(self, machine: Machine) -> None:
        """With every reading. Waits while protection holds the machine or another action runs on it."""
        miner_id = machine.miner_id
        if not self._restarts.is_open(miner_id) or miner_id in self._starting or self._executor.is_busy(miner_id):
            return
        is_late = self._restarts.is_late(miner_id)
        if is_late or self._executor.why_forbidden(machine, "enable") is None:
            task = asyncio.create_task(self._restarts.end(miner_id) if is_late else self._start(machine))
            self._starting[miner_id] = task
            task.add_done_callback(lambda _: self._starting.pop(miner_id, None))

    async def close(self) -> None:
        for task in tuple(self._starting.values()):
            task.cancel()
        await asyncio.gather(*self._starting.values(), return_exceptions=True)

    async def _start(self, machine: Machine) -> None:
        outcome = await self._executor.act(machine, "enable", {}, is_local=True)
        log.warning("machine %s: start sent after an interrupted restart: %s", machine.miner_id, outcome.status.value)
        if outcome.status is AckStatus.SUCCEEDED or _is_running(outcome):
            await self._restarts.end(machine.miner_id)
            self._sink.add_event(
                "restart_finished",
                "warning",
                "Started after an interrupted restart",
                "the machine may have been stopped by a restart whose start was lost",
                machine.miner_id,
                _details(outcome),
            )


def _is_running(outcome: Outcome) -> bool:
    """It refuses to start because it is running."""
    return outcome.error_code == "MACHINE_REFUSED" and (outcome.before or {}).get("state") == "running"


def _details(outcome: Outcome) -> dict[str, Any]:
    return {"action": "enable", "status": outcome.status.value, "before": outcome.before, "after": outcome.after}
