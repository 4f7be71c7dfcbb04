"""The live view tells readings of now, as the API does: a machine that is not online has none.

The live layer keeps what a machine last reported (`last_seen`) while it is offline, and the view told it as if it were
of now. Conditions of the last scan are packed under other names from here on, so those of before are dropped: the next
scan, at most five minutes later, writes them again.
"""

from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None

_SINCE_BOOT = "coalesce(t.rejected::float8 / nullif(t.accepted + t.rejected, 0), 0 * (t.accepted + t.rejected))::real"
_REJECTS = f"case when t.accepted + t.rejected is not null then coalesce(t.recent_reject_rate, {_SINCE_BOOT}) end"
_RATED = """coalesce(
            case when m.expected_source = 'operator' then m.expected_ths end,
            case when t.expected_ths > 0 then t.expected_ths end,
            m.expected_ths,
            t.inferred_ths
        )"""
_RUNNING = """coalesce(
            r.rated_ths * t.mode_share,
            case when t.inferred_mode = 'eco' and coalesce(t.hashrate_ths, t.hashrate_5min_ths) > 0.05 * r.rated_ths
                then least(r.rated_ths, t.hashrate_5min_ths) end,
            r.rated_ths
        ) * 1000"""
_EFFICIENCY = """case when t.powered_5min_ths > 0 then t.power_5min_w / t.powered_5min_ths
            when t.hashrate_5min_ths = 0 then 0 end::real"""


def _view(of_now: str) -> str:
    """`of_now` is put around each reading."""

    def reading(value: str) -> str:
        return of_now.format(value)

    return f"""
    create or replace view miner_telemetry_live with (security_invoker = true) as
    select m.miner_id, t.site_id, t.online, t.ts, t.last_seen_at last_seen,
        {reading("t.hashrate_5min_ths * 1000")} hashrate_ghs,
        {reading("t.hashrate_5s_ths * 1000")} hashrate_5s_ghs, {_RUNNING} hashrate_expected_ghs,
        {reading("t.temp_c")} temperature_avg, {reading("t.temp_max_c")} temperature_max,
        {reading("t.temp_min_c")} temperature_min, {reading("t.chip_temps_c")} temperature_chips,
        {reading("t.fan_speeds")} fan_speeds, {reading("t.frequency_mhz")} frequency_avg, t.accepted accepted_shares,
        t.rejected rejected_shares, coalesce({_REJECTS}, t.reject_rate) reject_rate,
        t.hw_errors hardware_errors, t.uptime_sec uptime_seconds, {reading("t.power_w")} power_consumption,
        {reading(_EFFICIENCY)} efficiency,
        t.pool_url, t.worker worker_name, coalesce(m.model, t.model) model,
        coalesce(t.firmware, m.firmware) firmware_version, t.error_message, t.boards boards_data, t.boards_healthy,
        t.boards_total, t.pool_latency_ms, coalesce(t.overall_health, 'unknown') overall_health, t.flags, t.updated_at,
        t.miner_no, t.tenant_id, t.extra
    from telemetry_live t join miners m on m.miner_no = t.miner_no
    cross join lateral (select {_RATED} as rated_ths) r
    """  # noqa: S608 - names of our own columns


def upgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    op.execute(_view("case when t.online then {} end"))
    op.execute("update problem_sites set standing = null")


def downgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    op.execute(_view("({})"))
    op.execute("update problem_sites set standing = null")
