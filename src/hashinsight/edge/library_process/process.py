"""One child process: started, called, watched, and restarted when it aborts, hangs or uses too much memory."""

import asyncio
import itertools
import logging
import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from hashinsight.edge.library_process.messages import BrokenFrame, MachineError, pack_message, read_message

MODULE = "hashinsight.edge.library_process.child"
PING_SEC = 1.0
HANGS_AFTER_SEC = 10.0
START_TIMEOUT_SEC = 60.0  # on a busy device loading the library takes its time
FIRST_REST_SEC, LONGEST_REST_SEC = 0.1, 10.0
GOOD_LIFE_SEC = 60.0  # after this a restart follows at once
_GRACE_SEC = 3.0  # beyond the child's own timeout: then the child itself does not answer
_STDERR_BYTES = 2000
_PAGE = os.sysconf("SC_PAGE_SIZE")

log = logging.getLogger(__name__)


class ChildLost(Exception):
    """The child died during a call: whether it had already sent something to the machine is unknown."""


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
        self._last_answer_at = 0.0
        self._stderr = b""

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None and self._ready.is_set() else None

    async def call(self, op: str, *args: Any, timeout_sec: float, **options: Any) -> Any:
        """Waits for the child to be ready; a late answer is given up."""
        options["timeout_sec"] = timeout_sec
        try:
            if not self._ready.is_set():
                async with asyncio.timeout(START_TIMEOUT_SEC):
                    await self._ready.wait()
            async with asyncio.timeout(2 * timeout_sec + _GRACE_SEC):
                return await self._call(op, args, options)
        except TimeoutError:
            raise MachineError("slow", "the reader process did not answer in time") from None

    async def _call(self, op: str, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        process = self._process
        if process is None or process.stdin is None:
            raise ChildLost
        number = next(self._numbers)
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        try:
            process.stdin.write(pack_message({"id": number, "op": op, "args": args, "options": options}))
            answer = await future
        finally:
            self._waiting.pop(number, None)
        if not answer["ok"]:
            raise MachineError(answer["kind"], answer["text"])
        return answer["result"]

    async def run(self) -> None:
        """Until cancelled: one child after the other, with growing pauses while they die quickly."""
        rest = FIRST_REST_SEC
        try:
            while True:
                began = time.monotonic()
                await self._run_once()
                rest = FIRST_REST_SEC if time.monotonic() - began > GOOD_LIFE_SEC else min(2 * rest, LONGEST_REST_SEC)
                log.warning("reader %s ended (%s), restarting in %.1f s", self.name, self.last_end, rest)
                await asyncio.sleep(rest)
        finally:
            await self._end()

    async def _run_once(self) -> None:
        command = (sys.executable, "-m", self.module, str(self.memory_mb))
        pipe = asyncio.subprocess.PIPE
        self._process = process = await asyncio.create_subprocess_exec(
            *command,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            start_new_session=True,  # Ctrl-C goes to the collector, which ends its children itself
            env={**os.environ, "MALLOC_ARENA_MAX": "2", "RUST_BACKTRACE": "0"},
        )
        self.starts += 1
        self.last_end = ""
        self._last_answer_at = time.monotonic()
        work = (self._receive(process), self._watch(process), self._collect_stderr(process))
        tasks = [asyncio.ensure_future(coroutine) for coroutine in work]
        try:
            await process.wait()
        finally:
            self._ready.clear()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self.last_end = self.last_end or self._exit_text(process)
            for future in self._waiting.values():
                if not future.done():
                    future.set_exception(ChildLost())
            self._waiting.clear()

    async def _receive(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None  # noqa: S101 - opened as a pipe
        try:
            while (answer := await read_message(process.stdout)) is not None:
                self._last_answer_at = time.monotonic()
                self._ready.set()
                future = self._waiting.get(answer["id"])
                if future is not None and not future.done():
                    future.set_result(answer)
        except (BrokenFrame, KeyError, TypeError) as error:
            self._kill(process, f"invalid message: {error}")

    async def _watch(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None  # noqa: S101 - opened as a pipe
        while True:
            process.stdin.write(pack_message({"id": 0, "op": "ping"}))
            await asyncio.sleep(PING_SEC)
            limit_sec = HANGS_AFTER_SEC if self._ready.is_set() else START_TIMEOUT_SEC
            if time.monotonic() - self._last_answer_at > limit_sec:
                self._kill(process, f"no answer for {limit_sec:g} s")
            used_mb = resident_mb(process.pid)
            if used_mb > self.memory_mb:
                self._kill(process, f"{used_mb:.0f} MB of memory")

    async def _collect_stderr(self, process: asyncio.subprocess.Process) -> None:
        """The end of its error output; a full pipe would block it."""
        assert process.stderr is not None  # noqa: S101 - opened as a pipe
        while part := await process.stderr.read(_STDERR_BYTES):
            self._stderr = (self._stderr + part)[-_STDERR_BYTES:]

    def _kill(self, process: asyncio.subprocess.Process, reason: str) -> None:
        self.last_end = reason
        with suppress(ProcessLookupError):
            process.kill()

    def _exit_text(self, process: asyncio.subprocess.Process) -> str:
        code = process.returncode
        lines = self._stderr.decode(errors="replace").strip().splitlines()
        self._stderr = b""
        last_line = "".join(char for char in lines[-1][:200] if char.isprintable()) if lines else ""
        status = f"signal {-code}" if code is not None and code < 0 else f"code {code}"
        return f"{status}: {last_line}" if last_line else status

    async def _end(self) -> None:
        process = self._process
        if process is None or process.returncode is not None:
            return
        with suppress(ProcessLookupError):
            process.kill()  # it holds no state
        await process.wait()
        process._transport.close()  # type: ignore[attr-defined]  # noqa: SLF001 - else its pipes stay open


def resident_mb(pid: int) -> float:
    """0 if the system does not tell; the child's own limit holds anyway."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE / 1e6
    except (OSError, ValueError, IndexError):
        return 0.0
