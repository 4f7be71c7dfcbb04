"""A psycopg connection that tries its socket before it waits for the event loop.

In a pipeline, each statement waits until the socket accepts it, which it nearly always does at once; through the event
loop each wait costs a round of callbacks, a dozen per request.
"""

import select
from typing import Any, TypeVar

from psycopg import AsyncConnection
from psycopg.abc import PQGen
from psycopg.pq import PipelineStatus, TransactionStatus
from psycopg.waiting import Ready, Wait

T = TypeVar("T")
_READ, _WRITE = select.POLLIN, select.POLLOUT
_STEPS_IN_A_ROW = 64


class DriverConnection(AsyncConnection[Any]):
    async def wait(self, gen: PQGen[T], *args: Any, **options: Any) -> T:
        return await super().wait(_try_socket_first(gen, self.pgconn.socket), *args, **options)

    @property
    def is_interrupted(self) -> bool:
        """Cancelled in the middle of a statement: not even a rollback can be sent on it any more."""
        is_busy = self.pgconn.transaction_status == TransactionStatus.ACTIVE
        return is_busy or self.pgconn.pipeline_status != PipelineStatus.OFF


def _try_socket_first(gen: PQGen[T], socket: int) -> PQGen[T]:
    """Same steps as psycopg's; only those whose socket is not ready go to the event loop.

    And one in 64: while a server sends as fast as we read, other tasks need their turn.
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
    poll = select.poll()
    poll.register(socket, _READ * bool(state & Wait.R) | _WRITE * bool(state & Wait.W))
    ready = 0
    for _, events in poll.poll(0):
        ready = Ready.W * bool(events & _WRITE) | Ready.R * bool(
            events & ~_WRITE
        )  # reading reports a broken connection
    return ready
