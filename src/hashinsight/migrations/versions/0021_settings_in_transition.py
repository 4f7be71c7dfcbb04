"""Settings that restarted mining programs, by site: machines that a site's cap counts for some minutes."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

_SETTINGS = "'set_pool', 'set_frequency', 'set_power_limit', 'set_power_mode', 'update_config'"


def upgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    op.create_index(
        "ix_commands_settings",
        "commands",
        ["site_id", "finished_at"],
        postgresql_where=sa.text(f"state = 'succeeded' and command_type in ({_SETTINGS})"),
    )


def downgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    op.drop_index("ix_commands_settings", "commands")
