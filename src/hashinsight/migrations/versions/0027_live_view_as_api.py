"""The live view tells reject rate and expected hashrate as the API does.

`reject_rate` was counted since boot, and `hashrate_expected_ghs` was only what the machine reports. Both follow
`telemetry/live_state.py` and `telemetry/losses.py` now, as far as SQL can: ratings that only the reported model's name
tells (the catalogue, a rating written in the name) are code, and null here.
"""

from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

_SINCE_BOOT = "coalesce(t.rejected::float8 / nullif(t.accepted + t.rejected, 0), 0 * (t.accepted + t.rejected))::real"
_RECENT = f"case when t.accepted + t.rejected is not null then coalesce(t.recent_reject_rate, {_SINCE_BOOT}) end"
# the operator's figure, else the machine's, else the asset list's, else what a cycle infers
_RATED = """coalesce(
            case when m.expected_source = 'operator' then m.expected_ths end,
            case when t.expected_ths > 0 then t.expected_ths end,
            m.expected_ths,
            t.inferred_ths
        )"""
# in eco or perf what its kind does in that mode; before that is known, eco counts as what it does itself
_EXPECTED = """coalesce(
            r.rated_ths * t.mode_share,
            case when t.inferred_mode = 'eco' and coalesce(t.hashrate_ths, t.hashrate_5min_ths) > 0.05 * r.rated_ths
                then least(r.rated_ths, t.hashrate_5min_ths) end,
            r.rated_ths
        ) * 1000"""


def _view(expected_ghs: str, reject_rate: str, rated: str = "") -> str:
    return f"""
    create or replace view miner_telemetry_live with (security_invoker = true) as
    select m.miner_id, t.site_id, t.online, t.ts, t.last_seen_at last_seen, t.hashrate_5min_ths * 1000 hashrate_ghs,
        t.hashrate_5s_ths * 1000 hashrate_5s_ghs, {expected_ghs} hashrate_expected_ghs,
        t.temp_c temperature_avg, t.temp_max_c temperature_max, t.temp_min_c temperature_min,
        t.chip_temps_c temperature_chips, t.fan_speeds, t.frequency_mhz frequency_avg, t.accepted accepted_shares,
        t.rejected rejected_shares, coalesce({reject_rate}, t.reject_rate) reject_rate,
        t.hw_errors hardware_errors, t.uptime_sec uptime_seconds, t.power_w power_consumption,
        case when t.powered_5min_ths > 0 then t.power_5min_w / t.powered_5min_ths
            when t.hashrate_5min_ths = 0 then 0 end::real efficiency,
        t.pool_url, t.worker worker_name, coalesce(m.model, t.model) model,
        coalesce(t.firmware, m.firmware) firmware_version, t.error_message, t.boards boards_data, t.boards_healthy,
        t.boards_total, t.pool_latency_ms, coalesce(t.overall_health, 'unknown') overall_health, t.flags, t.updated_at,
        t.miner_no, t.tenant_id, t.extra
    from telemetry_live t join miners m on m.miner_no = t.miner_no {rated}
    """  # noqa: S608 - names of our own columns


def upgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    op.execute(_view(_EXPECTED, _RECENT, rated=f"cross join lateral (select {_RATED} as rated_ths) r"))


def downgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    op.execute(_view("t.expected_ths * 1000", _SINCE_BOOT))
