"""One cycle of one site: read, think, write, in the transaction of its run."""

import asyncio
import time
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import polars as pl
from sqlalchemy import delete
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.kit.changes import note_change
from hashinsight.kit.db import partitions
from hashinsight.kit.db.database import Database
from hashinsight.problems import baselines, chunks
from hashinsight.problems.codes import (
    DataState,
    EventStatus,
    ExpectationSource,
    Metric,
    Mode,
    RuleVerdict,
    Severity,
    ThawReason,
)
from hashinsight.problems.events import Events, close_events
from hashinsight.problems.features import check_bits
from hashinsight.problems.mode_shares import mode_shares
from hashinsight.problems.models import FEATURE_CHUNKS, FEATURE_HOURS, RUNS
from hashinsight.problems.pipeline import CycleResult, step
from hashinsight.problems.queries import cycle
from hashinsight.problems.registry import SiteKey, write_cycle
from hashinsight.problems.service.cycle_input import CycleInput, read_cycle
from hashinsight.problems.site_tally import SiteTally, pack, site_tally
from hashinsight.problems.state import State, aligned
from hashinsight.telemetry import losses
from hashinsight.telemetry.queries.live import update_health

DAY, HOUR = timedelta(days=1), timedelta(hours=1)
_PLAIN = (
    "hashrate_ratio", "boards_ratio", "temp_max", "temp_load", "temp_spread", "efficiency", "fan_speed_min",
    "reject_rate", "hw_error_rate", "board_share_min", "volatility",
)  # fmt: skip
_NO_ONE = 127
_STEP_BACK = timedelta(minutes=5)
_STANDING = ("overall_health", "inferred_mode", "mode_share", "inferred_ths", "recent_reject_rate")
_SHARE_MOVES = 0.01
_RATE_MOVES, _RATE_MOVES_BY = 0.002, 0.2  # a rate trembles with every share


@dataclass(frozen=True)
class CycleRun:
    """What a cycle did, and where its time went."""

    machines: int
    actions: dict[str, int]
    seconds: dict[str, float]


async def run_cycle(
    database: Database, session: AsyncSession, site_id: int, *, period: datetime, now: datetime
) -> CycleRun | None:
    """None: there is nothing to do, or this period was done before. Committed by whoever gave the session."""
    spent = _Spent()
    kept = await cycle.keep_site(session, site_id)
    if kept is None or _was_done(kept.cycled_at, now):
        return None
    read = await read_cycle(database, session, kept, site_id, now=now)
    read.state.mixtures = kept.mixtures
    spent.lap("read")
    if not read.frame.n and not read.remembered.events.n and not read.state.n:
        return None
    last = float("nan") if kept.cycled_at is None else kept.cycled_at.timestamp()
    state, found = await asyncio.to_thread(_think, read, now.timestamp(), last)
    spent.lap("think")
    await cycle.lock_site(session, site_id)
    place = SiteKey(kept.tenant_id, site_id)
    actions = await write_cycle(session, place, read.remembered, found, read.subjects, last=last, now=now)
    spent.lap("events")
    await cycle.write_state(session, kept, site_id, read.state, state)
    spent.lap("state")
    await _write_features(session, kept, site_id, found, now=now)
    spent.lap("features")
    health = _health(found.lifecycle.events, found)
    live = _stood(read.live, found, state, health)
    await update_health(session, _changed(live))
    await cycle.move_site(
        session, site_id, next_no=found.lifecycle.events.next_no, mixtures=state.mixtures,
        fitted_before=kept.mixtures.fitted_at, standing=pack(live), now=now,
    )  # fmt: skip
    spent.lap("rest")
    row = {"actions": actions, "seconds": spent.of, "ran_at": now, **_counts(found, live)}
    made = upsert(RUNS).values(tenant_id=kept.tenant_id, site_id=site_id, period=period, **row)
    await session.execute(made.on_conflict_do_update(index_elements=["site_id", "period"], set_=row))
    await session.execute(delete(RUNS).where(RUNS.c.site_id == site_id, RUNS.c.period > period))  # of a wrong clock
    note_change(session, kept.tenant_id, site_id, "problems")
    return CycleRun(found.observed.frame.n, actions, spent.of)


def _was_done(cycled_at: datetime | None, now: datetime) -> bool:
    """At this moment, or at one that a small step of the clock brings back. Further ahead was only a wrong clock."""
    return cycled_at is not None and timedelta(0) <= cycled_at - now < _STEP_BACK


def _think(read: CycleInput, now: float, last: float) -> tuple[State, CycleResult]:
    state = read.state  # `step` takes a copy: what was read stays as it was, to be compared with
    repaired = np.isin(read.frame.miner_no, list(read.repaired))
    if repaired.any():
        state = aligned(state, read.frame.miner_no)
        baselines.start_over(state, repaired, now=now, reason=ThawReason.REPAIRED)
    events = read.remembered.events
    gone = events.active & ~np.isin(events.subject, read.subjects["subject"].to_numpy())
    if gone.any():
        events = close_events(events, gone, now)
    return step(replace(state, events=events, cycled_at=last), read.frame, now, read.config)


