"""Announces changes to streams over Redis: (tenant, site, kind), never the content of a change.

The writer notes the change in its transaction, the owner of the transaction publishes it after the commit. A lost
message only costs time: streams also poll.
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
_NOTED_KEY = "changes"
_LISTEN_SECONDS = 2.0
_PUBLISH_SECONDS = 1.0
_PAUSE_SECONDS = 5.0  # before the next try after a failure
_TROUBLE = (RedisError, OSError, TimeoutError, ValueError)

Change = tuple[str, int, str]
_open_feeds: "WeakSet[ChangeFeed]" = WeakSet()


def note_change(session: Any, tenant_id: UUID, site_id: int, kind: str) -> None:
    """Note in a transaction that something of this kind has changed at a site."""
    session.info.setdefault(_NOTED_KEY, set()).add((str(tenant_id), site_id, kind))


def stop_streams() -> None:
    """At shutdown: end all streams, which the server would otherwise wait for."""
    for feed in list(_open_feeds):
        feed.close()


class ChangeSubscription:
    """One waiting stream."""

    def __init__(self, tenant_id: UUID, holder: str) -> None:
        self.tenant, self.holder = str(tenant_id), holder
        self._event = asyncio.Event()
        self._changes: set[tuple[int, str]] = set()

    def ring(self, change: Change | None = None) -> None:
        if change is not None:
            self._changes.add(change[1:])
        self._event.set()

    async def wait(self, seconds: float) -> set[tuple[int, str]]:
        """Sites and kinds that changed; empty after the time is up, or if unknown what changed."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._event.wait()
        self._event.clear()
        changes, self._changes = self._changes, set()
        return changes


class ChangeFeed:
    """One per process: publishes noted changes and wakes waiting streams. It never raises."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._subscriptions: set[ChangeSubscription] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._listening: asyncio.Task[None] | None = None
        self._not_before = 0.0
        self.subscribed = asyncio.Event()  # set while subscribed in Redis
        self.is_closed = False
        _open_feeds.add(self)

    def publish(self, session: Any) -> None:
        """Call after the commit. Returns at once."""
        noted: set[Change] = session.info.pop(_NOTED_KEY, set())
        if noted and time.monotonic() >= self._not_before:
            task = asyncio.create_task(self._publish(noted))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    @contextmanager
    def waiting(self, tenant_id: UUID, holder: str = "") -> Iterator[ChangeSubscription]:
        """`holder` is the person behind all of their keys; streams are counted by holder."""
        subscription = ChangeSubscription(tenant_id, holder)
        self._subscriptions.add(subscription)
        if self._listening is None or self._listening.done():
            self._listening = asyncio.create_task(self._listen())
        try:
            yield subscription
        finally:
            self._subscriptions.discard(subscription)

    @property
    def is_subscribed(self) -> bool:
        return self.subscribed.is_set()

    @property
    def waiters(self) -> int:
        return len(self._subscriptions)

    def waiters_of(self, tenant_id: UUID, holder: str) -> tuple[int, int]:
        """Waiting streams of this tenant, and of this holder."""
        of_tenant = [subscription for subscription in self._subscriptions if subscription.tenant == str(tenant_id)]
        return len(of_tenant), sum(subscription.holder == holder for subscription in of_tenant)

    def close(self) -> None:
        self.is_closed = True
        for subscription in self._subscriptions:
            subscription.ring()

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
            log.warning("change_publish_failed", error=str(error) or type(error).__name__)

    async def _listen(self) -> None:
        while not self.is_closed:
            try:
                await self._receive()
            except _TROUBLE as error:
                log.warning("change_subscription_lost", error=str(error), again_in_seconds=_PAUSE_SECONDS)
            self.subscribed.clear()
            await asyncio.sleep(_PAUSE_SECONDS)

    async def _receive(self) -> None:
        async with self._redis.pubsub() as pubsub:
            await pubsub.subscribe(CHANNEL)
            self.subscribed.set()
            for subscription in self._subscriptions:
                subscription.ring()  # changes published before the subscription
            while not self.is_closed:
                message = await pubsub.get_message(ignore_subscribe_messages=True, timeout=_LISTEN_SECONDS)
                if message is not None:
                    self._ring(json.loads(message["data"]))

    def _ring(self, change: Any) -> None:
        tenant, site_id, kind = change
        for subscription in self._subscriptions:
            if subscription.tenant == tenant:
                subscription.ring((tenant, site_id, kind))
