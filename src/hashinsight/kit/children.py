"""Supervises child processes: starts, watches and restarts them with growing pauses, and stops them in order."""

import asyncio
import contextlib
import ctypes
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import structlog

from hashinsight.kit.errors import EXIT_REFUSED, OperatorError

log = structlog.get_logger(__name__)

_PR_SET_PDEATHSIG = 1
_STEADY_SECONDS = 60.0
_MAX_PAUSE_SECONDS = 30.0


@dataclass(frozen=True)
class Child:
    """A program to keep running. `stop_signal` asks it to finish its work and exit."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str] | None = None
    folder: Path | None = None
    uid: int | None = None
    gid: int | None = None
    stop_signal: signal.Signals = signal.SIGTERM
    stop_seconds: float = 20.0
    layer: int = 1  # children of a layer stop together, higher layers first
    # cleans up after a crash; the descriptors it returns are passed to the child and closed here
    before: Callable[[], Awaitable[tuple[int, ...]]] | None = None
    ready: Callable[[], Awaitable[bool]] | None = None
    output: Path | None = None
    pass_fds: tuple[int, ...] = ()


@dataclass
class _Running:
    child: Child
    process: asyncio.subprocess.Process | None = None
    watcher: asyncio.Task[None] | None = None
    restarts: int = 0
    started: float = field(default_factory=time.monotonic)


class Supervisor:
    """Keeps children alive. `failed` is set if one of them refuses to start: then everything should stop."""

    def __init__(self) -> None:
        self._running: list[_Running] = []
        self._stopping = False
        self.failed = asyncio.Event()
        self.failure = ""

    async def start(self, child: Child, *, waiting: Callable[[float], None] | None = None) -> None:
        """Start a child and wait until it is ready, for as long as it lives: crash recovery may take long."""
        running = _Running(child)
        self._running.append(running)
        await self._spawn(running)
        began = time.monotonic()
        while child.ready is not None and not await child.ready():
            if running.process is None or running.process.returncode is not None:
                code = running.process.returncode if running.process else None
                self._running.remove(running)
                raise OperatorError(f"{child.name} stopped during start (exit code {code}){_last_error(child)}.")
            if waiting is not None:
                waiting(time.monotonic() - began)
            await asyncio.sleep(0.05)
        running.watcher = asyncio.create_task(self._watch(running), name=f"watch {child.name}")

    async def run_until(self, *events: asyncio.Event) -> None:
        """Supervise until one of the events is set; raises if a child cannot be kept alive."""
        waits = [asyncio.create_task(event.wait()) for event in (*events, self.failed)]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for task in waits:
            task.cancel()
        if self.failed.is_set():
            raise OperatorError(self.failure)

    async def stop(self) -> None:
        """Stop the children, highest layer first, each with its own signal and timeout."""
        self._stopping = True
        for running in self._running:
            if running.watcher is not None:
                running.watcher.cancel()
        await asyncio.gather(*(running.watcher for running in self._running if running.watcher), return_exceptions=True)
        for layer in sorted({running.child.layer for running in self._running}, reverse=True):
            await asyncio.gather(
                *(
                    _end(running.process, running.child)
                    for running in self._running
                    if running.child.layer == layer
                    and running.process is not None
                    and running.process.returncode is None
                )
            )
        self._running.clear()

    async def _watch(self, running: _Running) -> None:
        pause = 0.5
        while True:
            if running.process is not None:
                code = await running.process.wait()
                # refused at first start: trying again will not help; later the database may be recovering
                if code == EXIT_REFUSED and running.restarts == 0:
                    self.failure = f"{running.child.name} refused to start{_last_error(running.child)}."
                    self.failed.set()
                    return
                log.error("child_died", child=running.child.name, exit_code=code, restart_in_seconds=pause)
            if time.monotonic() - running.started > _STEADY_SECONDS:
                pause = 0.5
            await asyncio.sleep(pause)
            pause = min(pause * 2, _MAX_PAUSE_SECONDS)
            running.restarts += 1
            running.process = None
            try:
                await self._spawn(running)
            except Exception as error:  # noqa: BLE001 - the next try may succeed
                log.error("child_start_failed", child=running.child.name, error=str(error), again_in_seconds=pause)  # noqa: TRY400

    async def _spawn(self, running: _Running) -> None:
        child = running.child
        descriptors = await child.before() if child.before is not None else ()
        output = child.output.open("wb") if child.output else None
        try:
            running.process = await asyncio.create_subprocess_exec(
                *child.command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=None if child.environment is None else dict(child.environment),
                cwd=child.folder,
                user=child.uid,
                group=child.gid,
                extra_groups=[] if child.uid is not None else None,
                pass_fds=(*child.pass_fds, *descriptors),
                start_new_session=True,  # Ctrl-C reaches only the supervisor, which stops the rest in order
                preexec_fn=die_with_parent(child.stop_signal),
            )
        finally:
            for descriptor in descriptors:
                os.close(descriptor)
            if output is not None:
                output.close()
        running.started = time.monotonic()
        log.debug("child_started", child=child.name, child_pid=running.process.pid)


async def _end(process: asyncio.subprocess.Process, child: Child) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(child.stop_signal)
        try:
            async with asyncio.timeout(child.stop_seconds):
                await process.wait()
        except TimeoutError:
            log.warning("child_killed", child=child.name, after_seconds=child.stop_seconds)
            process.kill()
            await process.wait()
    log.debug("child_stopped", child=child.name, exit_code=process.returncode)


def die_with_parent(number: signal.Signals) -> Callable[[], None]:
    """On Linux, send a child its stop signal if the supervisor dies, even by kill -9."""
    parent = os.getpid()
    libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None

    def arrange() -> None:
        if libc is not None:
            libc.prctl(_PR_SET_PDEATHSIG, int(number))
            if os.getppid() != parent:
                os._exit(1)

    return arrange


def _last_error(child: Child) -> str:
    """Its last error line, and where its logs are."""
    if child.output is None:
        return ""
    lines = [line.strip() for line in child.output.read_text(errors="replace").splitlines() if line.strip()]
    fatal = [line for line in lines if "FATAL" in line or "rror" in line] or lines
    reason = f": {fatal[-1].rstrip('.')}" if fatal else ""
    return f"{reason} (logs in {child.output.parent})"
