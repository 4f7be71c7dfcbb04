"""Server-sent events: one listener on Redis a process, and any number of streams that it wakes.

A stream carries only that something changed, never what: its holder reads again with their own rights. It holds no
database session, ends by itself, and ends at once when the process is told to stop.
"""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from weakref import WeakSet

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

from hashinsight.kit.ticks.telling import CHANNEL

log = structlog.get_logger(__name__)

_PAUSE_SECONDS = 2.0
_READ_SECONDS = 1.0
_BEAT_SECONDS = 15.0
_MOST_WAITING = 100


@dataclass(frozen=True)
class Done:
    tick: str
    site_id: int  # 0: the whole installation


_hubs: "WeakSet[Streams]" = WeakSet()


def end_streams() -> None:
    """The process stops: whoever listens is let go, and comes back to the one that follows."""
    for hub in _hubs:
        hub.end()


class Streams:
    """One an application. The listener starts with the first stream and outlives any failure of Redis."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._open: set[asyncio.Queue[Done | None]] = set()
        self._task: asyncio.Task[None] | None = None
        self.listens = False
        _hubs.add(self)

    async def follow(self, seconds: float) -> AsyncIterator[Done | None]:
        """What was done from now on, for so long; None now and then, so that a dead line is noticed."""
        waiting: asyncio.Queue[Done | None] = asyncio.Queue(_MOST_WAITING)
        self._open.add(waiting)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._listen())
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        try:
            while (left := end - loop.time()) > 0:
                try:
                    found = await asyncio.wait_for(waiting.get(), min(left, _BEAT_SECONDS))
                except TimeoutError:
                    yield None
                    continue
                if found is None:
                    return
                yield found
        finally:
            self._open.discard(waiting)

    def end(self) -> None:
        for waiting in self._open:
            _put(waiting, None)

    async def aclose(self) -> None:
        self.end()
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def _listen(self) -> None:
        while True:
            try:
                await self._hear()
            except (RedisError, OSError) as error:
                log.warning("streams_without_redis", error=str(error))
            self.listens = False
            await asyncio.sleep(_PAUSE_SECONDS)

    async def _hear(self) -> None:
        async with self._redis.pubsub(ignore_subscribe_messages=True) as heard:
            await heard.subscribe(CHANNEL)
            self.listens = True
            while True:
                message = await heard.get_message(timeout=_READ_SECONDS)
                if message is not None and (done := _read(message["data"])) is not None:
                    for waiting in self._open:
                        _put(waiting, done)


def _put(waiting: "asyncio.Queue[Done | None]", done: Done | None) -> None:
    """Whoever does not keep up misses what only says "look again"; the end itself is never missed."""
    if waiting.full():
        waiting.get_nowait()
    waiting.put_nowait(done)


def _read(data: bytes) -> Done | None:
    """Anybody who can write to Redis could say anything here: only names and numbers are taken."""
    try:
        said = json.loads(data)
        return Done(str(said["tick"])[:64], int(said["site_id"]))
    except (ValueError, KeyError, TypeError):
        return None
