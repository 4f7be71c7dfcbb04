"""Telemetry: the layers keep watts and TH/s of the samples that have both, as the live layer does.

Efficiency of a chart or a past moment was the watts of some samples over the hashrate of all. Nullable and without a
default: nothing is rewritten. Old rows keep null and are read by their plain means.
"""

from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None

_LAYERS = ("telemetry_5min", "telemetry_hour", "telemetry_day")


def upgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    for table in _LAYERS:
        op.execute(f"alter table {table} add powered_w_sum real, add powered_ths_sum real")


def downgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    for table in _LAYERS:
        op.execute(f"alter table {table} drop powered_w_sum, drop powered_ths_sum")
