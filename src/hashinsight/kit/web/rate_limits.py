"""Rate limits, counted in Redis over all processes, or by each process alone while Redis is down.

Frequent callers are counted in batches: a process reserves part of the minute's limit at once and spends it locally. A
batch doubles while it is used up within a second, up to a hundredth of the limit, and drops back to one when calls slow
down; an unused rest is returned after a second. Concurrent calls wait for one reservation together, so exactly as many
pass as the limit allows.
"""

import asyncio
import time
from dataclasses import dataclass, field

import structlog
from redis.exceptions import RedisError

from hashinsight.kit.errors import Unavailable
from hashinsight.kit.web.rate_windows import LocalWindows, SharedWindows, Taken

log = structlog.get_logger(__name__)

_RETRY_REDIS_SECONDS = 5.0
_BATCH_SECONDS = 1.0
_MAX_BATCH_SHARE = 100
_MAX_KEYS = 10_000


@dataclass(slots=True, eq=False)
class _Account:
    """What this process has reserved for one key, and who waits for more."""

    limit: int
    taken: int = 1
    left: int = 0
    window: int = 0  # the minute in which `left` was reserved
    until: float = 0.0
    waiting: list[asyncio.Future[bool]] = field(default_factory=list)
    reserving: asyncio.Task[None] | None = None
    timer: asyncio.TimerHandle | None = None

    @property
    def is_idle(self) -> bool:
        return self.reserving is None and self.timer is None


class Rates:
    def __init__(self, redis_url: str) -> None:
        self._shared = SharedWindows(redis_url)
        self._local = LocalWindows()
        self._redis_from = 0.0
        self._accounts: dict[str, _Account] = {}
        self._giving_back: set[asyncio.Task[None]] = set()

    async def spend(self, key: str, per_minute: int) -> bool:
        """Count one call under this key; False if the limit of the minute is reached."""
        account = self._accounts.get(key)
        if account is None or account.limit != per_minute:
            account = self._open(key, per_minute)
        if account.left:
            account.left -= 1
            return True
        waits: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        account.waiting.append(waits)
        if account.reserving is None:  # in its own task: the caller that starts it may be cancelled
            account.reserving = asyncio.create_task(self._reserve(key, account))
        return await waits

    async def aclose(self) -> None:
        tasks = [account.reserving for account in self._accounts.values() if account.reserving is not None]
        for account in self._accounts.values():
            if account.timer is not None:
                account.timer.cancel()
        for task in (*tasks, *self._giving_back):
            task.cancel()
        await asyncio.gather(*tasks, *self._giving_back, return_exceptions=True)
        await self._shared.aclose()

    def _open(self, key: str, per_minute: int) -> _Account:
        if len(self._accounts) >= _MAX_KEYS:
            now = time.monotonic()
            self._accounts = {
                name: kept for name, kept in self._accounts.items() if not kept.is_idle or kept.until > now
            }
        account = self._accounts[key] = _Account(per_minute)
        return account

    async def _reserve(self, key: str, account: _Account) -> None:
        """Reserve for all that wait, and again for those that came meanwhile."""
        try:
            while waiting := _still_waiting(account.waiting):
                account.waiting = waiting
                now, needed = time.monotonic(), len(waiting)
                largest = account.limit // _MAX_BATCH_SHARE
                wanted = min(2 * account.taken, largest) if now < account.until else 1
                granted, account.window = await self._take(key, account.limit, needed, wanted)
                account.taken, account.until = max(granted, 1), now + _BATCH_SECONDS
                waiting = _still_waiting(account.waiting)  # those it was reserved for, then those that came meanwhile
                _answer(waiting[:granted], is_granted=True)
                account.left = max(granted - len(waiting), 0)
                _answer(_still_waiting(account.waiting[:needed]), is_granted=False)
            if account.left and account.timer is None:
                self._watch(key, account)
        finally:
            account.reserving = None
            for waits in _still_waiting(account.waiting):  # cancelled before an answer
                waits.set_exception(Unavailable("the API is shutting down: try again", retry_after_sec=1))
            account.waiting = []

    async def _take(self, key: str, limit: int, needed: int, wanted: int) -> Taken:
        if time.monotonic() >= self._redis_from:
            try:
                return await self._shared.take(key, limit, needed, wanted)
            except (RedisError, OSError) as error:
                self._redis_from = time.monotonic() + _RETRY_REDIS_SECONDS
                log.warning("rate_limits_without_redis", error=str(error))
        return await self._local.take(key, limit, needed, wanted)

    def _watch(self, key: str, account: _Account) -> None:
        account.timer = asyncio.get_running_loop().call_later(_BATCH_SECONDS, self._look_at, key, account)

    def _look_at(self, key: str, account: _Account) -> None:
        account.timer = None
        if account.left and time.monotonic() < account.until:
            self._watch(key, account)
        elif account.left:
            count, account.left = account.left, 0
            task = asyncio.create_task(self._give_back(key, account.window, count))
            self._giving_back.add(task)
            task.add_done_callback(self._giving_back.discard)

    async def _give_back(self, key: str, window: int, count: int) -> None:
        if time.monotonic() < self._redis_from:
            return
        try:
            await self._shared.give_back(key, window, count)
        except (RedisError, OSError) as error:
            log.debug("rate_limit_return_failed", error=str(error))


def _still_waiting(waiting: list[asyncio.Future[bool]]) -> list[asyncio.Future[bool]]:
    return [waits for waits in waiting if not waits.done()]


def _answer(waiting: list[asyncio.Future[bool]], *, is_granted: bool) -> None:
    for waits in waiting:
        waits.set_result(is_granted)
