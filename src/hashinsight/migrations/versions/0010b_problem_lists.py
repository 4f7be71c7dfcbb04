"""Problems: what is counted and what is looked for by name are read off indexes of their own; baselines as they are.

One index counts problems of any status, also those that are over; it begins as the one by status did, and replaces it.
The view of baselines told the difference from what is common to machines of a kind; now it tells what that comes to.
"""

import sqlalchemy as sa
from alembic import op

revision = "0010b"
down_revision = "0010"
branch_labels = None
depends_on = None

_TABLE = "problem_events"
_SHOWN = sa.text("status in ('open', 'ack', 'in_progress')")
_BY_STATUS = ["site_id", "status", "severity"]
_COUNTED = ["site_id", "severity", "issue_code", "status", "model", "firmware", "zone_id", "symptom", "tenant_id"]
_METRICS = (
    *("hashrate_ratio", "efficiency", "temp_max", "temp_load", "temp_spread", "boards_ratio", "reject_rate"),
    "hw_error_rate",
)


def upgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    _view("nullif(v.ewma_value + coalesce(v.reference, 0), 'NaN')")
    op.drop_index("ix_problem_events_counted", _TABLE)
    op.drop_index("ix_problem_events_status", _TABLE)
    op.create_index(
        "ix_problem_events_status",
        _TABLE,
        [*_BY_STATUS, *(name for name in _COUNTED if name not in _BY_STATUS)],
    )
    op.create_index(
        "ix_problem_events_name",
        _TABLE,
        ["site_id", "miner_id"],
        postgresql_ops={"miner_id": "text_pattern_ops"},
        postgresql_where=_SHOWN,
    )


def _part(name: str) -> str:
    """One metric's part of an array that has all of them one after the other; nothing where it has none of it."""
    return f"s.{name}[m.no * cardinality(s.miner_no) + 1 : (m.no + 1) * cardinality(s.miner_no)]"


def _view(value: str) -> None:
    metrics = ", ".join(f"({number}, '{name}')" for number, name in enumerate(_METRICS))
    names = ("ewma", "variance", "samples", "last_raw", "last_residual", "reference")
    op.execute(f"""
        create or replace view miner_baseline_state with (security_invoker = true) as
        select i.miner_id, s.site_id, m.metric_name,
            case v.mode when 1 then 'eco' when 2 then 'normal' when 3 then 'perf' else 'unknown' end inferred_mode,
            v.mode_confidence, {value} ewma_value, v.ewma_variance, v.sample_count::integer sample_count,
            v.last_raw_value, v.last_residual, to_timestamp(nullif(v.updated_at, 'NaN')) updated_at, v.miner_no,
            s.tenant_id
        from problem_state s
        cross join (values {metrics}) m (no, metric_name)
        cross join lateral unnest(s.miner_no, {", ".join(map(_part, names))}, s.mode, s.mode_confidence, s.updated_at)
            v (miner_no, ewma_value, ewma_variance, sample_count, last_raw_value, last_residual, reference, mode,
               mode_confidence, updated_at)
        join miners i on i.miner_no = v.miner_no
    """)  # noqa: S608 - names of our own columns


def downgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    _view("v.ewma_value")
    op.drop_index("ix_problem_events_name", _TABLE)
    op.drop_index("ix_problem_events_status", _TABLE)
    op.create_index("ix_problem_events_status", _TABLE, _BY_STATUS)
    op.create_index("ix_problem_events_counted", _TABLE, _COUNTED, postgresql_where=_SHOWN)
