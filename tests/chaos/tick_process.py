"""A scheduler or a worker as a process of its own, with ticks whose work leaves a mark that can be counted."""

import asyncio
import os
import sys
from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.kit.connections import open_async_redis, open_database
from hashinsight.kit.logs import configure_logs
from hashinsight.kit.process import stop_on_signal
from hashinsight.kit.settings import load_settings
from hashinsight.kit.ticks.scheduler import run_scheduler
from hashinsight.kit.ticks.tick import CatchUp, Tick, TickRun
from hashinsight.kit.ticks.wake import Waker
from hashinsight.kit.ticks.worker import run_worker


async def leave_a_mark(session: AsyncSession, run: TickRun) -> None:
    """Long enough that a kill lands in the middle of it now and then."""
    await session.execute(
        text("insert into marks (tick, site_id, period, pid) values (:tick, :site, :period, :pid)"),
        {"tick": run.tick, "site": run.site_id, "period": run.period, "pid": os.getpid()},
    )
    await session.execute(text("select pg_sleep(0.1)"))


async def three_sites(_session: AsyncSession) -> Sequence[int]:
    return (1, 2, 3)


TICKS = (
    Tick("each", timedelta(seconds=1), CatchUp.EVERY, leave_a_mark, sites=three_sites),
    Tick("newest", timedelta(seconds=1), CatchUp.LATEST, leave_a_mark),
)


async def main(role: str) -> None:
    settings = load_settings()
    configure_logs(settings, role)
    stop = stop_on_signal()
    database = open_database(settings, role)
    redis = open_async_redis(settings)
    try:
        if role == "scheduler":
            await run_scheduler(database, Waker(redis), TICKS, stop)
        else:
            await run_worker(database, redis, TICKS, stop)
    finally:
        await redis.aclose()
        await database.dispose()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
