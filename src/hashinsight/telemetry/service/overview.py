"""Whole sites in one answer: totals, every machine as columns for the map, trends of the last day."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import polars as pl

from hashinsight.identity.scope import Scope
from hashinsight.inventory.queries.tables import Site
from hashinsight.kit.db.database import Database
from hashinsight.kit.errors import ValidationFailed
from hashinsight.telemetry import losses
from hashinsight.telemetry.layers import LENGTH, Layer, bucket_start
from hashinsight.telemetry.live_rows import current_readings
from hashinsight.telemetry.live_state import as_of_bucket
from hashinsight.telemetry.queries.history import bucket_frame, trend_frame
from hashinsight.telemetry.queries.live import live_frame, sensors_frame
from hashinsight.telemetry.states import SampleFlags

DAY = timedelta(hours=24)
# a trend of more points is read from hours: a day of 20,000 machines is 5.8 million rows
_MAX_FINE_POINTS = 700_000
_NAMED = (
    *("zone", "rack", "model", "firmware", "data_state", "data_reason", "overall_health", "condition"),
    *("inferred_mode", "expected_state"),
)
_ROUNDED = {"hashrate_ths": 2, "expected_ths": 2, "temp_max_c": 1, "temp_other_c": 1}
_ROUNDED |= {"power_w": 0, "efficiency_j_th": 2, "age_sec": 0}
_PAST_COLUMNS = ("hashrate_ths", "expected_ths", "temp_max_c", "power_w", "efficiency_j_th")
_TOTALLED = ("site_id", "zone", "temp_max_c", "power_w", "updated_at")  # besides what `evaluate` needs


@dataclass(frozen=True)
class SitePart:
    """A zone of a site, a past time, or both."""

    zone: str | None = None
    at: datetime | None = None


async def get_site_totals(
    database: Database, scope: Scope, sites: Sequence[Site], part: SitePart | None = None, *, now: datetime
) -> dict[str, Any]:
    """As `schemas.overview.SitesAnswer`: totals of each site, or of a part of one."""
    bucket = None if part is None else _bucket(part.at, now)
    frame = await _machines(database, scope, sites[0].id if part else None, bucket, now=now)
    if part is not None and part.zone is not None:
        frame = frame.filter(pl.col("zone") == part.zone)
    sums = {row["site_id"]: row for row in losses.sum_up(frame, "site_id").iter_rows(named=True)}
    # the efficiency of a fleet does not follow from those of its sites
    fleet = losses.totals_answer(next(losses.sum_up(frame, pl.lit(0).alias("fleet")).iter_rows(named=True), None))
    return {
        "sites": [_site(site) | losses.totals_answer(sums.get(site.id), judged=bucket is None) for site in sites],
        "fleet": {name: fleet[name] for name in ("efficiency_j_th", "efficiency_left_out")},
        "_meta": {"as_of": now, "bucket": bucket, "zone": part.zone if part else None, "source": _source(bucket)},
    }


async def get_past_cells(
    database: Database, scope: Scope, site: Site, at: datetime, *, now: datetime
) -> dict[str, Any]:
    """As `schemas.overview.PastCellsAnswer`."""
    bucket = _bucket(at, now)
    machines = await _machines(database, scope, site.id, bucket, now=now)
    frame = current_readings(machines.filter(pl.col("online_ratio").is_not_null()).sort("miner_no"))
    frame = frame.with_columns(hashrate_ths=pl.col("delivered_ths"))
    columns: dict[str, Any] = {name: _numbers(frame, name) for name in _PAST_COLUMNS}
    columns |= {"miner_no": frame["miner_no"].to_list(), "online_ratio": frame["online_ratio"].round(3).to_list()}
    columns["stopped"] = _stopped(machines)  # also machines that sent nothing in the bucket
    meta = {"as_of": now, "bucket": bucket, "source": _source(bucket), "site_id": site.id}
    return {"machines": frame.height, "columns": columns, "_meta": meta}


async def _machines(
    database: Database, scope: Scope, site_id: int | None, bucket: datetime | None, *, now: datetime
) -> pl.DataFrame:
    """With their losses, now or in a bucket; a bucket is compared with what was expected then."""
    if bucket is None or site_id is None:
        return await live_frame(database, scope, as_of=now, site_id=site_id, only=_TOTALLED)
    ends = bucket + LENGTH[Layer.FIVE_MINUTES]
    live, then = await asyncio.gather(
        live_frame(database, scope, as_of=ends, site_id=site_id, only=_TOTALLED),
        bucket_frame(database, scope, site_id, bucket),
    )
    return losses.add_losses(as_of_bucket(live, then, bucket))


async def get_trend(
    database: Database, scope: Scope, machines: Mapping[int, int], hours: int, *, now: datetime
) -> dict[str, Any]:
    """As `schemas.overview.TrendAnswer`. `machines`: how many each site has; large sites get hourly points."""
    fine = [site for site, n in machines.items() if n * hours * 12 <= _MAX_FINE_POINTS]
    coarse = [site for site in machines if site not in fine]
    series = [
        *(await _trend(database, scope, fine, hours, Layer.FIVE_MINUTES, now=now)),
        *(await _trend(database, scope, coarse, hours, Layer.HOUR, now=now)),
    ]
    meta = {"as_of": now, "start": now - timedelta(hours=hours), "end": now}
    return {"series": sorted(series, key=lambda entry: int(entry["site_id"])), "_meta": meta}


async def _trend(
    database: Database, scope: Scope, sites: Sequence[int], hours: int, layer: Layer, *, now: datetime
) -> list[dict[str, Any]]:
    if not sites:
        return []
    end, fine = bucket_start(now, layer), layer is Layer.FIVE_MINUTES
    frame = await trend_frame(database, scope, end - timedelta(hours=hours), end, fine=fine, sites=sites)
    series = []
    for (site_id,), part in frame.group_by("site_id", maintain_order=True):
        columns = {name: _numbers(part, name) for name in ("hashrate_ths", "power_w", "temp_max_c", "online")}
        entry = {"site_id": site_id, "resolution": "5min" if fine else "hourly", "ts": part["ts"].to_list()}
        series.append(entry | columns)
    return series


async def get_cells(database: Database, scope: Scope, site: Site, *, now: datetime) -> dict[str, Any]:
    """As `schemas.overview.CellsAnswer`."""
    live, sensors = await asyncio.gather(
        live_frame(database, scope, as_of=now, site_id=site.id),
        sensors_frame(database, scope.context(read_only=True), site.id),
    )
    frame = current_readings(live.join(sensors, on="miner_no", how="left").sort("miner_id"))
    at_chip, at_board = (
        (pl.col("flags") & flag.value) != 0 for flag in (SampleFlags.CHIP_SENSOR, SampleFlags.BOARD_SENSOR)
    )
    frame = frame.with_columns(
        hashrate_ths=pl.col("delivered_ths"),
        temp_other_c=pl.when(at_chip).then("temp_board_max_c").when(at_board).then("temp_chip_max_c"),
    )
    columns: dict[str, Any] = {name: _numbers(frame, name) for name in _ROUNDED}
    columns |= {
        name: frame[name].to_list() for name in ("miner_no", "miner_id", "position", "online", "boards_healthy")
    }
    columns |= {"boards_total": frame["boards_total"].to_list(), "stopped": _stopped(live)}
    names = {name: _coded(frame[name]) for name in _NAMED}
    meta = {"as_of": now, "bucket": None, "source": "live", "site_id": site.id}
    return {"machines": frame.height, "columns": columns, "named": names, "_meta": meta}


def _stopped(machines: pl.DataFrame) -> list[int]:
    """Machines stopped on purpose, whatever else is wrong with them."""
    return machines.filter("is_stopped")["miner_no"].sort().to_list()


def _numbers(frame: pl.DataFrame, name: str) -> list[float | None]:
    return frame[name].cast(pl.Float64).round(_ROUNDED.get(name, 2)).to_list()


def _coded(column: pl.Series) -> dict[str, list[Any]]:
    """Each word once, and its position for each machine; -1 for none."""
    words = column.drop_nulls().unique().sort()
    numbers = {word: number for number, word in enumerate(words.to_list())}
    coded = (
        column.replace_strict(numbers, default=-1, return_dtype=pl.Int32) if numbers else pl.Series([-1] * len(column))
    )
    return {"words": words.to_list(), "index": coded.fill_null(-1).to_list()}


def _site(site: Site) -> dict[str, Any]:
    return {"site_id": site.id, "code": site.code, "name": site.name, "timezone": site.timezone}


def _bucket(at: datetime | None, now: datetime) -> datetime | None:
    if at is not None and not now - DAY - LENGTH[Layer.FIVE_MINUTES] <= at <= now:
        raise ValidationFailed("at must be within the last 24 hours")
    return None if at is None else bucket_start(at, Layer.FIVE_MINUTES)


def _source(bucket: datetime | None) -> str:
    return "live" if bucket is None else "telemetry_history_5min"
