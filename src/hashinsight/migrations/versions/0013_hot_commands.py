"""Hot commands are listed by an index of their time alone, which nobody can mistake for one of their ids.

A server that can skip over the first column of an index took it for a lookup by id while the statistics said that the
table was empty: one step for each moment at which something was asked for.
"""

from alembic import op

revision = "0013"
down_revision = "0012b"
branch_labels = None
depends_on = None

_INDEX, _TABLE = "ix_commands_created_at", "commands"


def upgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    op.drop_index(_INDEX, _TABLE)
    op.create_index(_INDEX, _TABLE, ["created_at"])


def downgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    op.drop_index(_INDEX, _TABLE)
    op.create_index(_INDEX, _TABLE, ["created_at", "command_id"])
