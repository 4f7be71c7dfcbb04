"""A faulty link between the collector and a simulated machine: queries pass, one action does not."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from enum import StrEnum

PORT = 4028


class LinkFault(StrEnum):
    ANSWER = "answer"  # the machine receives the action, its answer is lost
    ORDER = "order"  # the link breaks before the machine receives anything
    PATIENCE = "patience"  # the machine receives the action, the link hangs


@asynccontextmanager
async def faulty_link(
    address: str, machine: str, fault: LinkFault, action: bytes, *, hangs_sec: float = 30.0
) -> AsyncIterator[None]:
    """`address` answers as `machine` does; the request that contains `action` fails."""
    open_now: set[asyncio.Task[None]] = set()

    async def carry(here: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        async with _closing(back):
            request = await here.read(65_536)
            is_faulty = action in request
            if is_faulty and fault is LinkFault.ORDER:
                return
            answer = await _forward(machine, request)
            if is_faulty and fault is LinkFault.PATIENCE:
                await asyncio.sleep(hangs_sec)
            if not is_faulty:
                back.write(answer)

    def begin(here: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(carry(here, back))
        open_now.add(task)
        task.add_done_callback(open_now.discard)

    server = await asyncio.start_server(begin, address, PORT)
    try:
        yield
    finally:
        server.close()
        for task in tuple(open_now):
            task.cancel()
        await asyncio.gather(*open_now, return_exceptions=True)


async def _forward(machine: str, request: bytes) -> bytes:
    there, out = await asyncio.open_connection(machine, PORT)
    async with _closing(out):
        out.write(request)
        await out.drain()
        return await there.read(-1)
    return b""


@asynccontextmanager
async def _closing(line: asyncio.StreamWriter) -> AsyncIterator[None]:
    try:
        with suppress(OSError):
            yield
    finally:
        line.close()
        with suppress(OSError):
            await line.wait_closed()
