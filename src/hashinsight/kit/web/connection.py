"""One client connection: counted, refused with a reason, and not kept open by an unread response."""

import asyncio
import json
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from hashinsight.kit.web.connection_limits import REFUSED, ConnectionLimits

MIN_BYTES_PER_SECOND = 1000  # of a body or a response: a tenth of the slowest line of a site
_LINGER_SECONDS = 1.0  # for a refused client to read the reason
_MAX_DISCARDED = 1_000_000  # bytes it may still send meanwhile
_UNREAD_SECONDS = 60.0


class ClientConnection(HttpToolsProtocol):
    callers: ClassVar[ConnectionLimits]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._name: str | None = None
        self._running: RequestResponseCycle | None = None  # the newest started; `cycle` is the newest received
        self._reads: asyncio.TimerHandle | None = None
        self._writes: asyncio.TimerHandle | None = None
        self._unread_bytes = 0
        self._is_refused = False
        self._lingers = False
        self._discarded_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._name = self.callers.enter(self.client[0] if self.client else "", self)
        if self._name is None:
            self._refuse(503, "TOO_MANY_CONNECTIONS", "too many connections: try again later")

    def connection_lost(self, exc: Exception | None) -> None:
        self._unset()
        if self._writes is not None:
            self._writes.cancel()
        self._leave()
        if self._lingers:
            self.callers.has_lingered()
        if self._running is not None:  # of several pipelined requests, uvicorn only notifies the last
            self._running.disconnected = True
            self._running.message_event.set()
        super().connection_lost(exc)

    def end(self) -> None:
        """Make room for another client; nothing is in progress here."""
        self._leave()
        self.transport.abort()

    def is_unread(self) -> bool:
        return self.transport.get_write_buffer_size() > 0

    def _leave(self) -> None:
        if self._name is not None:
            self.callers.leave(self._name, self)
            self._name = None

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._running = cycle
        super()._start_asgi_task(cycle, app)

    def _is_answering(self) -> bool:
        # None before the first request, although typed otherwise
        return self.cycle is not None and not self.cycle.response_complete  # type: ignore[redundant-expr]

    def timeout_keep_alive_handler(self) -> None:
        """Watch the reader: unread data keeps a closed connection open."""
        if self._writes is None and self.transport.get_write_buffer_size():
            self._watch_reader()
        super().timeout_keep_alive_handler()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch_reader()

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._writes is not None and not self.transport.is_closing():
            self._writes.cancel()
            self._writes = None

    def _watch_reader(self) -> None:
        self._unread_bytes = self.transport.get_write_buffer_size()
        self._writes = self.loop.call_later(_UNREAD_SECONDS, self._look_at_reader)

    def _look_at_reader(self) -> None:
        read = self._unread_bytes - self.transport.get_write_buffer_size()
        if read >= MIN_BYTES_PER_SECOND * _UNREAD_SECONDS:
            self._watch_reader()
        else:
            REFUSED.labels("answer_unread").inc()
            self.transport.abort()

    def _refuse(self, status: int, code: str, message: str) -> None:
        self._unset()
        if self._is_refused or self.transport.is_closing():
            return
        self._is_refused = True
        if code != "TOO_MANY_CONNECTIONS":  # counted by ConnectionLimits
            REFUSED.labels(code.lower()).inc()
        if self._closes_behind_earlier():
            return
        cycle = self.cycle
        is_cut = self._is_answering() and cycle.response_started
        if cycle is not None:
            cycle.disconnected = True
            cycle.message_event.set()
        if is_cut:  # half a response is sent already
            self.transport.close()
            return
        self.transport.write(_answer(status, code, message))
        self._close_when_read()

    def _closes_behind_earlier(self) -> bool:
        """Earlier complete requests are answered first: an error now would be taken for their answer."""
        if self.pipeline and self.pipeline[0][0].more_body:
            self.pipeline.popleft()  # the refused request
        last = self.pipeline[0][0] if self.pipeline else self._running
        if last is None or last.response_complete or last.more_body:
            return False
        last.keep_alive = False
        return True

    def _close_when_read(self) -> None:
        """If closed while the client still sends, the response would be lost."""
        self.flow.resume_reading()
        if self.transport.can_write_eof() and self.callers.may_linger():
            self._lingers = True
            self.transport.write_eof()
            self._set(_LINGER_SECONDS, self.transport.abort)
        else:
            self.transport.close()

    def _discard(self, data: bytes) -> None:
        self._discarded_bytes += len(data)
        if self._discarded_bytes > _MAX_DISCARDED:
            self.transport.abort()

    def _set(self, seconds: float, then: Any) -> None:
        self._unset()
        self._reads = self.loop.call_later(seconds, then)

    def _unset(self) -> None:
        if self._reads is not None:
            self._reads.cancel()
            self._reads = None


def _answer(status: int, code: str, message: str) -> bytes:
    body = json.dumps({"error_code": code, "message": message, "details": {}, "request_id": None}).encode()
    wait = b"retry-after: 10\r\n" if status == 503 else b""  # noqa: PLR2004
    head = b"content-type: application/json\r\ncontent-length: %d\r\nconnection: close\r\n" % len(body)
    return STATUS_LINE[status] + head + wait + b"\r\n" + body
