"""Reads machines through children: many at once, and none of them can hurt the reading of the others.

When a child dies, those whose reads were under way are read once more, one after the other, in a child apart. Whoever
kills that one too is the culprit: it is read apart from now on, and the rest of the fleet never meets it again.
"""

import asyncio
import time
import zlib
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Self

from hashinsight.edge.library_process.process import MODULE, ChildLost, ChildProcess, NotRead

APART_SEC = 6 * 3600.0
KNOCK_SEC = 1.0
Auth = tuple[tuple[str, str, str], ...]  # make or none, user, password: all of the site, the child picks
Told = dict[str, Any]


class Reader:
    def __init__(self, *, children: int = 1, memory_mb: int = 512, module: str = MODULE) -> None:
        self.lanes = [ChildProcess(f"{no + 1}", memory_mb=memory_mb, module=module) for no in range(children)]
        self.apart = ChildProcess("apart", memory_mb=memory_mb, module=module)
        self._culprits: dict[str, float] = {}
        self._one_by_one = asyncio.Lock()
        self._lives: list[asyncio.Task[None]] = []
        self._apart_life: asyncio.Task[None] | None = None
        self.on_culprit: Callable[[str], None] = lambda _: None

    async def __aenter__(self) -> Self:
        self._lives = [asyncio.create_task(lane.live()) for lane in self.lanes]
        return self

    async def __aexit__(self, *_: object) -> None:
        lives = [*self._lives, *([self._apart_life] if self._apart_life else [])]
        for life in lives:
            life.cancel()
        for life in lives:
            with suppress(asyncio.CancelledError):
                await life
        self._apart_life = None

    @property
    def restarts(self) -> int:
        return sum(max(lane.starts - 1, 0) for lane in (*self.lanes, self.apart))

    @property
    def pids(self) -> list[int]:
        return [lane.pid for lane in (*self.lanes, self.apart) if lane.pid is not None]

    async def read(self, address: str, *, timeout_sec: float, auth: Auth = ()) -> Told:
        """`NotRead` says why not; that a child died is told only of the machine that killed it."""
        told: Told = await self._ask("read", address, timeout_sec=timeout_sec, auth=auth)
        return told

    async def find(self, address: str, *, timeout_sec: float, auth: Auth = ()) -> Told | None:
        """The reading of whatever machine is there, or None."""
        told: Told | None = await self._ask("find", address, timeout_sec=timeout_sec, knock_sec=KNOCK_SEC, auth=auth)
        return told

    async def knock(self, address: str) -> bool:
        return bool(await self._ask("knock", address, timeout_sec=KNOCK_SEC))

    async def act(self, address: str, verb: str, params: dict[str, Any], *, timeout_sec: float, auth: Auth = ()) -> Any:
        """Never a second time by itself: an order whose child died may have been given. `ChildLost` says so."""
        lane = self.apart if self._is_culprit(address) else self._lane(address)
        if lane is self.apart:
            self._start_apart()
        return await lane.ask("act", address, verb, params, timeout_sec=timeout_sec, auth=auth)

    async def _ask(self, op: str, address: str, **options: Any) -> Any:
        if not self._is_culprit(address):
            try:
                return await self._lane(address).ask(op, address, **options)
            except ChildLost:
                pass
        return await self._ask_apart(op, address, **options)

    async def _ask_apart(self, op: str, address: str, **options: Any) -> Any:
        self._start_apart()
        async with self._one_by_one:
            try:
                return await self.apart.ask(op, address, **options)
            except ChildLost:
                if not self._is_culprit(address):
                    self._culprits[address] = time.monotonic() + APART_SEC
                    self.on_culprit(address)
                raise NotRead("reader_lost", "the reader dies at this machine, which is read apart now") from None

    def _lane(self, address: str) -> ChildProcess:
        """The same one every time: it keeps what it knows of the machine."""
        return self.lanes[zlib.crc32(address.encode()) % len(self.lanes)]

    def _is_culprit(self, address: str) -> bool:
        until = self._culprits.get(address)
        if until is not None and until < time.monotonic():
            del self._culprits[address]
            return False
        return until is not None

    def _start_apart(self) -> None:
        if self._apart_life is None:
            self._apart_life = asyncio.create_task(self.apart.live())
