"""Machines with readings made by hand, on real sockets: what the protocols say can be compared with what was put in."""

import asyncio
import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from threading import Event, Thread
from typing import Any

import numpy as np

from hashinsight.facts.models import MinerModel
from hashinsight.sim.commands import Command, Refusal
from hashinsight.sim.driver import dialect_of
from hashinsight.sim.models import SIMULATED
from hashinsight.sim.plan import Pool
from hashinsight.sim.readings import Readings
from hashinsight.sim.sockets.listeners import Listener, open_listeners
from hashinsight.sim.sockets.machine import FleetReadings, Identity, Machine, MachineReading
from hashinsight.sim.sockets.nets import address_of, claim
from tests.installation import HANG_TIMEOUT_SEC

BY_NAME = {model.name: model for model in SIMULATED}
POOLS = (Pool("stratum+tcp://one.example:3333", "acme.w1"), Pool("stratum+tcp://two.example:3333", "acme.w1"))


def readings(n: int, at: float = 1_800_000_000.0) -> Readings:
    """Every machine shows the same, and every field has a figure of its own."""

    def each(*values: float) -> Any:
        return np.tile(np.array(values), (n, 1)) if len(values) > 1 else np.full(n, values[0])

    return Readings(
        at=at,
        reachable=np.full(n, fill_value=True),
        hashing=np.full(n, fill_value=True),
        hashrate_ths=each(103.5),
        hashrate_5s_ths=each(101.25),
        expected_ths=each(104.0),
        board_ths=each(34.0, 34.5, 35.0),
        board_temp_c=each(51.0, 52.0, 53.0),
        chip_temp_c=each(66.0, 67.0, 68.0),
        board_chips=each(126, 125, 120).astype(np.int64),
        board_hw_errors=each(1, 2, 3).astype(np.int64),
        frequency_mhz=each(545.0),
        fan_rpm=each(4010, 4020, 4030, 4040).astype(np.int64),
        fan_duty=each(0.6),
        inlet_c=each(24.0),
        power_w=each(3050.0),
        voltage_v=each(13.7),
        power_limit_w=each(3200.0),
        mode=each(1).astype(np.int8),
        accepted=each(1234).astype(np.int64),
        rejected=each(5).astype(np.int64),
        hw_errors=each(6).astype(np.int64),
        uptime_sec=each(86_400).astype(np.int64),
        pool=each(0).astype(np.int8),
        error_code=each(0).astype(np.int64),
        fault_light=np.full(n, fill_value=False),
    )


class ManualDriver:
    """A driver without a world: serves given readings and records commands."""

    def __init__(self, shown: Readings) -> None:
        self.answers: dict[int, dict[tuple[str, str], bytes]] = {}
        self.commands: list[tuple[int, Command]] = []
        self.later: list[tuple[int, Command, float]] = []
        self.refuse: str | None = None
        self.listeners: list[Listener] = []
        self.loop: asyncio.AbstractEventLoop | None = None
        self.show(shown)

    def show(self, shown: Readings, **changed: Any) -> None:
        self.shown = replace(shown, **changed)
        self._readings = FleetReadings(self.shown)
        self.answers.clear()

    def reach(self, reachable: Any) -> None:
        """Changes reachability in the readings and the listeners, as the live driver does."""
        assert self.loop is not None
        self.show(self.shown, reachable=reachable)
        asyncio.run_coroutine_threadsafe(self._follow(), self.loop).result(5)

    async def _follow(self) -> None:
        for listener, reachable in zip(self.listeners, self.shown.reachable.tolist(), strict=True):
            listener.reach(reachable=reachable)

    def reading(self, no: int) -> MachineReading:
        return self._readings.of(no)

    def pools(self, no: int) -> tuple[Pool, ...]:
        return POOLS if no >= 0 else ()

    async def execute(self, no: int, command: Command) -> Refusal | None:
        self.commands.append((no, command))
        return Refusal(self.refuse) if self.refuse else None

    def execute_later(self, no: int, command: Command, delay_sec: float) -> None:
        self.later.append((no, command, delay_sec))


def machine(driver: ManualDriver, no: int, model: MinerModel, firmware: str, address: str = "127.0.0.1") -> Machine:
    identity = Identity(
        no, f"site-{no:05d}", model, model.name, firmware, f"SN{no:08d}", f"02:00:00:00:00:{no:02x}", address, 126
    )
    return Machine(identity, driver)


@contextmanager
def on_sockets(kinds: list[tuple[str, str]]) -> Iterator[tuple[ManualDriver, int]]:
    """Machines of these models and firmwares in a net of their own, served by a loop in another thread."""
    driver = ManualDriver(readings(len(kinds)))
    net, control = claim(None)
    started, ended = Event(), asyncio.Event()
    loop = driver.loop = asyncio.new_event_loop()

    async def serve() -> None:
        machines = [machine(driver, no, BY_NAME[name], fw, address_of(net, no)) for no, (name, fw) in enumerate(kinds)]
        driver.listeners = listeners = open_listeners(
            [(each, dialect_of(each.identity.model, each.identity.firmware)) for each in machines]
        )
        for listener in listeners:
            listener.reach(reachable=True)
        started.set()
        await ended.wait()
        for listener in listeners:
            listener.close()
        await asyncio.sleep(0)

    thread = Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    try:
        assert started.wait(HANG_TIMEOUT_SEC)
        yield driver, net
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join(HANG_TIMEOUT_SEC)
        loop.close()
        control.close()


def send(address: str, raw: bytes, *, timeout: float = HANG_TIMEOUT_SEC) -> bytes:
    """A plain client: sends, reads until the machine closes."""
    with socket.create_connection((address, 4028), timeout=timeout) as line:
        line.sendall(raw)
        answer = b""
        while part := line.recv(65_536):
            answer += part
        return answer


def ask(address: str, command: str, parameter: str | None = None, **more: Any) -> dict[str, Any]:
    given = {"command": command, **more} | ({} if parameter is None else {"parameter": parameter})
    raw = send(address, json.dumps(given).encode())
    assert raw.endswith(b"\0")
    answer = json.loads(raw[:-1])
    assert isinstance(answer, dict)
    return answer
