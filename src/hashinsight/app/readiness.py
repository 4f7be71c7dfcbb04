"""Readiness of each part; all checks run in parallel, for at most 3 s.

A hanging database keeps its connection for longer: the check continues in the background, one for all callers, and the
response does not wait for it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Literal, TypeVar

from fastapi import Request
from pydantic import BaseModel
from redis.exceptions import RedisError
from sqlalchemy.exc import SQLAlchemyError

from hashinsight.kit.clock import system_clock
from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database
from hashinsight.kit.ticks.heartbeats import MISSING_AFTER, list_live_processes
from hashinsight.migrations import current_revision, head_revision

T = TypeVar("T")
_SECONDS = 3.0
_HEAD = head_revision()


class Part(BaseModel):
    """`degraded`: HashInsight works with restrictions; `down`: it does not work."""

    state: Literal["ok", "degraded", "down"]
    message: str = ""


class Readiness(BaseModel):
    status: Literal["ready", "degraded", "not_ready"]
    parts: dict[str, Part]


async def check_readiness(request: Request) -> Readiness:
    database, redis = await asyncio.gather(_bounded_database_parts(request), _redis_part(request))
    parts = {"database": database.pop("database"), "redis": redis, "disk": _disk_part(request), **database}
    states = {part.state for part in parts.values()}
    if "down" in states:
        return Readiness(status="not_ready", parts=parts)
    return Readiness(status="degraded" if "degraded" in states else "ready", parts=parts)


async def check_in_time(request: Request, name: str, check: Callable[[], Coroutine[Any, Any, T]]) -> T | None:
    """The result of the check; None if it takes too long."""
    checks: dict[str, asyncio.Task[T]] = request.app.state.checks
    task = checks.get(name)
    if task is None or task.done():
        task = checks[name] = asyncio.create_task(check())
    done, _ = await asyncio.wait({task}, timeout=_SECONDS)
    return task.result() if done else None


async def _bounded_database_parts(request: Request) -> dict[str, Part]:
    parts = await check_in_time(request, "database", lambda: _database_parts(request.app.state.database))
    if parts is not None:
        return dict(parts)
    return {"database": Part(state="down", message=f"no answer from the database within {_SECONDS:.0f} s")}


async def _database_parts(database: Database) -> dict[str, Part]:
    now = system_clock()
    try:
        async with asyncio.timeout(_SECONDS), database.transaction(job_context(work_seconds=3)) as session:
            revision = await current_revision(session)
            seen = (
                {beat.process for beat in await list_live_processes(session, now=now)} if revision == _HEAD else set()
            )
    except (SQLAlchemyError, OSError) as error:
        return {"database": Part(state="down", message=f"database unreachable ({type(error).__name__})")}
    if revision != _HEAD:
        behind = f"schema version {revision}, expected {_HEAD}: run `hashinsight migrate`"
        return {"database": Part(state="down", message=behind)}
    parts = {"database": Part(state="ok")}
    for process in ("worker", "scheduler"):
        missing = f"no {process} for {MISSING_AFTER.total_seconds():.0f} s: start `hashinsight {process}`"
        parts[process] = Part(state="ok") if process in seen else Part(state="degraded", message=missing)
    return parts


async def _redis_part(request: Request) -> Part:
    try:
        async with asyncio.timeout(_SECONDS):
            await _ping(request)
    except (RedisError, OSError) as error:
        return Part(state="degraded", message=f"Redis unreachable ({type(error).__name__})")
    return Part(state="ok")


async def _ping(request: Request) -> None:
    answer: Awaitable[bool] = request.app.state.redis.ping()
    await answer


def _disk_part(request: Request) -> Part:
    guard = request.app.state.disk
    if guard.has_room():
        return Part(state="ok")
    return Part(
        state="degraded", message=f"{guard.free_mb()} MB free; telemetry is refused below {guard.reserve_mb} MB"
    )
