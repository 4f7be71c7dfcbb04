"""A machine that moves has a row for each of its sites: buckets, hours and days are keyed by the site as well."""

from alembic import op

revision = "0006b"
down_revision = "0006"
branch_labels = None
depends_on = None

_LAYERS = (("telemetry_5min", "bucket_ts"), ("telemetry_hour", "hour_ts"), ("telemetry_day", "day"))


def upgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    for table, time in _LAYERS:
        _key(table, f"miner_no, {time}, site_id")


def downgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    for table, time in _LAYERS:
        _key(table, f"miner_no, {time}")


def _key(table: str, columns: str) -> None:
    op.execute(f"alter table {table} drop constraint pk_{table}, add constraint pk_{table} primary key ({columns})")
