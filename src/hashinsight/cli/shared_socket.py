"""One of several API processes on one listening socket, with connections spread evenly.

By default the first process to wake up accepts every waiting connection: after a restart all collectors would stay on
one process for as long as their connections live. So each process waits a moment per connection it already has before
it accepts more: the less busy ones go first.
"""

import asyncio
import socket

import structlog
import uvicorn

log = structlog.get_logger(__name__)

_MAX_PAUSE_MS = 8
_RETRY_SEC = 1.0  # after the system refused another connection


class SharedSocketServer(uvicorn.Server):
    """`alone`: the only process on the socket; accepts without waiting."""

    def __init__(self, config: uvicorn.Config, *, alone: bool) -> None:
        super().__init__(config)
        self._alone = alone
        self._accepting: list[asyncio.Task[None]] = []

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        if self._alone:
            await super().startup(sockets)
            return
        await super().startup(sockets=[])
        self._accepting = [asyncio.create_task(self._accept(listening)) for listening in sockets or []]

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for task in self._accepting:
            task.cancel()
        await asyncio.gather(*self._accepting, return_exceptions=True)
        await super().shutdown(sockets)

    async def _accept(self, listening: socket.socket) -> None:
        listening.setblocking(False)  # noqa: FBT003 - the library's signature
        while True:
            await _wait_for_connection(listening)
            open_count = len(self.server_state.connections)
            await asyncio.sleep(min(open_count, _MAX_PAUSE_MS) / 1000)
            try:
                for _ in range(1 + open_count // _MAX_PAUSE_MS):
                    await self._connect(listening.accept()[0])
            except (BlockingIOError, ConnectionError):
                continue  # another process was first, or the client is gone
            except OSError as error:
                log.warning("accept_failed", error=str(error), retry_in_sec=_RETRY_SEC)
                await asyncio.sleep(_RETRY_SEC)

    async def _connect(self, client: socket.socket) -> None:
        """A connection that fails is closed; the next one is still served."""
        try:
            client.setblocking(False)  # noqa: FBT003
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            await asyncio.get_running_loop().connect_accepted_socket(self._protocol, client)
        except Exception as error:  # noqa: BLE001 - whatever it is, the next client is served
            client.close()
            log.warning("connection_failed", error=str(error))

    def _protocol(self) -> asyncio.Protocol:
        protocol: asyncio.Protocol = self.config.http_protocol_class(  # type: ignore[call-arg] # one of several classes
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )
        return protocol


async def _wait_for_connection(listening: socket.socket) -> None:
    loop = asyncio.get_running_loop()
    readable = asyncio.Event()
    loop.add_reader(listening, readable.set)
    try:
        await readable.wait()
    finally:
        loop.remove_reader(listening)
