"""Whole fleets in one answer: sites with their sums, every machine of a site as columns, and the day behind them."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec
import polars as pl

from hashinsight.identity.scope import Scope
from hashinsight.inventory.models import Site
from hashinsight.kit.db.database import Database
from hashinsight.kit.errors import ValidationFailed
from hashinsight.telemetry.layers import LENGTH, Layer, floor
from hashinsight.telemetry.queries.live import live_frame
from hashinsight.telemetry.queries.overview import bucket_frame, trend_frame
from hashinsight.telemetry.queries.sensors import sensors_frame
from hashinsight.telemetry.states import Flags

DAY = timedelta(hours=24)
_SHORT = 0.1  # of what is expected of a machine: more than this it lacks, less may be the luck of five minutes
# above this many points of a site a trend is read from hours: a day of 20,000 machines is 5.8 million rows
_FINE_POINTS = 700_000
_NAMED = ("zone", "rack", "model", "firmware", "data_state", "data_reason", "overall_health")
_ROUNDED = {"hashrate_ths": 2, "expected_ths": 2, "temp_max_c": 1, "temp_other_c": 1}
_ROUNDED |= {"power_w": 0, "efficiency_j_th": 2, "age_sec": 0}


async def tell_sites(database: Database, scope: Scope, sites: Sequence[Site], *, now: datetime) -> bytes:
    """Sums a site, over what is known: a machine without a figure adds nothing, and is counted as unknown."""
    frame = await live_frame(database, scope, as_of=now)
    is_told = pl.col("online") & pl.col("hashrate_5min_ths").is_not_null()
    is_known = is_told | (pl.col("data_state") == "offline")
    lack = pl.when(is_known).then(pl.col("expected_ths") - pl.when(is_told).then("hashrate_5min_ths").otherwise(0))
    frame = frame.with_columns(lack=lack.cast(pl.Float64))
    is_short = pl.col("lack") > _SHORT * pl.col("expected_ths")
    sums = frame.group_by("site_id").agg(
        machines=pl.len(),
        online=pl.col("online").sum(),
        unknown=(pl.col("data_state").is_in(["unknown", "stale"])).sum(),
        hashrate_ths=pl.col("hashrate_5min_ths").filter(pl.col("online")).cast(pl.Float64).sum(),
        expected_ths=pl.col("expected_ths").sum(),
        # what of it nobody can say: one that is known to be offline gives nothing, one that is not heard of may hash
        expected_unknown_ths=pl.col("expected_ths").filter(~is_known).sum(),
        # what others have too much does not make up for a machine that stands; what all lack a little is lost, too
        lost_ths=pl.max_horizontal(pl.col("lack").sum(), pl.col("lack").filter(is_short).sum(), pl.lit(0.0)),
        power_w=pl.col("power_w").filter(pl.col("online")).cast(pl.Float64).sum(),
        power_unknown=(pl.col("power_w").is_null() & pl.col("online")).sum(),
        hottest_c=pl.col("temp_max_c").filter(pl.col("online")).cast(pl.Float64).max(),
        newest_at=pl.col("ts").max(),
        updated_at=pl.col("updated_at").max(),
        zones=pl.col("zone").n_unique(),
    )
    known = {row["site_id"]: row for row in sums.iter_rows(named=True)}
    shown = [_site(site) | _summed(known.get(site.id)) for site in sites]
    return msgspec.json.encode({"sites": shown, "_meta": {"as_of": now, "source": "live"}})


async def tell_cells(database: Database, scope: Scope, site: Site, at: datetime | None, *, now: datetime) -> bytes:
    if at is None:
        return await _cells_now(database, scope, site, now)
    if not now - DAY - LENGTH[Layer.FIVE_MINUTES] <= at <= now:
        raise ValidationFailed("`at` lies within the last 24 hours")
    bucket = floor(at, Layer.FIVE_MINUTES)
    frame = (await bucket_frame(database, scope, site.id, bucket)).sort("miner_no")
    columns = {name: _numbers(frame, name) for name in ("hashrate_ths", "temp_max_c", "power_w")}
    columns |= {"miner_no": frame["miner_no"].to_list(), "online_ratio": frame["online_ratio"].round(3).to_list()}
    meta = {"as_of": now, "bucket": bucket, "source": "telemetry_history_5min", "site_id": site.id}
    return msgspec.json.encode({"machines": frame.height, "columns": columns, "_meta": meta})


async def tell_trend(
    database: Database, scope: Scope, machines: Mapping[int, int], hours: int, *, now: datetime
) -> bytes:
    """`machines`: how many there are at each site; the large ones are told by hours."""
    fine = [site for site, n in machines.items() if n * hours * 12 <= _FINE_POINTS]
    coarse = [site for site in machines if site not in fine]
    series = [
        *(await _trend(database, scope, fine, hours, Layer.FIVE_MINUTES, now=now)),
        *(await _trend(database, scope, coarse, hours, Layer.HOUR, now=now)),
    ]
    meta = {"as_of": now, "start": now - timedelta(hours=hours), "end": now}
    return msgspec.json.encode({"series": sorted(series, key=lambda one: int(one["site_id"])), "_meta": meta})


async def _trend(
    database: Database, scope: Scope, sites: Sequence[int], hours: int, layer: Layer, *, now: datetime
) -> list[dict[str, Any]]:
    if not sites:
        return []
    end, fine = floor(now, layer), layer is Layer.FIVE_MINUTES
    frame = await trend_frame(database, scope, end - timedelta(hours=hours), end, fine=fine, sites=sites)
    series = []
    for (site_id,), part in frame.group_by("site_id", maintain_order=True):
        columns = {name: _numbers(part, name) for name in ("hashrate_ths", "power_w", "temp_max_c", "online")}
        told = {"site_id": site_id, "resolution": "5min" if fine else "hourly", "ts": part["ts"].to_list()}
        series.append(told | columns)
    return series


async def _cells_now(database: Database, scope: Scope, site: Site, now: datetime) -> bytes:
    live, sensors = await asyncio.gather(
        live_frame(database, scope, as_of=now, site_id=site.id),
        sensors_frame(database, scope.context(read_only=True), site.id),
    )
    frame = live.join(sensors, on="miner_no", how="left").sort("miner_id")
    at_chip, at_board = ((pl.col("flags") & flag.value) != 0 for flag in (Flags.CHIP_SENSOR, Flags.BOARD_SENSOR))
    frame = frame.with_columns(
        hashrate_ths=pl.col("hashrate_5min_ths"),
        temp_other_c=pl.when(at_chip).then("temp_board_max_c").when(at_board).then("temp_chip_max_c"),
    )
    columns: dict[str, Any] = {name: _numbers(frame, name) for name in _ROUNDED}
    columns |= {
        name: frame[name].to_list() for name in ("miner_no", "miner_id", "position", "online", "boards_healthy")
    }
    columns["boards_total"] = frame["boards_total"].to_list()
    names = {name: _coded(frame[name]) for name in _NAMED}
    meta = {"as_of": now, "bucket": None, "source": "live", "site_id": site.id}
    shown = {"machines": frame.height, "columns": columns, "named": names, "_meta": meta}
    return msgspec.json.encode(shown)


def _numbers(frame: pl.DataFrame, name: str) -> list[float | None]:
    return frame[name].cast(pl.Float64).round(_ROUNDED.get(name, 2)).to_list()


def _coded(column: pl.Series) -> dict[str, list[Any]]:
    """Each word once, and its number for each machine; -1 is nobody's."""
    words = column.drop_nulls().unique().sort()
    numbers = {word: number for number, word in enumerate(words.to_list())}
    coded = (
        column.replace_strict(numbers, default=-1, return_dtype=pl.Int32) if numbers else pl.Series([-1] * len(column))
    )
    return {"words": words.to_list(), "index": coded.fill_null(-1).to_list()}


def _site(site: Site) -> dict[str, Any]:
    return {"site_id": site.id, "code": site.code, "name": site.name, "timezone": site.timezone}


def _summed(found: dict[str, Any] | None) -> dict[str, Any]:
    """A site without machines says so; its sums are not known, and not 0."""
    if found is None:
        sums = ("hashrate_ths", "expected_ths", "expected_unknown_ths", "lost_ths", "power_w", "efficiency_j_th")
        nothing = (*sums, "hottest_c", "newest_at", "updated_at")
        counts = ("machines", "online", "unknown", "power_unknown", "zones")
        return dict.fromkeys(counts, 0) | dict.fromkeys(nothing)
    hashing, power = found["hashrate_ths"], found["power_w"]
    return {name: value for name, value in found.items() if name != "site_id"} | {
        "efficiency_j_th": power / hashing if hashing and power and not found["power_unknown"] else None
    }
