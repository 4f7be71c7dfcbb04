"""Wake-ups and signs of life of a real worker."""

import asyncio
import os
import time
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
from redis.asyncio import Redis

from hashinsight.kit.clock import system_clock
from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database
from hashinsight.kit.ticks import worker
from hashinsight.kit.ticks.heartbeats import list_live_processes
from hashinsight.kit.ticks.scheduler import plan
from hashinsight.kit.ticks.tick import CatchUp, Tick, TickRun
from hashinsight.kit.ticks.wake import Waker
from tests.installation import HANG_TIMEOUT_SEC


async def until(condition: Any) -> None:
    end = time.monotonic() + HANG_TIMEOUT_SEC
    while not condition():
        assert time.monotonic() < end, "waited too long"
        await asyncio.sleep(0.05)


@pytest.fixture
async def redis(redis_url: str) -> AsyncIterator[Redis]:
    async with Redis.from_url(redis_url) as redis:
        yield redis


async def test_a_wake_up_arrives_long_before_the_sweep(
    database: Database, redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "SWEEP_SECONDS", 3600.0)
    done: list[TickRun] = []

    async def work(_session: Any, run: TickRun) -> None:
        done.append(run)

    ticks = [Tick("t", timedelta(seconds=1), CatchUp.EVERY, work)]
    stop = asyncio.Event()
    running = asyncio.create_task(worker.run_worker(database, redis, ticks, stop))
    for _ in range(2):
        seen = len(done)
        await asyncio.sleep(1.1)  # until the next period
        await plan(database, ticks, now=system_clock())
        await Waker(redis).wake()
        await until(lambda seen=seen: len(done) > seen)
    stop.set()
    await running


async def test_a_worker_is_seen_while_it_runs_and_not_after_it_stopped(database: Database, redis: Redis) -> None:
    stop = asyncio.Event()
    running = asyncio.create_task(worker.run_worker(database, redis, [], stop))

    async def seen() -> list[int]:
        async with database.transaction(job_context()) as session:
            return [beat.pid for beat in await list_live_processes(session, now=system_clock())]

    while not await seen():  # noqa: ASYNC110 - another task writes the row
        await asyncio.sleep(0.05)
    assert await seen() == [os.getpid()]
    stop.set()
    await running
    assert await seen() == []


async def test_a_run_in_progress_is_finished_before_the_worker_stops_and_cut_when_it_takes_too_long(
    database: Database, redis: Redis
) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()
    ended: list[int] = []

    async def slow(_session: Any, _run: TickRun) -> None:
        begun.set()
        await go_on.wait()
        ended.append(1)

    ticks = [Tick("t", timedelta(seconds=1), CatchUp.LATEST, slow)]
    for stop_seconds, is_let_go in ((HANG_TIMEOUT_SEC, True), (0.5, False)):
        begun.clear()
        go_on.clear()
        stop = asyncio.Event()
        await plan(database, ticks, now=system_clock())
        worked = worker.run_worker(database, redis, ticks, stop, stop_seconds=stop_seconds)
        running = asyncio.create_task(worked)
        await asyncio.wait_for(begun.wait(), HANG_TIMEOUT_SEC)
        stop.set()
        if is_let_go:
            await asyncio.wait([running], timeout=0.5)
            assert not running.done(), "it waits for the run"
            go_on.set()
        await asyncio.wait_for(running, HANG_TIMEOUT_SEC)
        assert len(ended) == 1
        await asyncio.sleep(1.0)  # until the next period
