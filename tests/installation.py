"""Real installations for tests: `hashinsight …` as child processes with folders and ports of their own."""

import os
import secrets
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx
import psutil

from hashinsight.kit.db.address import address_of_socket
from hashinsight.kit.embedded.folder import DataFolder

UP = (sys.executable, "-m", "hashinsight", "up")
# the one bound of every wait: it ends a run that hangs, and says nothing about how fast anything is
HANG_TIMEOUT_SEC = 300.0
# for questions over plain HTTP: without it each of them reads all certificates of the system, 20 ms of CPU
PLAIN = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def free_port() -> int:
    """None that the system hands out by itself: it would go to somebody's connection before a server is there."""
    while True:
        port = 10_000 + secrets.randbelow(22_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


@contextmanager
def new_folder() -> Iterator[Path]:
    """A folder that also another user can be let into; pytest's own are closed to everybody."""
    path = Path(tempfile.mkdtemp(prefix="hi-run-"))
    try:
        yield path
    finally:
        shutil.rmtree(path)


def wait_for(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + HANG_TIMEOUT_SEC
    while not condition():
        assert time.monotonic() < end, f"waited {HANG_TIMEOUT_SEC:.0f} s for {what}"
        time.sleep(0.05)


def environment(**settings: object) -> dict[str, str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("HASHINSIGHT_", "PROMETHEUS_"))}
    return {**clean, **{f"HASHINSIGHT_{name.upper()}": str(value) for name, value in settings.items()}}


def hashinsight(
    *arguments: str, prefix: tuple[str, ...] = (), stdin: str | None = None, **settings: Any
) -> subprocess.CompletedProcess[str]:
    """Run one command to its end."""
    return subprocess.run(
        [*prefix, sys.executable, "-m", "hashinsight", *arguments],
        env=environment(**settings),
        capture_output=True,
        text=True,
        input=stdin,
        timeout=HANG_TIMEOUT_SEC,
        check=False,
    )


class Installation:
    """One `hashinsight up`, with its output collected. Leaving the block stops it, and checks that nothing stays."""

    def __init__(
        self,
        folder: Path,
        *,
        prefix: tuple[str, ...] = (),
        command: tuple[str, ...] = UP,
        **settings: object,
    ) -> None:
        self.folder = DataFolder(folder)
        self.port = int(str(settings.pop("port", 0))) or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.output = ""
        self._seen: dict[int, psutil.Process] = {}
        chosen: Mapping[str, object] = {"data_dir": folder, "port": self.port, "disk_reserve_mb": 8, **settings}
        self.process = subprocess.Popen(
            [*prefix, *command],
            cwd=Path(__file__).parents[1],
            env=environment(**chosen),
            start_new_session=command[0] == "make",  # so that Ctrl-C can be pressed for all of it
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.tree()
        try:
            if self.process.poll() is None:
                self.process.send_signal(signal.SIGTERM)
                self.process.wait(HANG_TIMEOUT_SEC)
        except subprocess.TimeoutExpired:
            self.kill_everything()
            raise
        finally:
            self._reader.join(HANG_TIMEOUT_SEC)
            assert self.process.stdout is not None
            self.process.stdout.close()
        left = [process for process in self._seen.values() if process.is_running() and process.status() != "zombie"]
        for process in left:
            process.kill()
        assert not left, f"left running: {left}\n{self.output}"

    def wait_ready(self) -> Self:
        def ready() -> bool:
            assert self.process.poll() is None, f"it ended: {self.output}"
            return f"ready {self.url}\n" in self.output

        try:
            wait_for(ready, "the ready line")
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.output}") from None
        self.tree()
        return self

    def tree(self) -> list[psutil.Process]:
        """Every process of this installation that runs now, this one first."""
        try:
            root = psutil.Process(self.process.pid)
            processes = [root, *root.children(recursive=True)]
        except psutil.NoSuchProcess:
            return []
        self._seen.update({process.pid: process for process in processes})
        return processes

    def child(self, word: str) -> psutil.Process:
        """The direct child of this name, or with this word on its command line; a dead one does not count."""
        (running,) = [child for child in psutil.Process(self.process.pid).children() if _is_called(child, word)]
        return running

    def kill_everything(self) -> None:
        """Kill -9 of every process, all at once: nobody gets to tidy up."""
        tree = self.tree()
        for strike in (psutil.Process.suspend, psutil.Process.kill):
            for process in tree:
                with suppress(psutil.NoSuchProcess):  # the servers start some that end by themselves
                    strike(process)
        psutil.wait_procs(tree, timeout=HANG_TIMEOUT_SEC)
        self.process.wait(HANG_TIMEOUT_SEC)

    def get(self, path: str) -> httpx.Response:
        return httpx.get(self.url + path, timeout=HANG_TIMEOUT_SEC, verify=PLAIN)

    @property
    def superuser_url(self) -> str:
        return address_of_socket(self.folder.sockets, "hashinsight", "postgres").libpq

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.output += line


def _is_called(process: psutil.Process, word: str) -> bool:
    try:
        is_dead = process.status() == psutil.STATUS_ZOMBIE
        return not is_dead and (process.name() == word or word in process.cmdline())
    except psutil.NoSuchProcess:  # it ended between two of these questions
        return False
