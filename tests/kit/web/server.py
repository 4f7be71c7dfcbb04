"""A server with limits of its own and a small application behind it, on a real socket, and callers for it."""

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Self

import httpx
import uvicorn
from starlette.types import Receive, Scope, Send

from hashinsight.kit.web.connection_limits import ConnectionLimits
from hashinsight.kit.web.protocol import RequestLimits, limited_protocol
from tests.installation import HANG_TIMEOUT_SEC, PLAIN

HEAD = b"POST / HTTP/1.1\r\nHost: here\r\n"
PATIENT = RequestLimits(head_bytes=16 * 1024, head_seconds=HANG_TIMEOUT_SEC, body_seconds=HANG_TIMEOUT_SEC)


class Server:
    def __init__(self, limits: RequestLimits, callers: ConnectionLimits) -> None:
        self.callers = callers
        self.began: list[str] = []  # the paths of all requests that reached the application
        self.gone: list[str] = []  # of those whose caller went while they were held
        self._is_released = asyncio.Event()
        config = uvicorn.Config(
            self._app,
            interface="asgi3",
            http=limited_protocol(limits, callers),
            ws="none",
            lifespan="off",
            log_config=None,
        )
        self.server = uvicorn.Server(config)

    async def _app(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers with the length of what it got and the names of the headers; `/early` before it has read anything."""
        self.began.append(scope["path"])
        length, more = 0, scope["path"] != "/early"
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            length, more = length + len(message.get("body", b"")), message.get("more_body", False)
        if scope["path"] == "/held":
            await self._hold(receive)
        names = b" ".join(name for name, _ in scope["headers"])
        body = b"x" * 40_000_000 if scope["path"] == "/large" else b"%d %s" % (length, names)
        headers = [(b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _hold(self, receive: Receive) -> None:
        """Until it is let go, or its caller is gone."""
        self._loop = asyncio.get_running_loop()
        ends = [asyncio.create_task(event) for event in (self._is_released.wait(), receive())]  # type: ignore[arg-type]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        if ends[1].done():
            self.gone.append("/held")
        for task in ends:
            task.cancel()

    def release(self) -> None:
        self._loop.call_soon_threadsafe(self._is_released.set)

    @property
    def state(self) -> Any:
        return self.server.server_state

    def __enter__(self) -> Self:
        self.listening = socket.create_server(("127.0.0.1", 0), backlog=2048)
        self.port = self.listening.getsockname()[1]
        run = self.server.serve(sockets=[self.listening])
        self.thread = threading.Thread(target=lambda: asyncio.run(run), daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.force_exit = self.server.should_exit = True
        self.thread.join(HANG_TIMEOUT_SEC)

    def call(self, source: str = "127.0.0.1") -> socket.socket:
        made = socket.create_connection(("127.0.0.1", self.port), timeout=HANG_TIMEOUT_SEC, source_address=(source, 0))
        made.settimeout(HANG_TIMEOUT_SEC)
        return made

    def ask(self, source: str, **how: Any) -> httpx.Response:
        transport = httpx.HTTPTransport(local_address=source, verify=PLAIN)
        with httpx.Client(transport=transport, timeout=HANG_TIMEOUT_SEC) as client:
            return client.post(f"http://127.0.0.1:{self.port}/", **how)


@contextmanager
def serving(
    limits: RequestLimits = PATIENT, most: int = 1000, most_of_one: int = 200, proxies: str = ""
) -> Iterator[Server]:
    with Server(limits, ConnectionLimits(most, most_of_one, proxies)) as server:
        yield server


def answer_on(line: socket.socket) -> bytes:
    """Whatever comes until the other side is done."""
    received = b""
    with suppress(ConnectionError):
        while chunk := line.recv(65536):
            received += chunk
    return received


def told_until(line: socket.socket, end: bytes, times: int = 1) -> bytes:
    received = b""
    while received.count(end) < times:
        chunk = line.recv(65536)
        assert chunk, received
        received += chunk
    return received


def status_on(line: socket.socket) -> int:
    received = answer_on(line)
    return int(received.split(b" ", 2)[1]) if received else 0


def wait_until(condition: Any) -> None:
    end = time.monotonic() + HANG_TIMEOUT_SEC
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)
