"""Telemetry: raw samples by the hour, the live state, five minutes, hours and days, and what waits to be rolled up."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from hashinsight.migrations.policies import protect

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_WHEN = sa.DateTime(timezone=True)
_VIEWS = (
    "telemetry_raw_24h",
    "miner_telemetry_live",
    "telemetry_history_5min",
    "telemetry_hourly",
    "telemetry_daily",
)
_TABLES = (
    *("telemetry_day", "telemetry_hour", "telemetry_5min", "telemetry_live", "telemetry_touched", "telemetry_raw"),
    "collector_payload_keys",
)


def _col(name: str, kind: object, default: str | None = None) -> sa.Column[object]:
    server_default = None if default is None else sa.text(default)
    return sa.Column(name, kind, nullable=False, server_default=server_default)  # type: ignore[arg-type]


def _opt(names: str, kind: object) -> list[sa.Column[object]]:
    return [sa.Column(name, kind) for name in names.split()]  # type: ignore[arg-type]


def _owned() -> list[sa.Column[object]]:
    return [_col("tenant_id", sa.Uuid), _col("site_id", sa.Integer)]


def _said() -> list[sa.Column[object]]:
    """What a sample says of its machine."""
    return [
        *_opt("hashrate_ths hashrate_5s_ths expected_ths temp_c temp_max_c temp_min_c", sa.REAL),
        *_opt("fan_rpm fan_min_rpm power_w voltage_v current_a frequency_mhz reject_rate pool_latency_ms", sa.REAL),
        *_opt("accepted rejected hw_errors uptime_sec", sa.BigInteger),
        *_opt("boards_healthy boards_total", sa.SmallInteger),
        *_opt("chip_temps_c fan_speeds", sa.ARRAY(sa.REAL)),
        *_opt("boards extra", JSONB),
        *_opt("model firmware pool_url worker pool_status mode state error_type error_message", sa.Text),
    ]


def upgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    _payload_keys()
    _raw()
    _live()
    _layers()
    _views()


def _payload_keys() -> None:
    op.create_table(
        "collector_payload_keys",
        _col("id", sa.Uuid),
        *_owned(),
        _col("collector_id", sa.Uuid),
        _col("sealed", sa.LargeBinary),
        _col("created_at", _WHEN),
        sa.Column("good_until", _WHEN),
        sa.PrimaryKeyConstraint("id", name="pk_collector_payload_keys"),
        *(
            sa.ForeignKeyConstraint([f"{one}_id"], [f"{one}s.id"], name=f"fk_collector_payload_keys_{one}_id")
            for one in ("tenant", "site", "collector")
        ),
    )
    op.create_index("ix_collector_payload_keys_collector_id", "collector_payload_keys", ["collector_id", "created_at"])
    protect("collector_payload_keys", site_column="site_id")


def _raw() -> None:
    op.create_table(
        "telemetry_raw",
        _col("miner_no", sa.Integer),
        _col("ts", _WHEN),
        *_owned(),
        _col("received_at", _WHEN),
        _col("upload_mode", sa.SmallInteger),
        _col("status", sa.SmallInteger),
        _col("flags", sa.SmallInteger),
        *_said(),
        sa.PrimaryKeyConstraint("miner_no", "ts", name="pk_telemetry_raw"),
        postgresql_partition_by="RANGE (ts)",
    )
    op.create_index(
        "ix_telemetry_raw_ts", "telemetry_raw", ["ts"], postgresql_using="brin", postgresql_with={"autosummarize": "on"}
    )
    protect("telemetry_raw", site_column="site_id", app="select, insert", job="select, insert, truncate")
    op.create_table(
        "telemetry_touched",
        sa.Column("id", sa.BigInteger, sa.Identity(), nullable=False),
        *_owned(),
        _col("layer", sa.SmallInteger),
        _col("bucket_ts", _WHEN),
        sa.PrimaryKeyConstraint("id", name="pk_telemetry_touched"),
    )
    protect("telemetry_touched", site_column="site_id", app="insert, select", job="select, insert, delete")
    # straight into the hour's own table, past the policies, by a role that can do nothing else with what is there
    op.execute(
        "create function telemetry_open_hour(begins timestamptz) returns boolean language plpgsql security definer"
        " set search_path = public, pg_temp set timezone = 'UTC' as $$"
        " declare child text := 'telemetry_raw' || to_char(begins, '_YYYYMMDD\"t\"HH24MI');"
        " begin"
        "  if not partition_ensure('telemetry_raw', begins, begins + interval '1 hour') then return false; end if;"
        "  execute format('alter table %I no force row level security', child);"
        "  execute format('alter table %I disable row level security', child);"
        "  execute format('grant insert on %I to hi_ingest', child);"
        "  return true;"
        " end $$"
    )
    op.execute("revoke execute on function telemetry_open_hour(timestamptz) from public")
    op.execute("grant execute on function telemetry_open_hour(timestamptz) to hi_app, hi_job")


def _live() -> None:
    op.create_table(
        "telemetry_live",
        _col("miner_no", sa.Integer),
        *_owned(),
        _col("ts", _WHEN),
        sa.Column("last_seen_at", _WHEN),
        _col("online", sa.Boolean),
        _col("status", sa.SmallInteger),
        _col("flags", sa.SmallInteger),
        sa.Column("hashrate_5min_ths", sa.REAL),
        *_said(),
        sa.Column("overall_health", sa.Text),
        _col("updated_at", _WHEN),
        sa.PrimaryKeyConstraint("miner_no", name="pk_telemetry_live"),
        sa.ForeignKeyConstraint(["miner_no"], ["miners.miner_no"], name="fk_telemetry_live_miner_no"),
    )
    op.create_index("ix_telemetry_live_site_id", "telemetry_live", ["site_id", "miner_no"])
    op.execute("alter table telemetry_live set (fillfactor = 50)")
    protect("telemetry_live", site_column="site_id", app="select")


def _layers() -> None:
    for table, time in (("telemetry_5min", "bucket_ts"), ("telemetry_hour", "hour_ts"), ("telemetry_day", "day")):
        op.create_table(
            table,
            _col("miner_no", sa.Integer),
            _col(time, _WHEN),
            *_owned(),
            *(_col(name, sa.Integer) for name in ("samples", "online_samples")),
            *(_col(f"{name}_n", sa.Integer) for name in ("hashrate", "temp", "power", "fan")),
            *(_col(f"{name}_sum", sa.Double) for name in ("hashrate", "temp", "power", "fan")),
            *_opt("hashrate_min hashrate_max temp_max power_max fan_min", sa.REAL),
            *_opt("accepted_first accepted_last accepted_delta", sa.BigInteger),
            *_opt("rejected_first rejected_last rejected_delta", sa.BigInteger),
            *_opt("hw_errors_first hw_errors_last hw_errors_delta", sa.BigInteger),
            _col("created_at", _WHEN),
            sa.PrimaryKeyConstraint("miner_no", time, name=f"pk_{table}"),
            postgresql_partition_by=f"RANGE ({time})",
        )
        op.create_index(f"ix_{table}_site_id", table, ["site_id", time])
        protect(table, site_column="site_id", app="select", job="select, insert, update, delete, truncate")


def _grown(before: str, after: str) -> str:
    return f"(case when {after} >= {before} then {after} - {before} else {after} end)"


def _rate(accepted: str, rejected: str) -> str:
    """Unknown without counters, 0 when there were no shares."""
    return f"coalesce({rejected}::float8 / nullif({accepted} + {rejected}, 0), 0 * ({accepted} + {rejected}))::real"


def _mean(name: str) -> str:
    return f"({name}_sum / nullif({name}_n, 0))::real"


def _views() -> None:
    """The documented names, for people who ask in SQL. They read as their caller, so the tables' policies hold."""
    op.execute(f"create view telemetry_raw_24h with (security_invoker = true) as {_RAW_SHOWN}")
    op.execute(f"create view miner_telemetry_live with (security_invoker = true) as {_LIVE_SHOWN}")
    for view, table, time, more in (
        ("telemetry_history_5min", "telemetry_5min", "bucket_ts", ""),
        ("telemetry_hourly", "telemetry_hour", "hour_ts", ", online_samples * 100.0::real / samples uptime_percentage"),
        (
            "telemetry_daily",
            "telemetry_day",
            "day",
            f", {_mean('power')} * 24 / 1000 total_power_kwh, online_samples * 24.0::real / samples uptime_hours",
        ),
    ):
        op.execute(
            f"create view {view} with (security_invoker = true) as select t.{time}, t.site_id, m.miner_id,"  # noqa: S608 - names of our own
            f" {_mean('hashrate')} avg_hashrate_ths, hashrate_max max_hashrate_ths, hashrate_min min_hashrate_ths,"
            f" {_mean('temp')} avg_temp_c, temp_max max_temp_c, {_mean('power')} avg_power_w,"
            f" power_max max_power_w, {_mean('fan')} avg_fan_rpm, fan_min min_fan_rpm,"
            " accepted_delta total_accepted_shares, rejected_delta total_rejected_shares,"
            f" {_rate('accepted_delta', 'rejected_delta')} avg_reject_rate, hw_errors_delta total_hardware_errors,"
            f" online_samples::real / samples online_ratio{more}, samples, t.created_at, t.miner_no, t.tenant_id"
            f" from {table} t join miners m on m.miner_no = t.miner_no"
        )
    for view in _VIEWS:
        op.execute(f"grant select on {view} to hi_app, hi_job")


