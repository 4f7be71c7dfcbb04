"""Problems: a machine's mean hashrate and watts for its mode, its inferred expected hashrate, and levels by metric.

Live: the reject rate of about the last hour, and the inferred expected hashrate.

Whose reference is of which group was one number a machine; it is one a metric now. What was learnt stays as it is: a
reference is what members of a group have in common, whatever their pasts are counted from.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

_REFERRED = 5
_NEW: dict[str, tuple[sa.types.TypeEngine[Any], str]] = {
    "mode_hashrate": (sa.REAL(), "'NaN'::real"),
    "mode_power": (sa.REAL(), "'NaN'::real"),
    "own_ths": (sa.REAL(), "'NaN'::real"),
    "inferred_ths": (sa.REAL(), "'NaN'::real"),
    "inferred_by": (sa.SmallInteger(), "0::smallint"),
    "expected_ths": (sa.REAL(), "'NaN'::real"),
    "expectation": (sa.SmallInteger(), "0::smallint"),
}
_LIVE = ("recent_reject_rate", "inferred_ths")


def upgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    for name, (kind, empty) in _NEW.items():
        op.add_column("problem_state", sa.Column(name, postgresql.ARRAY(kind)))
        op.execute(
            f"alter table problem_state alter {name} type {kind.compile(op.get_bind().dialect)}[]"
            f" using array_fill({empty}, array[cardinality(miner_no)])"
        )
        op.alter_column("problem_state", name, nullable=False)
        op.execute(f"alter table problem_state alter {name} set storage external")
    for name in _LIVE:
        op.add_column("telemetry_live", sa.Column(name, sa.REAL()))
    repeated = " || ".join(["reference_level"] * _REFERRED)
    op.execute(f"alter table problem_state alter reference_level type smallint[] using {repeated}")
    op.execute("alter table problem_state alter reference_level set storage external")


def downgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    op.execute("delete from problem_state")  # its pasts are counted from elsewhere: all machines would be off theirs
    for name in _LIVE:
        op.drop_column("telemetry_live", name)
    for name in _NEW:
        op.drop_column("problem_state", name)
