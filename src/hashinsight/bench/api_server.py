"""A scratch installation's API as its own processes, and commands run against it: as in production."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil

from hashinsight.bench.scratch import Scratch

_READY_SECONDS = 30.0


def command(place: Scratch, *arguments: str) -> Any:
    """`hashinsight …  --json` on the scratch installation."""
    done = subprocess.run(
        [sys.executable, "-m", "hashinsight", *arguments, "--json"],
        env=_environment(place),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"hashinsight {' '.join(arguments)}: {done.stderr[-300:]}")
    return json.loads(done.stdout)


class ApiServer:
    def __init__(self, port: int, pid: int) -> None:
        self.port = port
        self._process = psutil.Process(pid)

    def rss_mb(self) -> float:
        """What the API's processes hold now, together."""
        return sum(one.memory_info().rss for one in [self._process, *self._process.children(recursive=True)]) / 2**20

    def peak_rss_mb(self) -> float:
        """The most that each of the API's processes ever held, together; as the kernel counts it."""
        family = [self._process, *self._process.children(recursive=True)]
        return sum(_peak_kb(one.pid) for one in family) / 1024


@asynccontextmanager
async def running_api(place: Scratch, *, processes: int = 1) -> AsyncIterator[ApiServer]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    more = {"HASHINSIGHT_PORT": str(port), "HASHINSIGHT_API_PROCESSES": str(processes)}
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "hashinsight", "serve"),
        env=_environment(place) | more,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        await asyncio.to_thread(_wait_ready, port)
        yield ApiServer(port, child.pid)
    finally:
        child.send_signal(signal.SIGTERM)
        await asyncio.wait_for(child.wait(), 30)


def _peak_kb(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1])
    return 0


def _environment(place: Scratch) -> dict[str, str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("HASHINSIGHT_")}
    return clean | {
        "HASHINSIGHT_DATA_DIR": str(place.folder),
        "HASHINSIGHT_RATE_PER_MINUTE": "10000000",
        "HASHINSIGHT_TOKEN_RATE_PER_MINUTE": "10000000",
        "HASHINSIGHT_REGISTER_PER_CALL": "1000000",
        "HASHINSIGHT_REGISTER_PER_DAY": "1000000",
        "HASHINSIGHT_DISK_RESERVE_MB": "64",
        "HASHINSIGHT_LOG_LEVEL": "ERROR",
    }


def _wait_ready(port: int) -> None:
    end = time.monotonic() + _READY_SECONDS
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise RuntimeError("the API did not start")
