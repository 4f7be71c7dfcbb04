"""The record's index by action leaves out what every poll and ack writes: it is found by its time or its command."""

from alembic import op

revision = "0011"
down_revision = "0010b"
branch_labels = None
depends_on = None

_COLUMNS = ["tenant_id", "action", "at", "id"]


def upgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    op.drop_index("ix_audit_log_action", "audit_log")
    op.create_index(
        "ix_audit_log_action",
        "audit_log",
        _COLUMNS,
        postgresql_where="action not in ('command_acked', 'command_dispatched')",
    )


def downgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    op.drop_index("ix_audit_log_action", "audit_log")
    op.create_index("ix_audit_log_action", "audit_log", _COLUMNS)
