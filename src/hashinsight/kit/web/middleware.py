"""Request id, log line, metrics and security headers for every request."""

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
SECONDS = Histogram("hashinsight_http_request_seconds", "Response time of requests", ["method", "route"])

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
        sent = Headers(scope=scope).get("x-request-id", "")
        request_id = sent if _SAFE_ID.fullmatch(sent) else str(new_id())
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
            # the template, not the path: each id or guessed path would be a series of its own
            route = _route_path(scope)
            answered, took = _series(method, route, status)
            answered.inc()
            took.observe(seconds)
            say = log.debug if _is_routine(scope["path"], status) else log.info
            shown = scope["path"][:_MAX_PATH] if route == "unmatched" else route
            say("request", method=method, route=shown, status=status, ms=round(seconds * 1000, 1))
            structlog.contextvars.clear_contextvars()


def _route_path(scope: Scope) -> str:
    """With its prefix: FastAPI's `route` is that of the included router, without it."""
    included = scope.get("fastapi", {}).get("effective_route_context")
    return getattr(included or scope.get("route"), "path", "unmatched")


@lru_cache(maxsize=4096)
def _series(method: str, route: str, status: int) -> tuple[Counter, Histogram]:
    """Cached: the library looks series up under a lock at every call."""
    return REQUESTS.labels(method, route, str(status)), SECONDS.labels(method, route)


def _is_routine(path: str, status: int) -> bool:
    """Calls of collectors every few seconds are only counted in metrics, not logged."""
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
                headers = list(message.get("headers", ()))
                names = {name.lower() for name, _ in headers}
                ours = _OVER_TLS if scope.get("scheme") == "https" else _ALWAYS
                message["headers"] = headers + [header for header in ours if header[0] not in names]
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

        # a stream would run as long as its client; HEAD needs none of it
        await self._app({**scope, "method": "GET", "is_head": True}, receive, without_body)
