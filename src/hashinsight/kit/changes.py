"""Who should look again: Redis carries only (tenant, site, kind), never what has changed.

Whoever changes something notes it beside the write; whoever owns the transaction publishes it after the commit. A lost
message costs nothing but time: every stream also looks by itself.
"""

import asyncio
import contextlib
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID
from weakref import WeakSet

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

log = structlog.get_logger(__name__)

CHANNEL = "hi:changes"
_NOTED = "changes"
_LISTEN_SECONDS = 2.0
_PUBLISH_SECONDS = 1.0
_PAUSE_SECONDS = 5.0  # after a failure nobody tries again for so long
_TROUBLE = (RedisError, OSError, TimeoutError, ValueError)

Change = tuple[str, int, str]
_open_feeds: "WeakSet[ChangeFeed]" = WeakSet()


def note_change(session: Any, tenant_id: UUID, site_id: int, kind: str) -> None:
    """Note in a transaction that something of this kind has changed at a site."""
    session.info.setdefault(_NOTED, set()).add((str(tenant_id), site_id, kind))


def stop_streams() -> None:
    """The process is about to end: whoever waits for changes is let go, or the server would wait for them."""
    for one in list(_open_feeds):
        one.close()


class ChangeSubscription:
    """One who waits. `rung` holds the changes since it was last emptied."""

    def __init__(self, tenant_id: UUID, holder: str) -> None:
        self.tenant, self.holder = str(tenant_id), holder
        self._event = asyncio.Event()
        self._rung: set[tuple[int, str]] = set()

    def ring(self, change: Change | None = None) -> None:
        if change is not None:
            self._rung.add(change[1:])
        self._event.set()

    async def wait(self, seconds: float) -> set[tuple[int, str]]:
        """Sites and kinds that were announced; none after the time is up, or when nobody knows."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._event.wait(), seconds)
        self._event.clear()
        rung, self._rung = self._rung, set()
        return rung


class ChangeFeed:
    """One a process: publishes what transactions noted, and rings for those who wait. It never fails its caller."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._bells: set[ChangeSubscription] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._listening: asyncio.Task[None] | None = None
        self._not_before = 0.0
        self.heard = asyncio.Event()  # set while Redis tells us of changes
        self.is_closed = False
        _open_feeds.add(self)

    def publish(self, session: Any) -> None:
        """After the commit. Returns at once."""
        noted: set[Change] = session.info.pop(_NOTED, set())
        if noted and time.monotonic() >= self._not_before:
            task = asyncio.create_task(self._publish(noted))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    @contextmanager
    def waiting(self, tenant_id: UUID, holder: str = "") -> Iterator[ChangeSubscription]:
        """`holder`: who waits, with all their keys; streams are counted by holder."""
        bell = ChangeSubscription(tenant_id, holder)
        self._bells.add(bell)
        if self._listening is None or self._listening.done():
            self._listening = asyncio.create_task(self._listen())
        try:
            yield bell
        finally:
            self._bells.discard(bell)

    @property
    def is_heard(self) -> bool:
        return self.heard.is_set()

    @property
    def waiters(self) -> int:
        return len(self._bells)

    def waiters_of(self, tenant_id: UUID, holder: str) -> tuple[int, int]:
        """How many of this tenant wait, and how many of them are of this holder."""
        of_tenant = [bell for bell in self._bells if bell.tenant == str(tenant_id)]
        return len(of_tenant), sum(bell.holder == holder for bell in of_tenant)

    def close(self) -> None:
        self.is_closed = True
        for bell in self._bells:
            bell.ring()

    async def settle(self) -> None:
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def aclose(self) -> None:
        self.close()
        await self.settle()
        if self._listening is not None:
            self._listening.cancel()
            await asyncio.wait([self._listening])

    async def _publish(self, noted: set[Change]) -> None:
        try:
            async with asyncio.timeout(_PUBLISH_SECONDS):
                for change in sorted(noted):
                    await self._redis.publish(CHANNEL, json.dumps(change))
        except _TROUBLE as error:
            self._not_before = time.monotonic() + _PAUSE_SECONDS
            log.warning("changes_unpublished", error=str(error) or type(error).__name__)

    async def _listen(self) -> None:
        while not self.is_closed:
            try:
                await self._hear()
            except _TROUBLE as error:
                log.warning("changes_unheard", error=str(error), again_in_seconds=_PAUSE_SECONDS)
            self.heard.clear()
            await asyncio.sleep(_PAUSE_SECONDS)

    async def _hear(self) -> None:
        async with self._redis.pubsub() as heard:
            await heard.subscribe(CHANNEL)
            self.heard.set()
            for bell in self._bells:
                bell.ring()  # what was said before we listened is looked for
            while not self.is_closed:
                message = await heard.get_message(ignore_subscribe_messages=True, timeout=_LISTEN_SECONDS)
                if message is not None:
                    self._ring(json.loads(message["data"]))

    def _ring(self, said: Any) -> None:
        tenant, site_id, kind = said
        for bell in self._bells:
            if bell.tenant == tenant:
                bell.ring((tenant, site_id, kind))
