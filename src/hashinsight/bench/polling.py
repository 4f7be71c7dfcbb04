"""Collectors in a process of their own: they poll and ack over HTTP, and say how long each took.

`python -m hashinsight.bench.polling PORT TOKEN CONNECTIONS LIMIT HOW`, where HOW is `batch` (all of a poll in one ack)
or `single` (one call each). It ends when polls are empty, and prints seconds, commands, and milliseconds of each call.
"""

import http.client
import json
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
# made once: whoever sends the load must not be what is measured
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


class Line:
    """One connection of one collector."""

    def __init__(self, port: int, token: str, device: str) -> None:
        self._line = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self._headers = {"Authorization": f"Bearer {token}", "X-Device-ID": device, "Content-Type": "application/json"}
        self.polls_ms: list[float] = []
        self.acks_ms: list[float] = []
        self.commands = 0

    def work(self, limit: int, *, in_batches: bool) -> None:
        """Until there is nothing to do."""
        while commands := self._ask("GET", f"/api/edge/v1/commands/poll?limit={limit}", None, self.polls_ms)[
            "commands"
        ]:
            ids = [one["command_id"] for one in commands]
            if in_batches:
                body = b'{"acks":[%s]}' % b",".join(b'{"command_id":"%s",%s' % (one.encode(), _SAID[1:]) for one in ids)
                done = self._ask("POST", "/api/edge/v1/commands/ack/batch", body, self.acks_ms)["applied"]
            else:
                paths = [f"/api/edge/v1/commands/{one}/ack" for one in ids]
                done = sum(self._ask("POST", path, _SAID, self.acks_ms)["applied"] for path in paths)
            if done != len(commands):
                raise RuntimeError(f"of {len(commands)} acks {done} were applied")
            self.commands += done

    def _ask(self, method: str, path: str, body: bytes | None, took: list[float]) -> Any:
        began = time.perf_counter()
        self._line.request(method, path, body, self._headers)
        answer = self._line.getresponse()
        said = answer.read()
        took.append((time.perf_counter() - began) * 1000)
        if answer.status != http.HTTPStatus.OK:
            raise RuntimeError(f"{answer.status} {said[:200]!r}")
        return msgspec.json.decode(said)


def run(port: int, token: str, connections: int, limit: int, how: str) -> dict[str, Any]:
    lines = [Line(port, token, f"shard-{no}") for no in range(connections)]
    wrong: list[BaseException] = []

    def work(line: Line) -> None:
        try:
            line.work(limit, in_batches=how == "batch")
        except BaseException as error:  # noqa: BLE001 - told by whoever started the threads
            wrong.append(error)

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
