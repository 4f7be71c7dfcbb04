"""The tables of telemetry. `miner_no` keys them; views with the documented names show `miner_id`."""

from typing import Any

from sqlalchemy import (
    ARRAY,
    REAL,
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Double,
    ForeignKeyConstraint,
    Identity,
    Index,
    Integer,
    PrimaryKeyConstraint,
    SmallInteger,
    Table,
    Text,
    Uuid,
)
from sqlalchemy.dialects.postgresql import JSONB

from hashinsight.kit.db.metadata import metadata

_TIME = DateTime(timezone=True)


def _reading_columns() -> list[Column[Any]]:
    """The readings of a sample, in the raw table and in the live layer."""
    return [
        Column("hashrate_ths", REAL),
        Column("hashrate_5s_ths", REAL),
        Column("expected_ths", REAL),
        Column("temp_c", REAL),
        Column("temp_max_c", REAL),
        Column("temp_min_c", REAL),
        Column("temp_chip_max_c", REAL),
        Column("temp_board_max_c", REAL),
        Column("fan_rpm", REAL),
        Column("fan_min_rpm", REAL),
        Column("power_w", REAL),
        Column("voltage_v", REAL),
        Column("current_a", REAL),
        Column("frequency_mhz", REAL),
        Column("reject_rate", REAL),
        Column("pool_latency_ms", REAL),
        Column("accepted", BigInteger),
        Column("rejected", BigInteger),
        Column("hw_errors", BigInteger),
        Column("uptime_sec", BigInteger),
        Column("boards_healthy", SmallInteger),
        Column("boards_total", SmallInteger),
        Column("chip_temps_c", ARRAY(REAL)),
        Column("fan_speeds", ARRAY(REAL)),
        Column("boards", JSONB),
        Column("extra", JSONB),
        Column("model", Text),
        Column("firmware", Text),
        Column("pool_url", Text),
        Column("worker", Text),
        Column("pool_status", Text),
        Column("mode", Text),
        Column("state", Text),
        Column("error_type", Text),
        Column("error_message", Text),
        Column("temp_limits", Text),
    ]


READINGS = tuple(column.name for column in _reading_columns())

RAW = Table(
    "telemetry_raw",
    metadata,
    Column("miner_no", Integer, nullable=False),
    Column("ts", _TIME, nullable=False),
    Column("tenant_id", Uuid, nullable=False),
    Column("site_id", Integer, nullable=False),
    Column("received_at", _TIME, nullable=False),
    Column("upload_mode", SmallInteger, nullable=False),
    Column("status", SmallInteger, nullable=False),
    Column("flags", SmallInteger, nullable=False),
    *_reading_columns(),
    Column("collector_no", Integer),  # the sender
    PrimaryKeyConstraint("miner_no", "ts", name="pk_telemetry_raw"),
    # summarised as ranges fill: before that, the rollup of the newest bucket would read the whole hour
    Index("ix_telemetry_raw_ts", "ts", postgresql_using="brin", postgresql_with={"autosummarize": "on"}),
    postgresql_partition_by="RANGE (ts)",
)

TOUCHED = Table(
    "telemetry_touched",
    metadata,
    Column("id", BigInteger, Identity(), nullable=False),
    Column("tenant_id", Uuid, nullable=False),
    Column("site_id", Integer, nullable=False),
    Column("layer", SmallInteger, nullable=False),
    Column("bucket_ts", _TIME, nullable=False),
    PrimaryKeyConstraint("id", name="pk_telemetry_touched"),
)

LIVE = Table(
    "telemetry_live",
    metadata,
    Column("miner_no", Integer, nullable=False),
    Column("tenant_id", Uuid, nullable=False),
    Column("site_id", Integer, nullable=False),
    Column("ts", _TIME, nullable=False),
    Column("last_seen_at", _TIME),
    Column("online", Boolean, nullable=False),
    Column("status", SmallInteger, nullable=False),
    Column("flags", SmallInteger, nullable=False),
    Column("hashrate_5min_ths", REAL),
    *_reading_columns(),
    Column("overall_health", Text),
    Column("updated_at", _TIME, nullable=False),
    Column("collector_no", Integer),
    # only of samples of these five minutes that have both: power and hashrate of the same time
    Column("power_5min_w", REAL),
    Column("powered_5min_ths", REAL),
    # written by the problem cycle:
    Column("inferred_mode", Text),
    Column("mode_share", REAL),  # of the rating, for machines of this model in this mode; null: all of it
    Column("recent_reject_rate", REAL),  # of about the last hour; the counters are since boot
    Column("inferred_ths", REAL),  # the expected hashrate where no rating is known
    PrimaryKeyConstraint("miner_no", name="pk_telemetry_live"),
    ForeignKeyConstraint(["miner_no"], ["miners.miner_no"], name="fk_telemetry_live_miner_no"),
    Index("ix_telemetry_live_site_id", "site_id", "miner_no"),
)


def _layer(table: str, time: str) -> Table:
    return Table(
        table,
        metadata,
        Column("miner_no", Integer, nullable=False),
        Column(time, _TIME, nullable=False),
        Column("tenant_id", Uuid, nullable=False),
        Column("site_id", Integer, nullable=False),
        Column("samples", Integer, nullable=False),
        Column("online_samples", Integer, nullable=False),
        Column("hashrate_n", Integer, nullable=False),
        Column("temp_n", Integer, nullable=False),
        Column("power_n", Integer, nullable=False),
        Column("fan_n", Integer, nullable=False),
        Column("hashrate_sum", Double, nullable=False),
        Column("temp_sum", Double, nullable=False),
        Column("power_sum", Double, nullable=False),
        Column("fan_sum", Double, nullable=False),
        Column("hashrate_min", REAL),
        Column("hashrate_max", REAL),
        Column("temp_max", REAL),
        Column("power_max", REAL),
        Column("fan_min", REAL),
        Column("accepted_first", BigInteger),
        Column("accepted_last", BigInteger),
        Column("accepted_delta", BigInteger),
        Column("rejected_first", BigInteger),
        Column("rejected_last", BigInteger),
        Column("rejected_delta", BigInteger),
        Column("hw_errors_first", BigInteger),
        Column("hw_errors_last", BigInteger),
        Column("hw_errors_delta", BigInteger),
        Column("created_at", _TIME, nullable=False),
        # only of online samples that have both, as in the live layer; null in rows from before they were stored
        Column("powered_w_sum", REAL),
        Column("powered_ths_sum", REAL),
        # a machine that moved has samples of both sites in one day: each site keeps its own
        PrimaryKeyConstraint("miner_no", time, "site_id", name=f"pk_{table}"),
        Index(f"ix_{table}_site_id", "site_id", time),
        postgresql_partition_by=f"RANGE ({time})",
    )


FIVE_MINUTES = _layer("telemetry_5min", "bucket_ts")
HOURS = _layer("telemetry_hour", "hour_ts")
DAYS = _layer("telemetry_day", "day")
