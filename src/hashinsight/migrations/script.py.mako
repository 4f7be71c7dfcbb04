"""${message}"""

import sqlalchemy as sa
from alembic import op
${imports if imports else ""}
revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}
branch_labels = None
depends_on = None


def upgrade() -> None:
    # never queue behind a long transaction with everybody else behind us: give up, be tried again
    op.execute("set local lock_timeout = '3s'")
    ${upgrades if upgrades else "pass"}


def downgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    ${downgrades if downgrades else "pass"}
