"""One cycle of one site: read, step, write, in the transaction of its run."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import polars as pl
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import SYSTEM
from hashinsight.identity.scope import Reach, Scope, make_scope
from hashinsight.inventory.service.settings import get_settings
from hashinsight.kit.changes import note_change
from hashinsight.kit.db import partitions
from hashinsight.kit.db.database import Database
from hashinsight.problems import baselines, chunks, machine_health
from hashinsight.problems.codes import DataState, Metric, ThawReason
from hashinsight.problems.config import Config, site_config
from hashinsight.problems.events import close_events
from hashinsight.problems.features import check_bits
from hashinsight.problems.frame import Frame
from hashinsight.problems.live_frames import columns_for, frame_of
from hashinsight.problems.models import FEATURE_CHUNKS, FEATURE_HOURS
from hashinsight.problems.pipeline import CycleResult, step
from hashinsight.problems.queries import cycle as queries
from hashinsight.problems.queries.cycle import KnownEvents, SiteState
from hashinsight.problems.queries.suppressions import list_suppressed_at_site
from hashinsight.problems.registry import SiteKey, write_cycle
from hashinsight.problems.state import State, aligned
from hashinsight.telemetry.queries import boards_frame, live_frame, sensors_frame
from hashinsight.telemetry.queries.live import update_health

DAY = timedelta(days=1)
_STEP_BACK = timedelta(minutes=5)
_OVERLAP = timedelta(minutes=2)  # an action committed during the previous cycle is looked at again
_FEATURES = (
    "hashrate_ratio", "boards_ratio", "temp_max", "temp_load", "temp_spread", "efficiency", "fan_speed_min",
    "reject_rate", "hw_error_rate", "board_share_min", "volatility",
)  # fmt: skip


@dataclass(frozen=True)
class CycleRun:
    """What a cycle did, and how long its parts took."""

    machines: int
    actions: dict[str, int]
    seconds: dict[str, float]


@dataclass(frozen=True)
class _Input:
    live: pl.DataFrame
    frame: Frame
    state: State
    known: KnownEvents
    subjects: pl.DataFrame  # machines, and the collectors that they depend on
    repaired: Sequence[int]
    config: Config


async def run_cycle(
    database: Database, session: AsyncSession, site_id: int, *, period: datetime, now: datetime
) -> CycleRun | None:
    """None: nothing to do, or this period is done already. The caller commits."""
    timer = _Timer()
    site = await queries.find_site_state(session, site_id)
    if site is None or _already_ran(site.cycled_at, now):
        return None
    given = await _read(database, session, site, site_id, now=now)
    timer.lap("read")
    if not given.frame.n and not given.known.events.n and not given.state.n:
        return None
    last = float("nan") if site.cycled_at is None else site.cycled_at.timestamp()
    state, result = await asyncio.to_thread(_step, given, now.timestamp(), last)
    timer.lap("think")
    await queries.lock_site(session, site_id)
    key = SiteKey(site.tenant_id, site_id)
    actions = await write_cycle(session, key, given.known, result, given.subjects, last=last, now=now)
    timer.lap("events")
    await queries.write_state(session, site, site_id, given.state, state)
    timer.lap("state")
    await _write_features(session, site, site_id, result, now=now)
    timer.lap("features")
    live = machine_health.live_columns(given.live, result, state)
    await update_health(session, machine_health.changed_columns(live))
    await queries.update_site(
        session, site_id, next_no=result.lifecycle.events.next_no, mixtures=state.mixtures,
        fitted_before=site.mixtures.fitted_at, standing=machine_health.pack_conditions(live), now=now,
    )  # fmt: skip
    timer.lap("rest")
    states = {each.name.lower(): int((result.observed.data.state == each).sum()) for each in DataState}
    counts = {**states, **asdict(machine_health.site_tally(live))}
    run = {"actions": actions, "seconds": timer.seconds, "ran_at": now, **counts}
    await queries.write_run(session, site.tenant_id, site_id, period, run)
    note_change(session, site.tenant_id, site_id, "problems")
    return CycleRun(given.frame.n, actions, timer.seconds)


def _already_ran(cycled_at: datetime | None, now: datetime) -> bool:
    """At this moment, or just ahead of it (clock stepped back). Further ahead was only a wrong clock."""
    return cycled_at is not None and timedelta(0) <= cycled_at - now < _STEP_BACK


async def _read(database: Database, session: AsyncSession, site: SiteState, site_id: int, *, now: datetime) -> _Input:
    """Everything as of one moment; in parallel where possible."""
    scope = make_scope(site.tenant_id, SYSTEM, [Reach(sites=(site_id,))])
    context = scope.context(read_only=True)
    settings = (await get_settings(session, site.tenant_id)).settings
    collectors = await queries.list_collectors(session, site_id)
    # the slowest collector's: for what is counted in cycles, and for machines without a collector of their own
    interval = max(collectors["interval_sec"].to_list(), default=Config().interval_sec)
    config = site_config(settings, site_id=site_id, site_code=site.code, interval_sec=interval)
    state, (live, frame), known = await asyncio.gather(
        queries.read_state(database, context, site_id),
        _read_machines(database, session, scope, site_id, config, now=now),
        queries.read_events(database, context, site_id, next_no=site.next_no),
    )
    since = None if site.cycled_at is None else site.cycled_at - _OVERLAP
    repaired = [] if since is None else await queries.list_repaired(session, site_id, since=since)
    state.mixtures = site.mixtures
    return _Input(live, frame, state, known, _subjects(live, collectors.drop("interval_sec")), repaired, config)


async def _read_machines(
    database: Database, session: AsyncSession, scope: Scope, site_id: int, config: Config, *, now: datetime
) -> tuple[pl.DataFrame, Frame]:
    """The live layer, and the frame made of it, while the state is still being read."""
    context = scope.context(read_only=True)
    live, boards, sensors, suppressed = await asyncio.gather(
        live_frame(database, scope, as_of=now, site_id=site_id, only={"miner_id", "zone_id", *columns_for(config)}),
        boards_frame(database, context, site_id),
        sensors_frame(database, context, site_id),
        list_suppressed_at_site(session, site_id, as_of=now),
    )
    # as the live layer joins it: maintenance by a suppression is a planned outage, like a stop by command
    expected = live.filter(pl.col("expected_state").is_not_null()).select(
        "miner_no", state="expected_state", until_at=pl.lit(None, dtype=live.schema["ts"])
    )
    miner_nos = suppressed.miner_no.tolist()
    return live, await asyncio.to_thread(frame_of, live, expected, boards, sensors=sensors, suppressed=miner_nos)


def _subjects(live: pl.DataFrame, collectors: pl.DataFrame) -> pl.DataFrame:
    depended_on = live.select(subject=-1 - pl.col("collector_no").cast(pl.Int64)).unique()
    machines = live.select(
        pl.col("miner_no").cast(pl.Int64).alias("subject"), "miner_no", "miner_id", "zone_id", "model", "firmware"
    )
    return pl.concat([machines, collectors.join(depended_on, on="subject", how="semi")], how="diagonal")


def _step(given: _Input, now: float, last: float) -> tuple[State, CycleResult]:
    """`step` copies the state: what was read stays as it was, to find what changed."""
    state, events = given.state, given.known.events
    repaired = np.isin(given.frame.miner_no, list(given.repaired))
    if repaired.any():
        state = aligned(state, given.frame.miner_no)
        baselines.start_over(state, repaired, now=now, reason=ThawReason.REPAIRED)
    left_site = events.active & ~np.isin(events.subject, given.subjects["subject"].to_numpy())
    if left_site.any():
        events = close_events(events, left_site, now)
    return step(replace(state, events=events, cycled_at=last), given.frame, now, given.config)


async def _write_features(
    session: AsyncSession, site: SiteState, site_id: int, result: CycleResult, *, now: datetime
) -> None:
    """Every cycle for some days, the first one of each hour for longer. Written once, never computed again."""
    obs = result.observed
    columns: dict[str, Any] = {name: getattr(obs.features, name).astype(np.float32) for name in _FEATURES}
    columns |= {
        "trend_slope": obs.slope.astype(np.float32),
        "residual_hashrate": obs.own.residual[Metric.HASHRATE_RATIO].astype(np.float32),
        "residual_eff": obs.own.residual[Metric.EFFICIENCY].astype(np.float32),
        "residual_temp": obs.own.residual[Metric.TEMP_MAX].astype(np.float32),
        "data_state": obs.data.state,
        "mode": result.mode,
        "left_out": result.left_out | check_bits(obs.features),
    }
    is_new_hour = site.cycled_at is None or site.cycled_at < now.replace(minute=0, second=0, microsecond=0)
    rows = await asyncio.to_thread(chunks.rows, obs.frame.miner_no, columns)
    for table in (FEATURE_CHUNKS, FEATURE_HOURS) if is_new_hour else (FEATURE_CHUNKS,):
        await partitions.ensure(session, table.name, now, now, DAY)
        await queries.write_features(session, table, rows, tuple(columns), (site.tenant_id, site_id, now))


class _Timer:
    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.seconds[name] = round(now - self._last, 4)
        self._last = now
