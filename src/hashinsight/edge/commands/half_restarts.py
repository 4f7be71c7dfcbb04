"""Finishes what a restart left half done: tells the machine to start, whatever it shows, and the cloud that it did.

One that was stopped a second ago still shows its old hashrate, and an order to start does no harm to one that runs.
"""

import asyncio
import logging
from typing import Any

from hashinsight.edge.commands.executor import Executor, Outcome
from hashinsight.edge.commands.restarts import Restarts
from hashinsight.edge.polling import Sink
from hashinsight.edge.roster import Machine
from hashinsight.wire.acks import AckStatus

log = logging.getLogger(__name__)


class Finisher:
    def __init__(self, executor: Executor, restarts: Restarts, sink: Sink) -> None:
        self._executor, self._restarts, self._sink = executor, restarts, sink
        self._at_it: dict[str, asyncio.Task[None]] = {}

    def consider(self, machine: Machine) -> None:
        """With every reading. While protection holds it, or somebody acts on it, it waits for the next one."""
        miner_id = machine.miner_id
        if not self._restarts.is_open(miner_id) or miner_id in self._at_it or self._executor.is_busy(miner_id):
            return
        is_late = self._restarts.is_late(miner_id)
        if is_late or self._executor.forbids(machine, "enable") is None:
            task = asyncio.create_task(self._restarts.end(miner_id) if is_late else self._start(machine))
            self._at_it[miner_id] = task
            task.add_done_callback(lambda _: self._at_it.pop(miner_id, None))

    async def close(self) -> None:
        for task in tuple(self._at_it.values()):
            task.cancel()
        await asyncio.gather(*self._at_it.values(), return_exceptions=True)

    async def _start(self, machine: Machine) -> None:
        outcome = await self._executor.act(machine, "enable", {}, is_local=True)
        log.warning("machine %s was told to start after half a restart: %s", machine.miner_id, outcome.status.value)
        if outcome.status is AckStatus.SUCCEEDED or _runs(outcome):
            await self._restarts.end(machine.miner_id)
            self._sink.event(
                "restart_finished",
                "warning",
                "Told to start: its restart was cut short",
                "it may have been stopped for a restart whose second half was missing",
                machine.miner_id,
                _details(outcome),
            )


def _runs(outcome: Outcome) -> bool:
    """It refuses to start because it runs."""
    return outcome.error_code == "MACHINE_REFUSED" and (outcome.before or {}).get("state") == "running"


def _details(outcome: Outcome) -> dict[str, Any]:
    return {"action": "enable", "status": outcome.status.value, "before": outcome.before, "after": outcome.after}
