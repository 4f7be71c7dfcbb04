"""The tables of cycles: the state of machines in chunks, the pulse of every problem, features and runs."""

from typing import Any

import numpy as np
from sqlalchemy import (
    ARRAY,
    REAL,
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Double,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    SmallInteger,
    Table,
    Uuid,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

from hashinsight.kit.db.metadata import metadata
from hashinsight.problems.state import FIELDS, PACKED

FEATURES = (
    "hashrate_ratio", "boards_ratio", "temp_max", "temp_load", "temp_spread", "efficiency", "fan_speed_min",
    "reject_rate", "hw_error_rate", "board_share_min", "volatility", "trend_slope", "residual_hashrate",
    "residual_eff", "residual_temp",
)  # fmt: skip
_KINDS: dict[Any, Any] = {np.float32: REAL, np.float64: Double, np.int8: SmallInteger, np.int64: BigInteger}

PULSE = Table(
    "problem_pulse",
    metadata,
    Column("problem_id", Uuid, nullable=False),
    Column("tenant_id", Uuid, nullable=False),
    Column("site_id", Integer, nullable=False),
    Column(
        "version", Integer, nullable=False
    ),  # incremented by every operator's action: a cycle that did not see it leaves the row alone
    Column("event_no", BigInteger, nullable=False),
    Column("subject", BigInteger, nullable=False),
    Column("issue", SmallInteger, nullable=False),
    Column("severity", SmallInteger, nullable=False),
    Column("status", SmallInteger, nullable=False),
    Column("start_ts", Double, nullable=False),
    Column("opened_ts", Double, nullable=False),
    Column("last_seen_ts", Double, nullable=False),
    Column("resolved_ts", Double, nullable=False),  # seconds since 1970, as the cycle counts
    Column("recurrences", Integer, nullable=False),
    Column("consecutive_ok", Integer, nullable=False),
    Column("consecutive_fail", Integer, nullable=False),
    Column("flap_since", Double, nullable=False),
    Column("flap_count", Integer, nullable=False),
    Column("flapping", Boolean, nullable=False),
    Column("notified", SmallInteger, nullable=False),
    Column("escalated", Boolean, nullable=False),
    Column("predecessor", BigInteger, nullable=False),
    PrimaryKeyConstraint("problem_id", name="pk_problem_pulse"),
    Index("ix_problem_pulse_site_id", "site_id"),
)

SITES = Table(
    "problem_sites",
    metadata,
    Column("site_id", Integer, nullable=False),
    Column("tenant_id", Uuid, nullable=False),
    Column("next_no", BigInteger, nullable=False),
    Column("cycled_at", DateTime(timezone=True)),
    Column("fitted_at", DateTime(timezone=True)),
    Column("modes", JSONB, nullable=False),
    Column("standing", LargeBinary),  # each machine's condition at the newest scan (`machine_health.pack_conditions`)
    PrimaryKeyConstraint("site_id", name="pk_problem_sites"),
    ForeignKeyConstraint(["tenant_id"], ["tenants.id"], name="fk_problem_sites_tenant_id"),
    ForeignKeyConstraint(["site_id"], ["sites.id"], name="fk_problem_sites_site_id"),
)

RUNS = Table(
    "problem_runs",
    metadata,
    Column("tenant_id", Uuid, nullable=False),
    Column("site_id", Integer, nullable=False),
    Column("period", DateTime(timezone=True), nullable=False),
    Column("ran_at", DateTime(timezone=True), nullable=False),
    Column("machines", Integer, nullable=False),
    Column("fresh", Integer, nullable=False),
    Column("stale", Integer, nullable=False),
    Column("offline", Integer, nullable=False),
    Column("unknown", Integer, nullable=False),
    Column("healthy", Integer, nullable=False),
    Column("with_problem", Integer, nullable=False),
    Column("stopped", Integer, nullable=False, server_default=text("0")),
    Column("down", Integer, nullable=False, server_default=text("0")),
    Column("lost_ths", Double),
    Column("actions", JSONB, nullable=False),
    Column("seconds", JSONB, nullable=False),
    PrimaryKeyConstraint("site_id", "period", name="pk_problem_runs"),
    ForeignKeyConstraint(["tenant_id"], ["tenants.id"], name="fk_problem_runs_tenant_id"),
    ForeignKeyConstraint(["site_id"], ["sites.id"], name="fk_problem_runs_site_id"),
)

STATE = Table(
    "problem_state",
    metadata,
    Column("site_id", Integer, nullable=False),
    Column("chunk", Integer, nullable=False),
    Column("tenant_id", Uuid, nullable=False),
    Column("miner_no", ARRAY(Integer), nullable=False),
    *(
        Column(name, LargeBinary if name in PACKED else ARRAY(_KINDS[kind]), nullable=False)
        for name, (_, kind, _) in FIELDS.items()
    ),
    PrimaryKeyConstraint("site_id", "chunk", name="pk_problem_state"),
)


def _features(table: str) -> Table:
    return Table(
        table,
        metadata,
        Column("site_id", Integer, nullable=False),
        Column("ts", DateTime(timezone=True), nullable=False),
        Column("chunk", Integer, nullable=False),
        Column("tenant_id", Uuid, nullable=False),
        Column("miner_no", ARRAY(Integer), nullable=False),
        *(Column(name, ARRAY(REAL), nullable=False) for name in FEATURES),
        Column("data_state", ARRAY(SmallInteger), nullable=False),
        Column("mode", ARRAY(SmallInteger), nullable=False),
        Column("left_out", ARRAY(Integer), nullable=False),
        PrimaryKeyConstraint("site_id", "ts", "chunk", name=f"pk_{table}"),
        postgresql_partition_by="RANGE (ts)",
    )


FEATURE_CHUNKS = _features("feature_chunks")
FEATURE_HOURS = _features("feature_hours")
