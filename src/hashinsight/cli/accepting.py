"""A server of several that share one listening socket, and take callers evenly.

Left to itself, whoever wakes first takes everybody that waits: after a restart all collectors would sit on one process
for as long as their connections live. So the busier one lets the others go first: it waits a moment for each caller
that it has, and then takes a few, in proportion to what it has.
"""

import asyncio
import socket

import structlog
import uvicorn

log = structlog.get_logger(__name__)

_MOST_PAUSE_MS = 8
_AGAIN_SECONDS = 1.0  # after the system had no room for another connection


class EvenServer(uvicorn.Server):
    """`alone`: there is nobody to share with, so nobody is kept waiting."""

    def __init__(self, config: uvicorn.Config, *, alone: bool) -> None:
        super().__init__(config)
        self._alone = alone
        self._accepting: list[asyncio.Task[None]] = []

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        if self._alone:
            await super().startup(sockets)
            return
        await super().startup(sockets=[])
        self._accepting = [asyncio.create_task(self._accept(one)) for one in sockets or []]

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for task in self._accepting:
            task.cancel()
        await asyncio.gather(*self._accepting, return_exceptions=True)
        await super().shutdown(sockets)

    async def _accept(self, listening: socket.socket) -> None:
        listening.setblocking(False)  # noqa: FBT003 - the library's way to say it
        while True:
            await _somebody_waits(listening)
            has = len(self.server_state.connections)
            await asyncio.sleep(min(has, _MOST_PAUSE_MS) / 1000)
            try:
                for _ in range(1 + has // _MOST_PAUSE_MS):
                    await self._welcome(listening.accept()[0])
            except (BlockingIOError, ConnectionError):
                continue  # another process was first, or the caller has gone
            except OSError as error:
                log.warning("no_room_for_callers", error=str(error), again_in_seconds=_AGAIN_SECONDS)
                await asyncio.sleep(_AGAIN_SECONDS)

    async def _welcome(self, caller: socket.socket) -> None:
        """Who cannot be welcomed is sent away: the next one must not suffer for it."""
        try:
            caller.setblocking(False)  # noqa: FBT003
            caller.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            await asyncio.get_running_loop().connect_accepted_socket(self._protocol, caller)
        except Exception as error:  # noqa: BLE001 - whatever it is, the next caller comes
            caller.close()
            log.warning("caller_not_welcomed", error=str(error))

    def _protocol(self) -> asyncio.Protocol:
        made: asyncio.Protocol = self.config.http_protocol_class(  # type: ignore[call-arg] # one of several classes
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )
        return made


async def _somebody_waits(listening: socket.socket) -> None:
    loop = asyncio.get_running_loop()
    waits = asyncio.Event()
    loop.add_reader(listening, waits.set)
    try:
        await waits.wait()
    finally:
        loop.remove_reader(listening)
