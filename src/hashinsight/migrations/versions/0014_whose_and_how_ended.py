"""Problems that are somebody's, those that people ended, and by name those that are over: each by an index of its own.

The first two are few among all: on a row that is nobody's and that the registry closed by itself they cost nothing. The
last is written when a problem ends, once.
"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

_TABLE = "problem_events"
_OVER = "status = 'resolved'"
_ASSIGNED = {
    "ix_problem_events_assigned": "status in ('open', 'ack', 'in_progress')",
    "ix_problem_events_assigned_over": _OVER,
}
_ORDER = [*map(sa.text, ("p_fail_24h desc nulls last", "seen desc", "last_seen_ts desc", "id"))]
_BESIDE = [
    *("tenant_id", "status", "issue_code", "symptom", "miner_no", "miner_id", "zone_id", "model", "firmware"),
    *("start_ts", "loss_ths"),
]


def upgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    for name, status in _ASSIGNED.items():
        op.create_index(
            name,
            _TABLE,
            ["assigned_to", "site_id", "severity", *_ORDER],
            postgresql_include=_BESIDE,
            postgresql_where=sa.text(f"assigned_to is not null and {status}"),
        )
    op.create_index(
        "ix_problem_events_ended",
        _TABLE,
        ["site_id", "issue_code", "model", sa.text("resolved_ts desc")],
        postgresql_where=sa.text(f"{_OVER} and resolved_by <> 'system' and resolution_cause is not null"),
    )
    op.create_index(
        "ix_problem_events_name_over",
        _TABLE,
        ["site_id", "miner_id"],
        postgresql_ops={"miner_id": "text_pattern_ops"},
        postgresql_where=sa.text(_OVER),
    )


def downgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    for name in ("ix_problem_events_name_over", "ix_problem_events_ended", *_ASSIGNED):
        op.drop_index(name, _TABLE)
