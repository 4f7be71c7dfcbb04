"""The limits of `bench sim`, in programs of their own: numbers drawn and written, sockets that answer unthinking.

Nothing of the simulator runs here. Usage: `bare write ROWS FILE`, `bare answer BYTES ADDRESS…` (until its input ends),
`bare ask REQUESTS_PER_SEC SECONDS ADDRESS…` (the client of both the simulator and the bare answer).
"""

import asyncio
import json
import random
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl

PORT = 4028
_PIECE = 200_000
_FLOATS, _COUNTS = 10, 8
_COMMANDS = ("summary", "pools", "devs", "stats")


def write(rows: int, out: Path) -> None:
    """As many random values as a frame has figures, in pieces of the same size, to Parquet files."""
    draw = np.random.default_rng(1)
    for first in range(0, rows, _PIECE):
        n = min(_PIECE, rows - first)
        columns = {f"f{no}": draw.standard_normal(n) for no in range(_FLOATS)}
        counts = {f"c{no}": draw.integers(0, 100_000, n) for no in range(_COUNTS)}
        pl.DataFrame(columns | counts).write_parquet(out)


async def answer(size: int, addresses: list[str]) -> None:
    said = b"x" * (size - 1) + b"\0"

    class Bare(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            self.transport = transport

        def data_received(self, data: bytes) -> None:  # noqa: ARG002 - the library's form
            self.transport.write(said)  # type: ignore[attr-defined] # a stream's transport writes
            self.transport.close()

    loop = asyncio.get_running_loop()
    servers = [await loop.create_server(Bare, address, PORT) for address in addresses]
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.read)
    for server in servers:
        server.close()


async def ask(rate: float, seconds: float, addresses: list[str]) -> dict[str, float]:
    """An open loop: requests leave by the clock, whether or not the ones before are answered."""
    chance = random.Random(1)  # noqa: S311 - which machine is asked is no secret
    began = time.perf_counter()
    asked = [asyncio.create_task(_ask(chance, addresses, began + no / rate)) for no in range(int(rate * seconds))]
    took = await asyncio.gather(*asked)
    spent = time.perf_counter() - began
    good = sorted(one for one, size in took if size)
    sizes = [size for _, size in took if size]
    if not good:
        return {"answered": 0, "failed": len(took)}
    return {
        "answered": len(good),
        "failed": len(took) - len(good),
        "per_sec": len(good) / spent,
        "p50_ms": good[len(good) // 2] * 1000,
        "p99_ms": good[int(len(good) * 0.99)] * 1000,
        "mean_bytes": sum(sizes) / len(sizes),
    }


async def _ask(chance: random.Random, addresses: list[str], at: float) -> tuple[float, int]:
    address, command = chance.choice(addresses), chance.choice(_COMMANDS)
    await asyncio.sleep(max(at - time.perf_counter(), 0))
    left = time.perf_counter()
    try:
        reader, writer = await asyncio.open_connection(address, PORT)
        writer.write(json.dumps({"command": command}).encode())
        said = await asyncio.wait_for(reader.read(), 10)
        writer.close()
    except (OSError, TimeoutError):
        return 0.0, 0
    return time.perf_counter() - left, len(said)


if __name__ == "__main__":
    verb, *given = sys.argv[1:]
    if verb == "write":
        write(int(given[0]), Path(given[1]))
    elif verb == "answer":
        import uvloop

        uvloop.run(answer(int(given[0]), given[1:]))
    else:
        sys.stdout.write(json.dumps(asyncio.run(ask(float(given[0]), float(given[1]), given[2:]))))
