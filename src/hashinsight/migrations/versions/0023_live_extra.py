"""The live view shows `extra` as the raw view does: fields without a column, hashrate_1m, 5m and 15m among them."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

_FROM = "\n   FROM"


def upgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    shown = _definition()
    head, tail = shown.rsplit(_FROM, 1)
    _replace(
        f"create or replace view miner_telemetry_live with (security_invoker = true) as {head}, t.extra{_FROM}{tail}"
    )


def downgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    # a view loses a column only by being made again
    head, tail = _definition().rsplit(_FROM, 1)
    columns = head.rsplit(",", 1)[0]
    op.execute("drop view miner_telemetry_live")
    _replace(f"create view miner_telemetry_live with (security_invoker = true) as {columns}{_FROM}{tail}")
    op.execute("grant select on miner_telemetry_live to hi_app, hi_job")


def _definition() -> str:
    """As it stands: other migrations change single columns of it."""
    found = op.get_bind().execute(sa.text("select pg_get_viewdef('miner_telemetry_live'::regclass)")).scalar_one()
    return str(found).rstrip().rstrip(";")


def _replace(statement: str) -> None:
    op.get_bind().exec_driver_sql(statement.replace("%", "%%"))
