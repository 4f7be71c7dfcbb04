"""A plain client of the cgminer API (port 4028), limited in time and bytes whatever the machine sends."""

import asyncio
import errno
import json
import re
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from hashinsight.edge.library_process.messages import MachineError

PORT = 4028
CONNECT_SEC = 2.0  # on a local network a connection takes milliseconds or fails
MAX_BYTES = 1024 * 1024
_CHUNK = 65_536
_NO_ROUTE = {errno.EHOSTUNREACH, errno.ENETUNREACH, errno.EHOSTDOWN, errno.ENETDOWN, errno.EACCES, errno.EPERM}
_SUCCESS = ("S", "I")
_INVALID_COMMAND = 14  # cgminer's code, also in its descendants
# what firmware writes for "not a number", which JSON does not have
_NOT_A_NUMBER = re.compile(r"(?<=[:\[,])\s*-?(?:nan|inf(?:inity)?)\s*(?=[,}\]])", re.IGNORECASE)

_decoder = msgspec.json.Decoder()


class Declined(MachineError):
    """It answered with an error. `is_unknown`: it does not have this command."""

    def __init__(self, *, is_unknown: bool) -> None:
        super().__init__("garbled", "the machine answered with an error")
        self.is_unknown = is_unknown


async def query(address: str, command: str, *, timeout_sec: float) -> dict[str, Any]:
    """One command, one answer."""
    return parse_answer(await exchange(address, {"command": command}, timeout_sec=timeout_sec))


async def query_joined(address: str, commands: Sequence[str], *, timeout_sec: float) -> dict[str, dict[str, Any]]:
    """Several commands in one request, as cgminer allows: half the cost of a request is its connection."""
    raw = await exchange(address, {"command": "+".join(commands)}, timeout_sec=timeout_sec)
    joined = _decode_object(raw)
    answers = {}
    for command in commands:
        answer = joined.get(command)
        answers[command] = _check_status(answer[0] if isinstance(answer, list) and answer else None)
    return answers


async def exchange(address: str, message: Mapping[str, Any], *, timeout_sec: float) -> bytes:
    """A machine that sends its answer byte by byte times out like a silent one."""
    connected = False
    loop = asyncio.get_running_loop()
    until = loop.time() + timeout_sec
    try:
        async with asyncio.timeout(min(timeout_sec, CONNECT_SEC)) as limit:
            with _socket() as connection:
                await loop.sock_connect(connection, (address, PORT))
                connected = True
                limit.reschedule(until)
                await loop.sock_sendall(connection, json.dumps(message).encode())
                return await _receive(connection)
    except TimeoutError:
        if connected:
            raise MachineError("slow", "connected, but no answer in time") from None
        raise MachineError("unreachable", "no connection in time") from None
    except OSError as error:
        raise _machine_error(error) from None


async def probe(address: str, ports: tuple[int, ...], *, timeout_sec: float) -> bool:
    """Whether anything accepts a connection: the cheapest check there is."""

    async def connects(port: int) -> bool:
        with suppress(OSError, TimeoutError), _socket() as connection:
            async with asyncio.timeout(timeout_sec):
                await asyncio.get_running_loop().sock_connect(connection, (address, port))
            return True
        return False

    return any(await asyncio.gather(*(connects(port) for port in ports)))


def _socket() -> socket.socket:
    """A plain socket: asyncio streams would double the cost of a request."""
    connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    connection.setblocking(False)  # noqa: FBT003 - the standard library's signature
    return connection


async def _receive(connection: socket.socket) -> bytes:
    """Up to the NUL that ends an answer, or the end of the connection."""
    answer = bytearray()
    loop = asyncio.get_running_loop()
    while part := await loop.sock_recv(connection, _CHUNK):
        answer += part
        if part.endswith(b"\0"):
            break
        if len(answer) > MAX_BYTES:
            raise MachineError("garbled", f"answer longer than {MAX_BYTES} bytes")
    return bytes(answer)


def _machine_error(error: OSError) -> MachineError:
    if isinstance(error, ConnectionRefusedError):
        return MachineError("refused", "connection refused: nothing listens on its port")
    if error.errno in _NO_ROUTE:
        return MachineError("unreachable", "no route to its network")
    if error.errno in (errno.EMFILE, errno.ENFILE):
        return MachineError("out_of_files", "the collector has too many open files")
    return MachineError("reset", "the machine closed the connection")


def parse_answer(raw: bytes) -> dict[str, Any]:
    return _check_status(_decode_object(raw))


def _decode_object(raw: bytes) -> dict[str, Any]:
    content = raw.strip(b" \t\r\n\0")
    if not content:
        raise MachineError("reset", "the machine closed the connection without an answer")
    try:
        answer = _decode(content)
    except (ValueError, RecursionError):
        raise MachineError("garbled", "the answer is not JSON") from None
    if not isinstance(answer, dict):
        raise MachineError("garbled", "the answer is not an object")
    return answer


def _decode(content: bytes) -> Any:
    """Repaired only if necessary.

    Firmware forgets commas between objects, puts control characters into texts, writes `nan` without quotes, and
    escapes quotes needlessly.
    """
    with suppress(ValueError):
        return _decoder.decode(content)
    text = content.decode("utf-8", errors="replace").replace("}{", "},{")
    try:
        return json.loads(text, strict=False)
    except ValueError:
        return json.loads(_NOT_A_NUMBER.sub("null", text.replace("\\'", "'")), strict=False)


def _check_status(answer: Any) -> dict[str, Any]:
    status = answer.get("STATUS") if isinstance(answer, dict) else None
    first = status[0] if isinstance(status, list) and status else None
    letter = first.get("STATUS") if isinstance(first, dict) else status
    if not isinstance(answer, dict) or letter not in _SUCCESS:
        raise Declined(is_unknown=isinstance(first, dict) and first.get("Code") == _INVALID_COMMAND)
    return answer


def table_rows(answer: dict[str, Any], section: str) -> list[dict[str, Any]]:
    """Rows that are not objects are dropped."""
    table = answer.get(section)
    return [row for row in table if isinstance(row, dict)] if isinstance(table, list) else []
