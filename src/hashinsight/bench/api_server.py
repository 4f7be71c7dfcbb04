"""The API of a scratch installation in its own processes, and CLI commands run against it."""

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

from hashinsight.bench.scratch import Scratch, processor_sec

_READY_SECONDS = 30.0


def run_command(installation: Scratch, *arguments: str) -> Any:
    """`hashinsight …  --json` on the scratch installation."""
    result = subprocess.run(
        [sys.executable, "-m", "hashinsight", *arguments, "--json"],
        env=_environment(installation),
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode != 0:
        raise RuntimeError(f"hashinsight {' '.join(arguments)}: {result.stderr[-300:]}")
    return json.loads(result.stdout)


def create_site(installation: Scratch) -> None:
    """One tenant with the site `one`."""
    run_command(installation, "tenant", "create", "--name", "bench")
    run_command(installation, "site", "create", "--code", "one", "--name", "One")


def create_collector(installation: Scratch) -> str:
    """Its token."""
    return str(run_command(installation, "collector", "create", "--site", "one", "--name", "north")["token"])


class ApiServer:
    def __init__(self, port: int, pid: int) -> None:
        self.port = port
        self._process = psutil.Process(pid)

    def processor_sec(self) -> float:
        return processor_sec(self._process)

    def rss_mb(self) -> float:
        """Current resident memory of all API processes."""
        return sum(process.memory_info().rss for process in self._processes()) / 2**20

    def peak_rss_mb(self) -> float:
        """Sum of each API process's peak resident memory."""
        return sum(_peak_kb(process.pid) for process in self._processes()) / 1024

    def _processes(self) -> list[psutil.Process]:
        return [self._process, *self._process.children(recursive=True)]


@asynccontextmanager
async def running_api(installation: Scratch, *, processes: int = 1) -> AsyncIterator[ApiServer]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    options = {"HASHINSIGHT_PORT": str(port), "HASHINSIGHT_API_PROCESSES": str(processes)}
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "hashinsight", "serve"),
        env=_environment(installation) | options,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        await asyncio.to_thread(_wait_ready, port)
        yield ApiServer(port, child.pid)
    finally:
        child.send_signal(signal.SIGTERM)
        async with asyncio.timeout(30):
            await child.wait()


def _peak_kb(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1])
    return 0


def _environment(installation: Scratch) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("HASHINSIGHT_")}
    return inherited | {
        "HASHINSIGHT_DATA_DIR": str(installation.folder),
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
