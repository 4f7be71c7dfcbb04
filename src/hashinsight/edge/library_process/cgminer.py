"""A plain client of the cgminer API, for what the library does not read. Bounded in time and bytes, whatever comes."""

import asyncio
import errno
import json
import re
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec

PORT = 4028
CONNECT_SEC = 2.0  # in a building a connection takes milliseconds, or it is not taken
MOST_BYTES = 1024 * 1024
_CHUNK = 65_536
_NO_WAY = {errno.EHOSTUNREACH, errno.ENETUNREACH, errno.EHOSTDOWN, errno.ENETDOWN, errno.EACCES, errno.EPERM}
_SUCCESS = ("S", "I")
_INVALID_COMMAND = 14  # cgminer's code, which its descendants kept
# what firmware writes for no number, where JSON has no word for it
_NO_NUMBER = re.compile(r"(?<=[:\[,])\s*-?(?:nan|inf(?:inity)?)\s*(?=[,}\]])", re.IGNORECASE)

_decoder = msgspec.json.Decoder()


class Trouble(Exception):
    """`kind` is one word for machines, `str()` one sentence for people without an address in it."""

    def __init__(self, kind: str, said: str) -> None:
        super().__init__(said)
        self.kind = kind


class Declined(Trouble):
    """It answered, and does not do this. `is_unknown`: it has no such command."""

    def __init__(self, *, is_unknown: bool) -> None:
        super().__init__("garbled", "it answers with an error")
        self.is_unknown = is_unknown


async def ask(address: str, command: str, *, timeout_sec: float) -> dict[str, Any]:
    """One command, one answer."""
    return understood(await exchange(address, {"command": command}, timeout_sec=timeout_sec))


async def ask_joined(address: str, commands: Sequence[str], *, timeout_sec: float) -> dict[str, dict[str, Any]]:
    """Several in one question, as cgminer takes them: half of what a question costs is its connection."""
    raw = await exchange(address, {"command": "+".join(commands)}, timeout_sec=timeout_sec)
    answers = _parsed(raw)
    found = {}
    for command in commands:
        answer = answers.get(command)
        found[command] = _successful(answer[0] if isinstance(answer, list) and answer else None)
    return found


async def exchange(address: str, message: Mapping[str, Any], *, timeout_sec: float) -> bytes:
    """A machine that drips its answer byte by byte is out of time like one that is silent."""
    connected = False
    loop = asyncio.get_running_loop()
    until = loop.time() + timeout_sec
    try:
        async with asyncio.timeout(min(timeout_sec, CONNECT_SEC)) as limit:
            with _socket() as line:
                await loop.sock_connect(line, (address, PORT))
                connected = True
                limit.reschedule(until)
                await loop.sock_sendall(line, json.dumps(message).encode())
                return await _answer(line)
    except TimeoutError:
        if connected:
            raise Trouble("slow", "it took the connection and did not answer in time") from None
        raise Trouble("unreachable", "no connection within the time") from None
    except OSError as problem:
        raise _trouble(problem) from None


async def knock(address: str, ports: tuple[int, ...], *, timeout_sec: float) -> bool:
    """Whether anything takes a connection there: the cheapest question that there is."""

    async def tried(port: int) -> bool:
        with suppress(OSError, TimeoutError), _socket() as line:
            async with asyncio.timeout(timeout_sec):
                await asyncio.get_running_loop().sock_connect(line, (address, port))
            return True
        return False

    return any(await asyncio.gather(*(tried(port) for port in ports)))


def _socket() -> socket.socket:
    """A bare one: what streams add costs as much again as the whole question."""
    line = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    line.setblocking(False)  # noqa: FBT003 - the library's form
    return line


async def _answer(line: socket.socket) -> bytes:
    """Up to the NUL that ends it, or the end of the connection; too much of it is no answer."""
    said = bytearray()
    loop = asyncio.get_running_loop()
    while part := await loop.sock_recv(line, _CHUNK):
        said += part
        if part.endswith(b"\0"):
            break
        if len(said) > MOST_BYTES:
            raise Trouble("garbled", f"more than {MOST_BYTES} bytes for one answer")
    return bytes(said)


def _trouble(problem: OSError) -> Trouble:
    if isinstance(problem, ConnectionRefusedError):
        return Trouble("refused", "nothing listens on its port")
    if problem.errno in _NO_WAY:
        return Trouble("unreachable", "no way to its network")
    if problem.errno in (errno.EMFILE, errno.ENFILE):
        return Trouble("out_of_files", "this box has no open file left")
    return Trouble("reset", "it broke the connection")


def understood(raw: bytes) -> dict[str, Any]:
    return _successful(_parsed(raw))


def _parsed(raw: bytes) -> dict[str, Any]:
    bare = raw.strip(b" \t\r\n\0")
    if not bare:
        raise Trouble("reset", "it closed the connection without a word")
    try:
        answer = _loaded(bare)
    except (ValueError, RecursionError):
        raise Trouble("garbled", "what it answers is not JSON") from None
    if not isinstance(answer, dict):
        raise Trouble("garbled", "what it answers is no object")
    return answer


def _loaded(bare: bytes) -> Any:
    """Mended only where it must be.

    Firmware forgets commas between objects, puts control characters into texts, writes `nan` without quotes, and
    escapes quotes that need no escape.
    """
    with suppress(ValueError):
        return _decoder.decode(bare)
    text = bare.decode("utf-8", errors="replace").replace("}{", "},{")
    try:
        return json.loads(text, strict=False)
    except ValueError:
        return json.loads(_NO_NUMBER.sub("null", text.replace("\\'", "'")), strict=False)


def _successful(answer: Any) -> dict[str, Any]:
    state = answer.get("STATUS") if isinstance(answer, dict) else None
    first = state[0] if isinstance(state, list) and state else None
    letter = first.get("STATUS") if isinstance(first, dict) else state
    if not isinstance(answer, dict) or letter not in _SUCCESS:
        raise Declined(is_unknown=isinstance(first, dict) and first.get("Code") == _INVALID_COMMAND)
    return answer


def rows(answer: dict[str, Any], section: str) -> list[dict[str, Any]]:
    """Of a table, those that are objects; a machine that puts something else there has none."""
    table = answer.get(section)
    return [row for row in table if isinstance(row, dict)] if isinstance(table, list) else []
