"""Limits that a request meets before any of our code reads it: its size, its sender's rate, the room on the disk."""

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hashinsight.kit.embedded.disk import DiskGuard
from hashinsight.kit.errors import PayloadTooLarge, RateLimited, Unavailable
from hashinsight.kit.web.rates import Rates

TELEMETRY_PATHS = ("/api/edge/v1/telemetry/", "/api/collector/upload")
# an asset list of 100,000 machines is 7 MB
LARGE_PATHS = (*TELEMETRY_PATHS, "/api/admin/v1/miners/import")
_UNLIMITED = frozenset({"/healthz", "/readyz"})


class BodyLimit:
    """Refuses a body that is too large: by its announced length at once, otherwise at the byte that is too many."""

    def __init__(self, app: ASGIApp, limit_kb: int, batch_limit_kb: int) -> None:
        self._app = app
        self._limit = limit_kb * 1024
        self._batch_limit = batch_limit_kb * 1024

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit = self._batch_limit if scope["path"].startswith(LARGE_PATHS) else self._limit
        announced = Headers(scope=scope).get("content-length", "0")
        if announced.isdecimal() and int(announced) > limit:
            raise _too_large(limit)
        seen = 0

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > limit:
                raise _too_large(limit)
            return message

        await self._app(scope, counted, send)


class RateLimit:
    def __init__(self, app: ASGIApp, rates: Rates, per_minute: int) -> None:
        self._app = app
        self._rates = rates
        self._per_minute = per_minute

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] not in _UNLIMITED:
            client = (scope.get("client") or ("unknown",))[0]
            if not await self._rates.spend(f"address:{client}", self._per_minute):
                raise RateLimited("too many requests from this address: slow down", retry_after_sec=60)
        await self._app(scope, receive, send)


class ShedWhenDiskIsLow:
    """Refuses telemetry, and only telemetry, while the disk is nearly full: collectors keep it and send it again."""

    def __init__(self, app: ASGIApp, guard: DiskGuard) -> None:
        self._app = app
        self._guard = guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith(TELEMETRY_PATHS) and not self._guard.has_room():
            raise Unavailable(
                "the disk is nearly full: keep the batch and send it later",
                code="DISK_LOW",
                retry_after_sec=60,
            )
        await self._app(scope, receive, send)


def _too_large(limit: int) -> PayloadTooLarge:
    return PayloadTooLarge(f"the body is larger than {limit} bytes", details={"limit_bytes": limit})
