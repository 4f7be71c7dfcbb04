"""Problems: when a machine booted, not a number that fades; what cross-checks found; a mode that is not sure is none.

The type of a column is changed as a whole, which no policy of rows stands in the way of.
"""

from alembic import op

revision = "0012b"
down_revision = "0012"
branch_labels = None
depends_on = None

_BOOTS = 8
_METRICS = (
    *("hashrate_ratio", "efficiency", "temp_max", "temp_load", "temp_spread", "boards_ratio", "reject_rate"),
    "hw_error_rate",
)
_FEATURES = (
    *("hashrate_ratio", "boards_ratio", "temp_max", "temp_load", "temp_spread", "efficiency", "fan_speed_min"),
    *("reject_rate", "hw_error_rate", "board_share_min", "volatility", "trend_slope", "residual_hashrate"),
    *("residual_eff", "residual_temp"),
)
# bits of `left_out` from the 17th on
_CHECKS = ("boards_contradict", "uptime_stuck", "frozen", "temp_fault", "fan_fault", "hashrate_implausible")
_VIEWS = {"feature_store_5min": "feature_chunks", "feature_store_hourly": "feature_hours"}


def upgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    op.execute(
        "alter table problem_state alter boots type double precision[]"
        f" using array_fill('NaN'::double precision, array[{_BOOTS} * cardinality(miner_no)])"
    )
    op.alter_column("problem_state", "boots", new_column_name="boot_times")
    _baselines("case when v.mode_confidence < 0.6 then 0 else v.mode end", "greatest(v.mode_confidence, 0.3::real)")
    checks = (f"(v.left_out >> {16 + number} & 1) = 1 {name}" for number, name in enumerate(_CHECKS))
    _feature_stores("v.left_out & 65535 left_out", ", ".join(["", *checks]))


def _part(name: str) -> str:
    """One metric's part of an array that has all of them one after the other; nothing where it has none of it."""
    return f"s.{name}[m.no * cardinality(s.miner_no) + 1 : (m.no + 1) * cardinality(s.miner_no)]"


def _baselines(mode: str, confidence: str) -> None:
    metrics = ", ".join(f"({number}, '{name}')" for number, name in enumerate(_METRICS))
    names = ("ewma", "variance", "samples", "last_raw", "last_residual", "reference")
    op.execute(f"""
        create or replace view miner_baseline_state with (security_invoker = true) as
        select i.miner_id, s.site_id, m.metric_name,
            case {mode} when 1 then 'eco' when 2 then 'normal' when 3 then 'perf' else 'unknown' end inferred_mode,
            {confidence} mode_confidence, nullif(v.ewma_value + coalesce(v.reference, 0), 'NaN') ewma_value,
            v.ewma_variance, v.sample_count::integer sample_count, v.last_raw_value, v.last_residual,
            to_timestamp(nullif(v.updated_at, 'NaN')) updated_at, v.miner_no, s.tenant_id
        from problem_state s
        cross join (values {metrics}) m (no, metric_name)
        cross join lateral unnest(s.miner_no, {", ".join(map(_part, names))}, s.mode, s.mode_confidence, s.updated_at)
            v (miner_no, ewma_value, ewma_variance, sample_count, last_raw_value, last_residual, reference, mode,
               mode_confidence, updated_at)
        join miners i on i.miner_no = v.miner_no
    """)  # noqa: S608 - names of our own columns


def _feature_stores(left_out: str, checks: str) -> None:
    given = ", ".join(f"nullif(v.{name}, 'NaN') {name}" for name in _FEATURES)
    names = ", ".join(_FEATURES)
    for view, table in _VIEWS.items():
        op.execute(f"drop view {view}")
        op.execute(f"""
            create view {view} with (security_invoker = true) as
            select c.ts, c.site_id, i.miner_id, {given}, v.data_state = 3 is_online,
                (array['unknown', 'stale', 'offline', 'fresh'])[v.data_state + 1] data_state,
                (array['unknown', 'eco', 'normal', 'perf'])[v.mode + 1] inferred_mode, {left_out}, v.miner_no,
                c.tenant_id{checks}
            from {table} c
            cross join lateral unnest(c.miner_no, {", ".join("c." + name for name in _FEATURES)}, c.data_state, c.mode,
                c.left_out) v (miner_no, {names}, data_state, mode, left_out)
            join miners i on i.miner_no = v.miner_no
        """)  # noqa: S608 - names of our own columns
        op.execute(f"grant select on {view} to hi_app, hi_job")


def downgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    _feature_stores("v.left_out", "")
    _baselines("v.mode", "v.mode_confidence")
    op.alter_column("problem_state", "boot_times", new_column_name="boots")
    op.execute(
        "alter table problem_state alter boots type real[] using array_fill(0::real, array[cardinality(miner_no)])"
    )
