"""Limits that a request meets before any of our code reads it: its size, its sender's rate, the room on the disk."""

import time

import structlog
from limits import RateLimitItemPerMinute, aio
from limits.errors import StorageError
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hashinsight.kit.embedded.disk import DiskGuard
from hashinsight.kit.errors import PayloadTooLarge, RateLimited, Unavailable

log = structlog.get_logger(__name__)

TELEMETRY_PATHS = ("/api/edge/v1/telemetry/", "/api/collector/upload")
_UNLIMITED = frozenset({"/healthz", "/readyz"})
_RETRY_REDIS_SECONDS = 5.0


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
        limit = self._batch_limit if scope["path"].startswith(TELEMETRY_PATHS) else self._limit
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
    """Counts requests by client address: over all processes through Redis, each by itself while that is away."""

    def __init__(self, app: ASGIApp, per_minute: int, redis_url: str) -> None:
        self._app = app
        self._allowed = RateLimitItemPerMinute(per_minute)
        self._shared = aio.strategies.SlidingWindowCounterRateLimiter(_redis_storage(redis_url))
        self._alone = aio.strategies.SlidingWindowCounterRateLimiter(aio.storage.MemoryStorage())
        self._redis_from = 0.0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] not in _UNLIMITED:
            client = (scope.get("client") or ("unknown",))[0]
            if not await self._hit(client):
                raise RateLimited("too many requests from this address: slow down", retry_after_sec=60)
        await self._app(scope, receive, send)

    async def _hit(self, client: str) -> bool:
        if time.monotonic() >= self._redis_from:
            try:
                return await self._shared.hit(self._allowed, client)
            except (StorageError, OSError) as error:
                self._redis_from = time.monotonic() + _RETRY_REDIS_SECONDS
                log.warning("rate_limit_without_redis", error=str(error))
        return await self._alone.hit(self._allowed, client)


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


def _redis_storage(url: str) -> aio.storage.RedisStorage:
    scheme, rest = url.split("://", 1)
    full = f"async+{'redis+unix' if scheme == 'unix' else scheme}://{rest}"
    return aio.storage.RedisStorage(
        full,
        implementation="redispy",
        wrap_exceptions=True,
        key_prefix="hi:rate",
        socket_timeout=1,
        socket_connect_timeout=1,
    )


def _too_large(limit: int) -> PayloadTooLarge:
    return PayloadTooLarge(f"the body is larger than {limit} bytes", details={"limit_bytes": limit})
