"""A listener for every machine. Connections to an unreachable one hang, as behind a dead switch."""

import asyncio
import errno
import socket
from collections.abc import Iterable

from hashinsight.sim.sockets.machine import Dialect, Machine
from hashinsight.sim.sockets.nets import MINER_PORT, CannotRun, listen_on
from hashinsight.sim.sockets.requests import is_complete

MAX_REQUEST = 64 * 1024
DEADLINE_SEC = 10.0  # as on a Whatsminer, from connection to complete request
_TOO_LONG = b"{}"  # answered like an empty request


class Connection(asyncio.Protocol):
    def __init__(self, machine: Machine, dialect: Dialect, connections: "set[Connection]") -> None:
        self._machine = machine
        self._dialect = dialect
        self._connections = connections
        self._received = bytearray()
        self._transport: asyncio.Transport | None = None
        self._deadline: asyncio.TimerHandle | None = None
        self._answer_task: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment] # always this type for a stream
        self._connections.add(self)
        self._deadline = asyncio.get_running_loop().call_later(DEADLINE_SEC, self._out_of_time)

    def data_received(self, data: bytes) -> None:
        if self._answer_task is not None or not self._machine.reading.reachable:
            return  # an unreachable machine sends nothing, not even an error
        self._received += data
        if len(self._received) > MAX_REQUEST:
            self._answer(_TOO_LONG)
        elif is_complete(bytes(self._received)):
            self._answer(bytes(self._received))

    def eof_received(self) -> bool:
        if self._answer_task is None and self._received and self._machine.reading.reachable:
            self._answer(bytes(self._received))
        return self._answer_task is not None  # keep the other half open for the answer

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the library's form
        self._connections.discard(self)
        if self._deadline is not None:
            self._deadline.cancel()
        if self._answer_task is not None:
            self._answer_task.cancel()

    def drop(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def _out_of_time(self) -> None:
        if self._received and self._answer_task is None and self._machine.reading.reachable:
            self._answer(bytes(self._received))
        else:
            self.drop()

    def _answer(self, request: bytes) -> None:
        self._answer_task = asyncio.ensure_future(self._send(request))

    async def _send(self, request: bytes) -> None:
        text = await self._dialect(self._machine, request)
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(text)
            self._transport.close()


BACKLOG = 128
_OUT_OF_FILES = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}
_REST_SEC = 0.5


class Listener:
    """To be unreachable on loopback, a listener fills its own backlog: Linux then drops new connections."""

    def __init__(self, machine: Machine, dialect: Dialect, port: int) -> None:
        self.machine = machine
        self.dialect = dialect
        self._connections: set[Connection] = set()
        self._taking = False
        self._plug: socket.socket | None = None
        self._opening: set[asyncio.Task[object]] = set()
        try:
            self._socket = listen_on(machine.identity.address, port)
        except OSError as problem:
            raise CannotRun(f"cannot listen on {machine.identity.address}:{port}: {problem.strerror}.") from None

    def reach(self, *, reachable: bool) -> None:
        if reachable == self._taking:
            return
        if reachable:
            self._unplug()
            self._socket.listen(BACKLOG)
            self._take()
        else:
            asyncio.get_running_loop().remove_reader(self._socket)
            self._socket.listen(0)
            self._plug = _connected(self._socket.getsockname())
        self._taking = reachable

    def close(self) -> None:
        asyncio.get_running_loop().remove_reader(self._socket)
        self._taking = False
        self._unplug()
        self._socket.close()
        for conversation in tuple(self._connections):
            conversation.drop()

    def _take(self) -> None:
        asyncio.get_running_loop().add_reader(self._socket, self._accept)

    def _unplug(self) -> None:
        if self._plug is not None:
            self._plug.close()
            self._plug = None

    def _accept(self) -> None:
        try:
            connection, _ = self._socket.accept()
        except (BlockingIOError, ConnectionAbortedError, InterruptedError):
            return
        except OSError as problem:
            if problem.errno in _OUT_OF_FILES:
                self._rest()
                return
            raise
        connection.setblocking(False)  # noqa: FBT003 - the library's form
        opening = asyncio.ensure_future(self._open(connection))
        self._opening.add(opening)
        opening.add_done_callback(self._opening.discard)

    async def _open(self, connection: socket.socket) -> None:
        try:
            await asyncio.get_running_loop().connect_accepted_socket(
                lambda: Connection(self.machine, self.dialect, self._connections), connection
            )
        except OSError:
            connection.close()  # client already gone

    def _rest(self) -> None:
        loop = asyncio.get_running_loop()
        loop.remove_reader(self._socket)
        loop.call_later(_REST_SEC, lambda: self._take() if self._taking else None)


def _connected(address: tuple[str, int]) -> socket.socket | None:
    """None when out of files: then one client gets through and waits for an answer that never comes."""
    try:
        plug = socket.socket()
    except OSError:
        return None
    plug.setblocking(False)  # noqa: FBT003 - the library's form
    plug.connect_ex(address)
    return plug


def open_listeners(machines: Iterable[tuple[Machine, Dialect]], port: int = MINER_PORT) -> list[Listener]:
    opened: list[Listener] = []
    try:
        for machine, dialect in machines:
            opened.append(Listener(machine, dialect, port))
    except BaseException:
        for listener in opened:
            listener.close()
        raise
    return opened
