"""A sliding minute: how much of a limit is used, counted in Redis for all processes or in memory for one.

The current minute counts in full, the previous one by its share within the last 60 seconds. A reservation is granted in
one step, so concurrent callers never get more than the limit.
"""

import time
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, Protocol

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

WINDOW_SECONDS = 60
_MAX_KEYS = 10_000
# Grants what is needed; ahead of need, at most a tenth of the room, so that near the limit no process
# holds what another one has to refuse.
_TAKE = """
local now = redis.call('time')
local seconds = tonumber(now[1]) + tonumber(now[2]) / 1000000
local span, limit, needed, wanted = unpack({tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])})
local window = math.floor(seconds / span)
local kept = redis.call('hmget', KEYS[1], 'window', 'current', 'previous')
local at, current, previous = tonumber(kept[1]) or window, tonumber(kept[2]) or 0, tonumber(kept[3]) or 0
if at + 1 == window then
  current, previous = 0, current
elseif at ~= window then
  current, previous = 0, 0
end
local room = limit - current - math.floor(previous * (1 - (seconds - window * span) / span))
local granted = math.min(math.max(room, 0), math.max(needed, math.min(wanted, math.floor(room / 10))))
redis.call('hset', KEYS[1], 'window', window, 'current', current + granted, 'previous', previous)
redis.call('expire', KEYS[1], 2 * span)
return {granted, window}
"""
# Returned to the minute in which it was reserved, which may be over by now.
_GIVE_BACK = """
local at, count = tonumber(redis.call('hget', KEYS[1], 'window')), tonumber(ARGV[2])
local names = {[0] = 'current', [1] = 'previous'}
local name = at and names[at - tonumber(ARGV[1])]
if name then
  local counted = tonumber(redis.call('hget', KEYS[1], name)) or 0
  redis.call('hset', KEYS[1], name, math.max(counted - count, 0))
end
"""


class Taken(NamedTuple):
    granted: int
    window: int  # the minute in which it was counted


class Windows(Protocol):
    async def take(self, key: str, limit: int, needed: int, wanted: int) -> Taken:
        """Grants as many as needed, or as there is room for; up to `wanted` if there is plenty."""


class SharedWindows:
    """In Redis, by its clock. A call is never repeated: it may have been counted although the answer was lost."""

    def __init__(self, redis_url: str) -> None:
        self._redis = Redis.from_url(
            redis_url, socket_timeout=1, socket_connect_timeout=1, retry=Retry(NoBackoff(), retries=0)
        )
        self._take: Callable[..., Awaitable[Any]] = self._redis.register_script(_TAKE)
        self._give_back: Callable[..., Awaitable[Any]] = self._redis.register_script(_GIVE_BACK)

    async def take(self, key: str, limit: int, needed: int, wanted: int) -> Taken:
        granted, window = await self._take(keys=[f"hi:rate:{key}"], args=[WINDOW_SECONDS, limit, needed, wanted])
        return Taken(int(granted), int(window))

    async def give_back(self, key: str, window: int, count: int) -> None:
        await self._give_back(keys=[f"hi:rate:{key}"], args=[window, count])

    async def aclose(self) -> None:
        await self._redis.aclose()


class LocalWindows:
    """In this process, while Redis is down. Nothing is reserved ahead."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._counts: dict[str, tuple[int, int, int]] = {}  # window, count in it, count in the previous one

    async def take(self, key: str, limit: int, needed: int, wanted: int) -> Taken:  # noqa: ARG002 - the protocol's signature
        seconds = self._clock()
        window = int(seconds // WINDOW_SECONDS)
        at, current, previous = self._counts.get(key, (window, 0, 0))
        if at != window:
            current, previous = 0, current if at + 1 == window else 0
        room = limit - current - int(previous * (1 - seconds % WINDOW_SECONDS / WINDOW_SECONDS))
        granted = min(max(room, 0), needed)
        if len(self._counts) >= _MAX_KEYS:
            self._forget(window)
        self._counts[key] = (window, current + granted, previous)
        return Taken(granted, window)

    def _forget(self, window: int) -> None:
        self._counts = {key: kept for key, kept in self._counts.items() if kept[0] >= window - 1}
        if len(self._counts) >= _MAX_KEYS:  # so many callers in two minutes: start again
            self._counts.clear()
