"""The limits of `bench sim`, without the simulator: writing random numbers, and a server of constant responses.

`write ROWS FILE`, `answer BYTES ADDRESS…` (serves until its input ends) and `ask REQUESTS_PER_SEC SECONDS ADDRESS…`
(the client for the simulator and for `answer`).
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
_ROWS_PER_WRITE = 200_000
_FLOATS, _COUNTS = 10, 8
_COMMANDS = ("summary", "pools", "devs", "stats")


def write(rows: int, out: Path) -> None:
    """As many random values as the frames have, in parts of the same size, to a Parquet file."""
    rng = np.random.default_rng(1)
    for first in range(0, rows, _ROWS_PER_WRITE):
        n = min(_ROWS_PER_WRITE, rows - first)
        columns = {f"f{no}": rng.standard_normal(n) for no in range(_FLOATS)}
        counts = {f"c{no}": rng.integers(0, 100_000, n) for no in range(_COUNTS)}
        pl.DataFrame(columns | counts).write_parquet(out)


async def answer(size: int, addresses: list[str]) -> None:
    response = b"x" * (size - 1) + b"\0"

    class Bare(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            self.transport = transport

        def data_received(self, data: bytes) -> None:  # noqa: ARG002 - asyncio's signature
            self.transport.write(response)  # type: ignore[attr-defined] # a stream's transport writes
            self.transport.close()

    loop = asyncio.get_running_loop()
    servers = [await loop.create_server(Bare, address, PORT) for address in addresses]
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.read)
    for server in servers:
        server.close()


async def ask(rate: float, seconds: float, addresses: list[str]) -> dict[str, float]:
    """Open loop: requests are sent on schedule, whether or not earlier ones are answered."""
    rng = random.Random(1)  # noqa: S311 - not for security
    began = time.perf_counter()
    requests = [asyncio.create_task(_ask(rng, addresses, began + no / rate)) for no in range(int(rate * seconds))]
    results = await asyncio.gather(*requests)
    elapsed = time.perf_counter() - began
    good = sorted(seconds for seconds, size in results if size)
    sizes = [size for _, size in results if size]
    if not good:
        return {"answered": 0, "failed": len(results)}
    return {
        "answered": len(good),
        "failed": len(results) - len(good),
        "per_sec": len(good) / elapsed,
        "p50_ms": good[len(good) // 2] * 1000,
        "p99_ms": good[int(len(good) * 0.99)] * 1000,
        "mean_bytes": sum(sizes) / len(sizes),
    }


async def _ask(rng: random.Random, addresses: list[str], at: float) -> tuple[float, int]:
    address, command = rng.choice(addresses), rng.choice(_COMMANDS)
    await asyncio.sleep(max(at - time.perf_counter(), 0))
    began = time.perf_counter()
    try:
        reader, writer = await asyncio.open_connection(address, PORT)
        writer.write(json.dumps({"command": command}).encode())
        async with asyncio.timeout(10):
            response = await reader.read()
        writer.close()
    except (OSError, TimeoutError):
        return 0.0, 0
    return time.perf_counter() - began, len(response)


if __name__ == "__main__":
    verb, *arguments = sys.argv[1:]
    if verb == "write":
        write(int(arguments[0]), Path(arguments[1]))
    elif verb == "answer":
        import uvloop

        uvloop.run(answer(int(arguments[0]), arguments[1:]))
    else:
        sys.stdout.write(json.dumps(asyncio.run(ask(float(arguments[0]), float(arguments[1]), arguments[2:]))))
