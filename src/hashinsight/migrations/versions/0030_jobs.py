"""Long jobs: requests, progress and results."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from hashinsight.migrations.policies import protect

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    op.create_table(
        "jobs",
        sa.Column("id", sa.Uuid, nullable=False),
        sa.Column("tenant_id", sa.Uuid, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("arguments", JSONB, nullable=False),
        sa.Column("state", sa.Text, nullable=False, server_default="queued"),
        sa.Column("attempts", sa.Integer, nullable=False, server_default="0"),
        sa.Column("progress", sa.Float, nullable=False, server_default="0"),
        sa.Column("message", sa.Text),
        sa.Column("result", JSONB),
        sa.Column("error", sa.Text),
        sa.Column("worker", sa.Text),
        sa.Column("requested_by", sa.Text, nullable=False),
        sa.Column("requested_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True)),
        sa.Column("alive_at", sa.DateTime(timezone=True)),
        sa.Column("finished_at", sa.DateTime(timezone=True)),
        sa.CheckConstraint("state in ('queued', 'running', 'done', 'failed')", name="ck_jobs_state"),
        sa.CheckConstraint("progress between 0 and 1", name="ck_jobs_progress"),
        sa.CheckConstraint("(state in ('done', 'failed')) = (finished_at is not null)", name="ck_jobs_finished"),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenants.id"], name="fk_jobs_tenant_id"),
        sa.PrimaryKeyConstraint("id", name="pk_jobs"),
    )
    op.create_index(
        "ix_jobs_open", "jobs", ["requested_at"], postgresql_where=sa.text("state in ('queued', 'running')")
    )
    op.create_index("ix_jobs_finished_at", "jobs", ["finished_at"])
    op.create_index("ix_jobs_tenant_id", "jobs", ["tenant_id"])
    protect("jobs", app="select, insert")


def downgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    op.drop_table("jobs")
