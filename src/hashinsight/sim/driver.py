"""Runs a world in real time behind sockets: advances it step by step, off the request path."""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from hashinsight.facts.models import MinerModel
from hashinsight.facts.temperatures import FirmwareFamily, firmware_family
from hashinsight.sim.commands import Command, Refusal
from hashinsight.sim.plan import Pool
from hashinsight.sim.sockets import antminer_stock, avalon, luxos, whatsminer
from hashinsight.sim.sockets.listeners import Listener, open_listeners
from hashinsight.sim.sockets.machine import Dialect, FleetReadings, Identity, Machine, MachineReading
from hashinsight.sim.sockets.nets import MAX_MACHINES, CannotRun, address_of
from hashinsight.sim.world import MAX_STEP_SEC, World

_BY_MAKE: dict[str, Dialect] = {"MicroBT": whatsminer.answer, "Canaan": avalon.answer}


def dialect_of(model: MinerModel, firmware: str) -> Dialect:
    """Other firmwares answer like the stock one, which all of them imitate on this port."""
    if model.make in _BY_MAKE:
        return _BY_MAKE[model.make]
    return luxos.answer if firmware_family(firmware) is FirmwareFamily.LUXOS else antminer_stock.answer


STEP_SEC = 5.0
SOON_SEC = 0.1  # delay until a command's effect shows: many commands share one update
STALE_SEC = 0.5
MAX_RECEIVED = 100_000
T = TypeVar("T")


@dataclass(frozen=True)
class ReceivedCommand:
    """A command that a machine received over its socket, and why it was refused, if so."""

    at: float  # of the real clock
    no: int
    command: Command
    refused: str | None


class LiveFleet:
    """A world behind sockets. Changes hold the lock; reads use the readings of the last step."""

    def __init__(self, world: World, net: int, *, speed: float = 1.0) -> None:
        if world.fleet.n > MAX_MACHINES:
            raise CannotRun(f"a simulator has room for {MAX_MACHINES} machines, not {world.fleet.n}.")
        self.world = world
        self.net = net
        self.speed = speed
        self.answers: dict[int, dict[tuple[str, str], bytes]] = {}
        self.received: deque[ReceivedCommand] = deque(maxlen=MAX_RECEIVED)
        self.stopping = asyncio.Event()
        self._lock = asyncio.Lock()
        self._began = (time.monotonic(), world.at)
        self.behind_sec = 0.0  # simulated time lost because the world could not keep up
        self._readings = FleetReadings(world.readings())
        self._listeners: list[Listener] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._changed = asyncio.Event()
        self._names = np.stack([world.state.firmware_no, world.state.reported_model_no])
        self.machines = [Machine(identity_of(world, net, no), self) for no in range(world.fleet.n)]

    def reading(self, no: int) -> MachineReading:
        return self._readings.of(no)

    def pools(self, no: int) -> tuple[Pool, ...]:
        return self.world.pools(no)

    async def execute(self, no: int, command: Command) -> Refusal | None:
        refused = await self.change(lambda world: world.execute(no, command))
        self.received.append(ReceivedCommand(time.time(), no, command, None if refused is None else refused.reason))
        return refused

    def execute_later(self, no: int, command: Command, delay_sec: float) -> None:
        async def wait() -> None:
            await asyncio.sleep(delay_sec)
            await self.execute(no, command)

        task = asyncio.create_task(wait())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def change(self, work: Callable[[World], T]) -> T:
        """Changes the world at the current time; commands close together share one advance."""
        async with self._lock:
            now = self._now()
            if now - self.world.at > STALE_SEC * self.speed:
                await asyncio.to_thread(self._catch_up, now)
            result = work(self.world)
        self._changed.set()
        return result

    def open(self) -> None:
        self._listeners = open_listeners(
            (machine, dialect_of(machine.identity.model, machine.identity.firmware)) for machine in self.machines
        )
        self._show(self._readings)

    async def run(self) -> None:
        """Serves until `stopping`. A step takes the same real time at any speed."""
        try:
            while not self.stopping.is_set():
                await self._wait()
                if not self.stopping.is_set():
                    async with self._lock:
                        readings = await asyncio.to_thread(self._advanced)
                    self._show(readings)
        finally:
            for task in tuple(self._tasks):
                task.cancel()
            for listener in self._listeners:
                listener.close()

    def _now(self) -> float:
        monotonic, at = self._began
        return max(at + (time.monotonic() - monotonic) * self.speed, self.world.at)

    def _advanced(self) -> FleetReadings:
        self._catch_up(self._now())
        return FleetReadings(self.world.readings())

    def _catch_up(self, now: float) -> None:
        """Advances for at most one step of real time: a world too large for its speed runs slower."""
        enough = time.monotonic() + STEP_SEC
        while self.world.at < now and time.monotonic() < enough and not self.stopping.is_set():
            self.world.advance(min(self.world.at + MAX_STEP_SEC, now))
        if self.world.at < now:
            self.behind_sec += now - self.world.at
            self._began = (time.monotonic(), self.world.at)

    def _show(self, readings: FleetReadings) -> None:
        self._readings = readings
        self.answers.clear()
        self._rename()
        for listener, reachable in zip(self._listeners, readings.reachable, strict=True):
            listener.reach(reachable=reachable)

    def _rename(self) -> None:
        """A machine with a new firmware reports its new names and may speak another protocol."""
        names = np.stack([self.world.state.firmware_no, self.world.state.reported_model_no])
        for no in np.flatnonzero((names != self._names).any(axis=0)).tolist():
            identity = self.machines[no].identity = identity_of(self.world, self.net, no)
            self._listeners[no].dialect = dialect_of(identity.model, identity.firmware)
        self._names = names

    async def _wait(self) -> None:
        waits = [asyncio.create_task(event.wait()) for event in (self.stopping, self._changed)]
        try:
            await asyncio.wait(waits, timeout=STEP_SEC, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
        if self._changed.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(SOON_SEC):
                    await self.stopping.wait()
            self._changed.clear()


def identity_of(world: World, net: int, no: int) -> Identity:
    fleet = world.fleet
    return Identity(
        no=no,
        machine_id=fleet.machine_id[no],
        model=fleet.models[int(fleet.model[no])],
        reported_model=world.reported_model(no),
        firmware=world.firmware_of(no),
        serial=fleet.serial[no],
        mac=fleet.mac[no],
        address=address_of(net, no),
        chips=int(fleet.board_chips[no]),
    )