async def _write_features(
    session: AsyncSession, kept: cycle.SiteState, site_id: int, found: CycleResult, *, now: datetime
) -> None:
    own, seen = found.observed.own, found.observed.features
    of: dict[str, Any] = {name: getattr(seen, name).astype(np.float32) for name in _PLAIN}
    of |= {
        "trend_slope": found.observed.slope.astype(np.float32),
        "residual_hashrate": own.residual[Metric.HASHRATE_RATIO].astype(np.float32),
        "residual_eff": own.residual[Metric.EFFICIENCY].astype(np.float32),
        "residual_temp": own.residual[Metric.TEMP_MAX].astype(np.float32),
        "data_state": found.observed.data.state,
        "mode": found.mode,
        "left_out": found.left_out | check_bits(seen),
    }
    new_hour = kept.cycled_at is None or kept.cycled_at < now.replace(minute=0, second=0, microsecond=0)
    made = await asyncio.to_thread(chunks.rows, found.observed.frame.miner_no, of)
    for table in (FEATURE_CHUNKS, FEATURE_HOURS) if new_hour else (FEATURE_CHUNKS,):
        await partitions.ensure(session, table.name, now, now, DAY)
        await cycle.write_features(session, table, made, tuple(of), whose=(kept.tenant_id, site_id, now))


def _health(events: Events, found: CycleResult) -> np.ndarray[tuple[int], np.dtype[np.int8]]:
    """By machine the worst severity that is shown; -1 where nobody knows, and `_NO_ONE` where all is well.

    Well is only who is seen to be: one that is dark without a problem (curtailed, suppressed, for the first time)
    is not, nor is one of which a suppression hides what was found.
    """
    worst = np.full(found.observed.frame.n, _NO_ONE, dtype=np.int8)
    shown = events.take(events.active & (events.status != EventStatus.PENDING) & (events.subject >= 0))
    at = np.searchsorted(found.observed.frame.miner_no, shown.subject)
    here = at < len(worst)
    here[here] = found.observed.frame.miner_no[at[here]] == shown.subject[here]
    np.minimum.at(worst, at[here], shown.severity[here])
    unseen = found.observed.data.state != DataState.FRESH
    hidden = found.observed.frame.suppressed
    if hidden.any():
        unseen |= hidden & (found.verdict == RuleVerdict.HIT).any(axis=0)
    worst[(worst == _NO_ONE) & unseen] = -1
    return worst


def _stood(live: pl.DataFrame, found: CycleResult, state: State, health: Any) -> pl.DataFrame:
    """The live columns that say how a machine stands, as this cycle found them; what was there is `…_before`."""
    words = {-1: "unknown", _NO_ONE: "ok", **{int(one): one.name for one in Severity}}
    modes = {int(one): one.name.lower() for one in Mode}
    inferred = np.where(found.observed.expectation > ExpectationSource.GIVEN, state["inferred_ths"], np.nan)
    judged = pl.DataFrame(
        {
            "miner_no": pl.Series(found.observed.frame.miner_no, dtype=live.schema["miner_no"]),
            "overall_health": pl.Series(health).replace_strict(words, return_dtype=pl.String),
            "inferred_mode": pl.Series(found.mode).replace_strict(modes, return_dtype=pl.String),
            "recent_reject_rate": pl.Series(found.observed.features.reject_rate, dtype=pl.Float32).fill_nan(None),
            "inferred_ths": pl.Series(inferred, dtype=pl.Float32).fill_nan(None),
            "mode_share": pl.Series(mode_shares(found, state), dtype=pl.Float32).fill_nan(None),
        }
    )
    before = live.select("miner_no", *losses.LOSS_INPUTS, pl.col(_STANDING).name.suffix("_before"))
    both = before.join(judged, on="miner_no", maintain_order="left")
    kept = pl.coalesce("recent_reject_rate", "recent_reject_rate_before")  # who is silent has no newer one
    weighed = losses.add_losses(both.with_columns(recent_reject_rate=kept))
    # what stands still is not ok; whether late data are, is asked again whenever somebody reads
    stands_still = pl.col("condition").is_in(("stopped", "down"))
    return weighed.with_columns(overall_health=pl.when(stands_still).then("condition").otherwise("overall_health"))


def _changed(live: pl.DataFrame) -> pl.DataFrame:
    """Few do from cycle to cycle; a share moves with every sample, and counts once it has moved by a hundredth."""
    share, before = pl.col("mode_share"), pl.col("mode_share_before")
    names = ("overall_health", "inferred_mode", "inferred_ths")  # what is inferred moves in steps
    differs = [pl.col(name).ne_missing(pl.col(f"{name}_before")) for name in names]
    rate, rate_before = pl.col("recent_reject_rate"), pl.col("recent_reject_rate_before")
    rate_moved = (rate - rate_before).abs() >= pl.max_horizontal(_RATE_MOVES, _RATE_MOVES_BY * rate_before)
    moved = (share.is_null() != before.is_null()) | ((share - before).abs() >= _SHARE_MOVES).fill_null(value=False)
    moved |= rate_moved.fill_null(value=False) | (rate.is_not_null() & rate_before.is_null())
    return live.filter(pl.any_horizontal(*differs, moved)).select("miner_no", *_STANDING)


def _counts(found: CycleResult, live: pl.DataFrame) -> dict[str, Any]:
    state = found.observed.data.state
    tallied = list(losses.tally(live, "site_id").iter_rows(named=True))
    return {
        **{one.name.lower(): int((state == one).sum()) for one in DataState},
        **asdict(site_tally(tallied[0]) if tallied else SiteTally(0)),
    }


class _Spent:
    def __init__(self) -> None:
        self.of: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.of[name] = round(now - self._last, 4)
        self._last = now
