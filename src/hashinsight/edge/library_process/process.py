"""One child that reads, and its life: started, asked, watched, started anew when it aborts, hangs or eats memory."""

import asyncio
import itertools
import logging
import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from hashinsight.edge.library_process.messages import BrokenFrame, packed, read_message

MODULE = "hashinsight.edge.library_process.child"
PING_SEC = 1.0
HANGS_AFTER_SEC = 10.0
STARTS_WITHIN_SEC = 60.0  # on a busy box it takes its time until its first word
FIRST_REST_SEC, LONGEST_REST_SEC = 0.1, 10.0
GOOD_LIFE_SEC = 60.0  # who lived so long starts anew without a rest
_GRACE_SEC = 3.0  # beyond what the child itself allows: then it is the child that does not answer
_KEPT_BYTES = 2000
_PAGE = os.sysconf("SC_PAGE_SIZE")

log = logging.getLogger(__name__)


class ChildLost(Exception):
    """The child went while it was asked: whether it had already asked the machine is not known."""


class NotRead(Exception):
    """`kind` is one word for machines, `str()` one sentence for people."""

    def __init__(self, kind: str, said: str) -> None:
        super().__init__(said)
        self.kind = kind


class ChildProcess:
    def __init__(self, name: str, *, memory_mb: int, module: str = MODULE) -> None:
        self.name = name
        self.module = module
        self.memory_mb = memory_mb
        self.starts = 0
        self.last_end = ""
        self._process: asyncio.subprocess.Process | None = None
        self._ready = asyncio.Event()
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._numbers = itertools.count(1)
        self._heard = 0.0
        self._said = b""

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None and self._ready.is_set() else None

    async def ask(self, op: str, *args: Any, timeout_sec: float, **options: Any) -> Any:
        """Waits for the child to be there; then it has its time, and what it is late with is given up."""
        options["timeout_sec"] = timeout_sec
        try:
            if not self._ready.is_set():
                async with asyncio.timeout(STARTS_WITHIN_SEC):
                    await self._ready.wait()
            async with asyncio.timeout(2 * timeout_sec + _GRACE_SEC):
                return await self._asked(op, args, options)
        except TimeoutError:
            raise NotRead("slow", "the reader did not answer in time") from None

    async def _asked(self, op: str, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        process = self._process
        if process is None or process.stdin is None:
            raise ChildLost
        number = next(self._numbers)
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        try:
            process.stdin.write(packed({"id": number, "op": op, "args": args, "options": options}))
            said = await answer
        finally:
            self._waiting.pop(number, None)
        if not said["ok"]:
            raise NotRead(said["kind"], said["said"])
        return said["result"]

    async def live(self) -> None:
        """Until cancelled: one child after the other, with a rest that grows while they die young."""
        rest = FIRST_REST_SEC
        try:
            while True:
                began = time.monotonic()
                await self._live_once()
                rest = FIRST_REST_SEC if time.monotonic() - began > GOOD_LIFE_SEC else min(2 * rest, LONGEST_REST_SEC)
                log.warning("reader %s ended (%s) and is started anew in %.1f s", self.name, self.last_end, rest)
                await asyncio.sleep(rest)
        finally:
            await self._end()

    async def _live_once(self) -> None:
        command = (sys.executable, "-m", self.module, str(self.memory_mb))
        pipe = asyncio.subprocess.PIPE
        self._process = process = await asyncio.create_subprocess_exec(
            *command,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            start_new_session=True,  # Ctrl-C is for the edge, which ends its child itself
            env={**os.environ, "MALLOC_ARENA_MAX": "2", "RUST_BACKTRACE": "0"},
        )
        self.starts += 1
        self.last_end = ""
        self._heard = time.monotonic()
        tasks = [
            asyncio.ensure_future(work) for work in (self._hear(process), self._watch(process), self._keep(process))
        ]
        try:
            await process.wait()
        finally:
            self._ready.clear()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self.last_end = self.last_end or self._ended_as(process)
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_exception(ChildLost())
            self._waiting.clear()

    async def _hear(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None  # noqa: S101 - it was asked for
        try:
            while (said := await read_message(process.stdout)) is not None:
                self._heard = time.monotonic()
                self._ready.set()
                answer = self._waiting.get(said["id"])
                if answer is not None and not answer.done():
                    answer.set_result(said)
        except (BrokenFrame, KeyError, TypeError) as problem:
            self._kill(process, f"it spoke nonsense: {problem}")

    async def _watch(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None  # noqa: S101 - it was asked for
        while True:
            process.stdin.write(packed({"id": 0, "op": "ping"}))
            await asyncio.sleep(PING_SEC)
            most = HANGS_AFTER_SEC if self._ready.is_set() else STARTS_WITHIN_SEC
            if time.monotonic() - self._heard > most:
                self._kill(process, f"silent for {most:g} s")
            used = resident_mb(process.pid)
            if used > self.memory_mb:
                self._kill(process, f"{used:.0f} MB of memory")

    async def _keep(self, process: asyncio.subprocess.Process) -> None:
        """The end of what it complains about; a full pipe would hold it up."""
        assert process.stderr is not None  # noqa: S101 - it was asked for
        while part := await process.stderr.read(_KEPT_BYTES):
            self._said = (self._said + part)[-_KEPT_BYTES:]

    def _kill(self, process: asyncio.subprocess.Process, why: str) -> None:
        self.last_end = why
        with suppress(ProcessLookupError):
            process.kill()

    def _ended_as(self, process: asyncio.subprocess.Process) -> str:
        code = process.returncode
        lines = self._said.decode(errors="replace").strip().splitlines()
        self._said = b""
        told = "".join(char for char in lines[-1][:200] if char.isprintable()) if lines else ""
        how = f"signal {-code}" if code is not None and code < 0 else f"code {code}"
        return f"{how}: {told}" if told else how

    async def _end(self) -> None:
        process = self._process
        if process is None or process.returncode is not None:
            return
        with suppress(ProcessLookupError):
            process.kill()  # it holds nothing that could be lost
        await process.wait()
        process._transport.close()  # type: ignore[attr-defined]  # noqa: SLF001 - else its pipes stay open until collected


def resident_mb(pid: int) -> float:
    """0 where the system does not tell; the child's own bound holds there all the same."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE / 1e6
    except (OSError, ValueError, IndexError):
        return 0.0
