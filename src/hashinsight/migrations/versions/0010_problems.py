"""Problems: events and their pulse, what a cycle carries on, features, timelines, suppressions, runs."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from hashinsight.migrations.policies import protect

revision = "0010"
down_revision = "0009b"
branch_labels = None
depends_on = None

_WHEN = sa.DateTime(timezone=True)
_DOOR = "collector_holding(bytea)"
_SHOWN = "status in ('open', 'ack', 'in_progress')"
_BESIDE = [
    *("tenant_id", "status", "issue_code", "symptom", "miner_no", "miner_id", "zone_id", "model", "firmware"),
    *("start_ts", "loss_ths"),
]
_COUNTED = "site_id severity issue_code status model firmware zone_id symptom tenant_id"
_VIEWS = ("miner_baseline_state", "feature_store_5min", "feature_store_hourly")
_TABLES = (
    *("suppressed_detections", "suppressions", "problem_timeline", "feature_hours", "feature_chunks"),
    *("problem_state", "problem_runs", "problem_sites", "problem_pulse", "problem_events"),
)
# what a cycle carries on: an array over the machines of a chunk each, and several such rows one after the other where
# there is one a metric (8), of them anchored (4), referred (5), or six-hour blocks (4 x 12)
_REALS = (
    "ewma variance samples smooth last_raw last_residual anchor cusum_up cusum_down block_sum blocks block_samples"
    " reference mode_confidence boots recent_accepted recent_rejected recent_errors recent_ths_hours last_temp_c"
    " last_power_w last_hashrate_ths still_cycles volatility slope slope_hours"
)
_DOUBLES = (
    "block_began updated_at frozen_since thawed_at mode_changed_at seen_ts hashing_since booted_at accepted rejected"
    " hw_errors uptime_sec"
)
_SMALLS = "reference_level thaw_reason mode mode_candidate mode_agreed"
_FEATURES = (
    "hashrate_ratio boards_ratio temp_max temp_load temp_spread efficiency fan_speed_min reject_rate hw_error_rate"
    " board_share_min volatility trend_slope residual_hashrate residual_eff residual_temp"
)
_METRICS = (
    *("hashrate_ratio", "efficiency", "temp_max", "temp_load", "temp_spread", "boards_ratio", "reject_rate"),
    "hw_error_rate",
)


def _must(names: str, kind: object, default: str | None = None) -> list[sa.Column[object]]:
    given = None if default is None else sa.text(default)
    return [sa.Column(name, kind, nullable=False, server_default=given) for name in names.split()]  # type: ignore[arg-type]


def _may(names: str, kind: object) -> list[sa.Column[object]]:
    return [sa.Column(name, kind) for name in names.split()]  # type: ignore[arg-type]


def _owned() -> list[sa.Column[object]]:
    return [*_must("tenant_id", sa.Uuid), *_must("site_id", sa.Integer)]


def _owners(table: str) -> list[sa.ForeignKeyConstraint]:
    return [
        sa.ForeignKeyConstraint([f"{one}_id"], [f"{one}s.id"], name=f"fk_{table}_{one}_id")
        for one in ("tenant", "site")
    ]


def upgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    _collectors()
    _events()
    _pulse()
    _runs()
    _state()
    _features()
    _people()
    _views()


def _collectors() -> None:
    """Who brought a sample: where several collect for a site, one's silence says nothing about the others' machines."""
    op.add_column("collectors", sa.Column("number", sa.Integer, sa.Identity(), nullable=False))
    op.create_unique_constraint("uq_collectors_number", "collectors", ["number"])
    for table in ("telemetry_raw", "telemetry_live"):
        op.add_column(table, sa.Column("collector_no", sa.Integer))
    _door(", collector_no integer", ", c.number::integer")


def _door(column: str, value: str) -> None:
    op.execute(f"drop function {_DOOR}")
    op.execute(f"""
        create function collector_holding(hash bytea) returns table (
            tenant_id uuid, site_id integer, collector_id uuid, revoked_at timestamptz, expires_at timestamptz,
            zone_id integer, name text, status text, permissions text[], site_form text, last_seen_at timestamptz,
            clock_skew_sec double precision, site_code text{column}
        ) language plpgsql as $$
        #variable_conflict use_column
        begin
            perform set_config('app.tenant', found.tenant_id::text, true),
                set_config('app.sites', found.site_id::text, true)
            from lookup_collector(hash) as found;
            return query
                select c.tenant_id, c.site_id::integer, c.id, t.revoked_at, t.expires_at, c.zone_id::integer,
                    c.name::text, c.status::text, c.permissions::text[], c.site_form::text, c.last_seen_at,
                    c.clock_skew_sec::double precision, s.code::text{value}
                from collector_tokens t join collectors c on c.id = t.collector_id join sites s on s.id = c.site_id
                where t.token_hash = hash;
        end $$
    """)  # noqa: S608 - names of our own
    op.execute(f"revoke execute on function {_DOOR} from public")
    op.execute(f"grant execute on function {_DOOR} to hi_app")


def _events() -> None:
    op.create_table(
        "problem_events",
        *_must("id", sa.Uuid),
        *_owned(),
        *_must("event_no", sa.BigInteger),
        *_may("miner_no", sa.Integer),
        *_may("miner_id", sa.Text),
        *_may("collector_id", sa.Uuid),
        *_must("issue_code severity status", sa.Text),
        *_must("start_ts", _WHEN),
        *_may("opened_ts", _WHEN),
        *_must("last_seen_ts", _WHEN),
        *_must("seen", sa.Boolean),
        *_may("resolved_ts", _WHEN),
        *_must("recurrence_count", sa.Integer, "0"),
        *_must("dedup_key", sa.Text),
        *_must("evidence_json actions_json", JSONB, "'[]'"),
        *_may("peer_metrics_json ml_json health_json", JSONB),
        *_may("suppress_until", _WHEN),
        *_must("maintenance_flag symptom flapping escalated", sa.Boolean, "false"),
        *_may("incident_id predecessor_id", sa.Uuid),
        *_may("assigned_to acked_by", sa.Text),
        *_may("acked_at", _WHEN),
        *_may("resolved_by resolution_cause resolution_action", sa.Text),
        *_may("loss_ths", sa.REAL),
        *_may("loss_thh", sa.Double),
        *_may("p_fail_24h", sa.REAL),
        *_may("zone_id", sa.Integer),
        *_may("model firmware", sa.Text),
        *_must("created_at updated_at", _WHEN),
        sa.PrimaryKeyConstraint("id", name="pk_problem_events"),
        sa.CheckConstraint("severity in ('P0', 'P1', 'P2', 'P3')", name="ck_problem_events_severity"),
        sa.CheckConstraint(
            "status in ('pending', 'open', 'ack', 'in_progress', 'resolved')", name="ck_problem_events_status"
        ),
        sa.CheckConstraint("(miner_no is null) = (collector_id is not null)", name="ck_problem_events_subject"),
        sa.CheckConstraint("(status = 'resolved') = (resolved_ts is not null)", name="ck_problem_events_resolved"),
    )
    order: list[str | sa.TextClause] = [
        sa.text("p_fail_24h desc nulls last"),
        sa.text("seen desc"),
        sa.text("last_seen_ts desc"),
        "id",
    ]
    for name, where in (("shown", _SHOWN), ("over", "status = 'resolved'")):
        op.create_index(
            f"ix_problem_events_{name}",
            "problem_events",
            ["site_id", "severity", *order],
            postgresql_include=_BESIDE,
            postgresql_where=sa.text(where),
        )
    indexes: tuple[tuple[str, list[str | sa.TextClause], str | None], ...] = (
        ("counted", [*_COUNTED.split()], _SHOWN),
        ("status", ["site_id", "status", "severity"], None),
        ("loss", ["site_id", "tenant_id", "loss_ths", "loss_thh"], f"loss_ths is not null and {_SHOWN}"),
        ("miner_no", ["miner_no", "status"], None),
        ("issue_code", ["site_id", "issue_code", "status", "severity"], None),
        ("start_ts", ["start_ts"], None),
        ("incident_id", ["site_id", "incident_id"], "incident_id is not null"),
    )
    for name, columns, condition in indexes:
        chosen = None if condition is None else sa.text(condition)
        op.create_index(f"ix_problem_events_{name}", "problem_events", columns, postgresql_where=chosen)
    op.create_index("uq_problem_events_event_no", "problem_events", ["site_id", "event_no"], unique=True)
    op.create_index(
        "uq_problem_events_active",
        "problem_events",
        ["site_id", "dedup_key"],
        unique=True,
        postgresql_where=sa.text("status <> 'resolved'"),
    )
    # lists and counts walk over the index alone, for which the pages have to be known as visible
    op.execute(
        "alter table problem_events set (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05,"
        " autovacuum_vacuum_insert_scale_factor = 0.05)"
    )
    protect("problem_events", site_column="site_id", app="select, update")


def _pulse() -> None:
    """What a cycle knows of every problem, as numbers: the only thing of it that changes every five minutes."""
    op.create_table(
        "problem_pulse",
        *_must("problem_id", sa.Uuid),
        *_owned(),
        *_must("version", sa.Integer),
        *_must("event_no subject", sa.BigInteger),
        *_must("issue severity status", sa.SmallInteger),
        *_must("start_ts opened_ts last_seen_ts resolved_ts", sa.Double),
        *_must("recurrences consecutive_ok consecutive_fail", sa.Integer),
        *_must("flap_since", sa.Double),
        *_must("flap_count", sa.Integer),
        *_must("flapping", sa.Boolean),
        *_must("notified", sa.SmallInteger),
        *_must("escalated", sa.Boolean),
        *_must("predecessor", sa.BigInteger),
        sa.PrimaryKeyConstraint("problem_id", name="pk_problem_pulse"),
    )
    op.create_index("ix_problem_pulse_site_id", "problem_pulse", ["site_id"])
    op.execute(
        "alter table problem_pulse set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05,"
        " autovacuum_vacuum_cost_delay = 0)"
    )
    protect("problem_pulse", site_column="site_id", app="select, update")


def _runs() -> None:
    op.create_table(
        "problem_sites",
        *_must("site_id", sa.Integer),
        *_must("tenant_id", sa.Uuid),
        *_must("next_no", sa.BigInteger),
        *_may("cycled_at fitted_at", _WHEN),
        *_must("modes", JSONB),
        sa.PrimaryKeyConstraint("site_id", name="pk_problem_sites"),
        *_owners("problem_sites"),
    )
    protect("problem_sites", site_column="site_id", app="select, update", job="select, insert, update")
    op.create_table(
        "problem_runs",
        *_owned(),
        *_must("period ran_at", _WHEN),
        *_must("machines fresh stale offline unknown healthy with_problem", sa.Integer),
        *_must("actions seconds", JSONB),
        sa.PrimaryKeyConstraint("site_id", "period", name="pk_problem_runs"),
        *_owners("problem_runs"),
    )
    protect("problem_runs", site_column="site_id", app="select", job="select, insert, update, delete")


def _state() -> None:
    """1,024 machines a row: a cycle writes hundreds of rows, not hundreds of thousands."""
    op.create_table(
        "problem_state",
        *_must("site_id chunk", sa.Integer),
        *_must("tenant_id", sa.Uuid),
        *_must("miner_no", sa.ARRAY(sa.Integer)),
        *_must(_REALS, sa.ARRAY(sa.REAL)),
        *_must(_DOUBLES, sa.ARRAY(sa.Double)),
        *_must(_SMALLS, sa.ARRAY(sa.SmallInteger)),
        *_must("firmware_key", sa.ARRAY(sa.BigInteger)),
        sa.PrimaryKeyConstraint("site_id", "chunk", name="pk_problem_state"),
    )
    for name in f"{_REALS} {_DOUBLES}".split():
        op.execute(f"alter table problem_state alter {name} set storage external")  # floats do not get smaller
    protect("problem_state", site_column="site_id", app="select")


def _features() -> None:
    for table in ("feature_chunks", "feature_hours"):  # of every cycle, kept for two days; of every hour, for thirty
        op.create_table(
            table,
            *_must("site_id", sa.Integer),
            *_must("ts", _WHEN),
            *_must("chunk", sa.Integer),
            *_must("tenant_id", sa.Uuid),
            *_must("miner_no", sa.ARRAY(sa.Integer)),
            *_must(_FEATURES, sa.ARRAY(sa.REAL)),
            *_must("data_state mode", sa.ARRAY(sa.SmallInteger)),
            *_must("left_out", sa.ARRAY(sa.Integer)),
            sa.PrimaryKeyConstraint("site_id", "ts", "chunk", name=f"pk_{table}"),
            postgresql_partition_by="RANGE (ts)",
        )
        protect(table, site_column="site_id", app="select", job="select, insert, truncate")


def _people() -> None:
    op.create_table(
        "problem_timeline",
        *_must("id", sa.Uuid),
        *_owned(),
        *_must("problem_id", sa.Uuid),
        *_must("at", _WHEN),
        *_must("kind actor_kind", sa.Text),
        *_may("actor_id message", sa.Text),
        *_may("details", JSONB),
        sa.PrimaryKeyConstraint("id", name="pk_problem_timeline"),
    )
    op.create_index("ix_problem_timeline_problem_id", "problem_timeline", ["problem_id", "at"])
    op.create_index("ix_problem_timeline_site_id", "problem_timeline", ["site_id", "id"])
    protect("problem_timeline", site_column="site_id", app="select, insert", job="select, insert")
    op.create_table(
        "suppressions",
        *_must("id", sa.Uuid),
        *_owned(),
        *_must("kind", sa.Text),
        *_may("miner_no zone_id group_id", sa.Integer),
        *_must("from_at", _WHEN),
        *_may("until_at", _WHEN),
        *_must("maintenance", sa.Boolean),
        *_must("reason", sa.Text),
        *_must("created_at", _WHEN),
        *_must("created_by_kind", sa.Text),
        *_may("created_by", sa.Text),
        *_may("lifted_at", _WHEN),
        *_may("lifted_by", sa.Text),
        sa.PrimaryKeyConstraint("id", name="pk_suppressions"),
        *_owners("suppressions"),
        sa.ForeignKeyConstraint(["miner_no"], ["miners.miner_no"], name="fk_suppressions_miner_no"),
        sa.ForeignKeyConstraint(["zone_id"], ["zones.id"], name="fk_suppressions_zone_id"),
        sa.ForeignKeyConstraint(["group_id"], ["groups.id"], name="fk_suppressions_group_id"),
        sa.CheckConstraint(
            "kind = case when miner_no is not null then 'miner' when zone_id is not null then 'zone'"
            " when group_id is not null then 'group' else 'site' end"
            " and num_nonnulls(miner_no, zone_id, group_id) <= 1",
            name="ck_suppressions_kind",
        ),
        sa.CheckConstraint("until_at is null or until_at > from_at", name="ck_suppressions_forward"),
    )
    op.create_index(
        "ix_suppressions_site_id", "suppressions", ["site_id"], postgresql_where=sa.text("lifted_at is null")
    )
    op.create_index("ix_suppressions_miner_no", "suppressions", ["miner_no", "from_at"])
    protect("suppressions", site_column="site_id", app="select, insert, update")
    op.create_table(
        "suppressed_detections",
        *_must("miner_no", sa.Integer),
        *_must("issue_code", sa.Text),
        *_owned(),
        *_must("severity", sa.Text),
        *_must("first_seen_ts last_seen_ts", _WHEN),
        *_must("detections", sa.Integer),
        sa.PrimaryKeyConstraint("miner_no", "issue_code", name="pk_suppressed_detections"),
        sa.ForeignKeyConstraint(["miner_no"], ["miners.miner_no"], name="fk_suppressed_detections_miner_no"),
    )
    op.create_index("ix_suppressed_detections_site_id", "suppressed_detections", ["site_id", "last_seen_ts"])
    protect("suppressed_detections", site_column="site_id", app="select")


def _part(name: str, rows: str = "m.no") -> str:
    """One metric's part of an array that has all of them one after the other."""
    return f"s.{name}[{rows} * cardinality(s.miner_no) + 1 : ({rows} + 1) * cardinality(s.miner_no)]"


