"""Long jobs: by name from an allow list, with progress and result in the table, through killed and stopped workers."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest
from redis import Redis
from rq import Queue
from rq.serializers import JSONSerializer

from hashinsight.kit.clock import system_clock
from hashinsight.kit.db.context import Context, job_context
from hashinsight.kit.db.database import Database
from hashinsight.kit.jobs import queries
from hashinsight.kit.jobs.models import JobRow
from hashinsight.kit.jobs.queue import JobQueue
from hashinsight.kit.jobs.runner import Job, JobRun, JobRunner, run_jobs
from hashinsight.kit.settings import Settings
from tests.installation import HANG_TIMEOUT_SEC, environment
from tests.people import People


async def request(database: Database, people: People, name: str = "count", **arguments: Any) -> UUID:
    tenant_id = await people.tenant_id("a")
    async with database.transaction(Context(tenant=str(tenant_id))) as session:
        return await queries.insert_job(
            session, tenant_id, name, arguments, requested_by="user:test", now=system_clock()
        )


async def get(database: Database, job_id: UUID) -> JobRow:
    async with database.transaction(job_context()) as session:
        job = await queries.find_job(session, job_id)
    assert job is not None
    return job


async def until(database: Database, job_id: UUID, **expected: Any) -> JobRow:
    async with asyncio.timeout(HANG_TIMEOUT_SEC):
        while True:
            job = await get(database, job_id)
            if all(getattr(job, name) == value for name, value in expected.items()):
                return job
            await asyncio.sleep(0.05)


@contextmanager
def worker(settings: Settings) -> Iterator["subprocess.Popen[bytes]"]:
    assert settings.database_url is not None
    assert settings.redis_url is not None
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.kit.jobs.job_worker"],
        cwd=Path(__file__).parents[3],
        env=environment(
            data_dir=settings.data_dir,
            database_url=settings.database_url.get_secret_value(),
            redis_url=settings.redis_url.get_secret_value(),
        ),
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait(HANG_TIMEOUT_SEC)


async def test_a_job_of_a_killed_worker_is_run_again_by_the_next(
    database: Database, people: People, settings: Settings, superuser_url: str, redis_url: str
) -> None:
    job_id = await request(database, people, to=10)
    with Redis.from_url(redis_url) as redis:
        JobQueue(redis).enqueue(job_id, "count")
    with worker(settings) as first:
        await until(database, job_id, state="running", progress=0.5, message="5 of 10", attempts=1)
        first.send_signal(signal.SIGKILL)
        first.wait(HANG_TIMEOUT_SEC)
    with psycopg.connect(superuser_url, autocommit=True) as connection:  # as if the half minute had passed
        connection.execute("update jobs set alive_at = alive_at - interval '1 minute'")
    with worker(settings) as second:
        job = await until(database, job_id, state="done")
        second.send_signal(signal.SIGTERM)
        assert second.wait(HANG_TIMEOUT_SEC) == 0
    assert (job.result, job.progress, job.attempts, job.error) == ({"sum": 55}, 1.0, 2, None)


async def test_a_worker_that_is_stopped_queues_its_job_again_and_the_attempt_does_not_count(
    database: Database, people: People, settings: Settings
) -> None:
    job_id = await request(database, people, to=10)
    with worker(settings) as process:
        await until(database, job_id, state="running", progress=0.5)
        process.send_signal(signal.SIGTERM)
        assert process.wait(HANG_TIMEOUT_SEC) == 0
    job = await get(database, job_id)
    assert (job.state, job.attempts, job.worker) == ("queued", 0, None)


async def test_a_job_that_raises_fails_with_its_error_without_secrets(database: Database, people: People) -> None:
    async def work(_database: Database, _run: JobRun) -> Any:
        raise RuntimeError("no model at https://user:hunter22@example.com/x")

    job_id = await request(database, people, "train")
    runner = JobRunner(database, [Job("train", work)])
    assert await runner.run_next()
    job = await get(database, job_id)
    assert (job.state, job.finished_at is not None) == ("failed", True)
    assert job.error == "RuntimeError: no model at https://user:[hidden]@example.com/x"
    assert not await runner.run_next(), "a failed job is not tried again"


@pytest.mark.parametrize("lost_at", ["progress", "end"])
async def test_a_connection_that_is_lost_while_the_job_is_updated_does_not_fail_the_job(
    database: Database, people: People, superuser_url: str, lost_at: str
) -> None:
    def cut_connections() -> None:
        with psycopg.connect(superuser_url, autocommit=True) as connection:
            connection.execute(
                "select pg_terminate_backend(pid, 5000) from pg_stat_activity"
                " where datname = current_database() and application_name = 'hashinsight'"
            )

    async def work(_database: Database, run: JobRun) -> Any:
        cut_connections()
        if lost_at == "progress":
            await run.report(0.5, "half")
        return {"models": 3}

    job_id = await request(database, people, "train")
    assert await JobRunner(database, [Job("train", work)]).run_next()
    job = await get(database, job_id)
    assert (job.state, job.result, job.error, job.attempts) == ("done", {"models": 3}, None, 1)


async def test_a_result_that_cannot_be_stored_fails_the_job_at_once(database: Database, people: People) -> None:
    async def work(_database: Database, _run: JobRun) -> Any:
        return {"name": "\0"}

    job_id = await request(database, people, "train")
    assert await JobRunner(database, [Job("train", work)]).run_next()
    job = await get(database, job_id)
    assert (job.state, job.result) == ("failed", None)


async def test_a_job_is_claimed_once_and_one_that_killed_three_workers_is_given_up(
    database: Database, people: People, superuser_url: str
) -> None:
    runs: list[UUID] = []

    async def work(_database: Database, run: JobRun) -> Any:
        runs.append(run.id)
        await asyncio.sleep(0.2)

    job_id = await request(database, people)
    runners = [JobRunner(database, [Job("count", work)]) for _ in range(4)]
    assert sorted(await asyncio.gather(*(runner.run_next() for runner in runners))) == [False, False, False, True]
    assert runs == [job_id]
    deadly = await request(database, people)
    with psycopg.connect(superuser_url, autocommit=True) as connection:
        lost = "update jobs set state = 'running', attempts = 3, alive_at = now() - interval '1 minute' where id = %s"
        connection.execute(lost, [deadly])
    assert await runners[0].run_next()
    job = await get(database, deadly)
    assert (job.state, job.error, len(runs)) == ("failed", "its worker died 3 times", 1)


async def test_a_worker_that_was_taken_for_dead_changes_nothing_any_more(
    database: Database, people: People, superuser_url: str
) -> None:
    taken_over = asyncio.Event()

    async def work(_database: Database, _run: JobRun) -> Any:
        await taken_over.wait()
        return "late"

    job_id = await request(database, people)
    running = asyncio.create_task(JobRunner(database, [Job("count", work)]).run_next())
    await until(database, job_id, state="running")
    with psycopg.connect(superuser_url, autocommit=True) as connection:
        connection.execute("update jobs set attempts = 2, worker = 'another'")
    taken_over.set()
    await running
    job = await get(database, job_id)
    assert (job.state, job.worker, job.result) == ("running", "another", None)


async def test_redis_contents_are_never_executed(
    database: Database, people: People, redis_url: str, tmp_path: Path
) -> None:
    """Not a function call that was planted there, nor a row whose name is not on the allow list."""
    unknown = await request(database, people, "unknown")
    planted, stop = tmp_path / "planted", asyncio.Event()
    with Redis.from_url(redis_url) as redis:
        foreign = Queue("hashinsight:jobs", connection=redis, serializer=JSONSerializer)
        foreign.enqueue("os.system", f"touch {planted}")
        foreign.enqueue("os.system", f"touch {planted}", job_id="no-uuid")
        redis.rpush("rq:queue:hashinsight:jobs", b"\xff", str(unknown))
        running = asyncio.create_task(run_jobs(JobRunner(database, []), JobQueue(redis), stop))
        while redis.llen("rq:queue:hashinsight:jobs"):  # noqa: ASYNC110 - Redis signals nobody
            await asyncio.sleep(0.05)
        stop.set()
        await running
    assert not planted.exists()
    assert (await get(database, unknown)).state == "queued"


@pytest.mark.parametrize("seen_by", ["a", "b"])
async def test_a_tenant_sees_its_own_jobs(database: Database, people: People, seen_by: str) -> None:
    job_id = await request(database, people)
    async with database.transaction(Context(tenant=str(await people.tenant_id(seen_by)))) as session:
        assert (await queries.find_job(session, job_id) is not None) is (seen_by == "a")
