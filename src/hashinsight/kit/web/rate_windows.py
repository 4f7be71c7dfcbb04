"""A minute that slides: how much of a limit is used up, counted in Redis for all processes or here for one.

This minute counts whole, the one before it by the share of it that still lies within the last 60 seconds. What is asked
for is granted in one step, so that two who ask at once never get more than there is.
"""

import time
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, Protocol

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

WINDOW_SECONDS = 60
_MOST_KEYS = 10_000
# A caller gets what it needs; ahead of its need, never more than a tenth of the room, so that near the limit nobody
# holds what another process has to refuse.
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
# What was not used goes back to the minute it was taken in, which may be over by now: given to the next one, it would
# be room there that nobody left, and would still count in its own.
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
    window: int  # the minute that it was counted in


class Windows(Protocol):
    async def take(self, key: str, limit: int, needed: int, wanted: int) -> Taken:
        """Grants as many as needed, or as there is room for; up to `wanted` where there is plenty."""


class SharedWindows:
    """In Redis, by its clock. A call is never repeated: it may have been counted although nobody heard the answer."""

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


class OwnWindows:
    """In this process, while Redis is away. Nothing is taken ahead: asking costs nothing here."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._counts: dict[str, tuple[int, int, int]] = {}  # window, in it, in the one before

    async def take(self, key: str, limit: int, needed: int, wanted: int) -> Taken:  # noqa: ARG002 - as the others
        seconds = self._clock()
        window = int(seconds // WINDOW_SECONDS)
        at, current, previous = self._counts.get(key, (window, 0, 0))
        if at != window:
            current, previous = 0, current if at + 1 == window else 0
        room = limit - current - int(previous * (1 - seconds % WINDOW_SECONDS / WINDOW_SECONDS))
        granted = min(max(room, 0), needed)
        if len(self._counts) >= _MOST_KEYS:
            self._forget(window)
        self._counts[key] = (window, current + granted, previous)
        return Taken(granted, window)

    def _forget(self, window: int) -> None:
        self._counts = {key: kept for key, kept in self._counts.items() if kept[0] >= window - 1}
        if len(self._counts) >= _MOST_KEYS:  # so many callers in two minutes: each begins anew
            self._counts.clear()
