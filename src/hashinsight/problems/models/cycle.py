"""What a cycle carries on and writes down: numbers over chunks of machines, and numbers of every problem."""

from typing import Any

import numpy as np
from sqlalchemy import (
    ARRAY,
    REAL,
    BigInteger,
    Boolean,
    Double,
    Index,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    SmallInteger,
    Table,
    Uuid,
)
from sqlalchemy.dialects.postgresql import JSONB

from hashinsight.kit.db.metadata import metadata
from hashinsight.problems.models.columns import may, must, owned, owners, when
from hashinsight.problems.state import FIELDS, PACKED

CHUNK = 1024  # machines by number, however few of them are at the site
FEATURES = (
    "hashrate_ratio", "boards_ratio", "temp_max", "temp_load", "temp_spread", "efficiency", "fan_speed_min",
    "reject_rate", "hw_error_rate", "board_share_min", "volatility", "trend_slope", "residual_hashrate",
    "residual_eff", "residual_temp",
)  # fmt: skip
_KINDS: dict[Any, Any] = {np.float32: REAL, np.float64: Double, np.int8: SmallInteger, np.int64: BigInteger}

PULSE = Table(
    "problem_pulse",
    metadata,
    *must("problem_id", Uuid),
    *owned(),
    *must("version", Integer),  # one more with every act of a person: a cycle that did not see it gives way
    *must("event_no subject", BigInteger),
    *must("issue severity status", SmallInteger),
    *must("start_ts opened_ts last_seen_ts resolved_ts", Double),  # seconds since 1970, as the cycle counts
    *must("recurrences consecutive_ok consecutive_fail", Integer),
    *must("flap_since", Double),
    *must("flap_count", Integer),
    *must("flapping", Boolean),
    *must("notified", SmallInteger),
    *must("escalated", Boolean),
    *must("predecessor", BigInteger),
    PrimaryKeyConstraint("problem_id", name="pk_problem_pulse"),
    Index("ix_problem_pulse_site_id", "site_id"),
)

SITES = Table(
    "problem_sites",
    metadata,
    *must("site_id", Integer),
    *must("tenant_id", Uuid),
    *must("next_no", BigInteger),
    *may("cycled_at fitted_at", when()),
    *must("modes", JSONB),
    *may("standing", LargeBinary),  # how each machine stood at the newest scan (`stands.pack`)
    PrimaryKeyConstraint("site_id", name="pk_problem_sites"),
    *owners("problem_sites"),
)

RUNS = Table(
    "problem_runs",
    metadata,
    *owned(),
    *must("period ran_at", when()),
    *must("machines fresh stale offline unknown healthy with_problem", Integer),
    *must("stopped down", Integer, "0"),
    *may("lost_ths", Double),
    *must("actions seconds", JSONB),
    PrimaryKeyConstraint("site_id", "period", name="pk_problem_runs"),
    *owners("problem_runs"),
)

STATE = Table(
    "problem_state",
    metadata,
    *must("site_id chunk", Integer),
    *must("tenant_id", Uuid),
    *must("miner_no", ARRAY(Integer)),
    *(
        column
        for name, (_, kind, _) in FIELDS.items()
        for column in must(name, LargeBinary if name in PACKED else ARRAY(_KINDS[kind]))
    ),
    PrimaryKeyConstraint("site_id", "chunk", name="pk_problem_state"),
)


def _features(table: str) -> Table:
    return Table(
        table,
        metadata,
        *must("site_id", Integer),
        *must("ts", when()),
        *must("chunk", Integer),
        *must("tenant_id", Uuid),
        *must("miner_no", ARRAY(Integer)),
        *must(" ".join(FEATURES), ARRAY(REAL)),
        *must("data_state mode", ARRAY(SmallInteger)),
        *must("left_out", ARRAY(Integer)),
        PrimaryKeyConstraint("site_id", "ts", "chunk", name=f"pk_{table}"),
        postgresql_partition_by="RANGE (ts)",
    )


FEATURE_CHUNKS = _features("feature_chunks")
FEATURE_HOURS = _features("feature_hours")
