"""A child that speaks as the real one and dies at certain machines: `abort` kills it, `memory` makes it fat.

Of 127.0.0.66 it says what no library says today, of other addresses that they are well.
"""

import asyncio
import os
import sys
from typing import Any

from hashinsight.edge.library_process.messages import pack_message, read_message


async def main() -> None:
    loop = asyncio.get_running_loop()
    said = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(said), sys.stdin.buffer)
    out, _ = await loop.connect_write_pipe(asyncio.Protocol, sys.stdout.buffer)
    acts, kept = 0, []
    while (asked := await read_message(said)) is not None:
        if asked["op"] == "ping":
            out.write(pack_message({"id": asked["id"], "ok": True, "result": None}))
            continue
        address = asked["args"][0]
        acts += asked["op"] == "act"
        if address == "abort":
            os.abort()
        if address == "memory":
            kept.append(b"x" * 400_000_000)
            continue

        def answer(asked: Any = asked, address: str = address, acts: int = acts) -> None:
            odd = (
                {"device_info": ["?"], "hashrate": 1, "hashboards": "none"}
                if address == "127.0.0.66"
                else {"uptime": 9}
            )
            result = {"address": address, "acts": acts, "reader": "paper", "data": odd}
            out.write(pack_message({"id": asked["id"], "ok": True, "result": result}))

        loop.call_later(0.2, answer)


if __name__ == "__main__":
    asyncio.run(main())
