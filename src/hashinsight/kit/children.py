"""Child processes that are started, watched, started again with growing pauses, and stopped in order."""

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

from hashinsight.kit.errors import EXIT_CONFIG, OperatorError

log = structlog.get_logger(__name__)

_PR_SET_PDEATHSIG = 1
_STEADY_SECONDS = 60.0
_MAX_PAUSE_SECONDS = 30.0


@dataclass(frozen=True)
class Child:
    """A program to keep running. `stop_signal` asks it to finish what it holds and go."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str] | None = None
    folder: Path | None = None
    uid: int | None = None
    gid: int | None = None
    stop_signal: signal.Signals = signal.SIGTERM
    stop_seconds: float = 20.0
    layer: int = 1  # children of a layer stop together, higher layers first
    # clears what a crash left behind; descriptors that it gives go to the child and are closed here
    before: Callable[[], Awaitable[tuple[int, ...]]] | None = None
    ready: Callable[[], Awaitable[bool]] | None = None
    output: Path | None = None
    pass_fds: tuple[int, ...] = ()


@dataclass
class _Kept:
    child: Child
    process: asyncio.subprocess.Process | None = None
    watcher: asyncio.Task[None] | None = None
    restarts: int = 0
    started: float = field(default_factory=time.monotonic)


class Supervisor:
    """Keeps children alive. `failed` is set when one of them refuses to start: then all of it should stop."""

    def __init__(self) -> None:
        self._kept: list[_Kept] = []
        self._stopping = False
        self.failed = asyncio.Event()
        self.failure = ""

    async def start(self, child: Child, *, waiting: Callable[[float], None] | None = None) -> None:
        """Start a child and wait until it is ready, as long as it lives: crash recovery takes what it takes."""
        kept = _Kept(child)
        self._kept.append(kept)
        await self._spawn(kept)
        began = time.monotonic()
        while child.ready is not None and not await child.ready():
            if kept.process is None or kept.process.returncode is not None:
                code = kept.process.returncode if kept.process else None
                self._kept.remove(kept)
                raise OperatorError(
                    f"{child.name} stopped while it was starting (exit code {code}){_last_words(child)}."
                )
            if waiting is not None:
                waiting(time.monotonic() - began)
            await asyncio.sleep(0.05)
        kept.watcher = asyncio.create_task(self._watch(kept), name=f"watch {child.name}")

    async def run_until(self, *events: asyncio.Event) -> None:
        """Keep watch until one of the events is set; a refusal when a child cannot be kept alive."""
        waits = [asyncio.create_task(event.wait()) for event in (*events, self.failed)]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()
        if self.failed.is_set():
            raise OperatorError(self.failure)

    async def stop(self) -> None:
        """Stop the children, the highest layer first, each with its own signal and time."""
        self._stopping = True
        for kept in self._kept:
            if kept.watcher is not None:
                kept.watcher.cancel()
        await asyncio.gather(*(kept.watcher for kept in self._kept if kept.watcher), return_exceptions=True)
        for layer in sorted({kept.child.layer for kept in self._kept}, reverse=True):
            await asyncio.gather(
                *(
                    _end(kept.process, kept.child)
                    for kept in self._kept
                    if kept.child.layer == layer and kept.process is not None and kept.process.returncode is None
                )
            )
        self._kept.clear()

    async def _watch(self, kept: _Kept) -> None:
        pause = 0.5
        while True:
            if kept.process is not None:
                code = await kept.process.wait()
                # a first start that is refused will be refused again; later, the database may just be recovering
                if code == EXIT_CONFIG and kept.restarts == 0:
                    self.failure = f"{kept.child.name} refused to start{_last_words(kept.child)}."
                    self.failed.set()
                    return
                log.error("child_died", child=kept.child.name, exit_code=code, restart_in_seconds=pause)
            if time.monotonic() - kept.started > _STEADY_SECONDS:
                pause = 0.5
            await asyncio.sleep(pause)
            pause = min(pause * 2, _MAX_PAUSE_SECONDS)
            kept.restarts += 1
            kept.process = None
            try:
                await self._spawn(kept)
            except Exception as error:  # noqa: BLE001 - whatever is in the way now may be gone at the next try
                log.error("child_not_started", child=kept.child.name, error=str(error), again_in_seconds=pause)  # noqa: TRY400

    async def _spawn(self, kept: _Kept) -> None:
        child = kept.child
        handed = await child.before() if child.before is not None else ()
        output = child.output.open("wb") if child.output else None
        try:
            kept.process = await asyncio.create_subprocess_exec(
                *child.command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=None if child.environment is None else dict(child.environment),
                cwd=child.folder,
                user=child.uid,
                group=child.gid,
                extra_groups=[] if child.uid is not None else None,
                pass_fds=(*child.pass_fds, *handed),
                start_new_session=True,  # Ctrl-C reaches the supervisor alone, which stops the rest in order
                preexec_fn=die_with_parent(child.stop_signal),
            )
        finally:
            for descriptor in handed:
                os.close(descriptor)
            if output is not None:
                output.close()
        kept.started = time.monotonic()
        log.debug("child_started", child=child.name, child_pid=kept.process.pid)


async def _end(process: asyncio.subprocess.Process, child: Child) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(child.stop_signal)
        try:
            await asyncio.wait_for(process.wait(), child.stop_seconds)
        except TimeoutError:
            log.warning("child_killed", child=child.name, after_seconds=child.stop_seconds)
            process.kill()
            await process.wait()
    log.debug("child_stopped", child=child.name, exit_code=process.returncode)


def die_with_parent(number: signal.Signals) -> Callable[[], None]:
    """On Linux a child gets its stop signal when the supervisor dies, even by kill -9: nothing is left behind."""
    parent = os.getpid()
    libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None

    def arrange() -> None:
        if libc is not None:
            libc.prctl(_PR_SET_PDEATHSIG, int(number))
            if os.getppid() != parent:
                os._exit(1)

    return arrange


def _last_words(child: Child) -> str:
    """What it said last, and where to read the rest."""
    if child.output is None:
        return ""
    lines = [line.strip() for line in child.output.read_text(errors="replace").splitlines() if line.strip()]
    fatal = [line for line in lines if "FATAL" in line or "rror" in line] or lines
    said = f": {fatal[-1].rstrip('.')}" if fatal else ""
    return f"{said} (its logs are in {child.output.parent})"
