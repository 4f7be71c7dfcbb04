"""Problems: what is counted and what is looked for by name are read off indexes of their own.

One index counts problems of any status, also those that are over; it begins as the one by status did, and replaces it.
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


def upgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
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


def downgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    op.drop_index("ix_problem_events_name", _TABLE)
    op.drop_index("ix_problem_events_status", _TABLE)
    op.create_index("ix_problem_events_status", _TABLE, _BY_STATUS)
    op.create_index("ix_problem_events_counted", _TABLE, _COUNTED, postgresql_where=_SHOWN)
