"""Gives every request an id, one log line and its place in the metrics."""

import re
import time
from functools import lru_cache

import structlog
from prometheus_client import Counter, Histogram
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hashinsight.kit.ids import new_id

log = structlog.get_logger(__name__)

REQUESTS = Counter("hashinsight_http_requests_total", "Requests answered", ["method", "route", "status"])
SECONDS = Histogram("hashinsight_http_request_seconds", "Time to answer a request", ["method", "route"])

_SAFE_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")
_METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})
_MAX_PATH = 120
_QUIET = frozenset({"/healthz", "/readyz", "/metrics"})
_OF_COLLECTORS, _OK = ("/api/edge/", "/api/collector/"), 200


class Requests:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get("x-request-id", "")
        request_id = given if _SAFE_ID.fullmatch(given) else str(new_id())
        scope.setdefault("state", {})["request_id"] = request_id
        status = 500
        began = time.perf_counter()

        async def with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)["X-Request-ID"] = request_id
            await send(message)

        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=request_id)
        try:
            await self._app(scope, receive, with_id)
        finally:
            seconds = time.perf_counter() - began
            method = scope["method"] if scope["method"] in _METHODS else "OTHER"
            # the template, not the path: ids would make a series each, and a stranger's guesses would too
            route = getattr(scope.get("route"), "path", "unmatched")
            answered, took = _series(method, route, status)
            answered.inc()
            took.observe(seconds)
            say = log.debug if _is_routine(scope["path"], status) else log.info
            shown = scope["path"][:_MAX_PATH] if route == "unmatched" else route
            say("request", method=method, route=shown, status=status, ms=round(seconds * 1000, 1))
            structlog.contextvars.clear_contextvars()


@lru_cache(maxsize=4096)
def _series(method: str, route: str, status: int) -> tuple[Counter, Histogram]:
    """Found once: the library would look for them under a lock at every call."""
    return REQUESTS.labels(method, route, str(status)), SECONDS.labels(method, route)


def _is_routine(path: str, status: int) -> bool:
    """A collector that does its work calls every few seconds, day and night: the metrics count it."""
    return path in _QUIET or (path.startswith(_OF_COLLECTORS) and status == _OK)


_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


_ALWAYS = [
    (name.lower().encode(), value.encode()) for name, value in (_HEADERS | {"Cache-Control": "no-store"}).items()
]
_OVER_TLS = [*_ALWAYS, (b"strict-transport-security", b"max-age=31536000")]


class SecurityHeaders:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = list(message.get("headers", ()))
                names = {name.lower() for name, _ in given}
                ours = _OVER_TLS if scope.get("scheme") == "https" else _ALWAYS
                message["headers"] = given + [one for one in ours if one[0] not in names]
            await send(message)

        await self._app(scope, receive, with_headers)


class HeadAsGet:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return

        async def without_body(message: Message) -> None:
            if message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        # a stream would go on for as long as its caller does, and this one has nothing to wait for
        await self._app({**scope, "method": "GET", "is_head": True}, receive, without_body)
