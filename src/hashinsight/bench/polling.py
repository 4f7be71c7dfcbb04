"""Collectors in a process of their own: they poll and ack over HTTP, and say how long each took.

`python -m hashinsight.bench.polling PORT TOKEN CONNECTIONS LIMIT HOW`, where HOW is `batch` (all of a poll in one ack)
or `single` (one call each). It ends when polls are empty, and prints seconds, commands, and milliseconds of each call.

Whoever sends the load must not be what is measured: requests are bytes that were made once, answers are read for what
is needed and no more.
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
_SAID = msgspec.json.encode(
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
_AT_ONCE = 256 * 1024


class _Named(msgspec.Struct):
    command_id: str


class _Polled(msgspec.Struct):
    commands: list[_Named]


class _Acked(msgspec.Struct):
    applied: bool | int


_POLLED, _ACKED = msgspec.json.Decoder(_Polled), msgspec.json.Decoder(_Acked)


class Line:
    """One connection of one collector."""

    def __init__(self, port: int, token: str, device: str, limit: int) -> None:
        self._line = socket.create_connection(("127.0.0.1", port), timeout=120)
        self._line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        who = (
            f" HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\nX-Device-ID: {device}\r\n"
            "Content-Type: application/json\r\n"
        ).encode()
        self._poll = b"GET /api/edge/v1/commands/poll?limit=%d%s\r\n" % (limit, who)
        self._batch = b"POST /api/edge/v1/commands/ack/batch%sContent-Length: %%d\r\n\r\n%%s" % who
        self._one = b"/ack%sContent-Length: %d\r\n\r\n%s" % (who, len(_SAID), _SAID)
        self.polls_ms: list[float] = []
        self.acks_ms: list[float] = []
        self.commands = 0

    def work(self, *, in_batches: bool) -> None:
        """Until there is nothing to do."""
        while commands := _POLLED.decode(self._ask(self._poll, self.polls_ms)).commands:
            ids = [one.command_id.encode() for one in commands]
            done = self._ack_all(ids) if in_batches else sum(map(self._ack, ids))
            if done != len(commands):
                raise RuntimeError(f"of {len(commands)} acks {done} were applied")
            self.commands += done

    def close(self) -> None:
        self._line.close()

    def _ack_all(self, ids: list[bytes]) -> int:
        body = b'{"acks":[%s]}' % b",".join(b'{"command_id":"%s",%s' % (one, _SAID[1:]) for one in ids)
        return _ACKED.decode(self._ask(self._batch % (len(body), body), self.acks_ms)).applied

    def _ack(self, one: bytes) -> int:
        return _ACKED.decode(self._ask(b"POST /api/edge/v1/commands/" + one + self._one, self.acks_ms)).applied

    def _ask(self, request: bytes, took: list[float]) -> bytes:
        began = time.perf_counter()
        self._line.sendall(request)
        answer = self._line.recv(_AT_ONCE)
        while (end := answer.find(_END)) < 0:
            answer += self._more()
        length = _LENGTH.search(answer, 0, end + len(_END))
        if length is None:
            raise RuntimeError(f"an answer of no length: {answer[:200]!r}")
        whole = end + len(_END) + int(length[1])
        while len(answer) < whole:
            answer += self._more()
        took.append((time.perf_counter() - began) * 1000)
        if not answer.startswith(_OK) or len(answer) != whole:
            raise RuntimeError(f"{answer[:300]!r}")
        return answer[end + len(_END) :]

    def _more(self) -> bytes:
        more = self._line.recv(_AT_ONCE)
        if not more:
            raise RuntimeError("the server closed the line")
        return more


def run(port: int, token: str, connections: int, limit: int, how: str) -> dict[str, Any]:
    lines = [Line(port, token, f"shard-{no}", limit) for no in range(connections)]
    wrong: list[BaseException] = []

    def work(line: Line) -> None:
        try:
            line.work(in_batches=how == "batch")
        except BaseException as error:  # noqa: BLE001 - told by whoever started the threads
            wrong.append(error)
        finally:
            line.close()

    threads = [threading.Thread(target=work, args=[line]) for line in lines]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - began
    if wrong:
        raise wrong[0]
    polls, acks = ([ms for line in lines for ms in getattr(line, name)] for name in ("polls_ms", "acks_ms"))
    return {"seconds": seconds, "commands": sum(one.commands for one in lines), "polls_ms": polls, "acks_ms": acks}


if __name__ == "__main__":
    port, token, connections, limit, how = sys.argv[1:]
    sys.stdout.write(json.dumps(run(int(port), token, int(connections), int(limit), how)))
