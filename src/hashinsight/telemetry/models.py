"""The tables of telemetry. `miner_no` keys them; views of the documented names show `miner_id`."""

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

_READINGS: tuple[tuple[str, Any], ...] = (
    ("hashrate_ths hashrate_5s_ths expected_ths temp_c temp_max_c temp_min_c temp_chip_max_c temp_board_max_c", REAL),
    ("fan_rpm fan_min_rpm power_w voltage_v current_a frequency_mhz reject_rate pool_latency_ms", REAL),
    ("accepted rejected hw_errors uptime_sec", BigInteger),
    ("boards_healthy boards_total", SmallInteger),
    ("chip_temps_c fan_speeds", ARRAY(REAL)),
    ("boards extra", JSONB),
    ("model firmware pool_url worker pool_status mode state error_type error_message temp_limits", Text),
)
READINGS = tuple(name for names, _ in _READINGS for name in names.split())
COUNTERS = ("accepted", "rejected", "hw_errors")
MEANS = ("hashrate", "temp", "power", "fan")
POWERED = ("powered_w_sum", "powered_ths_sum")


def _must(name: str, kind: Any) -> Column[Any]:
    return Column(name, kind, nullable=False)


def _when() -> DateTime:
    return DateTime(timezone=True)


def _owned() -> list[Column[Any]]:
    return [_must("tenant_id", Uuid), _must("site_id", Integer)]


def _reading_columns() -> list[Column[Any]]:
    return [Column(name, kind) for names, kind in _READINGS for name in names.split()]


RAW = Table(
    "telemetry_raw",
    metadata,
    _must("miner_no", Integer),
    _must("ts", _when()),
    *_owned(),
    _must("received_at", _when()),
    *(_must(name, SmallInteger) for name in ("upload_mode", "status", "flags")),
    *_reading_columns(),
    Column("collector_no", Integer),  # who brought it
    PrimaryKeyConstraint("miner_no", "ts", name="pk_telemetry_raw"),
    # ranges are summarised as they fill: before that, the newest bucket's rollup would read the whole hour
    Index("ix_telemetry_raw_ts", "ts", postgresql_using="brin", postgresql_with={"autosummarize": "on"}),
    postgresql_partition_by="RANGE (ts)",
)

TOUCHED = Table(
    "telemetry_touched",
    metadata,
    Column("id", BigInteger, Identity(), nullable=False),
    *_owned(),
    _must("layer", SmallInteger),
    _must("bucket_ts", _when()),
    PrimaryKeyConstraint("id", name="pk_telemetry_touched"),
)

LIVE = Table(
    "telemetry_live",
    metadata,
    _must("miner_no", Integer),
    *_owned(),
    _must("ts", _when()),
    Column("last_seen_at", _when()),
    _must("online", Boolean),
    _must("status", SmallInteger),
    _must("flags", SmallInteger),
    Column("hashrate_5min_ths", REAL),
    *_reading_columns(),
    Column("overall_health", Text),
    _must("updated_at", _when()),
    Column("collector_no", Integer),
    # of the samples of these five minutes that have both: never the watts of one time over the hashrate of another
    *(Column(name, REAL) for name in ("power_5min_w", "powered_5min_ths")),
    Column("inferred_mode", Text),  # as the newest cycle tells it, and what machines of its kind do in that mode:
    Column("mode_share", REAL),  # a share of what is rated; null where that is what it is rated for
    Column("recent_reject_rate", REAL),  # of about the last hour, as a cycle judges it; since boot says nothing of now
    Column("inferred_ths", REAL),  # what a cycle takes for its expected hashrate, where nobody says it
    PrimaryKeyConstraint("miner_no", name="pk_telemetry_live"),
    ForeignKeyConstraint(["miner_no"], ["miners.miner_no"], name="fk_telemetry_live_miner_no"),
    Index("ix_telemetry_live_site_id", "site_id", "miner_no"),
)


def _layer(table: str, time: str) -> Table:
    counters = [f"{name}_{part}" for name in COUNTERS for part in ("first", "last", "delta")]
    return Table(
        table,
        metadata,
        _must("miner_no", Integer),
        _must(time, _when()),
        *_owned(),
        *(_must(name, Integer) for name in ("samples", "online_samples")),
        *(_must(f"{name}_n", Integer) for name in MEANS),
        *(_must(f"{name}_sum", Double) for name in MEANS),
        *(Column(name, REAL) for name in ("hashrate_min", "hashrate_max", "temp_max", "power_max", "fan_min")),
        *(Column(name, BigInteger) for name in counters),
        _must("created_at", _when()),
        # of the online samples that have both, as in the live layer; null in rows from before they were kept
        *(Column(name, REAL) for name in POWERED),
        # a machine that moved has samples of both sites in one day: each site keeps its own
        PrimaryKeyConstraint("miner_no", time, "site_id", name=f"pk_{table}"),
        Index(f"ix_{table}_site_id", "site_id", time),
        postgresql_partition_by=f"RANGE ({time})",
    )


FIVE_MINUTES = _layer("telemetry_5min", "bucket_ts")
HOURS = _layer("telemetry_hour", "hour_ts")
DAYS = _layer("telemetry_day", "day")
