"""The worker process: runs due ticks one at a time; a run is marked done in the transaction of its work."""

import asyncio
import contextlib
import os
import socket
from collections.abc import Sequence

import structlog
from redis.asyncio import Redis
from sqlalchemy.exc import SQLAlchemyError

from hashinsight.kit.changes import ChangeFeed
from hashinsight.kit.clock import Clock, system_clock
from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database
from hashinsight.kit.scrub import scrub_text
from hashinsight.kit.ticks import queries
from hashinsight.kit.ticks.heartbeats import heartbeat
from hashinsight.kit.ticks.metrics import TICK_SECONDS
from hashinsight.kit.ticks.tick import Tick, TickRun
from hashinsight.kit.ticks.wake import listen

log = structlog.get_logger(__name__)

SWEEP_SECONDS = 5.0


class TickRunner:
    def __init__(
        self,
        database: Database,
        ticks: Sequence[Tick],
        *,
        clock: Clock = system_clock,
        changes: ChangeFeed | None = None,
    ) -> None:
        self._database = database
        self._changes = changes
        self._ticks = ticks
        self._clock = clock
        self._worker = f"{socket.gethostname()}:{os.getpid()}"

    async def run_due(self, *, stop: asyncio.Event | None = None) -> int:
        """Run everything due, in turn between the ticks; returns the number of runs done or tried."""
        done = 0
        busy = True
        while busy:
            busy = False
            for tick in self._ticks:
                if stop is not None and stop.is_set():
                    return done
                if await self.run_one(tick):
                    done += 1
                    busy = True
        return done

    async def run_one(self, tick: Tick) -> bool:
        """Run one due run of this tick, done or failed; False if none is due."""
        run: TickRun | None = None
        began = asyncio.get_running_loop().time()
        seconds = int(tick.timeout.total_seconds())
        try:
            async with (
                asyncio.timeout(seconds),
                self._database.transaction(job_context(work_seconds=seconds)) as session,
            ):
                run = await queries.claim(session, tick, now=self._clock())
                if run is None:
                    return False
                await tick.work(session, run)
                await queries.move_done(session, tick, run, worker=self._worker, finished_at=self._clock())
        except Exception as error:  # noqa: BLE001 - no exception of a tick may end the worker
            return await self._record_failure(tick, run, error)
        if self._changes is not None:
            self._changes.publish(session)
        TICK_SECONDS.labels(tick.name, "done").observe(asyncio.get_running_loop().time() - began)
        log.debug("tick_done", tick=tick.name, site_id=run.site_id, period=run.period)
        return True

    async def _record_failure(self, tick: Tick, run: TickRun | None, error: Exception) -> bool:
        """False if even that failed: then wait for the next sweep."""
        if run is None:
            log.warning("tick_claim_failed", tick=tick.name, error=str(error))
            return False
        TICK_SECONDS.labels(tick.name, "failed").observe((self._clock() - run.now).total_seconds())
        log.error("tick_failed", tick=tick.name, site_id=run.site_id, period=run.period, exc_info=error)
        reason = scrub_text(f"{type(error).__name__}: {error}")
        try:
            async with self._database.transaction(job_context(work_seconds=30)) as session:
                await queries.move_retry(session, run, error=reason, worker=self._worker, now=self._clock())
        except (SQLAlchemyError, OSError) as second:
            log.warning("tick_failure_not_recorded", tick=tick.name, error=str(second))
            return False
        return True


async def run_worker(
    database: Database,
    redis: Redis,
    ticks: Sequence[Tick],
    stop: asyncio.Event,
    *,
    clock: Clock = system_clock,
    stop_seconds: float = 20.0,
    changes: ChangeFeed | None = None,
) -> None:
    """Run ticks until stopped: when woken, and every few seconds, with or without Redis.

    A run in progress at the stop has `stop_seconds` to end; then it is rolled back and stays due.
    """
    runner = TickRunner(database, ticks, clock=clock, changes=changes)
    woken = asyncio.Event()
    listening = asyncio.create_task(listen(redis, woken))
    try:
        async with heartbeat(database, "worker", clock):
            log.info("worker_started", ticks=[tick.name for tick in ticks])
            working = asyncio.create_task(_work(runner, woken, stop))
            stopping = asyncio.create_task(stop.wait())
            await asyncio.wait((working, stopping), return_when=asyncio.FIRST_COMPLETED)
            stopping.cancel()
            woken.set()
            _, late = await asyncio.wait((working,), timeout=stop_seconds)
            if late:
                log.warning("tick_run_aborted", after_seconds=stop_seconds)
                working.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await working
    finally:
        listening.cancel()
        await asyncio.wait([listening])
    log.info("worker_stopped")


async def _work(runner: TickRunner, woken: asyncio.Event, stop: asyncio.Event) -> None:
    while not stop.is_set():
        woken.clear()
        if not await runner.run_due(stop=stop) and not stop.is_set():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(SWEEP_SECONDS):
                    await woken.wait()
