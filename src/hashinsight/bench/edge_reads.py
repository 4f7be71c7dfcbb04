"""Reader programs of `bench edge`. Each runs in its own process and prints its figures as JSON.

`bare NET MACHINES AT_ONCE ROUNDS` reads with the library alone, `burst …` with the collector's reader at full speed,
`steady NET MACHINES INTERVAL SECONDS` with the collector's whole polling side, as in production.
"""

import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any

import psutil

from hashinsight.edge.library_process.reader import Reader
from hashinsight.edge.local_site import LocalSite
from hashinsight.edge.readings.record import make_record
from hashinsight.edge.settings import Miners, Protection, Settings
from hashinsight.edge.storage.journal import StoredStop
from hashinsight.sim.sockets.nets import address_of, read_net

LIBRARY = "pyasic_rs"
TIMEOUT_SEC = 10.0
SETTLED_SHARE = 0.2  # of the run; memory is compared from then on


def addresses(net: str, machines: int) -> list[str]:
    return [address_of(read_net(net), no) for no in range(machines)]


async def bare(net: str, machines: int, at_once: int, rounds: int) -> dict[str, float]:
    import pyasic_rs
    from pyasic_rs.data import DataField

    factory = pyasic_rs.MinerFactory().with_port_check(False)  # noqa: FBT003 - the library's signature
    miners = [miner for address in addresses(net, machines) if (miner := await factory.get_miner(address)) is not None]

    async def read(miner: Any) -> str:
        await miner.get_data(exclude=[DataField.Chips, DataField.TuningCapabilities])
        return LIBRARY

    began, cpu = time.perf_counter(), _cpu(os.getpid())
    readers = await _read_all(read, miners * rounds, at_once)
    return _figures(readers, began, edge_cpu=_cpu(os.getpid()) - cpu, child_cpu=0.0)


async def burst(net: str, machines: int, at_once: int, rounds: int) -> dict[str, float]:
    async with Reader() as reader:

        async def read(address: str) -> str:
            reading = await reader.read(address, timeout_sec=TIMEOUT_SEC)
            return str(make_record(reading, miner_id=address, at=datetime.now(UTC))["raw_data"]["reader"])

        targets = addresses(net, machines)
        await _read_all(read, targets, at_once)  # the first read also identifies the machine
        began, cpu, child = time.perf_counter(), _cpu(os.getpid()), _cpu(*reader.pids)
        readers = await _read_all(read, targets * rounds, at_once)
        return _figures(readers, began, edge_cpu=_cpu(os.getpid()) - cpu, child_cpu=_cpu(*reader.pids) - child)


class _CountingSink:
    """Counts samples by reader; events and stored stops are discarded."""

    def __init__(self) -> None:
        self.readers: dict[str, int] = {}
        self.missed = 0

    def add_samples(self, samples: Sequence[Mapping[str, Any]]) -> None:
        for sample in samples:
            if sample["online"]:
                reader = str(sample["raw_data"]["reader"])
                self.readers[reader] = self.readers.get(reader, 0) + 1
            else:
                self.missed += 1

    def add_event(self, *_: object, **__: object) -> None: ...

    async def begin_restart(self, _: str, *, now: float) -> None: ...

    async def end_restart(self, _: str) -> None: ...

    def list_restarts(self) -> dict[str, float]:
        return {}

    async def save_stop(self, _: str, __: StoredStop) -> None: ...

    async def delete_stop(self, _: str) -> None: ...

    def list_stops(self) -> dict[str, StoredStop]:
        return {}


async def steady(net: str, machines: int, interval_sec: int, seconds: float) -> dict[str, float]:
    sink = _CountingSink()
    ranges = tuple(f"{net}.{block}.1-250" for block in range(-(-machines // 250)))
    with tempfile.TemporaryDirectory(prefix="hi-bench-") as folder:
        miners = Miners(ranges=ranges, interval_sec=interval_sec, identity="address", discovery=False)
        site = LocalSite(Settings(state_dir=Path(folder), miners=miners, protection=Protection()), sink)
        running = asyncio.create_task(site.run())
        while site.counts().online < machines and not running.done():  # noqa: ASYNC110 - counts has no event to wait for
            await asyncio.sleep(0.5)
        sink.readers.clear()
        sink.missed = 0
        pids = (os.getpid(), *site.poller.reader.pids)
        began, cpu = time.perf_counter(), _cpu(*pids)
        await asyncio.sleep(seconds * SETTLED_SHARE)
        settled = _resident_mb(*pids)
        await asyncio.sleep(seconds * (1 - SETTLED_SHARE))
        elapsed, cpu_sec, counts = time.perf_counter() - began, _cpu(*pids) - cpu, site.counts()
        held = _resident_mb(*pids)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    reads = sink.readers.get(LIBRARY, 0)
    return {
        "seconds": elapsed,
        "reads_by_pyasic_rs": reads,
        "reads_by_others": sum(sink.readers.values()) - reads,
        "missed": sink.missed,
        "reads_a_machine_and_interval": reads / machines / (elapsed / interval_sec),
        "cpu_ms_a_read": 1000 * cpu_sec / max(reads, 1),
        "cores": cpu_sec / elapsed,
        "latest_sec": counts.latest_sec,
        "child_restarts": counts.child_restarts,
        "settled_mb": settled,
        "held_mb": held,
    }


async def _read_all(read: Callable[[Any], Awaitable[str]], targets: list[Any], at_once: int) -> list[str]:
    remaining, readers = iter(targets), []

    async def read_some() -> None:
        for target in remaining:
            readers.append(await read(target))  # noqa: PERF401 - tasks share the iterator

    await asyncio.gather(*(read_some() for _ in range(at_once)))
    return readers


def _figures(readers: list[str], began: float, *, edge_cpu: float, child_cpu: float) -> dict[str, float]:
    by_library = readers.count(LIBRARY)
    return {
        "seconds": time.perf_counter() - began,
        "by_pyasic_rs": by_library,
        "others": len(readers) - by_library,
        "edge_cpu_ms": 1000 * edge_cpu / len(readers),
        "child_cpu_ms": 1000 * child_cpu / len(readers),
    }


def _cpu(*pids: int) -> float:
    times: Iterator[float] = chain.from_iterable(psutil.Process(pid).cpu_times()[:2] for pid in pids)
    return sum(times)


def _resident_mb(*pids: int) -> float:
    return sum(psutil.Process(pid).memory_info().rss for pid in pids) / 1e6


PROGRAMS: dict[str, Callable[..., Awaitable[dict[str, float]]]] = {"bare": bare, "burst": burst, "steady": steady}


async def main(name: str, net: str, *numbers: str) -> None:
    figures = await PROGRAMS[name](net, *(float(text) if "." in text else int(text) for text in numbers))
    sys.stdout.write(json.dumps(figures))
    sys.stdout.flush()
    os._exit(0)  # pyasic_rs can abort at interpreter exit


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