# a sample's own rate, else from the counters since the last sample that had some, at most an hour before
_RAW_SHOWN = f"""
select r.miner_no || ':' || (extract(epoch from r.ts) * 1000000)::bigint id, r.ts, r.site_id, m.miner_id,
    case r.status when 0 then 'offline' when 2 then 'error' else 'online' end status, r.hashrate_ths,
    r.temp_c temperature_c, r.power_w, r.fan_rpm,
    coalesce(r.reject_rate, (
        select {_rate(_grown("p.accepted", "r.accepted"), _grown("p.rejected", "r.rejected"))}
        from telemetry_raw p where p.miner_no = r.miner_no and p.ts < r.ts and p.ts >= r.ts - interval '1 hour'
            and p.accepted is not null and p.rejected is not null order by p.ts desc limit 1
    )) reject_rate,
    r.pool_url, r.temp_max_c temperature_max, r.temp_min_c temperature_min, r.chip_temps_c temperature_chips,
    r.hashrate_5s_ths, r.expected_ths, r.boards_healthy, r.boards_total, r.boards boards_data, r.fan_speeds,
    r.frequency_mhz, r.voltage_v, r.current_a, r.accepted accepted_shares, r.rejected rejected_shares,
    r.hw_errors hardware_errors, r.uptime_sec uptime_seconds, r.model, r.firmware firmware_version,
    r.worker worker_name, r.pool_status, r.pool_latency_ms, r.mode, r.state, r.error_type, r.error_message,
    r.flags, r.extra, r.received_at, r.upload_mode, r.miner_no, r.tenant_id
from telemetry_raw r join miners m on m.miner_no = r.miner_no
"""  # noqa: S608 - names of our own columns
_LIVE_SHOWN = f"""
select m.miner_id, t.site_id, t.online, t.ts, t.last_seen_at last_seen, t.hashrate_5min_ths * 1000 hashrate_ghs,
    t.hashrate_5s_ths * 1000 hashrate_5s_ghs, t.expected_ths * 1000 hashrate_expected_ghs,
    t.temp_c temperature_avg, t.temp_max_c temperature_max, t.temp_min_c temperature_min,
    t.chip_temps_c temperature_chips, t.fan_speeds, t.frequency_mhz frequency_avg, t.accepted accepted_shares,
    t.rejected rejected_shares, coalesce({_rate("t.accepted", "t.rejected")}, t.reject_rate) reject_rate,
    t.hw_errors hardware_errors, t.uptime_sec uptime_seconds, t.power_w power_consumption,
    case when t.hashrate_5min_ths > 0 then t.power_w / t.hashrate_5min_ths
        when t.hashrate_5min_ths = 0 then 0 end::real efficiency,
    t.pool_url, t.worker worker_name, coalesce(m.model, t.model) model,
    coalesce(t.firmware, m.firmware) firmware_version, t.error_message, t.boards boards_data, t.boards_healthy,
    t.boards_total, t.pool_latency_ms, coalesce(t.overall_health, 'unknown') overall_health, t.flags, t.updated_at,
    t.miner_no, t.tenant_id
from telemetry_live t join miners m on m.miner_no = t.miner_no
"""  # noqa: S608 - names of our own columns


def downgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    for view in _VIEWS:
        op.execute(f"drop view {view}")
    op.execute("drop function telemetry_open_hour(timestamptz)")
    for table in _TABLES:
        op.drop_table(table)
