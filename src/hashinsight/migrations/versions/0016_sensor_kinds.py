"""The hottest chip and the hottest board beside each other, and the limits that a machine reports of itself.

All of it may be null, and costs nothing where nobody sends it. What kind the hottest sensor is stands in the flags.
"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

_TABLES = ("telemetry_raw", "telemetry_live")
_COLUMNS = ("temp_chip_max_c", "temp_board_max_c")


def upgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    for table in _TABLES:
        for name in _COLUMNS:
            op.add_column(table, sa.Column(name, sa.REAL))
        op.add_column(table, sa.Column("temp_limits", sa.Text))


def downgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    for table in _TABLES:
        for name in (*_COLUMNS, "temp_limits"):
            op.drop_column(table, name)
