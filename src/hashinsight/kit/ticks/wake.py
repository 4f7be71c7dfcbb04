"""Wakes workers over Redis pub/sub. The message is empty; a lost one is made up for by the next sweep."""

import asyncio

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

log = structlog.get_logger(__name__)

CHANNEL = "hi:ticks"
_LISTEN_SECONDS = 2.0
_FIRST_PAUSE_SECONDS, _MAX_PAUSE_SECONDS = 1.0, 30.0


class Waker:
    """The scheduler's side. While Redis is down, the workers' sweep finds the run a little later."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    async def wake(self) -> None:
        try:
            await self._redis.publish(CHANNEL, "")
        except (RedisError, OSError) as error:
            log.warning("wake_failed", error=str(error))


async def listen(redis: Redis, woken: asyncio.Event) -> None:
    """The worker's side: sets the event at every message, until cancelled, through any failure of Redis."""
    pause = _FIRST_PAUSE_SECONDS
    while True:
        try:
            async with redis.pubsub() as messages:
                await messages.subscribe(CHANNEL)
                woken.set()  # for earlier messages
                while True:
                    if await messages.get_message(ignore_subscribe_messages=True, timeout=_LISTEN_SECONDS) is not None:
                        woken.set()
                    pause = _FIRST_PAUSE_SECONDS
        except (RedisError, OSError) as error:
            log.warning("wake_listener_failed", error=str(error), again_in_seconds=pause)
            await asyncio.sleep(pause)
            pause = min(pause * 2, _MAX_PAUSE_SECONDS)
