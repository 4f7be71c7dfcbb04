"""Load client of `bench lease`: collectors that poll and ack over HTTP until no command is left.

`python -m hashinsight.bench.polling PORT TOKEN CONNECTIONS LIMIT ACK_MODE`. ACK_MODE is `batch` (one ack for all
commands of a poll) or `single`. Prints seconds, commands and the milliseconds of each call as JSON.

To keep the client's own cost small, requests are prebuilt bytes and only the needed fields of a response are decoded.
"""

import json
import re
import socket
import sys
import threading
import time
from typing import Any

import msgspec

_BEFORE = {
    "hashrate_ths": 103.9,
    "power_w": 3050,
    "temp_max_c": 71.5,
    "fan_rpm": [5400, 5380, 5410, 5395],
    "mode": "normal",
}
_AFTER = {**_BEFORE, "fan_rpm": [4200, 4180, 4210, 4195], "pool_url": "stratum+tcp://pool.example:3333"}
_RESULT = msgspec.json.encode(
    {
        "status": "succeeded",
        "started_at": "2026-03-01T12:00:01Z",
        "finished_at": "2026-03-01T12:00:05.500Z",
        "result": {"accepted": True},
        "before": _BEFORE,
        "after": _AFTER,
    }
)
_OK, _END = b"HTTP/1.1 200 ", b"\r\n\r\n"
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)\r\n", re.IGNORECASE)
_RECEIVE_BYTES = 256 * 1024


class _Command(msgspec.Struct):
    command_id: str


class _PollResponse(msgspec.Struct):
    commands: list[_Command]


class _AckResponse(msgspec.Struct):
    applied: bool | int


_POLL_DECODER, _ACK_DECODER = msgspec.json.Decoder(_PollResponse), msgspec.json.Decoder(_AckResponse)


class Connection:
    """One connection of one collector."""

    def __init__(self, port: int, token: str, device: str, limit: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=120)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        headers = (
            f" HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\nX-Device-ID: {device}\r\n"
            "Content-Type: application/json\r\n"
        ).encode()
        self._poll = b"GET /api/edge/v1/commands/poll?limit=%d%s\r\n" % (limit, headers)
        self._batch = b"POST /api/edge/v1/commands/ack/batch%sContent-Length: %%d\r\n\r\n%%s" % headers
        self._single = b"/ack%sContent-Length: %d\r\n\r\n%s" % (headers, len(_RESULT), _RESULT)
        self.polls_ms: list[float] = []
        self.acks_ms: list[float] = []
        self.commands = 0

    def work(self, *, in_batches: bool) -> None:
        """Poll and ack until no command is left."""
        while commands := _POLL_DECODER.decode(self._call(self._poll, self.polls_ms)).commands:
            ids = [command.command_id.encode() for command in commands]
            applied = self._ack_all(ids) if in_batches else sum(map(self._ack, ids))
            if applied != len(commands):
                raise RuntimeError(f"{applied} of {len(commands)} acks applied")
            self.commands += applied

    def close(self) -> None:
        self._socket.close()

    def _ack_all(self, ids: list[bytes]) -> int:
        body = b'{"acks":[%s]}' % b",".join(b'{"command_id":"%s",%s' % (command_id, _RESULT[1:]) for command_id in ids)
        return _ACK_DECODER.decode(self._call(self._batch % (len(body), body), self.acks_ms)).applied

    def _ack(self, command_id: bytes) -> int:
        request = b"POST /api/edge/v1/commands/" + command_id + self._single
        return _ACK_DECODER.decode(self._call(request, self.acks_ms)).applied

    def _call(self, request: bytes, times_ms: list[float]) -> bytes:
        began = time.perf_counter()
        self._socket.sendall(request)
        response = self._receive()
        while (end := response.find(_END)) < 0:
            response += self._receive()
        length = _LENGTH.search(response, 0, end + len(_END))
        if length is None:
            raise RuntimeError(f"response without content-length: {response[:200]!r}")
        total = end + len(_END) + int(length[1])
        while len(response) < total:
            response += self._receive()
        times_ms.append((time.perf_counter() - began) * 1000)
        if not response.startswith(_OK) or len(response) != total:
            raise RuntimeError(f"{response[:300]!r}")
        return response[end + len(_END) :]

    def _receive(self) -> bytes:
        received = self._socket.recv(_RECEIVE_BYTES)
        if not received:
            raise RuntimeError("the server closed the connection")
        return received


def run(port: int, token: str, count: int, limit: int, ack_mode: str) -> dict[str, Any]:
    connections = [Connection(port, token, f"shard-{no}", limit) for no in range(count)]
    errors: list[BaseException] = []

    def work(connection: Connection) -> None:
        try:
            connection.work(in_batches=ack_mode == "batch")
        except BaseException as error:  # noqa: BLE001 - raised again below
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=work, args=[connection]) for connection in connections]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - began
    if errors:
        raise errors[0]
    polls, acks = (
        [ms for connection in connections for ms in getattr(connection, name)] for name in ("polls_ms", "acks_ms")
    )
    return {
        "seconds": seconds,
        "commands": sum(connection.commands for connection in connections),
        "polls_ms": polls,
        "acks_ms": acks,
    }


if __name__ == "__main__":
    port, token, count, limit, ack_mode = sys.argv[1:]
    sys.stdout.write(json.dumps(run(int(port), token, int(count), int(limit), ack_mode)))
