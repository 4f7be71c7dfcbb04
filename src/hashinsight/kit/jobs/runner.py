"""Runs jobs in the worker process, one at a time, alongside the ticks."""

import asyncio
import contextlib
import os
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import structlog
from redis.exceptions import RedisError
from sqlalchemy.exc import InterfaceError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.kit.clock import Clock, system_clock
from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database
from hashinsight.kit.jobs import queries
from hashinsight.kit.jobs.queries import JobAttempt
from hashinsight.kit.jobs.queue import JobQueue
from hashinsight.kit.scrub import scrub_text

log = structlog.get_logger(__name__)

SWEEP_SECONDS = 5.0
_ALIVE_SECONDS = 5.0
_TAKE_SECONDS = 1
_RETRY_SECONDS = 1.0
_DATABASE_AWAY = (OperationalError, InterfaceError, PoolTimeout, OSError)


@dataclass(frozen=True)
class JobRun:
    """A job's arguments, and how it reports progress."""

    id: UUID
    tenant_id: UUID
    arguments: Mapping[str, Any]
    report: Callable[[float, str], Awaitable[None]]


@dataclass(frozen=True)
class Job:
    """An entry of the allow list. The work returns its result as JSON; calculations run off the event loop."""

    name: str
    work: Callable[[Database, JobRun], Awaitable[Any]]


class JobRunner:
    def __init__(self, database: Database, jobs: Sequence[Job], *, clock: Clock = system_clock) -> None:
        self._database = database
        self._jobs = {job.name: job for job in jobs}
        self._clock = clock
        self._worker = f"{socket.gethostname()}:{os.getpid()}"

    async def run_next(self, job_id: UUID | None = None) -> bool:
        """Run one job that is queued or has lost its worker; False if there is none."""
        async with self._transaction() as session:
            attempt = await queries.claim_job(
                session, list(self._jobs), worker=self._worker, job_id=job_id, now=self._clock()
            )
        if attempt is None:
            return False
        if attempt.attempts > queries.MAX_ATTEMPTS:
            await self._fail(attempt, f"its worker died {queries.MAX_ATTEMPTS} times")
            return True
        log.info("job_started", job=attempt.name, job_id=str(attempt.id), attempt=attempt.attempts)
        await self._run(attempt)
        return True

    async def _run(self, attempt: JobAttempt) -> None:
        async def report(progress: float, message: str) -> None:
            try:
                async with self._transaction() as session:
                    await queries.update_progress(
                        session, attempt, progress=progress, message=message, now=self._clock()
                    )
            except _DATABASE_AWAY as error:  # the work goes on: progress is only shown
                log.warning("job_progress_failed", job=attempt.name, job_id=str(attempt.id), error=str(error))

        run = JobRun(attempt.id, attempt.tenant_id, attempt.arguments, report)
        working = asyncio.ensure_future(self._jobs[attempt.name].work(self._database, run))
        alive = asyncio.create_task(self._stay_alive(attempt, working))
        try:
            await self._move_done(attempt, await working)
        except asyncio.CancelledError:
            if working.done() and not working.cancelled():  # the worker stops while the result is being written
                async with self._transaction() as session:
                    await queries.move_done(session, attempt, working.result(), now=self._clock())
                raise
            working.cancel()
            async with self._transaction() as session:
                is_ours = await queries.move_queued(session, attempt)
            if is_ours:  # either the worker stops, or another one has the job and this one continues with the next
                raise
        except Exception as error:  # no exception of a job may end the worker
            log.exception("job_failed", job=attempt.name, job_id=str(attempt.id))
            await self._fail(attempt, scrub_text(f"{type(error).__name__}: {error}"))
        finally:
            alive.cancel()

    async def _move_done(self, attempt: JobAttempt, result: Any) -> None:
        """Retried while the database is unreachable; after that the next sweep runs the job again as a lost one."""
        deadline = time.monotonic() + queries.LOST_AFTER.total_seconds()
        while True:
            try:
                async with self._transaction() as session:
                    is_ours = await queries.move_done(session, attempt, result, now=self._clock())
            except _DATABASE_AWAY as error:
                log.warning("job_end_failed", job=attempt.name, job_id=str(attempt.id), error=str(error))
            else:
                log.info("job_done" if is_ours else "job_end_taken", job=attempt.name, job_id=str(attempt.id))
                return
            if time.monotonic() >= deadline:
                return
            await asyncio.sleep(_RETRY_SECONDS)

    async def _stay_alive(self, attempt: JobAttempt, working: "asyncio.Future[Any]") -> None:
        """Heartbeat of the job; cancels the work if the job was given to another worker."""
        while True:
            await asyncio.sleep(_ALIVE_SECONDS)
            try:
                async with self._transaction() as session:
                    if not await queries.update_progress(session, attempt, now=self._clock()):
                        log.warning("job_taken_over", job=attempt.name, job_id=str(attempt.id))
                        working.cancel()
                        return
            except (SQLAlchemyError, OSError) as error:
                log.warning("job_heartbeat_failed", job=attempt.name, error=str(error))

    async def _fail(self, attempt: JobAttempt, error: str) -> None:
        async with self._transaction() as session:
            await queries.move_failed(session, attempt, error, now=self._clock())

    @asynccontextmanager
    async def _transaction(self) -> AsyncIterator[AsyncSession]:
        async with self._database.transaction(job_context(work_seconds=30)) as session:
            yield session


async def run_jobs(runner: JobRunner, queue: JobQueue, stop: asyncio.Event, *, stop_seconds: float = 20.0) -> None:
    """Until stopped. A running job then has `stop_seconds` to end, and is queued again after that."""
    working = asyncio.create_task(_work(runner, queue, stop))
    await stop.wait()
    _, late = await asyncio.wait((working,), timeout=stop_seconds)
    if late:
        working.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await working


async def _work(runner: JobRunner, queue: JobQueue, stop: asyncio.Event) -> None:
    """At once what the queue names, and every few seconds what the table has."""
    swept = -SWEEP_SECONDS
    while not stop.is_set():
        job_id: UUID | None = None
        try:
            job_id = await asyncio.to_thread(queue.take, _TAKE_SECONDS)
        except (RedisError, OSError) as error:
            log.warning("job_queue_unreachable", error=str(error))
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(SWEEP_SECONDS):
                    await stop.wait()
        is_due = time.monotonic() - swept >= SWEEP_SECONDS
        if stop.is_set() or (job_id is None and not is_due):
            continue
        try:
            while await runner.run_next(job_id) and job_id is None and not stop.is_set():
                pass
        except (SQLAlchemyError, OSError) as error:
            log.warning("job_claim_failed", error=str(error))
        swept = time.monotonic() if job_id is None else swept
