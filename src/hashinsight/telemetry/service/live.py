"""Live machines: pages, CSV lines and single machines; on request with samples that are not rolled up yet."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import polars as pl
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.identity.scope import Scope
from hashinsight.inventory.queries import miners, places
from hashinsight.kit.db.database import Database
from hashinsight.kit.paging import MAX_LIMIT
from hashinsight.telemetry.live_rows import csv_lines, current_readings, live_rows, rounded
from hashinsight.telemetry.live_state import evaluate
from hashinsight.telemetry.queries.live import get_live_of_machine, list_live
from hashinsight.telemetry.right_now import KEPT, RightNow
from hashinsight.telemetry.states import SampleStatus
from hashinsight.wire.freshness import freshness

# columns of the newest sample; the others stay as in the live layer
_NEWEST = (
    *("hashrate_ths", "hashrate_5s_ths", "temp_c", "temp_max_c", "temp_min_c", "fan_rpm", "fan_min_rpm", "power_w"),
    *("voltage_v", "frequency_mhz", "reject_rate", "pool_latency_ms", "accepted", "rejected", "hw_errors"),
    *("uptime_sec", "boards_healthy", "boards_total", "status", "flags", "ts"),
)
_MEANS = {"hashrate_5min_ths": "hashrate_ths", "power_5min_w": "power_w", "powered_5min_ths": "hashrate_ths"}


@dataclass(frozen=True)
class LiveFilter:
    site: str | int | None = None
    miner_id: str | None = None
    online: bool | None = None
    limit: int = MAX_LIMIT
    cursor: str | None = None


@dataclass(frozen=True)
class LivePage:
    frame: pl.DataFrame
    next_cursor: str | None
    source: str

    def answer(self, *, now: datetime, with_right_now: bool) -> dict[str, Any]:
        """As `schemas.live.LiveAnswer`."""
        slowest: Any = self.frame["interval_sec"].max()
        limits = freshness(slowest)
        used = "used" if self.source == "right_now" else "unavailable"
        meta = {
            "source": self.source,
            "updated_at": self.frame["updated_at"].max(),
            "as_of": now,
            "right_now": used if with_right_now else "not_asked",
            "stale_after_sec": limits.stale_sec,
            "offline_after_sec": limits.offline_sec,
        }
        return {"miners": live_rows(self.frame), "next_cursor": self.next_cursor, "_meta": meta}


async def get_live_page(
    session: AsyncSession, scope: Scope, live_filter: LiveFilter, *, now: datetime, right_now: RightNow | None = None
) -> LivePage:
    """One page; with `right_now`, newer samples from Redis replace those of the live layer."""
    site_id = None if live_filter.site is None else (await places.get_site(session, scope, live_filter.site)).id
    miner_nos: Sequence[int] | None = None
    if live_filter.miner_id is not None:
        miner_nos = [(await miners.get_miner(session, scope, live_filter.miner_id, live_filter.site)).miner.miner_no]
    frame, next_cursor = await list_live(
        session,
        scope,
        as_of=now,
        site_id=site_id,
        miner_nos=miner_nos,
        # a newer sample may change it: filtered again below
        online=live_filter.online if right_now is None else None,
        limit=live_filter.limit,
        cursor=live_filter.cursor,
    )
    newest = None if right_now is None else await _newest(right_now, frame, now)
    frame = evaluate(frame if newest is None else overlay_newest(frame, newest), as_of=now)
    if live_filter.online is not None:
        frame = frame.filter(pl.col("online") == live_filter.online)
    return LivePage(frame, next_cursor, "live" if newest is None else "right_now")


async def read_machine_state(
    session: AsyncSession, scope: Scope, miner_no: int, *, now: datetime, health: str | None = None
) -> dict[str, Any]:
    """The state of one machine and what is expected of it, as in the live answer.

    `health` replaces that of the last scan, if the registry has a newer one.
    """
    live = await get_live_of_machine(session, scope, miner_no, as_of=now)
    if health is not None:
        live = live.with_columns(overall_health=pl.lit(health))
    machine = current_readings(evaluate(live, as_of=now))
    words = ("condition", "overall_health", "online", "expected_state", "rated_source", "expected_source")
    state = machine.select(*words, *map(rounded, ("rated_ths", "reference_ths", "expected_ths", "stopped_ths")))
    return state.row(0, named=True) if state.height else dict.fromkeys(state.columns)


async def live_lines(
    database: Database, scope: Scope, live_filter: LiveFilter, *, now: datetime, right_now: RightNow | None = None
) -> AsyncIterator[str]:
    """All pages as CSV, each read in a short session: a slow reader holds no connection."""
    is_first = True
    while True:
        async with database.reading(scope.context(read_only=True)) as session:
            page = await get_live_page(session, scope, live_filter, now=now, right_now=right_now)
        yield await asyncio.to_thread(csv_lines, page.frame, is_first=is_first)
        if page.next_cursor is None:
            return
        live_filter, is_first = replace(live_filter, cursor=page.next_cursor), False


def overlay_newest(frame: pl.DataFrame, newest: pl.DataFrame) -> pl.DataFrame:
    """The live columns with the values of newer samples; an older or equal sample changes nothing."""
    both = frame.join(newest, on=("site_id", "miner_id"), how="left", suffix="_new", maintain_order="left")
    is_newer = pl.col("ts_new").is_not_null() & (pl.col("ts").is_null() | (pl.col("ts_new") > pl.col("ts")))
    types = frame.schema
    taken = {
        name: pl.when(is_newer).then(pl.col(f"{name}_new").cast(types[name])).otherwise(pl.col(name))
        for name in _NEWEST
    }
    # an offline sample has no readings: the means stay as last reported
    has_readings = is_newer & (pl.col("status_new") != SampleStatus.OFFLINE)
    seen = pl.when(has_readings).then(pl.col("ts_new"))
    return both.select(
        *(name for name in frame.columns if name not in {*_NEWEST, "last_seen_at", *_MEANS}),
        **taken,
        reported_ths_new=pl.col("expected_ths"),
        last_seen_at=pl.max_horizontal("last_seen_at", seen),
        # values of one sample in place of 5-minute means; `hashrate_source` says so
        **{
            mean: pl.when(has_readings).then(pl.col(f"{newest}_new").cast(types[mean])).otherwise(pl.col(mean))
            for mean, newest in _MEANS.items()
        },
        hashrate_source=pl.when(is_newer).then(pl.lit("newest")).otherwise(pl.lit("5min_avg")),
        source=pl.when(is_newer).then(pl.lit("right_now")).otherwise(pl.lit("live")),
    ).with_columns(reported_ths=pl.coalesce("reported_ths_new", "reported_ths"))


async def _newest(right_now: RightNow, frame: pl.DataFrame, now: datetime) -> pl.DataFrame | None:
    """The newest samples of these machines in Redis, or None if Redis does not respond."""
    if frame.is_empty():
        return await right_now.read(0, [])
    samples = []
    for (site_id,), of_site in frame.group_by("site_id"):
        part = await right_now.read(int(str(site_id)), of_site["miner_id"].to_list())
        if part is None:
            return None
        samples.append(part)
    return pl.concat(samples).filter(pl.col("ts") > now - KEPT)
