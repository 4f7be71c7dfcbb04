"""Which collector claimed a machine without a zone, and until when a collector may register a whole site."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    op.add_column("miners", sa.Column("claimed_by", sa.Integer))
    op.add_column("collectors", sa.Column("registration_open_until", sa.DateTime(timezone=True)))
    # whoever reads a machine today goes on, also where the whole site's collector reads it as well
    op.execute("""
        update miners m set claimed_by = c.number
        from telemetry_live l join collectors c on c.number = l.collector_no
        where l.miner_no = m.miner_no and m.zone_id is null and c.site_id = m.site_id and c.zone_id is not null
    """)


def downgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    op.drop_column("collectors", "registration_open_until")
    op.drop_column("miners", "claimed_by")
