"""Serves units on loopback as real machines: port 4028, the web page on port 80, port 4433 of newer Whatsminers."""

import asyncio
import hashlib
import json
import re
import socket
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import Any

from hashinsight.sim.sockets.nets import address_of, claim, listen_on
from tests.edge.makes.unit import Make, Request, Response, Unit
from tests.installation import HANG_TIMEOUT_SEC

RPC_PORT, WEB_PORT, RPC_V3_PORT = 4028, 80, 4433
_REASONS = {200: "OK", 204: "No Content", 401: "Unauthorized", 404: "Not Found"}


def may_serve_web() -> bool:
    """Whether this user may listen on port 80, which asic-rs uses and which cannot be changed."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.255.255.1", WEB_PORT))
        except PermissionError:
            return False
        except OSError:
            pass
    return True


@contextmanager
def served(machines: list[tuple[Make, Unit]]) -> Iterator[list[Unit]]:
    """Each unit at its own address, served by a loop in another thread until the end of the block."""
    net, claimed = claim(None)
    started, ended = Event(), asyncio.Event()
    trouble: list[BaseException] = []
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        listening = []
        try:
            for no, (make, unit) in enumerate(machines):
                unit.address, unit.mac = address_of(net, no), f"02:00:5e:{net:02x}:00:{no:02x}"
                listening += await _listen(make, unit)
            started.set()
            await ended.wait()
        except BaseException as problem:
            trouble.append(problem)
            started.set()
            raise
        finally:
            for server in listening:
                server.close()
            await _end_conversations()

    def run() -> None:
        with suppress(OSError):
            loop.run_until_complete(serve())

    thread = Thread(target=run)
    thread.start()
    try:
        assert started.wait(HANG_TIMEOUT_SEC)
        if trouble:
            raise trouble[0]
        yield [unit for _, unit in machines]
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join(HANG_TIMEOUT_SEC)
        loop.close()
        claimed.close()


async def _end_conversations() -> None:
    rest = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in rest:
        task.cancel()
    await asyncio.gather(*rest, return_exceptions=True)


Conversation = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[Any, Any, None]]


async def _listen(make: Make, unit: Unit) -> list[asyncio.Server]:
    ports: list[tuple[int, Conversation]] = [(RPC_PORT, _rpc(make, unit))]
    if make.web is not None:
        ports.append((WEB_PORT, _web(make, unit)))
    if make.rpc_v3 is not None:
        ports.append((RPC_V3_PORT, _rpc_v3(make, unit)))
    return [await asyncio.start_server(_calm(talk), sock=listen_on(unit.address, port)) for port, talk in ports]


def _calm(talk: Conversation) -> Conversation:
    """A client that hangs up ends only its own connection."""

    async def sink(incoming: asyncio.StreamReader, outgoing: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await talk(incoming, outgoing)
            await outgoing.drain()
        outgoing.close()

    return sink


def _rpc(make: Make, unit: Unit) -> Conversation:
    async def talk(incoming: asyncio.StreamReader, outgoing: asyncio.StreamWriter) -> None:
        raw = await _question(incoming)
        if not raw:  # only a probe
            return
        if _is_lost(unit, raw):
            return
        sealed = make.raw(unit, raw) if make.raw is not None else None
        outgoing.write((sealed if sealed is not None else _answer(make, unit, raw)) + b"\0")

    return talk


async def _question(incoming: asyncio.StreamReader) -> bytes:
    raw = b""
    while part := await incoming.read(65_536):
        raw += part
        with suppress(ValueError):
            json.loads(raw.strip(b" \t\r\n\0"))
            break
    return raw


def _is_lost(unit: Unit, raw: bytes) -> bool:
    """As many answers to a command as the test says are lost: it hangs up instead."""
    lost = unit.memory.get("lost", {})
    message = set(re.findall(r"\w+", raw.decode("latin-1")))
    names = [name for name in message & set(lost) if lost[name]]
    for name in names:
        lost[name] -= 1
    return bool(names)


def _answer(make: Make, unit: Unit, raw: bytes) -> bytes:
    """Most accept several commands joined by a plus, and answer under each name."""
    message = json.loads(raw.strip(b" \t\r\n\0"))
    command, parameter = str(message.get("command")), str(message.get("parameter", ""))
    names = command.split("+")
    if len(names) == 1 or unit.memory.get("one_by_one"):
        return json.dumps(_one(make, unit, command, parameter)).encode()
    return json.dumps({name: [_one(make, unit, name, "")] for name in names} | {"id": 1}).encode()


def _one(make: Make, unit: Unit, command: str, parameter: str) -> dict[str, Any]:
    unit.queries.append(command)
    state = {"STATUS": "E", "When": 1, "Code": 14, "Msg": "Invalid command", "Description": ""}
    is_known = command not in unit.memory.get("unknown", ())
    return (make.rpc(unit, command, parameter) if is_known else None) or {"STATUS": [state], "id": 1}


def _rpc_v3(make: Make, unit: Unit) -> Conversation:
    async def talk(incoming: asyncio.StreamReader, outgoing: asyncio.StreamWriter) -> None:
        length = int.from_bytes(await incoming.readexactly(4), "little")
        message = json.loads(await incoming.readexactly(length))
        assert make.rpc_v3 is not None
        body = json.dumps(make.rpc_v3(unit, message)).encode()
        outgoing.write(len(body).to_bytes(4, "little") + body)

    return talk


def _web(make: Make, unit: Unit) -> Conversation:
    async def talk(incoming: asyncio.StreamReader, outgoing: asyncio.StreamWriter) -> None:
        head = (await incoming.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = head[0].split(" ", 2)
        headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
        body = await incoming.readexactly(int(headers.get("content-length", "0")))
        assert make.web is not None
        unit.queries.append(f"{method} {path}")
        response = make.web(unit, Request(method, path, headers, body))
        content = response.body.encode() if isinstance(response.body, str) else json.dumps(response.body).encode()
        kind = "text/html" if isinstance(response.body, str) else "application/json"
        lines = [
            f"HTTP/1.1 {response.status} {_REASONS.get(response.status, 'Said')}",
            f"Content-Length: {len(content)}",
        ]
        lines += [f"Content-Type: {kind}", "Connection: close", *(f"{k}: {v}" for k, v in response.headers.items())]
        outgoing.write("\r\n".join(lines).encode() + b"\r\n\r\n" + content)

    return talk


def digest_refusal(realm: str) -> Response:
    challenge = f'Digest realm="{realm}", nonce="0a1b2c3d4e5f", qop="auth", algorithm=MD5'
    return Response("<html>401</html>", 401, {"WWW-Authenticate": challenge})


def knows_password(request: Request, unit: Unit, user: str = "root") -> bool:
    """By the digest that the client computed."""
    given = dict(re.findall(r'(\w+)="?([^",]+)"?', request.headers.get("authorization", "")))
    if given.get("username") != user:
        return False
    secret = _md5(f"{user}:{given['realm']}:{unit.password}")
    message = _md5(f"{request.method}:{given['uri']}")
    proof = ":".join((secret, given["nonce"], given["nc"], given["cnonce"], given["qop"], message))
    return _md5(proof) == given.get("response")


def _md5(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
