"""The whole application on a socket of loopback, in this process: for tests that speak HTTP as others do."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn
from fastapi import FastAPI

from hashinsight.kit.changes import stop_streams


@asynccontextmanager
async def serve_on_loopback(app: FastAPI) -> AsyncIterator[str]:
    """Gives the address. The socket listens before anybody asks, so nobody has to wait for a server."""
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        door.listen()
        server = uvicorn.Server(uvicorn.Config(app, lifespan="off", log_config=None, timeout_graceful_shutdown=10))
        running = asyncio.create_task(server.serve(sockets=[door]))
        try:
            yield f"http://127.0.0.1:{door.getsockname()[1]}"
        finally:
            stop_streams()
            server.should_exit = True
            await running
