"""`hashinsight worker` and `hashinsight scheduler`: the background processes that run ticks and jobs."""

import asyncio

from hashinsight.cli.startup import check_database, prepare
from hashinsight.kit.process import keep_memory, run, stop_on_signal
from hashinsight.kit.settings import Settings


def worker() -> None:
    keep_memory()
    run(_worker(prepare("worker")))


def scheduler() -> None:
    run(_scheduler(prepare("scheduler")))


async def _worker(settings: Settings) -> None:
    from hashinsight.kit.changes import ChangeFeed
    from hashinsight.kit.connections import open_async_redis, open_database, open_redis
    from hashinsight.kit.jobs.queue import JobQueue
    from hashinsight.kit.jobs.runner import JobRunner, run_jobs
    from hashinsight.kit.ticks.worker import run_worker
    from hashinsight.worker import JOBS, ticks

    stop = stop_on_signal()
    database = open_database(settings, "worker")
    redis = open_async_redis(settings)
    changes = ChangeFeed(redis)
    try:
        await check_database(database)
        working = run_worker(
            database,
            redis,
            ticks(settings, database),
            stop,
            stop_seconds=settings.stop_seconds,
            changes=changes,
        )
        if not JOBS:
            await working
            return
        queue = JobQueue(open_redis(settings))
        await asyncio.gather(
            working, run_jobs(JobRunner(database, JOBS), queue, stop, stop_seconds=settings.stop_seconds)
        )
    finally:
        await changes.aclose()
        await redis.aclose()
        await database.dispose()


async def _scheduler(settings: Settings) -> None:
    from hashinsight.kit.connections import open_async_redis, open_database
    from hashinsight.kit.ticks.scheduler import run_scheduler
    from hashinsight.kit.ticks.wake import Waker
    from hashinsight.worker import ticks

    stop = stop_on_signal()
    database = open_database(settings, "scheduler")
    redis = open_async_redis(settings)
    try:
        await check_database(database)
        await run_scheduler(database, Waker(redis), ticks(settings, database), stop)
    finally:
        await redis.aclose()
        await database.dispose()
