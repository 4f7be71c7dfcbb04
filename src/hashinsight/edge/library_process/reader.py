"""Reads machines through child processes: many at once, and no machine can disturb the reading of the others.

When a child dies, the machines it was reading are read again one by one in an isolated child. A machine that kills that
child too is the culprit: for some hours it is only read in isolation, away from the rest of the fleet.
"""

import asyncio
import time
import zlib
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Self

from hashinsight.edge.library_process.messages import MachineError
from hashinsight.edge.library_process.process import MODULE, ChildLost, ChildProcess

ISOLATED_SEC = 6 * 3600.0
PROBE_SEC = 1.0
Auth = tuple[tuple[str, str, str], ...]  # make (or empty), user, password: all of the site; the child picks
Reading = dict[str, Any]  # `reader`, the library's `data`, and tables of the cgminer API by name


class Reader:
    def __init__(self, *, children: int = 1, memory_mb: int = 512, module: str = MODULE) -> None:
        self.children = [ChildProcess(f"{no + 1}", memory_mb=memory_mb, module=module) for no in range(children)]
        self.isolated = ChildProcess("isolated", memory_mb=memory_mb, module=module)
        self._culprits: dict[str, float] = {}
        self._one_by_one = asyncio.Lock()
        self._tasks: list[asyncio.Task[None]] = []
        self._isolated_task: asyncio.Task[None] | None = None
        self.on_culprit: Callable[[str], None] = lambda _: None

    async def __aenter__(self) -> Self:
        self._tasks = [asyncio.create_task(child.run()) for child in self.children]
        return self

    async def __aexit__(self, *_: object) -> None:
        tasks = [*self._tasks, *([self._isolated_task] if self._isolated_task else [])]
        for task in tasks:
            task.cancel()
        for task in tasks:
            with suppress(asyncio.CancelledError):
                await task
        self._isolated_task = None

    @property
    def restarts(self) -> int:
        return sum(max(child.starts - 1, 0) for child in (*self.children, self.isolated))

    @property
    def pids(self) -> list[int]:
        return [child.pid for child in (*self.children, self.isolated) if child.pid is not None]

    async def read(self, address: str, *, timeout_sec: float, auth: Auth = ()) -> Reading:
        """Raises `MachineError`; only the machine that killed a child gets `reader_lost`."""
        reading: Reading = await self._call("read", address, timeout_sec=timeout_sec, auth=auth)
        return reading

    async def find(self, address: str, *, timeout_sec: float, auth: Auth = ()) -> Reading | None:
        """The reading of the machine at this address, if there is one."""
        reading: Reading | None = await self._call(
            "find", address, timeout_sec=timeout_sec, probe_sec=PROBE_SEC, auth=auth
        )
        return reading

    async def probe(self, address: str) -> bool:
        return bool(await self._call("probe", address, timeout_sec=PROBE_SEC))

    async def act(self, address: str, verb: str, params: dict[str, Any], *, timeout_sec: float, auth: Auth = ()) -> Any:
        """Never repeated: if the child dies, the action may have been sent. Raises `ChildLost` then."""
        child = self.isolated if self._is_culprit(address) else self._child_for(address)
        if child is self.isolated:
            self._start_isolated()
        return await child.call("act", address, verb, params, timeout_sec=timeout_sec, auth=auth)

    async def _call(self, op: str, address: str, **options: Any) -> Any:
        if not self._is_culprit(address):
            try:
                return await self._child_for(address).call(op, address, **options)
            except ChildLost:
                pass
        return await self._call_isolated(op, address, **options)

    async def _call_isolated(self, op: str, address: str, **options: Any) -> Any:
        self._start_isolated()
        async with self._one_by_one:
            try:
                return await self.isolated.call(op, address, **options)
            except ChildLost:
                if not self._is_culprit(address):
                    self._culprits[address] = time.monotonic() + ISOLATED_SEC
                    self.on_culprit(address)
                raise MachineError(
                    "reader_lost", "reading this machine crashes the reader process; it is now read separately"
                ) from None

    def _child_for(self, address: str) -> ChildProcess:
        """Always the same one: it caches what it knows of the machine."""
        return self.children[zlib.crc32(address.encode()) % len(self.children)]

    def _is_culprit(self, address: str) -> bool:
        until = self._culprits.get(address)
        if until is not None and until < time.monotonic():
            del self._culprits[address]
            return False
        return until is not None

    def _start_isolated(self) -> None:
        if self._isolated_task is None:
            self._isolated_task = asyncio.create_task(self.isolated.run())
