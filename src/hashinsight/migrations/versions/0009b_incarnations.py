"""Which life of a device polls: a restarted one gets the leases of its last life back at once."""

import sqlalchemy as sa
from alembic import op

revision = "0009b"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    op.add_column("command_devices", sa.Column("incarnation", sa.BigInteger))


def downgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    op.drop_column("command_devices", "incarnation")