def _views() -> None:
    metrics = ", ".join(f"({number}, '{name}')" for number, name in enumerate(_METRICS))
    parts = ", ".join(_part(name) for name in ("ewma", "variance", "samples", "last_raw", "last_residual"))
    op.execute(f"""
        create view miner_baseline_state with (security_invoker = true) as
        select i.miner_id, s.site_id, m.metric_name,
            case v.mode when 1 then 'eco' when 2 then 'normal' when 3 then 'perf' else 'unknown' end inferred_mode,
            v.mode_confidence, v.ewma_value, v.ewma_variance, v.sample_count::integer sample_count, v.last_raw_value,
            v.last_residual, to_timestamp(nullif(v.updated_at, 'NaN')) updated_at, v.miner_no, s.tenant_id
        from problem_state s
        cross join (values {metrics}) m (no, metric_name)
        cross join lateral unnest(s.miner_no, {parts}, s.mode, s.mode_confidence, s.updated_at)
            v (miner_no, ewma_value, ewma_variance, sample_count, last_raw_value, last_residual, mode,
               mode_confidence, updated_at)
        join miners i on i.miner_no = v.miner_no
    """)  # noqa: S608 - names of our own columns
    names = _FEATURES.split()
    given = ", ".join(f"nullif(v.{name}, 'NaN') {name}" for name in names)
    for view, table in (("feature_store_5min", "feature_chunks"), ("feature_store_hourly", "feature_hours")):
        op.execute(f"""
            create view {view} with (security_invoker = true) as
            select c.ts, c.site_id, i.miner_id, {given}, v.data_state = 3 is_online,
                (array['unknown', 'stale', 'offline', 'fresh'])[v.data_state + 1] data_state,
                (array['unknown', 'eco', 'normal', 'perf'])[v.mode + 1] inferred_mode, v.left_out, v.miner_no,
                c.tenant_id
            from {table} c
            cross join lateral unnest(c.miner_no, {", ".join("c." + name for name in names)}, c.data_state, c.mode,
                c.left_out) v (miner_no, {", ".join(names)}, data_state, mode, left_out)
            join miners i on i.miner_no = v.miner_no
        """)  # noqa: S608 - names of our own columns
    for view in _VIEWS:
        op.execute(f"grant select on {view} to hi_app, hi_job")


def downgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    for view in _VIEWS:
        op.execute(f"drop view {view}")
    for table in _TABLES:
        op.drop_table(table)
    _door("", "")
    for table in ("telemetry_raw", "telemetry_live"):
        op.drop_column(table, "collector_no")
    op.drop_constraint("uq_collectors_number", "collectors")
    op.drop_column("collectors", "number")
