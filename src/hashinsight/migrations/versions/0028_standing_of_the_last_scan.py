"""Problems: how each machine stood at the last scan of its site, so that a part of a site is told as of the scan."""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    op.add_column("problem_sites", sa.Column("standing", sa.LargeBinary))
    op.execute("alter table problem_sites alter standing set storage external")  # it is compressed already


def downgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    op.drop_column("problem_sites", "standing")
