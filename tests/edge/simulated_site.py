"""A simulated site under a real poller, and machines of ill will beside it: all on real sockets."""

import asyncio
import json
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from hashinsight.edge.local_site import LocalSite
from hashinsight.edge.settings import Miners, Protection, Settings
from hashinsight.edge.storage.journal import StoredStop
from tests.installation import HANG_TIMEOUT_SEC, environment
from tests.sim.running import Sim

LUXOS = "LuxOS 2024.5.1"  # with stock firmware an Antminer takes no orders


def scenario_toml(*machines: tuple[str, int] | tuple[str, int, str]) -> str:
    """A scenario in which nothing breaks by itself: models, how many of each, and their firmware if it is not stock."""
    rows = [
        f'{{ model = "{model}", count = {count}{"".join(f", firmware = {json.dumps(one)}" for one in firmware)} }}'
        for model, count, *firmware in machines
    ]
    return f"""
about = "some of each make"
[[pools]]
name = "main"
url = "stratum+tcp://main.pool.example:3333"
user = "farm.worker"
[[sites]]
name = "north"
pools = ["main"]
[[sites.zones]]
name = "a"
machines = [{", ".join(rows)}]
"""


@contextmanager
def simulate_site(folder: Path, *machines: tuple[str, int] | tuple[str, int, str], speed: int = 1) -> Iterator[Sim]:
    """Far faster than life a boot takes seconds."""
    file = folder / "site.toml"
    file.write_text(scenario_toml(*machines))
    with simulate(str(file), "--speed", str(speed)) as running:
        yield running


class RecordingSink:
    """A sink that keeps what it is given."""

    def __init__(self) -> None:
        self.samples: list[Mapping[str, Any]] = []
        self.events: list[dict[str, Any]] = []
        self.restarts: dict[str, float] = {}
        self.stops: dict[str, StoredStop] = {}

    async def begin_restart(self, miner_id: str, *, now: float) -> None:
        self.restarts[miner_id] = now

    async def end_restart(self, miner_id: str) -> None:
        del self.restarts[miner_id]

    def list_restarts(self) -> dict[str, float]:
        return dict(self.restarts)

    async def save_stop(self, miner_id: str, stop: StoredStop) -> None:
        self.stops[miner_id] = stop

    async def delete_stop(self, miner_id: str) -> None:
        self.stops.pop(miner_id, None)

    def list_stops(self) -> dict[str, StoredStop]:
        return dict(self.stops)

    def add_samples(self, samples: Sequence[Mapping[str, Any]]) -> None:
        self.samples += samples

    def add_event(  # noqa: PLR0917 - as the cloud side takes it
        self,
        kind: str,
        severity: str,
        title: str,
        message: str = "",
        miner_id: str | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        said = {"kind": kind, "severity": severity, "title": title, "message": message}
        self.events.append({**said, "miner_id": miner_id, "details": details})

    def titles(self) -> list[str]:
        return [event["title"] for event in self.events]

    def of(self, miner_id: str) -> list[Mapping[str, Any]]:
        return [sample for sample in self.samples if sample["miner_id"] == miner_id]


@contextmanager
def simulate(scenario: str, *options: str) -> Iterator[Sim]:
    command = [sys.executable, "-m", "hashinsight", "sim", "run", scenario, "--json", *options]
    with subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        try:
            assert line
            yield Sim(process, json.loads(line))
        finally:
            process.terminate()
            process.wait(HANG_TIMEOUT_SEC)


def site_settings(
    folder: Path, ranges: Sequence[str], *, protection: Protection | None = None, **miners: Any
) -> Settings:
    told = {"interval_sec": 5, "timeout_sec": 20.0, **miners}
    return Settings(
        state_dir=folder,
        miners=Miners(ranges=tuple(ranges), **told),
        protection=protection or Protection(on=False),
    )


@asynccontextmanager
async def running_site(
    chosen: Settings, book: RecordingSink | None = None
) -> AsyncIterator[tuple[LocalSite, RecordingSink]]:
    """`book`: what an edge before this one kept."""
    sink = book or RecordingSink()
    local_site = LocalSite(chosen, sink)
    running = asyncio.create_task(local_site.run())
    try:
        yield local_site, sink
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def until(condition: Callable[[], bool], what: str) -> None:
    end = asyncio.get_running_loop().time() + HANG_TIMEOUT_SEC
    while not condition():
        assert asyncio.get_running_loop().time() < end, f"waited {HANG_TIMEOUT_SEC:.0f} s for {what}"
        await asyncio.sleep(0.05)


Behaviour = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


async def _garbage(_: asyncio.StreamReader, line: asyncio.StreamWriter) -> None:
    line.write(b"\xff\xfe\x00 this is no JSON {{{{" * 50)
    await line.drain()


async def _half(_: asyncio.StreamReader, line: asyncio.StreamWriter) -> None:
    line.write(b'{"STATUS":[{"STATUS":"S","When":1,"Code":11,"Msg":"Summary"}],"SUMMARY":[{"Elapsed":12,"MHS a')
    await line.drain()


async def _drip(_: asyncio.StreamReader, line: asyncio.StreamWriter) -> None:
    for char in '{"STATUS":[{"STATUS":"S"' + " " * 10_000:
        line.write(char.encode())
        await line.drain()
        await asyncio.sleep(0.2)


async def _mute(said: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
    await said.read()


async def _reset(said: asyncio.StreamReader, line: asyncio.StreamWriter) -> None:
    await said.read(10)
    line.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    line.transport.abort()


async def _endless(_: asyncio.StreamReader, line: asyncio.StreamWriter) -> None:
    while True:
        line.write(b"x" * 1_000_000)
        await line.drain()


async def _nested(said: asyncio.StreamReader, line: asyncio.StreamWriter) -> None:
    await said.read(10)
    line.write(b"[" * 200_000 + b"\0")
    await line.drain()


HOSTILE: dict[str, Behaviour] = {
    "garbage": _garbage,
    "half": _half,
    "drip": _drip,
    "mute": _mute,
    "reset": _reset,
    "endless": _endless,
    "nested": _nested,
}


@asynccontextmanager
async def hostile_machines(addresses: Mapping[str, Behaviour]) -> AsyncIterator[None]:
    """Listens on port 4028 of each address and behaves as it says."""
    servers = []
    for address, behave in addresses.items():

        async def served(said: asyncio.StreamReader, line: asyncio.StreamWriter, behave: Behaviour = behave) -> None:
            try:
                await behave(said, line)
            except (ConnectionError, asyncio.CancelledError):
                pass
            finally:
                line.transport.abort()

        servers.append(await asyncio.start_server(served, address, 4028))
    try:
        yield
    finally:
        for server in servers:
            server.close()
