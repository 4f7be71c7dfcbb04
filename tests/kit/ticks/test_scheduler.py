"""The scheduler's end: what it has begun it finishes, and nobody reads of an error that was none."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from redis.asyncio import Redis
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.kit.db.database import Database
from hashinsight.kit.ticks.scheduler import run_scheduler
from hashinsight.kit.ticks.tick import CatchUp, Tick
from hashinsight.kit.ticks.wake import Waker
from tests.installation import HANG_TIMEOUT_SEC


async def test_a_beat_running_at_shutdown_is_finished_without_an_error(
    database: Database, redis_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    calls: list[str] = []
    begun = asyncio.Event()

    async def slow_sites(_session: AsyncSession) -> list[Any]:
        calls.append("begun")
        if len(calls) > 1:  # the first is the plan at the start, which nothing can cut off
            begun.set()
            await asyncio.sleep(0.5)
            calls.append("finished")
        return [None]

    async def work(_session: AsyncSession, _run: Any) -> None:
        raise AssertionError("nobody works here")

    stop = asyncio.Event()
    ticks = [Tick("t", timedelta(seconds=1), CatchUp.EVERY, work, sites=slow_sites)]
    async with Redis.from_url(redis_url) as redis:
        running = asyncio.create_task(run_scheduler(database, Waker(redis), ticks, stop))
        await asyncio.wait_for(begun.wait(), HANG_TIMEOUT_SEC)
        stop.set()
        await asyncio.wait_for(running, HANG_TIMEOUT_SEC)
    assert calls[-1] == "finished"
    assert not [record for record in caplog.records if record.exc_info]
