"""Evaluated live columns as answers show them: JSON rows and CSV lines; no current readings unless online. Pure."""

from typing import Any

import polars as pl

from hashinsight.telemetry import losses
from hashinsight.telemetry.states import SampleStatus

_DIGITS = 4
_STATUS = {
    SampleStatus.OFFLINE.value: "offline",
    SampleStatus.ONLINE.value: "online",
    SampleStatus.ERROR.value: "error",
}
# sensor readings, which a machine that is not online does not have
_READINGS = (
    "hashrate_ths", "hashrate_5s_ths", "power_w", "efficiency_j_th", "temp_c", "temp_max_c", "temp_min_c",
    "temp_chip_max_c", "temp_board_max_c", "fan_rpm", "fan_min_rpm", "voltage_v", "frequency_mhz",
)  # fmt: skip
_CSV_COLUMNS = {
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


def current_readings(frame: pl.DataFrame) -> pl.DataFrame:
    """Evaluated columns as every answer shows them: a machine that is not online has no readings.

    What it delivers and its condition come from `losses.add_losses`; its last values are `last_reported`.
    """
    readings = [name for name in _READINGS if name in frame.columns]
    return frame.with_columns(
        *(pl.when("online").then(name).alias(name) for name in readings), overall_health=losses.health_word()
    )


def last_reported() -> pl.Expr:
    """The last values of a machine that is not online, with their time. On columns before `current_readings`."""
    values = {
        "hashrate_ths": "hashrate_5min_ths",
        "power_w": "power_5min_w",
        "efficiency_j_th": "efficiency_j_th",
    }
    reported = pl.struct(
        pl.col("last_seen_at").alias("at"),
        *(rounded(column).alias(name) for name, column in values.items()),
    )
    return pl.when(~pl.col("online") & pl.col("last_seen_at").is_not_null()).then(reported)


def live_rows(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """Evaluated columns as rows of `schemas.live.LiveMachine`."""
    frame = current_readings(frame.with_columns(last_reported=last_reported()))
    return frame.select(
        "site_id",
        "miner_id",
        "zone",
        "rack",
        hardware=pl.struct("model", "firmware", "boards_healthy", "boards_total"),
        hashrate=pl.struct(
            rounded("delivered_ths").alias("value"),
            rounded("expected_ths").alias("expected_ths"),
            pl.lit("TH/s").alias("unit"),
            pl.col("hashrate_source").alias("source"),
            "expected_source",
            rounded("hashrate_ths").alias("newest_ths"),
            rounded("rated_ths").alias("rated_ths"),
            "rated_source",
            rounded("reference_ths").alias("reference_ths"),
            rounded("stopped_ths").alias("stopped_ths"),
        ),
        last_reported="last_reported",
        temperature=pl.struct(
            rounded("temp_c").alias("avg"),
            rounded("temp_max_c").alias("max"),
            pl.lit("C").alias("unit"),
            pl.col("temp_sensor_fault").alias("sensor_fault"),
        ),
        power=pl.struct(rounded("power_w").alias("value"), pl.lit("W").alias("unit")),
        efficiency=pl.struct(rounded("efficiency_j_th").alias("value"), pl.lit("J/TH").alias("unit")),
        fan=pl.struct(
            rounded("fan_rpm").alias("avg"),
            rounded("fan_min_rpm").alias("min"),
            pl.lit("rpm").alias("unit"),
            pl.col("fan_sensor_fault").alias("sensor_fault"),
        ),
        reject=pl.struct(rounded("reject_rate").alias("rate"), "accepted", "rejected"),
        hardware_errors="hw_errors",
        uptime_seconds="uptime_sec",
        pool=pl.struct(
            pl.col("pool_url").alias("url"),
            "worker",
            pl.col("pool_status").alias("status"),
            rounded("pool_latency_ms").alias("latency_ms"),
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


def csv_lines(frame: pl.DataFrame, *, is_first: bool) -> str:
    frame = current_readings(frame.with_columns(last_reported_ths=last_reported().struct.field("hashrate_ths")))
    texts = [name for name in _CSV_COLUMNS.values() if frame.schema[name] == pl.String]
    # texts of machines must not start like a formula
    safe = [pl.col(name).str.replace(r"^([=+\-@\t\r])", "'$1") for name in texts]
    columns = frame.with_columns(*safe).select(**{name: pl.col(column) for name, column in _CSV_COLUMNS.items()})
    return columns.write_csv(include_header=is_first, line_terminator="\r\n", datetime_format="%Y-%m-%dT%H:%M:%SZ")


def rounded(name: str) -> pl.Expr:
    return pl.col(name).cast(pl.Float64).round(_DIGITS)


def _doubts() -> pl.Expr:
    """What was corrected or left out in the newest sample."""
    words = {
        "units_mended": "hashrate_units_mended",
        "is_implausible": "hashrate_implausible",
        "power_unknown": "power_unknown",
        "is_doubtful": "hashrate_doubtful",
    }
    doubts = [pl.when(pl.col(name)).then(pl.lit(word)) for name, word in words.items()]
    known = pl.when(pl.col("temp_max_c").is_null()).then(pl.lit("temperature_unknown"))
    doubts.append(pl.when(pl.col("temp_is_doubtful")).then(known.otherwise(pl.lit("temperature_doubtful"))))
    return pl.concat_list(doubts).list.drop_nulls()
