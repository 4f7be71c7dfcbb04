"""A worker process with one job, which counts and hangs half-way in its first attempt, so that a kill lands there."""

import asyncio
from typing import Any

from sqlalchemy import text

from hashinsight.kit.connections import open_database, open_redis
from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database
from hashinsight.kit.jobs.queue import JobQueue
from hashinsight.kit.jobs.runner import Job, JobRun, JobRunner, run_jobs
from hashinsight.kit.logs import configure_logs
from hashinsight.kit.process import run, stop_on_signal
from hashinsight.kit.settings import load_settings

ATTEMPTS = text("select attempts from jobs where id = :id")


async def count(database: Database, run: JobRun) -> Any:
    to = int(run.arguments["to"])
    async with database.transaction(job_context()) as session:
        is_first = (await session.execute(ATTEMPTS, {"id": run.id})).scalar_one() == 1
    for number in range(1, to + 1):
        await run.report(number / to, f"{number} of {to}")
        if number * 2 == to and is_first:
            await asyncio.Event().wait()
    return {"sum": sum(range(to + 1))}


async def main() -> None:
    settings = load_settings()
    configure_logs(settings, "worker")
    database = open_database(settings, "worker")
    runner = JobRunner(database, [Job("count", count)])
    with open_redis(settings) as redis:
        await run_jobs(runner, JobQueue(redis), stop_on_signal(), stop_seconds=0.5)
    await database.dispose()


if __name__ == "__main__":
    run(main())
