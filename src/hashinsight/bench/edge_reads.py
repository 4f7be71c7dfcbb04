"""The programs of `bench edge`, each a process of its own that says its figures in JSON.

`bare NET MACHINES AT_ONCE ROUNDS` the library alone; `burst …` the edge's reader, as fast as it goes;
`steady NET MACHINES INTERVAL SECONDS` the whole side of the machines, as in the field.
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

LIBRARY = "pyasic_rs"
TIMEOUT_SEC = 10.0
SETTLED_SHARE = 0.2  # of the time: from then on memory is compared


def addresses(net: str, machines: int) -> list[str]:
    return [f"{net}.{no // 250}.{no % 250 + 1}" for no in range(machines)]


async def bare(net: str, machines: int, at_once: int, rounds: int) -> dict[str, float]:
    import pyasic_rs
    from pyasic_rs.data import DataField

    factory = pyasic_rs.MinerFactory().with_port_check(False)  # noqa: FBT003 - the library's form
    found = [miner for one in addresses(net, machines) if (miner := await factory.get_miner(one)) is not None]

    async def read(miner: Any) -> str:
        await miner.get_data(exclude=[DataField.Chips, DataField.TuningCapabilities])
        return LIBRARY

    began, cpu = time.perf_counter(), _cpu(os.getpid())
    readers = await _all(read, list(found) * rounds, at_once)
    return _figures(readers, began, edge_cpu=_cpu(os.getpid()) - cpu, child_cpu=0.0)


async def burst(net: str, machines: int, at_once: int, rounds: int) -> dict[str, float]:
    async with Reader() as reader:

        async def read(address: str) -> str:
            told = await reader.read(address, timeout_sec=TIMEOUT_SEC)
            return str(make_record(told, miner_id=address, at=datetime.now(UTC))["raw_data"]["reader"])

        wanted = addresses(net, machines)
        await _all(read, wanted, at_once)  # who they are is asked once
        began, cpu, child = time.perf_counter(), _cpu(os.getpid()), _cpu(*reader.pids)
        readers = await _all(read, wanted * rounds, at_once)
        return _figures(readers, began, edge_cpu=_cpu(os.getpid()) - cpu, child_cpu=_cpu(*reader.pids) - child)


class _Counting:
    def __init__(self) -> None:
        self.readers: dict[str, int] = {}
        self.missed = 0

    def add_samples(self, samples: Sequence[Mapping[str, Any]]) -> None:
        for one in samples:
            if one["online"]:
                reader = str(one["raw_data"]["reader"])
                self.readers[reader] = self.readers.get(reader, 0) + 1
            else:
                self.missed += 1

    def add_event(self, *_: object, **__: object) -> None:
        """Nothing is too hot here."""

    async def begin_restart(self, _: str, *, now: float) -> None:
        """Nor is anything ordered."""

    async def end_restart(self, _: str) -> None: ...

    def list_restarts(self) -> dict[str, float]:
        return {}

    async def save_stop(self, _: str, __: StoredStop) -> None: ...

    async def delete_stop(self, _: str) -> None: ...

    def list_stops(self) -> dict[str, StoredStop]:
        return {}


async def steady(net: str, machines: int, interval_sec: int, seconds: float) -> dict[str, float]:
    sink = _Counting()
    ranges = tuple(f"{net}.{block}.1-250" for block in range(-(-machines // 250)))
    with tempfile.TemporaryDirectory(prefix="hi-bench-") as folder:
        miners = Miners(ranges=ranges, interval_sec=interval_sec, identity="address", discovery=False)
        side = LocalSite(Settings(state_dir=Path(folder), miners=miners, protection=Protection()), sink)
        running = asyncio.create_task(side.run())
        while side.counts().online < machines and not running.done():  # noqa: ASYNC110 - it is asked, it does not call
            await asyncio.sleep(0.5)
        sink.readers.clear()
        sink.missed = 0
        pids = (os.getpid(), *side.poller.reader.pids)
        began, cpu = time.perf_counter(), _cpu(*pids)
        await asyncio.sleep(seconds * SETTLED_SHARE)
        settled = _resident_mb(*pids)
        await asyncio.sleep(seconds * (1 - SETTLED_SHARE))
        took, spent, counts = time.perf_counter() - began, _cpu(*pids) - cpu, side.counts()
        held = _resident_mb(*pids)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    reads = sink.readers.get(LIBRARY, 0)
    return {
        "seconds": took,
        "reads_by_pyasic_rs": reads,
        "reads_by_others": sum(sink.readers.values()) - reads,
        "missed": sink.missed,
        "reads_a_machine_and_interval": reads / machines / (took / interval_sec),
        "cpu_ms_a_read": 1000 * spent / max(reads, 1),
        "cores": spent / took,
        "latest_sec": counts.latest_sec,
        "child_restarts": counts.child_restarts,
        "settled_mb": settled,
        "held_mb": held,
    }


async def _all(read: Callable[[Any], Awaitable[str]], wanted: list[Any], at_once: int) -> list[str]:
    left, readers = iter(wanted), []

    async def read_some() -> None:
        for one in left:
            readers.append(await read(one))  # noqa: PERF401 - as each comes

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
    told = await PROGRAMS[name](net, *(float(one) if "." in one else int(one) for one in numbers))
    sys.stdout.write(json.dumps(told))
    sys.stdout.flush()
    os._exit(0)  # the library has been seen to abort when an interpreter ends


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
