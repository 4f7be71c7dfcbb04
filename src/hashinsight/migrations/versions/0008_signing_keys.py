"""Keys by which the commands of a collector are signed, and the switch."""

import sqlalchemy as sa
from alembic import op

from hashinsight.migrations.policies import protect

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_WHEN = sa.DateTime(timezone=True)
_TABLE = "collector_signing_keys"


def upgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    switch = sa.Column("signs_commands", sa.Boolean, nullable=False, server_default=sa.text("false"))
    op.add_column("collectors", switch)
    op.create_table(
        _TABLE,
        sa.Column("collector_id", sa.Uuid, nullable=False),
        sa.Column("key_id", sa.Text, nullable=False),
        sa.Column("tenant_id", sa.Uuid, nullable=False),
        sa.Column("site_id", sa.Integer, nullable=False),
        sa.Column("algorithm", sa.Text, nullable=False),
        sa.Column("sealed", sa.LargeBinary),
        sa.Column("public_key", sa.LargeBinary),
        sa.Column("created_at", _WHEN, nullable=False),
        sa.Column("signs_from", _WHEN, nullable=False),
        sa.Column("revoked_at", _WHEN),
        sa.PrimaryKeyConstraint("collector_id", "key_id", name=f"pk_{_TABLE}"),
        *(
            sa.ForeignKeyConstraint([f"{one}_id"], [f"{one}s.id"], name=f"fk_{_TABLE}_{one}_id")
            for one in ("collector", "tenant", "site")
        ),
        sa.CheckConstraint("algorithm in ('hmac-sha256', 'ed25519')", name=f"ck_{_TABLE}_algorithm"),
        sa.CheckConstraint("(algorithm = 'ed25519') = (public_key is not null)", name=f"ck_{_TABLE}_public_key"),
        sa.CheckConstraint("(revoked_at is null) = (sealed is not null)", name=f"ck_{_TABLE}_revoked"),
    )
    protect(_TABLE, site_column="site_id", app="select, insert, update", job="select, insert, update")


def downgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    op.drop_table(_TABLE)
    op.drop_column("collectors", "signs_commands")
