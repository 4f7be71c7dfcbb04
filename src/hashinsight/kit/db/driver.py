"""The driver's connection: it asks its socket before it asks the event loop, and can send many statements as one.

In a pipeline every statement waits until the socket takes it, which it nearly always does at once; by way of the event
loop each of these waits costs a round of callbacks, and a request makes a dozen.
"""

import asyncio
import select
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from psycopg import AsyncConnection, AsyncPipeline, Error
from psycopg.abc import PQGen
from psycopg.generators import send
from psycopg.pq import PipelineStatus, TransactionStatus
from psycopg.waiting import Ready, Wait

T = TypeVar("T")
_READ, _WRITE = select.POLLIN, select.POLLOUT
_STEPS_IN_A_ROW = 64


class DriverConnection(AsyncConnection[Any]):
    async def wait(self, gen: PQGen[T], *args: Any, **limits: Any) -> T:
        return await super().wait(_at_once(gen, self.pgconn.socket), *args, **limits)

    @asynccontextmanager
    async def one_way(self) -> AsyncIterator[None]:
        """What is executed inside goes out when the block ends: all of it at once, with the BEGIN that it may need.

        A pipeline of the driver's own waits for BEGIN by itself, and wakes the server once for each statement.
        """
        async with self.lock:
            if self._pipeline is not None:
                raise RuntimeError("the connection is on its way already")
            way = self._pipeline = _OneWay(self)
        try:
            async with way:
                yield
        except Error as error:
            if (cancelled := _cancellation_behind(error)) is not None:
                raise cancelled from None
            raise
        finally:
            self._pipeline = None

    @property
    def is_in_the_middle(self) -> bool:
        """Of something that was broken off: nothing can be said on it any more, not even that all is rolled back."""
        is_busy = self.pgconn.transaction_status == TransactionStatus.ACTIVE
        return is_busy or self.pgconn.pipeline_status != PipelineStatus.OFF

    def _start_query(self) -> PQGen[None]:
        """The first statement of a way begins the transaction: the others find it begun, though nothing is sent."""
        if not (isinstance(self._pipeline, _OneWay) and self._pipeline.command_queue):
            yield from super()._start_query()


def _cancellation_behind(error: BaseException) -> asyncio.CancelledError | None:
    """Who is cancelled twice, also while the server is asked to stop, is told that a pipeline cannot be left."""
    behind: BaseException | None = error
    while behind is not None and not isinstance(behind, asyncio.CancelledError):
        behind = behind.__context__
    return behind


class _OneWay(AsyncPipeline):
    def _communicate_gen(self) -> PQGen[None]:
        yield from ()  # held back until the end

    def _sync_gen(self) -> PQGen[None]:
        yield from ()  # only BEGIN asks for it, and need not be waited for

    def _exit_gen(self) -> PQGen[None]:
        self._enqueue_sync()
        while self.command_queue:
            self.command_queue.popleft()()
        yield from send(self.pgconn)
        yield from self._fetch_gen(flush=False)


def _at_once(gen: PQGen[T], socket: int) -> PQGen[T]:
    """The same steps; only those for which the socket is not ready are left to whoever waits.

    And one now and then: while a server feeds us as fast as we read, others want their turn.
    """
    try:
        state, steps = next(gen), 0
        while True:
            steps += 1
            ready = _ready(socket, state) if steps % _STEPS_IN_A_ROW else 0
            if not ready:
                ready = yield state
            state = gen.send(ready)
    except StopIteration as ended:
        return ended.value  # type: ignore[no-any-return] # the result of `gen`


def _ready(socket: int, state: int) -> int:
    asked = select.poll()
    asked.register(socket, _READ * bool(state & Wait.R) | _WRITE * bool(state & Wait.W))
    found = 0
    for _, events in asked.poll(0):
        found = Ready.W * bool(events & _WRITE) | Ready.R * bool(events & ~_WRITE)  # a broken line is found by reading
    return found
