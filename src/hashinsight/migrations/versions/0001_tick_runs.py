"""The ticks and their run table."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    op.execute("grant select on alembic_version to hi_app, hi_job")
    op.create_table(
        "ticks",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("length", sa.Interval, nullable=False),
        sa.Column("planned_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_ticks"),
    )
    op.create_table(
        "tick_runs",
        sa.Column("tick", sa.Text, nullable=False),
        sa.Column("site_id", sa.Integer, nullable=False, server_default="0"),
        sa.Column("period", sa.DateTime(timezone=True), nullable=False),
        sa.Column("state", sa.Text, nullable=False, server_default="due"),
        sa.Column("attempts", sa.Integer, nullable=False, server_default="0"),
        sa.Column("retry_at", sa.DateTime(timezone=True)),
        sa.Column("started_at", sa.DateTime(timezone=True)),
        sa.Column("finished_at", sa.DateTime(timezone=True)),
        sa.Column("worker", sa.Text),
        sa.Column("last_error", sa.Text),
        sa.CheckConstraint("state in ('due', 'done', 'skipped', 'failed')", name="ck_tick_runs_state"),
        sa.CheckConstraint("(state = 'done') <= (finished_at is not null)", name="ck_tick_runs_done_is_finished"),
        sa.PrimaryKeyConstraint("tick", "site_id", "period", name="pk_tick_runs"),
    )
    op.create_index(
        "ix_tick_runs_open",
        "tick_runs",
        ["tick", "site_id", "period"],
        postgresql_where=sa.text("state in ('due', 'failed')"),
    )
    op.create_table(
        "process_beats",
        sa.Column("process", sa.Text, nullable=False),
        sa.Column("host", sa.Text, nullable=False),
        sa.Column("pid", sa.Integer, nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("process", "host", "pid", name="pk_process_beats"),
    )
    op.create_index("ix_tick_runs_newest", "tick_runs", ["tick", "period"])
    # runs of the installation, no tenant's data: only the jobs touch them
    op.execute("grant select, insert, update, delete on ticks, tick_runs, process_beats to hi_job")


def downgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    op.drop_table("tick_runs")
    op.drop_table("ticks")
    op.drop_table("process_beats")
    op.execute("revoke select on alembic_version from hi_app, hi_job")
