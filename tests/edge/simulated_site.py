"""A simulated site under a real poller, and hostile machines: all on real sockets."""

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
from tests.sim.simulator_process import Sim

LUXOS = "LuxOS 2024.5.1"  # a stock Antminer accepts no actions


def scenario_toml(*machines: tuple[str, int] | tuple[str, int, str]) -> str:
    """A scenario without random faults: models, how many of each, and their firmware if it is not stock."""
    rows = []
    for model, count, *firmware in machines:
        version = f", firmware = {json.dumps(firmware[0])}" if firmware else ""
        rows.append(f'{{ model = "{model}", count = {count}{version} }}')
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
    """With a high `speed` a boot takes seconds."""
    file = folder / "site.toml"
    file.write_text(scenario_toml(*machines))
    with simulate(str(file), "--speed", str(speed)) as running:
        yield running


class RecordingSink:
    """A sink that keeps everything."""

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
        event = {"kind": kind, "severity": severity, "title": title, "message": message}
        self.events.append({**event, "miner_id": miner_id, "details": details})

    def titles(self) -> list[str]:
        return [event["title"] for event in self.events]

    def of(self, miner_id: str) -> list[Mapping[str, Any]]:
        return [sample for sample in self.samples if sample["miner_id"] == miner_id]


@contextmanager
def simulate(scenario: str, *options: str) -> Iterator[Sim]:
    command = [sys.executable, "-m", "hashinsight", "sim", "run", scenario, "--json", *options]
    with subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        writer = process.stdout.readline()
        try:
            assert writer
            yield Sim(process, json.loads(writer))
        finally:
            process.terminate()
            process.wait(HANG_TIMEOUT_SEC)


def site_settings(
    folder: Path, ranges: Sequence[str], *, protection: Protection | None = None, **miners: Any
) -> Settings:
    options = {"interval_sec": 5, "timeout_sec": 20.0, **miners}
    return Settings(
        state_dir=folder,
        miners=Miners(ranges=tuple(ranges), **options),
        protection=protection or Protection(on=False),
    )


@asynccontextmanager
async def running_site(
    settings: Settings, store: RecordingSink | None = None
) -> AsyncIterator[tuple[LocalSite, RecordingSink]]:
    """`store`: from the previous run of the collector."""
    sink = store or RecordingSink()
    local_site = LocalSite(settings, sink)
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


async def _garbage(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"\xff\xfe\x00 this is no JSON {{{{" * 50)
    await writer.drain()


async def _half(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b'{"STATUS":[{"STATUS":"S","When":1,"Code":11,"Msg":"Summary"}],"SUMMARY":[{"Elapsed":12,"MHS a')
    await writer.drain()


async def _drip(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    for char in '{"STATUS":[{"STATUS":"S"' + " " * 10_000:
        writer.write(char.encode())
        await writer.drain()
        await asyncio.sleep(0.2)


async def _mute(incoming: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
    await incoming.read()


async def _reset(incoming: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await incoming.read(10)
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    writer.transport.abort()


async def _endless(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(b"x" * 1_000_000)
        await writer.drain()


async def _nested(incoming: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await incoming.read(10)
    writer.write(b"[" * 200_000 + b"\0")
    await writer.drain()


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
    """Listens on port 4028 of each address and behaves as given."""
    servers = []
    for address, behave in addresses.items():

        async def served(
            incoming: asyncio.StreamReader, writer: asyncio.StreamWriter, behave: Behaviour = behave
        ) -> None:
            try:
                await behave(incoming, writer)
            except (ConnectionError, asyncio.CancelledError):
                pass
            finally:
                writer.transport.abort()

        servers.append(await asyncio.start_server(served, address, 4028))
    try:
        yield
    finally:
        for server in servers:
            server.close()
