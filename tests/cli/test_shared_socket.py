"""Several servers behind one socket: callers that come at once are shared out, and late ones go where there is room."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self

from tests.installation import HANG_TIMEOUT_SEC

_PROGRAM = """
import os, socket, sys, uvicorn
from hashinsight.cli.shared_socket import SharedSocketServer

async def app(scope, receive, send):
    if scope["type"] != "http":
        return
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"8")]})
    await send({"type": "http.response.body", "body": b"%8d" % os.getpid()})

config = uvicorn.Config(app, log_config=None, lifespan="off", timeout_graceful_shutdown=2)
SharedSocketServer(config, alone=False).run(sockets=[socket.socket(fileno=int(sys.argv[1]))])
"""
_ASK = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"


@contextmanager
def servers(count: int) -> Iterator[tuple[int, list[subprocess.Popen[bytes]]]]:
    """So many on one socket that is listened on before any of them runs."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(512)
        number = listening.fileno()
        running = [
            subprocess.Popen([sys.executable, "-c", _PROGRAM, str(number)], pass_fds=[number]) for _ in range(count)
        ]
        try:
            yield listening.getsockname()[1], running
        finally:
            for process in running:
                process.send_signal(signal.SIGTERM)
            for process in running:
                process.wait(HANG_TIMEOUT_SEC)


class Callers:
    def __init__(self, port: int) -> None:
        self._port = port
        self.lines: list[socket.socket] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for line in self.lines:
            line.close()

    def come(self, count: int) -> Counter[int]:
        """Connect all, then ask on each line who is at the other end."""
        new = [socket.create_connection(("127.0.0.1", self._port), timeout=HANG_TIMEOUT_SEC) for _ in range(count)]
        self.lines += new
        for line in new:
            line.sendall(_ASK)
        return Counter(int(_answer(line)) for line in new)


def _answer(line: socket.socket) -> bytes:
    received = b""
    while b"\r\n\r\n" not in received or len(received.split(b"\r\n\r\n", 1)[1]) < 8:
        more = line.recv(4096)
        assert more, received
        received += more
    return received.split(b"\r\n\r\n", 1)[1]


def _both_run(callers: Callers, count: int) -> None:
    deadline, seen = time.monotonic() + HANG_TIMEOUT_SEC, set[int]()
    while len(seen) < count:
        assert time.monotonic() < deadline
        seen |= set(callers.come(4))


def test_callers_that_come_at_once_are_shared_out() -> None:
    with servers(2) as (port, running):
        with Callers(port) as first:
            _both_run(first, len(running))
        time.sleep(0.2)
        with Callers(port) as callers:
            taken = callers.come(200)
        assert sum(taken.values()) == 200
        assert set(taken) == {process.pid for process in running}
        assert min(taken.values()) >= 60


def test_a_stop_refuses_new_requests_and_exits_cleanly() -> None:
    with servers(2) as (port, running), Callers(port) as callers:
        _both_run(callers, len(running))
        os.kill(running[0].pid, signal.SIGTERM)
        assert running[0].wait(HANG_TIMEOUT_SEC) == -signal.SIGTERM  # told on by uvicorn when it is done
        assert set(callers.come(20)) == {running[1].pid}
