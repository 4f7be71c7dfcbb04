"""One connection to one machine: one request, one answer, closed. Whatever a client sends, nothing breaks."""

import asyncio

from hashinsight.sim.sockets.asking import is_complete
from hashinsight.sim.sockets.machine import Dialect, Machine

MAX_REQUEST = 64 * 1024
DEADLINE_SEC = 10.0  # what a Whatsminer grants, from the connection to the whole request
_TOO_LONG = b"{}"  # is answered as a request that says nothing


class Conversation(asyncio.Protocol):
    def __init__(self, machine: Machine, dialect: Dialect, open_now: "set[Conversation]") -> None:
        self._machine = machine
        self._dialect = dialect
        self._open_now = open_now
        self._asked = bytearray()
        self._transport: asyncio.Transport | None = None
        self._deadline: asyncio.TimerHandle | None = None
        self._answering: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment] # a stream's is always this one
        self._open_now.add(self)
        self._deadline = asyncio.get_running_loop().call_later(DEADLINE_SEC, self._out_of_time)

    def data_received(self, data: bytes) -> None:
        if self._answering is not None or not self._machine.screen.reachable:
            return  # a machine that cannot be reached does not say so either
        self._asked += data
        if len(self._asked) > MAX_REQUEST:
            self._answer(_TOO_LONG)
        elif is_complete(bytes(self._asked)):
            self._answer(bytes(self._asked))

    def eof_received(self) -> bool:
        if self._answering is None and self._asked and self._machine.screen.reachable:
            self._answer(bytes(self._asked))
        return self._answering is not None  # the answer still goes out by the other half

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the library's form
        self._open_now.discard(self)
        if self._deadline is not None:
            self._deadline.cancel()
        if self._answering is not None:
            self._answering.cancel()

    def drop(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def _out_of_time(self) -> None:
        if self._asked and self._answering is None and self._machine.screen.reachable:
            self._answer(bytes(self._asked))
        else:
            self.drop()

    def _answer(self, asked: bytes) -> None:
        self._answering = asyncio.ensure_future(self._say(asked))

    async def _say(self, asked: bytes) -> None:
        said = await self._dialect(self._machine, asked)
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(said)
            self._transport.close()
