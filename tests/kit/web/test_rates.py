"""Exactly as many pass as the limit allows: none over it, none refused early, however they come."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator

import pytest
from redis import Redis

from hashinsight.kit.errors import Unavailable
from hashinsight.kit.web import rate_limits as module
from hashinsight.kit.web import rate_windows
from hashinsight.kit.web.rate_limits import Rates
from hashinsight.kit.web.rate_windows import WINDOW_SECONDS, LocalWindows, SharedWindows, Windows
from tests.installation import HANG_TIMEOUT_SEC


@pytest.fixture
async def rates(redis_url: str) -> AsyncIterator[Rates]:
    made = Rates(redis_url)
    yield made
    await made.aclose()


@pytest.fixture
def commands(redis_url: str) -> Iterator["Commands"]:
    with Redis.from_url(redis_url) as redis:
        yield Commands(redis)


class Commands:
    """How often Redis was asked since."""

    def __init__(self, redis: "Redis") -> None:
        self._redis = redis
        self._before = self._calls()

    def calls(self) -> int:
        return self._calls() - self._before

    def _calls(self) -> int:
        stats = self._redis.info("commandstats")
        return sum(stats.get(f"cmdstat_{name}", {}).get("calls", 0) for name in ("evalsha", "eval"))


async def hammer(rates: Rates, key: str, limit: int, calls: int, connections: int) -> list[bool]:
    """So many connections, each with its next call when the one before is answered; answers in their order."""
    answers: list[bool] = []
    left = iter(range(calls))

    async def connection() -> None:
        for _ in left:
            answer = await rates.spend(key, limit)
            answers.append(answer)

    await asyncio.gather(*(connection() for _ in range(connections)))
    return answers


@pytest.mark.usefixtures("endless_minute")
async def test_a_burst_over_forty_connections_gets_exactly_the_limit(rates: Rates, commands: Commands) -> None:
    answers = await hammer(rates, "burst", 3000, 4000, connections=40)
    assert answers == [True] * 3000 + [False] * 1000
    assert commands.calls() < 2500, "those that come together ask together"


@pytest.mark.usefixtures("endless_minute")
async def test_several_processes_share_one_count_and_together_get_exactly_the_limit(redis_url: str) -> None:
    several = [Rates(redis_url) for _ in range(3)]
    answers = await asyncio.gather(*(hammer(rates, "shared", 3000, 2000, connections=20) for rates in several))
    assert sum(map(sum, answers)) == 3000
    for rates in several:
        await rates.aclose()


@pytest.mark.usefixtures("endless_minute")
async def test_a_fast_caller_is_counted_in_handfuls_and_gets_the_whole_limit(rates: Rates, commands: Commands) -> None:
    assert await hammer(rates, "slow", 5, 6, connections=1) == [True] * 5 + [False]
    assert commands.calls() == 6
    answers = await hammer(rates, "fast", 2000, 1500, connections=1)
    assert all(answers)
    assert commands.calls() < 250
    assert sum(answers + await hammer(rates, "fast", 2000, 1000, connections=1)) == 2000


@pytest.mark.usefixtures("endless_minute")
async def test_the_rest_of_a_grant_is_returned_to_the_others(redis_url: str) -> None:
    rates, other = Rates(redis_url), Rates(redis_url)
    used = sum(await hammer(rates, "left", 1000, 500, connections=1))
    while rates._accounts["left"].left:  # noqa: ASYNC110 - its own timer gives it back
        await asyncio.sleep(0.05)
    await asyncio.gather(*rates._giving_back)
    assert used + sum(await hammer(other, "left", 1000, 1000, connections=10)) == 1000
    await rates.aclose()
    await other.aclose()


async def test_a_cancelled_waiter_blocks_no_other(rates: Rates) -> None:
    first = asyncio.create_task(rates.spend("cancelled", 100))
    others = [asyncio.create_task(rates.spend("cancelled", 100)) for _ in range(5)]
    await asyncio.sleep(0)
    first.cancel()
    assert await asyncio.gather(*others) == [True] * 5


class NoAnswer:
    """A server that takes a call and says nothing."""

    def __init__(self) -> None:
        self.is_asked = asyncio.Event()

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.read(65536):
            self.is_asked.set()
        writer.close()


@pytest.fixture
async def silent_redis() -> AsyncIterator[tuple[str, NoAnswer]]:
    no_answer = NoAnswer()
    async with await asyncio.start_server(no_answer, "127.0.0.1", 0) as server:
        yield f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}/0", no_answer


async def test_waiting_for_an_unanswered_count_ends(silent_redis: tuple[str, NoAnswer]) -> None:
    url, no_answer = silent_redis
    rates = Rates(url)
    first = [asyncio.create_task(rates.spend("ended", 100)) for _ in range(3)]
    await no_answer.is_asked.wait()
    late = asyncio.create_task(rates.spend("ended", 100))
    await asyncio.sleep(0)
    await rates.aclose()
    async with asyncio.timeout(HANG_TIMEOUT_SEC):
        answers = await asyncio.gather(*first, late, return_exceptions=True)
    assert [type(answer) for answer in answers] == [Unavailable] * 4


@pytest.mark.parametrize("turns", [1, 3])  # before Redis is asked, and while it is
@pytest.mark.usefixtures("endless_minute")
async def test_a_grant_of_an_abandoned_call_goes_to_the_next_call(rates: Rates, turns: int) -> None:
    gone = [asyncio.create_task(rates.spend("gone", 10)) for _ in range(10)]
    for _ in range(turns):
        await asyncio.sleep(0)
    for task in gone:
        task.cancel()
    await asyncio.gather(*gone, return_exceptions=True)
    assert await hammer(rates, "gone", 10, 11, connections=1) == [True] * 10 + [False]


@pytest.mark.parametrize("minutes_later", [0, 1, 2])
@pytest.mark.usefixtures("endless_minute")
async def test_a_returned_grant_goes_to_the_minute_it_was_taken_from(redis_url: str, minutes_later: int) -> None:
    shared = SharedWindows(redis_url)
    granted, window = await shared.take("k", 1000, 100, 100)
    assert granted == 100
    with Redis.from_url(redis_url) as redis:
        if minutes_later:  # the minutes since, as others have counted them
            of_then = 100 if minutes_later == 1 else 70
            redis.hset("hi:rate:k", mapping={"current": 50, "previous": of_then})
        await shared.give_back("k", window - minutes_later, 40)
        current, previous = (int(count) for count in redis.hmget("hi:rate:k", "current", "previous"))
    assert (current, previous) == {0: (60, 0), 1: (50, 60), 2: (50, 70)}[minutes_later]
    await shared.aclose()


@pytest.mark.usefixtures("endless_minute")
async def test_without_redis_each_process_counts_alone_to_the_same_limit_and_asks_redis_again_later(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rates = Rates("redis://127.0.0.1:1/0")
    started = time.monotonic()
    assert sum(await hammer(rates, "alone", 300, 500, connections=40)) == 300
    assert rates._redis_from > started, "it is not asked at every call"
    monkeypatch.setattr(module, "_RETRY_REDIS_SECONDS", 0.0)
    rates._redis_from = 0.0
    rates._shared = SharedWindows(redis_url)
    assert await rates.spend("alone", 300), "and what was counted alone is not held against anybody"
    await rates.aclose()


async def taken(counts: Windows, needed: int) -> int:
    return (await counts.take("k", 1000, needed, 1)).granted


@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 0.75])
async def test_the_previous_minute_counts_by_its_share_of_the_last_sixty_seconds(share: float) -> None:
    now = 1_000_000.0 * WINDOW_SECONDS
    alone = LocalWindows(lambda: now)
    assert await taken(alone, 1000) == 1000
    now += WINDOW_SECONDS + share * WINDOW_SECONDS
    assert await taken(alone, 2000) == 1000 * share
    now += 3 * WINDOW_SECONDS
    assert await taken(alone, 2000) == 1000


@pytest.mark.usefixtures("endless_minute")
async def test_redis_counts_the_minute_before_as_a_process_alone_does(redis_url: str) -> None:
    shared, span = SharedWindows(redis_url), rate_windows.WINDOW_SECONDS
    with Redis.from_url(redis_url) as redis:
        seconds, _ = redis.time()
        window = seconds // span
        redis.hset("hi:rate:k", mapping={"window": window - 1, "current": 600, "previous": 9999})
        granted = await taken(shared, 2000)
    assert granted == 1000 - int(600 * (1 - (seconds - window * span) / span))
    await shared.aclose()
