"""A minimal cloud that speaks the collector contract, for tests that need to control its answers.

It uses `hashinsight.wire`: sends commands until they are acked, reads acks as the server does, and keeps everything, so
that a test can count.
"""

import gzip
import json
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from hashinsight.wire.acks import Ack, AckStatus, read_acks
from hashinsight.wire.commands import Command, poll_answer


class StubCloud:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.commands: dict[str, Command] = {}
        self.polls: list[int] = []
        self.acks: dict[str, list[Ack]] = defaultdict(list)
        self.samples: dict[tuple[str, str], set[int]] = defaultdict(set)
        self.events: dict[str, dict[str, Any]] = {}
        self.beats: list[dict[str, Any]] = []
        self.applied: list[str] = []
        self.config: tuple[str, Any] | None = None
        self.answers: dict[str, list[tuple[int, dict[str, Any], dict[str, str]]]] = defaultdict(list)
        self.is_deaf = False  # processes requests, but its answers are lost
        self.url = ""

    def give(self, *commands: Command) -> None:
        with self.lock:
            self.commands |= {item.command_id: item for item in commands}

    def next(self, path: str, status: int, body: dict[str, Any] | None = None, **headers: str) -> None:
        """Answer the next call of this path like this, without processing it."""
        self.answers[path].append((status, body or {}, headers))

    def ended(self, command_id: str) -> list[AckStatus]:
        return [ack.status for ack in self.acks[command_id]]

    def answer(self, method: str, path: str, query: str, body: bytes) -> dict[str, Any]:  # noqa: PLR0911 - one a route
        with self.lock:
            match method, path:
                case "GET", "/commands/poll":
                    limit = int(dict(part.split("=") for part in query.split("&"))["limit"])
                    self.polls.append(limit)
                    return poll_answer(list(self.commands.values())[:limit])
                case "POST", "/commands/ack/batch":
                    return {"success": True, "results": [self._acked(ack) for ack in read_acks(body)]}
                case "POST", "/telemetry/batch":
                    return self._received(json.loads(gzip.decompress(body)))
                case "POST", "/events":
                    message = json.loads(body)["events"]
                    self.events |= {item["event_id"]: item for item in message}
                    return {"success": True, "stored": len(message), "duplicates": 0}
                case "POST", "/heartbeat":
                    self.beats.append(json.loads(body))
                    return {"success": True, "clock_skew_sec": 0.0, "config_version": self.config and self.config[0]}
                case "GET", "/config":
                    assert self.config
                    return {"success": True, "version": self.config[0], "config": self.config[1], "in_step": False}
                case "POST", "/config/applied":
                    self.applied.append(json.loads(body)["version"])
                    return {"success": True, "known": True}
        return {"success": False}

    def _acked(self, ack: Any) -> dict[str, Any]:
        assert isinstance(ack, Ack), ack
        self.acks[ack.command_id].append(ack)
        known = self.commands.pop(ack.command_id, None)
        message: dict[str, Any] = {"command_id": ack.command_id, "applied": known is not None}
        return message if known else message | {"error_code": "ALREADY_FINAL"}

    def _received(self, envelope: dict[str, Any]) -> dict[str, Any]:
        records = envelope["records"]
        assert envelope["record_count"] == len(records)
        duplicates = 0
        for item in records:
            seen = self.samples[item["miner_id"], item["timestamp"]]
            duplicates += bool(seen)
            seen.add(item["source_seq"])
        accepted = len(records) - duplicates
        return {"success": True, "accepted": accepted, "rejected": 0, "duplicates": duplicates, "errors": []}


@contextmanager
def running_cloud(cloud: StubCloud, port: int = 0) -> Iterator[StubCloud]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _any(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            path, _, query = self.path.removeprefix("/api/edge/v1").partition("?")
            if cloud.answers[path]:
                status, answer, headers = cloud.answers[path].pop(0)
            else:
                status, answer, headers = 200, cloud.answer(self.command, path, query, body), {}
            if cloud.is_deaf:
                self.close_connection = True
                return
            content = json.dumps(answer).encode()
            self.send_response(status)
            for name, value in {"Content-Length": str(len(content)), **headers}.items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = _any  # noqa: N815 - the library's names

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    server.handle_error = lambda *_: None  # type: ignore[method-assign] # a caller that was killed
    cloud.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield cloud
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
