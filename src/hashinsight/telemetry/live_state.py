"""The live columns evaluated at a time: age, state, rating, efficiency. Pure, on whole columns."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import polars as pl

from hashinsight.inventory.expected_hashrate import get_expected_hashrate
from hashinsight.telemetry import losses
from hashinsight.telemetry.layers import MEAN_OVER
from hashinsight.telemetry.states import SampleFlags, SampleStatus
from hashinsight.wire.freshness import DEFAULT_INTERVAL_SEC, freshness

_TIME = pl.Datetime("us", "UTC")
SCHEMA: dict[str, Any] = {
    "miner_no": pl.Int32,
    "miner_id": pl.String,
    "site_id": pl.Int32,
    "zone_id": pl.Int32,
    "zone": pl.String,
    "rack_id": pl.Int32,
    "rack": pl.String,
    "position": pl.String,
    "cooling": pl.String,
    "power_node_id": pl.Int32,
    "network_node_id": pl.Int32,
    "inventory_model": pl.String,
    "inventory_firmware": pl.String,
    "inventory_ths": pl.Float64,
    "inventory_source": pl.String,
    "heard_at": _TIME,
    "collector_no": pl.Int32,
    "interval_sec": pl.Int32,
    "ts": _TIME,
    "last_seen_at": _TIME,
    "status": pl.Int16,
    "flags": pl.Int16,
    "hashrate_5min_ths": pl.Float32,
    "hashrate_ths": pl.Float32,
    "hashrate_5s_ths": pl.Float32,
    "reported_ths": pl.Float32,
    "temp_c": pl.Float32,
    "temp_max_c": pl.Float32,
    "temp_min_c": pl.Float32,
    "fan_rpm": pl.Float32,
    "fan_min_rpm": pl.Float32,
    "power_w": pl.Float32,
    "voltage_v": pl.Float32,
    "frequency_mhz": pl.Float32,
    "reject_rate": pl.Float32,
    "pool_latency_ms": pl.Float32,
    "accepted": pl.Int64,
    "rejected": pl.Int64,
    "hw_errors": pl.Int64,
    "uptime_sec": pl.Int64,
    "boards_healthy": pl.Int16,
    "boards_total": pl.Int16,
    "reported_model": pl.String,
    "reported_firmware": pl.String,
    "pool_url": pl.String,
    "worker": pl.String,
    "pool_status": pl.String,
    "mode": pl.String,
    "state": pl.String,
    "error_type": pl.String,
    "error_message": pl.String,
    "overall_health": pl.String,
    "updated_at": _TIME,
    "power_5min_w": pl.Float32,
    "powered_5min_ths": pl.Float32,
    "inferred_mode": pl.String,
    "mode_share": pl.Float32,
    "recent_reject_rate": pl.Float32,
    "inferred_ths": pl.Float32,
    "expected_state": pl.String,
    "expected_ended_at": _TIME,
}
# the columns that `evaluate` reads
NEEDED = frozenset({
    "miner_no", "inventory_model", "inventory_firmware", "inventory_ths", "inventory_source", "heard_at", "ts",
    "interval_sec", "status", "flags", "hashrate_5min_ths", "reported_ths", "reject_rate", "accepted", "rejected",
    "reported_model", "reported_firmware", "overall_health", "hashrate_ths", "power_5min_w", "powered_5min_ths",
    "inferred_mode", "mode_share", "recent_reject_rate", "inferred_ths", "expected_state",
    "expected_ended_at",
})  # fmt: skip
_FLAGS = {
    "temp_sensor_fault": SampleFlags.TEMPERATURE_SENTINEL,
    "fan_sensor_fault": SampleFlags.FAN_SENTINEL,
    "units_mended": SampleFlags.UNITS_MENDED,
    "is_implausible": SampleFlags.IMPLAUSIBLE,
    "power_unknown": SampleFlags.POWER_UNKNOWN,
    "is_doubtful": SampleFlags.HASHRATE_DOUBTFUL,
    "temp_is_doubtful": SampleFlags.TEMPERATURE_DOUBTFUL,
}


def evaluate(frame: pl.DataFrame, *, as_of: datetime) -> pl.DataFrame:
    """Adds what follows from the live columns at `as_of`; unknown stays null."""
    if "source" not in frame.columns:  # set by the right-now overlay
        frame = frame.with_columns(source=pl.lit("live"), hashrate_source=pl.lit("5min_avg"))
    at = pl.lit(as_of).cast(_TIME)
    counted = pl.col("accepted") + pl.col("rejected")
    evaluated = (
        _given(_add_thresholds(frame))
        .with_columns(
            age_sec=(at - pl.col("ts")).dt.total_microseconds() / 1e6,
            model=pl.coalesce("inventory_model", "reported_model"),
            firmware=pl.coalesce("reported_firmware", "inventory_firmware"),
            overall_health=pl.col("overall_health").fill_null("unknown"),
            # of about the last hour; since boot until a cycle has seen two samples; as reported without counters
            reject_rate=pl.when(pl.col("recent_reject_rate").is_not_null() & counted.is_not_null())
            .then(pl.col("recent_reject_rate"))
            .when(counted > 0)
            .then(pl.col("rejected") / counted)
            .when(counted == 0)
            .then(0.0)
            .otherwise(pl.col("reject_rate")),
            efficiency_j_th=losses.efficiency_of_machine("power_5min_w", "powered_5min_ths", "hashrate_5min_ths"),
            **{name: (pl.col("flags") & flag.value) != 0 for name, flag in _FLAGS.items()},
        )
        .with_columns(data_reason=_reason(at))
        .with_columns(
            data_state=pl.col("data_reason").replace_strict(_STATES, return_dtype=pl.String),
            online=(pl.col("age_sec") < pl.col("offline_sec")) & (pl.col("status") != SampleStatus.OFFLINE),
            is_recovering=_ended_after(pl.col("ts") - MEAN_OVER),
            awaits_sample=_ended_after(pl.col("ts")) & (pl.col("age_sec") <= pl.col("stale_sec")),
        )
        .with_columns(online=pl.col("online").fill_null(value=False))
    )
    return losses.add_losses(evaluated)


def _ended_after(at: pl.Expr) -> pl.Expr:
    return (pl.col("expected_ended_at") > at).fill_null(value=False)


def as_of_bucket(live: pl.DataFrame, then: pl.DataFrame, bucket: datetime) -> pl.DataFrame:
    """Evaluated columns with the values of a 5-minute bucket in place of those of now.

    A machine that sent nothing in it is unknown, unless it was stopped on purpose: it may have had no power. Ratings,
    modes and places are those of now; past health is not stored.
    """
    both = live.drop("temp_max_c", "power_w", "hashrate_ths", "efficiency_j_th").join(then, on="miner_no", how="left")
    was_online = (pl.col("online_ratio") > 0).fill_null(value=False)
    return both.with_columns(
        online=was_online,
        data_state=pl.when(was_online)
        .then(pl.lit("fresh"))
        .when(pl.col("online_ratio").is_null() & pl.col("expected_state").is_null())
        .then(pl.lit("unknown"))
        .otherwise(pl.lit("offline")),
        hashrate_ths=pl.lit(None, dtype=pl.Float64),  # the newest sample of a bucket is not stored
        hashrate_5min_ths=pl.col("hashrate_ths"),
        is_recovering=_ended_after(pl.lit(bucket).cast(_TIME)),
        # a stop ended in this bucket, and its samples say offline: what it did after the stop is not known of it
        awaits_sample=_ended_after(pl.lit(bucket).cast(_TIME)) & (pl.col("online_ratio") == 0).fill_null(value=False),
        power_5min_w=pl.col("powered_w"),
        powered_5min_ths=pl.col("powered_ths"),
        efficiency_j_th=losses.efficiency_of_machine("powered_w", "powered_ths", "hashrate_ths"),
        ts=pl.when(pl.col("online_ratio").is_not_null()).then(pl.lit(bucket).cast(_TIME)),
        overall_health=pl.lit("unknown"),
    )


def _add_thresholds(frame: pl.DataFrame) -> pl.DataFrame:
    """The ages at which each machine is stale and offline, by its collection interval."""
    interval = pl.col("interval_sec").fill_null(DEFAULT_INTERVAL_SEC)
    intervals = frame["interval_sec"].fill_null(DEFAULT_INTERVAL_SEC).unique().to_list()  # a few, in any fleet
    limits = {interval_sec: freshness(interval_sec) for interval_sec in intervals}
    stale = {interval_sec: limit.stale_sec for interval_sec, limit in limits.items()}
    offline = {interval_sec: limit.offline_sec for interval_sec, limit in limits.items()}
    return frame.with_columns(stale_sec=_looked_up(interval, stale), offline_sec=_looked_up(interval, offline))


# the state of the data for each reason; while its collector is silent, nothing is known of a machine
_STATES = {
    "in_time": "fresh",
    "late": "stale",
    "says_offline": "offline",
    "no_samples": "offline",
    "collector_silent": "unknown",
    "never_seen": "unknown",
}


def _reason(at: pl.Expr) -> pl.Expr:
    is_old = pl.col("age_sec") >= pl.col("offline_sec")
    silent_sec = (at - pl.col("heard_at")).dt.total_microseconds() / 1e6
    # as in `problems.data_state`: samples are older than the call that delivered them
    is_heard = (silent_sec < pl.col("stale_sec")).fill_null(value=False)
    return (
        pl.when(pl.col("ts").is_null())
        .then(pl.lit("never_seen"))
        .when(is_old & ~is_heard)
        .then(pl.lit("collector_silent"))
        .when(pl.col("status") == SampleStatus.OFFLINE)
        .then(pl.lit("says_offline"))
        .when(is_old)
        .then(pl.lit("no_samples"))
        .when(pl.col("age_sec") > pl.col("stale_sec"))
        .then(pl.lit("late"))
        .otherwise(pl.lit("in_time"))
    )


def _given(frame: pl.DataFrame) -> pl.DataFrame:
    """What it should hash as given: by the operator, else the machine, else the catalogue, else its own long baseline.

    What the machine says may be the figure of its mode or power limit, so its nameplate is read without it.
    """
    models = frame["reported_model"].drop_nulls().unique().to_list()
    known = {model: get_expected_hashrate(model) for model in models}  # a few dozen, however many machines
    # a rating in the machine's own name ("S19j Pro (100T)") counts as reported by the machine
    stated = {model: rating.ths for model, rating in known.items() if rating.source == "operator"}
    rated = {model: rating.ths for model, rating in known.items() if rating.source == "catalogue"}
    kept = pl.col("inventory_source")
    named = pl.col("reported_model")
    ways = {
        "operator": pl.when(kept == "operator").then(pl.col("inventory_ths")),
        "reported": pl.coalesce(_known(pl.col("reported_ths").cast(pl.Float64)), _looked_up(named, stated)),
        "catalogue": pl.coalesce(
            pl.when(kept.is_in(["catalogue", "reported"])).then(pl.col("inventory_ths")), _looked_up(named, rated)
        ),
        "baseline": pl.when(kept == "baseline").then(pl.col("inventory_ths")),
    }
    nameplate = ways | {"reported": _looked_up(named, stated)}
    del nameplate["baseline"]
    return frame.with_columns(**_first("given", ways), **_first("nameplate", nameplate))


def _first(name: str, ways: Mapping[str, pl.Expr]) -> dict[str, pl.Expr]:
    """The first figure that is known, and which way it came."""
    return {
        f"{name}_ths": pl.coalesce(*ways.values()),
        f"{name}_source": pl.coalesce(*(pl.when(value.is_not_null()).then(pl.lit(way)) for way, value in ways.items())),
    }


def _known(column: pl.Expr) -> pl.Expr:
    """A reported rating of 0 is no rating."""
    return pl.when(column > 0).then(column)


def _looked_up(column: pl.Expr, known: Mapping[Any, float | None]) -> pl.Expr:
    return column.replace_strict(dict(known), default=None, return_dtype=pl.Float64)
