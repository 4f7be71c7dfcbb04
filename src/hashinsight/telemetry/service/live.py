"""Reading the live layer: each machine in the one shape that everything above reads, and the right-now view over it."""

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
from hashinsight.telemetry.live_state import evaluate
from hashinsight.telemetry.queries.live import get_live_of_machine, list_live
from hashinsight.telemetry.readings import last_reported, of_now
from hashinsight.telemetry.right_now import KEPT, RightNow
from hashinsight.telemetry.states import SampleStatus
from hashinsight.wire.freshness import Freshness, freshness

_SHOWN_DIGITS = 4
_STATUS = {
    SampleStatus.OFFLINE.value: "offline",
    SampleStatus.ONLINE.value: "online",
    SampleStatus.ERROR.value: "error",
}
# what the newest sample brings along; the rest stays as the live layer has it
_BROUGHT = (
    *("hashrate_ths", "hashrate_5s_ths", "temp_c", "temp_max_c", "temp_min_c", "fan_rpm", "fan_min_rpm", "power_w"),
    *("voltage_v", "frequency_mhz", "reject_rate", "pool_latency_ms", "accepted", "rejected", "hw_errors"),
    *("uptime_sec", "boards_healthy", "boards_total", "status", "flags", "ts"),
)
_MEANS = {"hashrate_5min_ths": "hashrate_ths", "power_5min_w": "power_w", "powered_5min_ths": "hashrate_ths"}
_FILE = {
    **{name: name for name in ("site_id", "miner_id", "zone", "rack", "model", "firmware", "online")},
    "state": "data_state",
    "last_seen": "last_seen_at",
    "sample_at": "ts",
    "age_sec": "age_sec",
    "source": "source",
    "hashrate_ths": "delivered_ths",
    **{name: name for name in ("expected_ths", "expected_source", "temp_c", "temp_max_c", "power_w")},
    **{name: name for name in ("efficiency_j_th", "fan_rpm", "reject_rate", "accepted", "rejected", "hw_errors")},
    **{name: name for name in ("boards_healthy", "boards_total", "error_message", "overall_health")},
    "mode": "inferred_mode",
    **{
        name: name
        for name in ("expected_state", "condition", "rated_ths", "rated_source", "reference_ths", "stopped_ths")
    },
    "last_reported_ths": "last_reported_ths",
}


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

    def miners(self) -> list[dict[str, Any]]:
        return live_rows(self.frame)

    @property
    def freshness(self) -> Freshness:
        """Of the machine with the longest collection interval."""
        slowest: Any = self.frame["interval_sec"].max()
        return freshness(slowest)

    def updated_at(self) -> datetime | None:
        found: Any = self.frame["updated_at"].max()
        return found if isinstance(found, datetime) else None


