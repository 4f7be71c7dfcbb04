"""HTTP/1.1 with limits that apply before the caller is known; uvicorn's parser has none of them.

Each client may send a limited number of header bytes in a limited time; a body must keep a minimum rate. A request that
arrives in one piece, as nearly all do, sets no timer.
"""

import asyncio
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, ClassVar

import httptools

from hashinsight.kit.web.connection import MIN_BYTES_PER_SECOND, ClientConnection
from hashinsight.kit.web.connection_limits import ConnectionLimits

MOST_HEADERS = 100
MOST_URL_BYTES = 8192
MOST_PIPELINED = 16  # pipelined requests waiting on one connection
_FORWARDED = b"x-forwarded-for"
_REST_SECONDS = 5.0  # for the rest of a body that was answered before it was complete


@dataclass(frozen=True)
class RequestLimits:
    head_bytes: int = 32 * 1024
    head_seconds: float = 10.0
    body_seconds: float = 30.0


class _Stage(Enum):
    """What is expected next from the client."""

    REQUEST = auto()
    HEAD = auto()  # the rest of it
    BODY = auto()  # the rest of it


class _Refused(Exception):
    pass


class BoundedProtocol(ClientConnection):
    """One connection. `limited_protocol` makes the class with its limits."""

    limits: ClassVar[RequestLimits] = RequestLimits()

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._stage = _Stage.REQUEST
        self._why: tuple[int, str, str] | None = None
        self._chunk_bytes = 0
        self._head_least = self._head_most = 0  # its first chunk may begin with the previous body
        self._body_from = 0.0
        self._body_bytes = 0
        self._beside_bytes = 0  # chunk sizes and trailers since the last byte of a body
        self._is_answered = False  # before its body was complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if not self._is_refused:
            self._set(self.limits.head_seconds, self._head_is_late)

    def data_received(self, data: bytes) -> None:
        if self._is_refused:
            self._discard(data)
            return
        self._chunk_bytes = len(data)
        if self._stage is _Stage.HEAD:
            self._head_least += len(data)
            self._head_most += len(data)
        body_bytes = self._body_bytes
        self._parse(data)
        if self._is_refused:
            return
        if self._stage is _Stage.HEAD:
            self._check_head()
        elif self._stage is _Stage.BODY:
            self._check_body(is_body=self._body_bytes != body_bytes)
        elif self._is_answering():
            self._unset()
        elif self._reads is None:  # bytes that start no request
            self._set(self.limits.head_seconds, self._head_is_late)

    def _parse(self, data: bytes) -> None:
        """As in uvicorn, but without a log line for invalid input."""
        self._unset_keepalive_if_required()
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserError:
            self._refuse(*(self._why or (400, "BAD_REQUEST", "not an HTTP request")))
        except httptools.HttpParserUpgrade:
            return  # no upgrades here: answered as a plain request

    def on_message_begin(self) -> None:
        self._stage = _Stage.HEAD
        self._head_least, self._head_most = 0, self._chunk_bytes
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Ignores trailers after a body: they would arrive after the headers were checked."""
        if self._stage is _Stage.HEAD:
            super().on_header(name, value)
            if len(name) == len(_FORWARDED) and name.lower() == _FORWARDED and self.client:
                self.callers.note_forwarded(self.client[0])

    def on_headers_complete(self) -> None:
        if len(self.url) > MOST_URL_BYTES:
            self._give_up(414, "URL_TOO_LONG", f"the address is longer than {MOST_URL_BYTES} bytes")
        if self._head_most > self.limits.head_bytes or len(self.headers) > MOST_HEADERS:
            size = len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
            if size > self.limits.head_bytes or len(self.headers) > MOST_HEADERS:
                self._give_up(*self._too_large())
        if len(self.pipeline) >= MOST_PIPELINED:  # a few bytes each, a hundred times that in memory
            self._give_up(
                400, "TOO_MANY_PIPELINED", f"more than {MOST_PIPELINED} requests are waiting for their responses"
            )
        self.callers.is_heard(self)
        self._stage = _Stage.BODY
        self._body_bytes = self._beside_bytes = 0
        self._body_from = 0.0
        self._is_answered = False
        self._unset()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._body_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._stage = _Stage.REQUEST
        super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._stage is _Stage.BODY:
            self._is_answered = True
            self._set(_REST_SECONDS, self.transport.close)
        elif self._name is not None and not self._is_answering():
            self.callers.is_idle(self)

    def _check_head(self) -> None:
        if self._head_least > self.limits.head_bytes:
            self._refuse(*self._too_large())
        elif self._reads is None:
            self._set(self.limits.head_seconds, self._head_is_late)

    def _check_body(self, *, is_body: bool) -> None:
        self._beside_bytes = 0 if is_body else self._beside_bytes + self._chunk_bytes
        if self._beside_bytes > self.limits.head_bytes:
            self._refuse(*self._too_large())
        elif self._reads is None and not self._is_answered:
            self._body_from = self.loop.time()
            self._set(self.limits.body_seconds, self._body_is_late)

    def _head_is_late(self) -> None:
        self._reads = None
        if self._is_answering() or self.flow.read_paused:  # the request waits for us, not for the client
            self._set(self.limits.head_seconds, self._head_is_late)
        elif self._stage is _Stage.HEAD:
            self._refuse(408, "REQUEST_TIMEOUT", "timeout: headers not received")
        else:
            self.transport.close()

    def _body_is_late(self) -> None:
        self._reads = None
        if self.flow.read_paused:  # we are not reading
            self._body_from, self._body_bytes = self.loop.time(), 0
        allowed = self.limits.body_seconds + self._body_bytes / MIN_BYTES_PER_SECOND
        left = self._body_from + allowed - self.loop.time()
        if left > 0:
            self._set(left, self._body_is_late)
        else:
            self._refuse(408, "REQUEST_TIMEOUT", "timeout: body not received")

    def _too_large(self) -> tuple[int, str, str]:
        limits = f"{self.limits.head_bytes} bytes or {MOST_HEADERS} headers"
        return 431, "HEADERS_TOO_LARGE", f"the headers are more than {limits}"

    def _give_up(self, status: int, code: str, message: str) -> None:
        """Called from inside the parser, which ends; then the reason is sent."""
        self._why = (status, code, message)
        raise _Refused


def limited_protocol(limits: RequestLimits, callers: ConnectionLimits) -> type[BoundedProtocol]:
    class Limited(BoundedProtocol):
        pass

    Limited.limits, Limited.callers = limits, callers
    return Limited
