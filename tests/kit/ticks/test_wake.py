"""Wake-ups and signs of life of a real worker."""

import asyncio
import os
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from redis import Redis
from rq import Queue

from hashinsight.kit.clock import system_clock
from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database
from hashinsight.kit.ticks import worker
from hashinsight.kit.ticks.heartbeats import list_live_processes
from hashinsight.kit.ticks.scheduler import plan
from hashinsight.kit.ticks.tick import CatchUp, Tick, TickRun
from hashinsight.kit.ticks.wake import QUEUE, Waker
from tests.installation import HANG_TIMEOUT_SEC


async def until(condition: Any) -> None:
    end = time.monotonic() + HANG_TIMEOUT_SEC
    while not condition():
        assert time.monotonic() < end, "waited too long"
        await asyncio.sleep(0.05)


async def test_a_wake_up_is_heard_long_before_the_sweep_and_nothing_from_the_queue_is_ever_run(
    database: Database, redis_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(worker, "SWEEP_SECONDS", 3600.0)
    done: list[TickRun] = []

    async def work(_session: Any, run: TickRun) -> None:
        done.append(run)

    ticks = [Tick("t", timedelta(seconds=1), CatchUp.EVERY, work)]
    stop = asyncio.Event()
    running = asyncio.create_task(worker.run_worker(database, lambda: Redis.from_url(redis_url), ticks, stop))
    with Redis.from_url(redis_url) as redis:

        async def woken() -> None:
            seen = len(done)
            await asyncio.sleep(1.1)  # until the next period
            await plan(database, ticks, now=system_clock())
            Waker(redis).wake()
            await until(lambda: len(done) > seen)

        await woken()
        await woken()
        planted = tmp_path / "planted"
        Queue(QUEUE, connection=redis).enqueue("os.system", f"touch {planted}")
        await until(lambda: not redis.llen(f"rq:queue:{QUEUE}"))
        await woken()  # by now it is done with what it took before
        assert not planted.exists()
    stop.set()
    await running


async def test_a_worker_is_seen_while_it_runs_and_not_after_it_stopped(database: Database, redis_url: str) -> None:
    stop = asyncio.Event()
    running = asyncio.create_task(worker.run_worker(database, lambda: Redis.from_url(redis_url), [], stop))

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
    database: Database, redis_url: str
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
        worked = worker.run_worker(database, lambda: Redis.from_url(redis_url), ticks, stop, stop_seconds=stop_seconds)
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