def live_rows(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """Judged columns in the documented shape. What nobody knows is null, never 0."""
    frame = of_now(frame.with_columns(last_reported=last_reported()))
    return frame.select(
        "site_id",
        "miner_id",
        "zone",
        "rack",
        hardware=pl.struct("model", "firmware", "boards_healthy", "boards_total"),
        hashrate=pl.struct(
            _rounded("delivered_ths").alias("value"),
            _rounded("expected_ths").alias("expected_ths"),
            pl.lit("TH/s").alias("unit"),
            pl.col("hashrate_source").alias("source"),
            "expected_source",
            _rounded("hashrate_ths").alias("newest_ths"),
            _rounded("rated_ths").alias("rated_ths"),
            "rated_source",
            _rounded("reference_ths").alias("reference_ths"),
            _rounded("stopped_ths").alias("stopped_ths"),
        ),
        last_reported="last_reported",
        temperature=pl.struct(
            _rounded("temp_c").alias("avg"),
            _rounded("temp_max_c").alias("max"),
            pl.lit("C").alias("unit"),
            pl.col("temp_sensor_fault").alias("sensor_fault"),
        ),
        power=pl.struct(_rounded("power_w").alias("value"), pl.lit("W").alias("unit")),
        efficiency=pl.struct(_rounded("efficiency_j_th").alias("value"), pl.lit("J/TH").alias("unit")),
        fan=pl.struct(
            _rounded("fan_rpm").alias("avg"),
            _rounded("fan_min_rpm").alias("min"),
            pl.lit("rpm").alias("unit"),
            pl.col("fan_sensor_fault").alias("sensor_fault"),
        ),
        reject=pl.struct(_rounded("reject_rate").alias("rate"), "accepted", "rejected"),
        hardware_errors="hw_errors",
        uptime_seconds="uptime_sec",
        pool=pl.struct(
            pl.col("pool_url").alias("url"),
            "worker",
            pl.col("pool_status").alias("status"),
            _rounded("pool_latency_ms").alias("latency_ms"),
        ),
        error_message="error_message",
        overall_health="overall_health",
        condition="condition",
        mode="inferred_mode",
        expected_state="expected_state",
        online="online",
        status=pl.col("status").replace_strict(_STATUS, default=None, return_dtype=pl.String),
        last_seen="last_seen_at",
        sample_at="ts",
        age_sec=pl.col("age_sec").round(1),
        state="data_state",
        state_reason="data_reason",
        doubts=_doubts(),
        source="source",
    ).to_dicts()


async def get_live_page(
    session: AsyncSession, scope: Scope, wanted: LiveFilter, *, now: datetime, right_now: RightNow | None = None
) -> LivePage:
    """One page. With `right_now`, newer samples of Redis lie over the live layer, as far as Redis says some."""
    site_id = None if wanted.site is None else (await places.get_site(session, scope, wanted.site)).id
    miner_nos: Sequence[int] | None = None
    if wanted.miner_id is not None:
        miner_nos = [(await miners.get_miner(session, scope, wanted.miner_id, wanted.site)).miner.miner_no]
    frame, next_cursor = await list_live(
        session,
        scope,
        as_of=now,
        site_id=site_id,
        miner_nos=miner_nos,
        # over the live layer a machine may turn out otherwise: asked again below
        online=wanted.online if right_now is None else None,
        limit=wanted.limit,
        cursor=wanted.cursor,
    )
    newest = None if right_now is None else await _newest(right_now, frame, now)
    frame = evaluate(frame if newest is None else overlay_newest(frame, newest), as_of=now)
    if wanted.online is not None:
        frame = frame.filter(pl.col("online") == wanted.online)
    return LivePage(frame, next_cursor, "live" if newest is None else "right_now")


async def read_machine_state(
    session: AsyncSession, scope: Scope, miner_no: int, *, now: datetime, health: str | None = None
) -> dict[str, Any]:
    """The state of one machine and what is expected of it, as the live answer has it.

    `health` is what the registry says of it at this moment, where that is newer than the last scan.
    """
    live = await get_live_of_machine(session, scope, miner_no, as_of=now)
    if health is not None:
        live = live.with_columns(overall_health=pl.lit(health))
    judged = of_now(evaluate(live, as_of=now))
    words = ("condition", "overall_health", "online", "expected_state", "rated_source", "expected_source")
    shown = judged.select(*words, *map(_rounded, ("rated_ths", "reference_ths", "expected_ths", "stopped_ths")))
    return shown.row(0, named=True) if shown.height else dict.fromkeys(shown.columns)


async def live_lines(
    database: Database, scope: Scope, wanted: LiveFilter, *, now: datetime, right_now: RightNow | None = None
) -> AsyncIterator[str]:
    """All pages as CSV, each read in a short session of its own: a slow reader holds no connection."""
    is_first = True
    while True:
        async with database.reading(scope.context(read_only=True)) as session:
            part = await get_live_page(session, scope, wanted, now=now, right_now=right_now)
        yield await asyncio.to_thread(_csv_lines, part.frame, is_first=is_first)
        if part.next_cursor is None:
            return
        wanted, is_first = replace(wanted, cursor=part.next_cursor), False


def overlay_newest(frame: pl.DataFrame, newest: pl.DataFrame) -> pl.DataFrame:
    """The live columns with newer samples over them; an older or equal one changes nothing."""
    both = frame.join(newest, on=("site_id", "miner_id"), how="left", suffix="_new", maintain_order="left")
    is_newer = pl.col("ts_new").is_not_null() & (pl.col("ts").is_null() | (pl.col("ts_new") > pl.col("ts")))
    types = frame.schema
    taken = {
        name: pl.when(is_newer).then(pl.col(f"{name}_new").cast(types[name])).otherwise(pl.col(name))
        for name in _BROUGHT
    }
    # a sample that says offline brings no readings: the means stay what was last reported
    has_readings = is_newer & (pl.col("status_new") != SampleStatus.OFFLINE)
    seen = pl.when(has_readings).then(pl.col("ts_new"))
    return both.select(
        *(name for name in frame.columns if name not in {*_BROUGHT, "last_seen_at", *_MEANS}),
        **taken,
        reported_ths_new=pl.col("expected_ths"),
        last_seen_at=pl.max_horizontal("last_seen_at", seen),
        # of the moment, not of five minutes, and said so
        **{
            mean: pl.when(has_readings).then(pl.col(f"{newest}_new").cast(types[mean])).otherwise(pl.col(mean))
            for mean, newest in _MEANS.items()
        },
        hashrate_source=pl.when(is_newer).then(pl.lit("newest")).otherwise(pl.lit("5min_avg")),
        source=pl.when(is_newer).then(pl.lit("right_now")).otherwise(pl.lit("live")),
    ).with_columns(reported_ths=pl.coalesce("reported_ths_new", "reported_ths"))


async def _newest(right_now: RightNow, frame: pl.DataFrame, now: datetime) -> pl.DataFrame | None:
    """What Redis knows of a page's machines, or None when it does not answer."""
    if frame.is_empty():
        return await right_now.read(0, [])
    found = []
    for (site_id,), of_site in frame.group_by("site_id"):
        part = await right_now.read(int(str(site_id)), of_site["miner_id"].to_list())
        if part is None:
            return None
        found.append(part)
    return pl.concat(found).filter(pl.col("ts") > now - KEPT)


def _csv_lines(frame: pl.DataFrame, *, is_first: bool) -> str:
    frame = of_now(frame.with_columns(last_reported_ths=last_reported().struct.field("hashrate_ths")))
    texts = [name for name in _FILE.values() if frame.schema[name] == pl.String]
    # a machine's own words never begin like a formula
    safe = [pl.col(name).str.replace(r"^([=+\-@\t\r])", "'$1") for name in texts]
    shown = frame.with_columns(*safe).select(**{name: pl.col(column) for name, column in _FILE.items()})
    return shown.write_csv(include_header=is_first, line_terminator="\r\n", datetime_format="%Y-%m-%dT%H:%M:%SZ")


def _rounded(name: str) -> pl.Expr:
    return pl.col(name).cast(pl.Float64).round(_SHOWN_DIGITS)


def _doubts() -> pl.Expr:
    """What was mended or left out of the newest sample, in words."""
    words = {
        "units_mended": "hashrate_units_mended",
        "is_implausible": "hashrate_implausible",
        "power_unknown": "power_unknown",
        "is_doubtful": "hashrate_doubtful",
    }
    said = [pl.when(pl.col(name)).then(pl.lit(word)) for name, word in words.items()]
    known = pl.when(pl.col("temp_max_c").is_null()).then(pl.lit("temperature_unknown"))
    said.append(pl.when(pl.col("temp_is_doubtful")).then(known.otherwise(pl.lit("temperature_doubtful"))))
    return pl.concat_list(said).list.drop_nulls()
