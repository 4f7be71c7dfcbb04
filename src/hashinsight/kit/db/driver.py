"""The driver's connection, asking its socket before it asks the event loop.

In a pipeline every statement waits until the socket takes it, which it nearly always does at once; by way of the event
loop each of these waits costs a round of callbacks, and a request makes a dozen.
"""

import select
from typing import Any, TypeVar

from psycopg import AsyncConnection
from psycopg.abc import PQGen
from psycopg.waiting import Ready, Wait

T = TypeVar("T")
_READ, _WRITE = select.POLLIN, select.POLLOUT


class Connection(AsyncConnection[Any]):
    async def wait(self, gen: PQGen[T], *args: Any, **limits: Any) -> T:
        return await super().wait(_at_once(gen, self.pgconn.socket), *args, **limits)


def _at_once(gen: PQGen[T], socket: int) -> PQGen[T]:
    """The same steps; only those for which the socket is not ready are left to whoever waits."""
    try:
        state = next(gen)
        while True:
            ready = _ready(socket, state)
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
