"""What began when, by site and status: counted in an index that holds nothing else.

It takes the place of the one by start alone, in which those that are shown lay among all that is over.
"""

from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

_TABLE = "problem_events"


def upgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    op.create_index("ix_problem_events_began", _TABLE, ["site_id", "status", "start_ts", "tenant_id"])
    op.drop_index("ix_problem_events_start_ts", _TABLE)


def downgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    op.create_index("ix_problem_events_start_ts", _TABLE, ["start_ts"])
    op.drop_index("ix_problem_events_began", _TABLE)
