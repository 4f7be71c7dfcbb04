"""A child that speaks the real protocol and dies at certain machines: `abort` kills it, `memory` fills its memory.

For 127.0.0.66 it returns a malformed reading, for other addresses a good one.
"""

import asyncio
import os
import sys
from typing import Any

from hashinsight.edge.library_process.messages import pack_message, read_message


async def main() -> None:
    loop = asyncio.get_running_loop()
    requests = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(requests), sys.stdin.buffer)
    out, _ = await loop.connect_write_pipe(asyncio.Protocol, sys.stdout.buffer)
    actions, ballast = 0, []
    while (request := await read_message(requests)) is not None:
        if request["op"] == "ping":
            out.write(pack_message({"id": request["id"], "ok": True, "result": None}))
            continue
        address = request["args"][0]
        actions += request["op"] == "act"
        if address == "abort":
            os.abort()
        if address == "memory":
            ballast.append(b"x" * 400_000_000)
            continue

        def answer(request: Any = request, address: str = address, actions: int = actions) -> None:
            odd = (
                {"device_info": ["?"], "hashrate": 1, "hashboards": "none"}
                if address == "127.0.0.66"
                else {"uptime": 9}
            )
            result = {"address": address, "acts": actions, "reader": "paper", "data": odd}
            out.write(pack_message({"id": request["id"], "ok": True, "result": result}))

        loop.call_later(0.2, answer)


if __name__ == "__main__":
    asyncio.run(main())
