"""How often somebody may do something: counted over all processes through Redis, by each alone while that is away.

Whoever calls a hundred times a second is counted in handfuls: a process takes some of the minute's room at once and
hands it out by itself. A handful doubles while it is used up within a second, up to a hundredth of the limit, and is
one again for whoever slows down; what is left of one after a second is given back. Calls that come at the same time
wait for one answer together and never take a handful each: so exactly as many pass as the limit allows.
"""

import asyncio
import time
from dataclasses import dataclass, field

import structlog
from redis.exceptions import RedisError

from hashinsight.kit.web.windows import OwnWindows, SharedWindows

log = structlog.get_logger(__name__)

_RETRY_REDIS_SECONDS = 5.0
_GOOD_SECONDS = 1.0
_LARGEST_SHARE = 100
_MOST_KEYS = 10_000


@dataclass(slots=True, eq=False)
class _Account:
    """What this process holds of one key's room, and who waits for more of it."""

    limit: int
    taken: int = 1
    left: int = 0
    until: float = 0.0
    waiting: list[asyncio.Future[bool]] = field(default_factory=list)
    asking: asyncio.Task[None] | None = None
    timer: asyncio.TimerHandle | None = None

    @property
    def is_idle(self) -> bool:
        return self.asking is None and self.timer is None


class Rates:
    def __init__(self, redis_url: str) -> None:
        self._shared = SharedWindows(redis_url)
        self._alone = OwnWindows()
        self._redis_from = 0.0
        self._accounts: dict[str, _Account] = {}
        self._giving_back: set[asyncio.Task[None]] = set()

    async def spend(self, key: str, per_minute: int) -> bool:
        """Count one act under this key; False when the minute holds too many already."""
        account = self._accounts.get(key)
        if account is None or account.limit != per_minute:
            account = self._open(key, per_minute)
        if account.left:
            account.left -= 1
            return True
        waits: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        account.waiting.append(waits)
        if account.asking is None:  # in a task of its own: whoever asks for all may be cancelled
            account.asking = asyncio.create_task(self._ask(key, account))
        return await waits

    async def aclose(self) -> None:
        tasks = [account.asking for account in self._accounts.values() if account.asking is not None]
        for account in self._accounts.values():
            if account.timer is not None:
                account.timer.cancel()
        for task in (*tasks, *self._giving_back):
            task.cancel()
        await asyncio.gather(*tasks, *self._giving_back, return_exceptions=True)
        await self._shared.aclose()

    def _open(self, key: str, per_minute: int) -> _Account:
        if len(self._accounts) >= _MOST_KEYS:
            now = time.monotonic()
            self._accounts = {
                name: kept for name, kept in self._accounts.items() if not kept.is_idle or kept.until > now
            }
        account = self._accounts[key] = _Account(per_minute)
        return account

    async def _ask(self, key: str, account: _Account) -> None:
        """For all that wait, and again for those that came meanwhile."""
        try:
            while account.waiting:
                waiting, account.waiting = account.waiting, []
                now = time.monotonic()
                largest = account.limit // _LARGEST_SHARE
                wanted = min(2 * account.taken, largest) if now < account.until else 1
                granted = await self._take(key, account.limit, len(waiting), wanted)
                account.taken, account.until = max(granted, 1), now + _GOOD_SECONDS
                _tell(waiting, granted)
                if granted > len(waiting):
                    spare = granted - len(waiting)
                    served, account.waiting = account.waiting[:spare], account.waiting[spare:]
                    account.left += spare - len(served)
                    _tell(served, len(served))
            if account.left and account.timer is None:
                self._watch(key, account)
        finally:
            account.asking = None
            _tell(account.waiting, 0)
            account.waiting = []

    async def _take(self, key: str, limit: int, needed: int, wanted: int) -> int:
        if time.monotonic() >= self._redis_from:
            try:
                return await self._shared.take(key, limit, needed, wanted)
            except (RedisError, OSError) as error:
                self._redis_from = time.monotonic() + _RETRY_REDIS_SECONDS
                log.warning("rates_without_redis", error=str(error))
        return await self._alone.take(key, limit, needed, wanted)

    def _watch(self, key: str, account: _Account) -> None:
        account.timer = asyncio.get_running_loop().call_later(_GOOD_SECONDS, self._look_at, key, account)

    def _look_at(self, key: str, account: _Account) -> None:
        account.timer = None
        if account.left and time.monotonic() < account.until:
            self._watch(key, account)
        elif account.left:
            count, account.left = account.left, 0
            task = asyncio.create_task(self._give_back(key, account.limit, count))
            self._giving_back.add(task)
            task.add_done_callback(self._giving_back.discard)

    async def _give_back(self, key: str, limit: int, count: int) -> None:
        if time.monotonic() < self._redis_from:
            return
        try:
            await self._shared.give_back(key, limit, count)
        except (RedisError, OSError) as error:
            log.debug("rates_not_given_back", error=str(error))


def _tell(waiting: list[asyncio.Future[bool]], granted: int) -> None:
    for number, waits in enumerate(waiting):
        if not waits.done():
            waits.set_result(number < granted)
