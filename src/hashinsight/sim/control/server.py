"""Runs a simulator with its control API: one JSON object per line over loopback, one JSON object back."""

import asyncio
import json
import signal
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from hashinsight.sim.control.parameters import BadRequest
from hashinsight.sim.control.verbs import VERBS, status
from hashinsight.sim.driver import LiveFleet
from hashinsight.sim.plan import Scenario, ScenarioError
from hashinsight.sim.sockets.nets import allow_files
from hashinsight.sim.world import World

MAX_LINE = 256 * 1024
IDLE_SEC = 300.0
_CLOSE_SEC = 2.0


@asynccontextmanager
async def serve_control(live: LiveFleet, listener: socket.socket) -> AsyncIterator[None]:
    """Serves on the socket that holds the net; at the end, open connections are closed."""
    talks: dict[asyncio.Task[Any], asyncio.StreamWriter] = {}

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - for the type checker
        talks[task] = writer
        try:
            await _talk(live, reader, writer)
        except (ConnectionError, TimeoutError):
            pass  # client is gone
        finally:
            del talks[task]
            writer.close()

    server = await asyncio.start_server(talk, sock=listener, limit=MAX_LINE)
    try:
        yield
    finally:
        server.close()
        left = dict(talks)
        for writer in left.values():
            writer.transport.abort()
        if left:
            await asyncio.wait(left, timeout=_CLOSE_SEC)


async def _talk(live: LiveFleet, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """The first invalid line ends the connection: a client of another protocol must not hit a verb by chance."""
    while True:
        try:
            async with asyncio.timeout(IDLE_SEC):
                line = await reader.readline()
        except ValueError:
            answer = _error("BAD_REQUEST", f"requests are limited to {MAX_LINE} bytes")
        else:
            if not line:
                return
            answer = await respond(live, line)
        writer.write(json.dumps(answer, default=str).encode() + b"\n")
        await writer.drain()
        if not answer["ok"] and answer["error"]["code"] == "BAD_REQUEST":
            return


async def respond(live: LiveFleet, line: bytes) -> dict[str, Any]:
    try:
        request = _request(line)
        return {"ok": True, "result": await VERBS[request["verb"]](live, request)}
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError):
        return _error("BAD_REQUEST", "the line is not JSON")
    except BadRequest as problem:
        return _error(problem.code, str(problem))
    except (ScenarioError, KeyError, ValueError, IndexError) as problem:
        return _error("REFUSED", str(problem.args[0] if problem.args else problem))


def _request(line: bytes) -> dict[str, Any]:
    request = json.loads(line)
    if not isinstance(request, dict) or not isinstance(request.get("verb"), str):
        raise BadRequest('a request is one JSON object a line with a "verb"')
    if request["verb"] not in VERBS:
        raise BadRequest(f"unknown verb {request['verb'][:40]}: use one of {', '.join(VERBS)}")
    return request


def _error(code: str, message: str) -> dict[str, Any]:
    return {"ok": False, "error": {"code": code, "message": message}}


async def run_simulator(
    scenario: Scenario,
    *,
    seed: int,
    start: float,
    net: tuple[int, socket.socket],
    speed: float,
    ready: Callable[[dict[str, Any]], None],
) -> None:
    """Runs in a net that is held (`nets.claim`); calls `ready` once everything listens. Signals stop it like `stop`."""
    number, held = net
    try:
        allow_files(scenario.machines)
        live = LiveFleet(await asyncio.to_thread(World, scenario, seed=seed, start=start), number, speed=speed)
        for sign in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(sign, live.stopping.set)
        live.open()
        async with serve_control(live, held):
            ready(await status(live, {}))
            await live.run()
    finally:
        held.close()
