"""All SQL of the jobs. Every update names its attempt, so a worker that lost the job changes nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import delete, insert, select, text, update
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.kit.ids import new_id
from hashinsight.kit.jobs.models import JobRow

LOST_AFTER = timedelta(seconds=30)  # without a heartbeat from its worker
MAX_ATTEMPTS = 3


@dataclass(frozen=True)
class JobAttempt:
    id: UUID
    tenant_id: UUID
    name: str
    arguments: Mapping[str, Any]
    attempts: int


async def insert_job(
    session: AsyncSession,
    tenant_id: UUID,
    name: str,
    arguments: Mapping[str, Any],
    *,
    requested_by: str,
    now: datetime,
) -> UUID:
    """In the caller's transaction; call `JobQueue.enqueue` after the commit, else the next sweep picks it up."""
    job_id = new_id()
    await session.execute(
        insert(JobRow).values(
            id=job_id,
            tenant_id=tenant_id,
            name=name,
            arguments=dict(arguments),
            requested_by=requested_by,
            requested_at=now,
        )
    )
    return job_id


async def find_job(session: AsyncSession, job_id: UUID) -> JobRow | None:
    return (await session.execute(select(JobRow).where(JobRow.id == job_id))).scalar()


_CLAIM = text("""
    update jobs
    set state = 'running',
        attempts = attempts + 1,
        progress = 0,
        message = null,
        worker = :worker,
        started_at = :now,
        alive_at = :now
    where id = (
        select id
        from jobs
        where name = any (cast(:names as text[]))
            and (cast(:job_id as uuid) is null or id = :job_id)
            and (state = 'queued' or state = 'running' and alive_at < :lost)
        order by requested_at
        limit 1
        for update skip locked
    )
    returning id, tenant_id, name, arguments, attempts
""")


async def claim_job(
    session: AsyncSession, names: Sequence[str], *, worker: str, job_id: UUID | None = None, now: datetime
) -> JobAttempt | None:
    """The given job, or the oldest that is queued or has lost its worker; None if another worker was first."""
    values = {"worker": worker, "now": now, "names": list(names), "job_id": job_id, "lost": now - LOST_AFTER}
    row = (await session.execute(_CLAIM, values)).first()
    return JobAttempt(*row) if row else None


async def update_progress(
    session: AsyncSession, attempt: JobAttempt, *, progress: float | None = None, message: str = "", now: datetime
) -> bool:
    """Also a heartbeat. False if this worker has lost the job."""
    values: dict[str, Any] = {"alive_at": now}
    if progress is not None:
        values |= {"progress": progress, "message": message}
    return await _move(session, attempt, values)


async def move_done(session: AsyncSession, attempt: JobAttempt, result: Any, *, now: datetime) -> bool:
    return await _move(session, attempt, {"state": "done", "progress": 1, "result": result, "finished_at": now})


async def move_failed(session: AsyncSession, attempt: JobAttempt, error: str, *, now: datetime) -> bool:
    return await _move(session, attempt, {"state": "failed", "error": error[:2000], "finished_at": now})


async def move_queued(session: AsyncSession, attempt: JobAttempt) -> bool:
    """For an orderly stop of the worker: the attempt does not count."""
    return await _move(session, attempt, {"state": "queued", "attempts": attempt.attempts - 1, "worker": None})


async def delete_old_jobs(session: AsyncSession, *, before: datetime) -> None:
    await session.execute(delete(JobRow).where(JobRow.finished_at < before))


async def _move(session: AsyncSession, attempt: JobAttempt, values: Mapping[str, Any]) -> bool:
    moved = await session.execute(
        update(JobRow)
        .where(JobRow.id == attempt.id, JobRow.attempts == attempt.attempts, JobRow.state == "running")
        .values(**values)
        .returning(JobRow.id)
        .execution_options(synchronize_session=False)
    )
    return moved.first() is not None
