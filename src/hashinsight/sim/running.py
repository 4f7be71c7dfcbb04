"""The live driver: the world moves with the clock, step by step and off the request path; sockets show each step."""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from hashinsight.sim.acts import Act, Pool, Refused
from hashinsight.sim.sockets.dialects import dialect_of
from hashinsight.sim.sockets.listeners import Listener, open_listeners
from hashinsight.sim.sockets.machine import Identity, Machine
from hashinsight.sim.sockets.nets import MAX_MACHINES, CannotRun, address_of
from hashinsight.sim.sockets.screen import Screen, Screens
from hashinsight.sim.world import MAX_STEP_SEC, World

STEP_SEC = 5.0
SOON_SEC = 0.1  # how long after a command its effect is shown: a wave of them costs one look at the fleet, not each
STALE_SEC = 0.5
MOST_ORDERS = 100_000
T = TypeVar("T")


@dataclass(frozen=True)
class Order:
    """What a machine was told over its socket, and why it did not do it, if so."""

    at: float  # of the real clock
    no: int
    act: Act
    refused: str | None


class Live:
    """One world behind sockets. Who touches the world holds the lock; who only looks takes the last step's screens."""

    def __init__(self, world: World, net: int, *, speed: float = 1.0) -> None:
        if world.fleet.n > MAX_MACHINES:
            raise CannotRun(f"one simulator has room for {MAX_MACHINES} machines, not for {world.fleet.n}.")
        self.world = world
        self.net = net
        self.speed = speed
        self.answers: dict[int, dict[tuple[str, str], bytes]] = {}
        self.orders: deque[Order] = deque(maxlen=MOST_ORDERS)
        self.stopping = asyncio.Event()
        self._lock = asyncio.Lock()
        self._began = (time.monotonic(), world.at)
        self.behind_sec = 0.0  # of the world's time, given up because it could not keep up
        self._screens = Screens(world.readings())
        self._listeners: list[Listener] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._look = asyncio.Event()
        self._names = np.stack([world.state.firmware_no, world.state.model_said_no])
        self.machines = [Machine(identity(world, net, no), self) for no in range(world.fleet.n)]

    def screen(self, no: int) -> Screen:
        return self._screens.of(no)

    def pools(self, no: int) -> tuple[Pool, ...]:
        return self.world.pools(no)

    async def act(self, no: int, act: Act) -> Refused | None:
        refused = await self.change(lambda world: world.act(no, act))
        self.orders.append(Order(time.time(), no, act, None if refused is None else refused.reason))
        return refused

    def act_later(self, no: int, act: Act, delay_sec: float) -> None:
        async def wait() -> None:
            await asyncio.sleep(delay_sec)
            await self.act(no, act)

        task = asyncio.create_task(wait())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def change(self, work: Callable[[World], T]) -> T:
        """Do something to the world at this moment of its time; a wave of commands shares one move forward."""
        async with self._lock:
            now = self._now()
            if now - self.world.at > STALE_SEC * self.speed:
                await asyncio.to_thread(self._catch_up, now)
            result = work(self.world)
        self._look.set()
        return result

    def open(self) -> None:
        self._listeners = open_listeners(
            (machine, dialect_of(machine.who.model, machine.who.firmware)) for machine in self.machines
        )
        self._show(self._screens)

    async def run(self) -> None:
        """Serve until `stopping`. The step's length is real time, whatever the speed."""
        try:
            while not self.stopping.is_set():
                await self._wait()
                if not self.stopping.is_set():
                    async with self._lock:
                        screens = await asyncio.to_thread(self._advanced)
                    self._show(screens)
        finally:
            for task in tuple(self._tasks):
                task.cancel()
            for listener in self._listeners:
                listener.close()

    def _now(self) -> float:
        monotonic, at = self._began
        return max(at + (time.monotonic() - monotonic) * self.speed, self.world.at)

    def _advanced(self) -> Screens:
        self._catch_up(self._now())
        return Screens(self.world.readings())

    def _catch_up(self, now: float) -> None:
        """For so long and no longer: a world too large for its speed goes slower, else every step would be longer."""
        enough = time.monotonic() + STEP_SEC
        while self.world.at < now and time.monotonic() < enough and not self.stopping.is_set():
            self.world.advance(min(self.world.at + MAX_STEP_SEC, now))
        if self.world.at < now:
            self.behind_sec += now - self.world.at
            self._began = (time.monotonic(), self.world.at)

    def _show(self, screens: Screens) -> None:
        self._screens = screens
        self.answers.clear()
        self._rename()
        for listener, reachable in zip(self._listeners, screens.reachable, strict=True):
            listener.reach(reachable=reachable)

    def _rename(self) -> None:
        """A machine whose firmware was changed calls itself by its new names, and may speak another protocol."""
        names = np.stack([self.world.state.firmware_no, self.world.state.model_said_no])
        for no in np.flatnonzero((names != self._names).any(axis=0)).tolist():
            who = self.machines[no].who = identity(self.world, self.net, no)
            self._listeners[no].dialect = dialect_of(who.model, who.firmware)
        self._names = names

    async def _wait(self) -> None:
        waits = [asyncio.create_task(event.wait()) for event in (self.stopping, self._look)]
        try:
            await asyncio.wait(waits, timeout=STEP_SEC, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
        if self._look.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(SOON_SEC):
                    await self.stopping.wait()
            self._look.clear()


def identity(world: World, net: int, no: int) -> Identity:
    fleet = world.fleet
    return Identity(
        no=no,
        machine_id=fleet.machine_id[no],
        model=fleet.models[int(fleet.model[no])],
        model_said=world.model_said(no),
        firmware=world.firmware_of(no),
        serial=fleet.serial[no],
        mac=fleet.mac[no],
        address=address_of(net, no),
        chips=int(fleet.board_chips[no]),
    )
