"""`hashinsight serve` as a process of its own, on a test's database."""

import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from hashinsight.kit.settings import Settings
from tests.installation import HANG_TIMEOUT_SEC, PLAIN, environment, free_port


class Served:
    def __init__(self, port: int, pid: int) -> None:
        self.port = port
        self.pid = pid

    def call(self, source: str = "127.0.0.1") -> socket.socket:
        made = socket.create_connection(("127.0.0.1", self.port), timeout=HANG_TIMEOUT_SEC, source_address=(source, 0))
        made.settimeout(HANG_TIMEOUT_SEC)
        return made

    def get(self, path: str, source: str = "127.0.0.1", **headers: str) -> httpx.Response:
        transport = httpx.HTTPTransport(local_address=source, verify=PLAIN)
        with httpx.Client(transport=transport, timeout=HANG_TIMEOUT_SEC) as client:
            return client.get(f"http://127.0.0.1:{self.port}{path}", headers=headers)


@contextmanager
def served(settings: Settings, **changes: object) -> Iterator[Served]:
    assert settings.database_url is not None
    assert settings.redis_url is not None
    given = {
        "data_dir": settings.data_dir,
        "database_url": settings.database_url.get_secret_value(),
        "redis_url": settings.redis_url.get_secret_value(),
        "disk_reserve_mb": 1,
        "port": free_port(),
        **changes,
    }
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(
            [sys.executable, "-m", "hashinsight", "serve"], env=environment(**given), stdout=output, stderr=output
        )
        api = Served(int(str(given["port"])), child.pid)
        try:
            _wait_until_it_answers(api, child)
            yield api
        finally:
            child.send_signal(signal.SIGTERM)
            child.wait(HANG_TIMEOUT_SEC)


def _wait_until_it_answers(api: Served, child: "subprocess.Popen[bytes]") -> None:
    end = time.monotonic() + HANG_TIMEOUT_SEC
    while True:
        assert child.poll() is None, "it ended"
        try:
            if api.get("/healthz").status_code == 200:
                return
        except httpx.TransportError:
            assert time.monotonic() < end, "it does not answer"
            time.sleep(0.1)


def rss_mb(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1024
