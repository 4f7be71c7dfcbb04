"""How often somebody may do something: counted over all processes through Redis, by each alone while that is away."""

import time
from typing import Any

import structlog
from limits import RateLimitItemPerMinute, aio
from limits.errors import StorageError

log = structlog.get_logger(__name__)

_RETRY_REDIS_SECONDS = 5.0


class Rates:
    def __init__(self, redis_url: str) -> None:
        scheme, rest = redis_url.split("://", 1)
        self._redis = aio.storage.RedisStorage(
            f"async+{'redis+unix' if scheme == 'unix' else scheme}://{rest}",
            implementation="redispy",
            wrap_exceptions=True,
            key_prefix="hi:rate",
            socket_timeout=1,
            socket_connect_timeout=1,
        )
        self._shared = aio.strategies.SlidingWindowCounterRateLimiter(self._redis)
        self._alone = aio.strategies.SlidingWindowCounterRateLimiter(aio.storage.MemoryStorage())
        self._redis_from = 0.0

    async def spend(self, key: str, per_minute: int) -> bool:
        """Count one act under this key; False when the minute holds too many already."""
        allowed = RateLimitItemPerMinute(per_minute)
        if time.monotonic() >= self._redis_from:
            try:
                return await self._shared.hit(allowed, key)
            except (StorageError, OSError) as error:
                self._redis_from = time.monotonic() + _RETRY_REDIS_SECONDS
                log.warning("rates_without_redis", error=str(error))
        return await self._alone.hit(allowed, key)

    async def aclose(self) -> None:
        redispy: Any = self._redis.bridge  # the library names only what its bridges have in common
        await redispy.storage.aclose()
