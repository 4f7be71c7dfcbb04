"""How often somebody may do something: counted over all processes through Redis, by each alone while that is away.

Whoever calls a hundred times a second is counted in handfuls: a process takes some of the minute's room at once and
hands it out by itself. A handful doubles while it is used up within a second, up to a hundredth of the limit, and is
one again for whoever slows down; so a slow caller is counted exactly, and a fast one to a percent.
"""

import time
from dataclasses import dataclass
from typing import Any

import structlog
from limits import RateLimitItemPerMinute, aio
from limits.errors import StorageError

log = structlog.get_logger(__name__)

_RETRY_REDIS_SECONDS = 5.0
_GOOD_SECONDS = 1.0
_LARGEST_SHARE = 100
_MOST_KEYS = 10_000


@dataclass(slots=True)
class _Handful:
    taken: int
    left: int
    until: float


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
        self._handfuls: dict[str, _Handful] = {}

    async def spend(self, key: str, per_minute: int) -> bool:
        """Count one act under this key; False when the minute holds too many already."""
        held, now = self._handfuls.get(key), time.monotonic()
        if held is not None and held.left and now < held.until:
            held.left -= 1
            return True
        is_fast = held is not None and not held.left and now < held.until
        wanted = min(2 * held.taken, per_minute // _LARGEST_SHARE) if held is not None and is_fast else 1
        if wanted > 1 and await self._hit(key, per_minute, cost=wanted):
            self._handfuls[key] = _Handful(wanted, wanted - 1, now + _GOOD_SECONDS)
            return True
        if len(self._handfuls) >= _MOST_KEYS:
            self._handfuls.clear()
        self._handfuls[key] = _Handful(1, 0, now + _GOOD_SECONDS)
        return await self._hit(key, per_minute, cost=1)

    async def _hit(self, key: str, per_minute: int, *, cost: int) -> bool:
        allowed = RateLimitItemPerMinute(per_minute)
        if time.monotonic() >= self._redis_from:
            try:
                return await self._shared.hit(allowed, key, cost=cost)
            except (StorageError, OSError) as error:
                self._redis_from = time.monotonic() + _RETRY_REDIS_SECONDS
                log.warning("rates_without_redis", error=str(error))
        return await self._alone.hit(allowed, key, cost=cost)

    async def aclose(self) -> None:
        redispy: Any = self._redis.bridge  # the library names only what its bridges have in common
        await redispy.storage.aclose()
