"""Watts and TH/s of the same samples, the mode that a machine runs in, and what its mode does.

Efficiency was the newest watts over a mean of five minutes, and impossible after every stop and start. All new columns
may be null; the live job and the next cycle fill them.
"""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

_LIVE = (("power_5min_w", sa.REAL), ("powered_5min_ths", sa.REAL), ("inferred_mode", sa.Text), ("mode_share", sa.REAL))
_RUNS = ("stopped", "down")
_BEFORE = ("t.power_w", "t.hashrate_5min_ths")
_NOW = ("t.power_5min_w", "t.powered_5min_ths")


def _shown(watts: str, ths: str) -> str:
    """The view as it was, but for its efficiency."""
    rate = "coalesce(t.rejected::float8 / nullif(t.accepted + t.rejected, 0), 0 * (t.accepted + t.rejected))::real"
    return f"""
    create or replace view miner_telemetry_live with (security_invoker = true) as
    select m.miner_id, t.site_id, t.online, t.ts, t.last_seen_at last_seen, t.hashrate_5min_ths * 1000 hashrate_ghs,
        t.hashrate_5s_ths * 1000 hashrate_5s_ghs, t.expected_ths * 1000 hashrate_expected_ghs,
        t.temp_c temperature_avg, t.temp_max_c temperature_max, t.temp_min_c temperature_min,
        t.chip_temps_c temperature_chips, t.fan_speeds, t.frequency_mhz frequency_avg, t.accepted accepted_shares,
        t.rejected rejected_shares, coalesce({rate}, t.reject_rate) reject_rate,
        t.hw_errors hardware_errors, t.uptime_sec uptime_seconds, t.power_w power_consumption,
        case when {ths} > 0 then {watts} / {ths} when t.hashrate_5min_ths = 0 then 0 end::real efficiency,
        t.pool_url, t.worker worker_name, coalesce(m.model, t.model) model,
        coalesce(t.firmware, m.firmware) firmware_version, t.error_message, t.boards boards_data, t.boards_healthy,
        t.boards_total, t.pool_latency_ms, coalesce(t.overall_health, 'unknown') overall_health, t.flags, t.updated_at,
        t.miner_no, t.tenant_id
    from telemetry_live t join miners m on m.miner_no = t.miner_no
    """  # noqa: S608 - names of our own columns


def upgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    for name, kind in _LIVE:
        op.add_column("telemetry_live", sa.Column(name, kind))
    for name in _RUNS:
        op.add_column("problem_runs", sa.Column(name, sa.Integer, nullable=False, server_default="0"))
    op.add_column("problem_runs", sa.Column("lost_ths", sa.Double))
    op.execute(_shown(*_NOW))


def downgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    op.execute(_shown(*_BEFORE))
    for name in (*_RUNS, "lost_ths"):
        op.drop_column("problem_runs", name)
    for name, _ in _LIVE:
        op.drop_column("telemetry_live", name)
