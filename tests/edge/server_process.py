"""The real server as a process, on the test's database: stopped, killed and started again."""

import asyncio
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

import httpx

from tests.installation import HANG_TIMEOUT_SEC, PLAIN, environment, free_port


class ServerProcess:
    """`hashinsight serve` on its own port."""

    def __init__(self, **settings: Any) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.settings = settings
        self._process: subprocess.Popen[bytes] | None = None

    async def start(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "hashinsight", "serve"],
            env=environment(port=self.port, log_level="ERROR", **self.settings),
        )
        await until(self.answers, "the server")

    async def answers(self) -> bool:
        assert self._process is None or self._process.poll() is None
        async with httpx.AsyncClient(verify=PLAIN, timeout=HANG_TIMEOUT_SEC) as http:
            try:
                return (await http.get(f"{self.url}/healthz")).is_success
            except httpx.HTTPError:
                return False

    def stop(self, how: signal.Signals = signal.SIGKILL) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(HANG_TIMEOUT_SEC)
            self._process = None


async def until(condition: Callable[[], Awaitable[bool]], what: str) -> None:
    end = time.monotonic() + HANG_TIMEOUT_SEC
    while not await condition():
        assert time.monotonic() < end, f"waited {HANG_TIMEOUT_SEC:.0f} s for {what}"
        await asyncio.sleep(0.05)
