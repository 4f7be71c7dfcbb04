"""Collectors: registry, tokens, enrolment codes, heartbeats by day, configurations, events."""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from hashinsight.migrations import partitions
from hashinsight.migrations.policies import protect

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_WHEN = sa.DateTime(timezone=True)
_TABLES = (
    "collector_events",
    "collector_configs",
    "collector_heartbeats",
    "enrolment_codes",
    "collector_tokens",
    "collectors",
)
_FUNCTIONS = ("lookup_collector(bytea)", "lookup_enrolment(bytea)")


def upgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    partitions.make_functions()
    _collectors()
    _secrets()
    _heartbeats()
    _configs()
    _events()
    _lookups()


def _col(name: str, kind: Any, default: str | None = None) -> sa.Column[object]:
    """A column that must have a value."""
    return sa.Column(name, kind, nullable=False, server_default=None if default is None else sa.text(default))


def _opt(name: str, kind: Any) -> sa.Column[object]:
    return sa.Column(name, kind)


def _owned(table: str) -> list[sa.schema.SchemaItem]:
    return [
        _col("tenant_id", sa.Uuid),
        _col("site_id", sa.Integer),
        _ref(table, "tenant_id", "tenants.id"),
        _ref(table, "site_id", "sites.id"),
    ]


def _ref(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [target], name=f"fk_{table}_{column}")


def _collectors() -> None:
    op.create_table(
        "collectors",
        _col("id", sa.Uuid),
        *_owned("collectors"),
        _opt("zone_id", sa.Integer),
        _col("name", sa.Text),
        _col("status", sa.Text),
        _opt("version", sa.Text),
        _opt("config_version", sa.Text),
        _opt("config_applied_at", _WHEN),
        _col("collection_interval_sec", sa.Integer, "60"),
        _col("heartbeat_interval_sec", sa.Integer, "30"),
        _col("permissions", sa.ARRAY(sa.Text)),
        _col("settings", JSONB, "'{}'"),
        _opt("notes", sa.Text),
        _opt("site_form", sa.Text),
        _opt("last_seen_at", _WHEN),
        _opt("last_address", sa.Text),
        _opt("last_device_id", sa.Text),
        _opt("watched_from", _WHEN),
        _col("connection_count", sa.BigInteger, "'0'"),
        _opt("last_heartbeat_at", _WHEN),
        _opt("reported_status", sa.Text),
        *(_opt(name, sa.Double) for name in ("cpu_usage", "memory_usage", "disk_usage")),
        _opt("total_miners", sa.Integer),
        _opt("active_miners", sa.Integer),
        _opt("uptime_sec", sa.BigInteger),
        _opt("clock_skew_sec", sa.Double),
        _col("created_at", _WHEN),
        _opt("created_by", sa.Text),
        _col("updated_at", _WHEN),
        sa.PrimaryKeyConstraint("id", name="pk_collectors"),
        _ref("collectors", "zone_id", "zones.id"),
        sa.UniqueConstraint("site_id", "name", name="uq_collectors_site_id_name"),
        sa.CheckConstraint("status in ('pending', 'active', 'offline', 'disabled')", name="ck_collectors_status"),
        sa.CheckConstraint("permissions <@ array['read', 'control', 'config']", name="ck_collectors_permissions"),
        sa.CheckConstraint("collection_interval_sec between 1 and 86400", name="ck_collectors_collection_interval"),
        sa.CheckConstraint("heartbeat_interval_sec between 1 and 86400", name="ck_collectors_heartbeat_interval"),
        sa.CheckConstraint("site_form in ('id', 'code')", name="ck_collectors_site_form"),
    )
    op.create_index("ix_collectors_tenant_id", "collectors", ["tenant_id", "id"])
    op.create_index("ix_collectors_active", "collectors", ["id"], postgresql_where=sa.text("status = 'active'"))
    protect("collectors", site_column="site_id", app="select, insert, update", job="select, insert, update")


def _secrets() -> None:
    for table, key in (("collector_tokens", "token_hash"), ("enrolment_codes", "code_hash")):
        op.create_table(
            table,
            _col(key, sa.LargeBinary),
            *_owned(table),
            _col("collector_id", sa.Uuid),
            _col("issued_at", _WHEN),
            _col("expires_at", _WHEN),
            *([_opt("used_at", _WHEN)] if table == "enrolment_codes" else []),
            _opt("revoked_at", _WHEN),
            sa.PrimaryKeyConstraint(key, name=f"pk_{table}"),
            _ref(table, "collector_id", "collectors.id"),
        )
        protect(table, site_column="site_id", app="select, insert, update", job="select, insert, update")
    op.create_index("ix_collector_tokens_collector_id", "collector_tokens", ["collector_id", "issued_at"])
    op.create_index("ix_enrolment_codes_collector_id", "enrolment_codes", ["collector_id"])


def _heartbeats() -> None:
    op.create_table(
        "collector_heartbeats",
        _col("id", sa.Uuid),
        _col("at", _WHEN),
        _col("tenant_id", sa.Uuid),
        _col("site_id", sa.Integer),
        _col("collector_id", sa.Uuid),
        _opt("device_id", sa.Text),
        _col("status", sa.Text),
        *(_opt(name, sa.Double) for name in ("cpu_usage", "memory_usage", "disk_usage")),
        _opt("uptime_sec", sa.BigInteger),
        _opt("version", sa.Text),
        *(_opt(name, sa.Integer) for name in ("miners_online", "miners_total", "errors_count")),
        _opt("spool_depth", sa.BigInteger),
        _opt("spool_oldest_at", _WHEN),
        _opt("clock_skew_sec", sa.Double),
        _opt("extra_data", JSONB),
        sa.PrimaryKeyConstraint("id", "at", name="pk_collector_heartbeats"),
        postgresql_partition_by="RANGE (at)",
    )
    op.create_index("ix_collector_heartbeats_collector_id", "collector_heartbeats", ["collector_id", "at", "id"])
    protect("collector_heartbeats", site_column="site_id", app="select, insert", job="select, insert, truncate")


def _configs() -> None:
    op.create_table(
        "collector_configs",
        _col("id", sa.Uuid),
        _col("tenant_id", sa.Uuid),
        _col("version", sa.Text),
        _col("data", JSONB),
        _opt("collector_ids", sa.ARRAY(sa.Uuid)),
        _col("status", sa.Text),
        _col("is_default", sa.Boolean, "false"),
        _col("change_summary", sa.Text, "''"),
        _col("created_at", _WHEN),
        _opt("created_by", sa.Text),
        _opt("activated_at", _WHEN),
        _opt("activated_by", sa.Text),
        _opt("deprecated_at", _WHEN),
        _opt("deprecated_by", sa.Text),
        sa.PrimaryKeyConstraint("id", name="pk_collector_configs"),
        _ref("collector_configs", "tenant_id", "tenants.id"),
        sa.UniqueConstraint("tenant_id", "version", name="uq_collector_configs_tenant_id_version"),
        sa.CheckConstraint("status in ('draft', 'active', 'deprecated')", name="ck_collector_configs_status"),
        sa.CheckConstraint("not is_default or collector_ids is null", name="ck_collector_configs_default_is_for_all"),
    )
    op.create_index(
        "uq_collector_configs_default",
        "collector_configs",
        ["tenant_id"],
        unique=True,
        postgresql_where=sa.text("is_default and status = 'active'"),
    )
    protect("collector_configs", app="select, insert, update", job="select, insert, update")


def _events() -> None:
    op.create_table(
        "collector_events",
        _col("id", sa.Uuid),
        *_owned("collector_events"),
        _opt("zone_id", sa.Integer),
        _col("collector_id", sa.Uuid),
        _col("at", _WHEN),
        _opt("occurred_at", _WHEN),
        *(_col(name, sa.Text) for name in ("source", "kind", "severity", "title")),
        _col("message", sa.Text, "''"),
        _opt("details", JSONB),
        *(_opt(name, sa.Text) for name in ("miner_id", "command_id", "reported_id")),
        _col("status", sa.Text, "'open'"),
        _opt("acknowledged_at", _WHEN),
        _opt("acknowledged_by", sa.Text),
        _opt("resolved_at", _WHEN),
        _opt("resolved_by", sa.Text),
        sa.PrimaryKeyConstraint("id", name="pk_collector_events"),
        _ref("collector_events", "zone_id", "zones.id"),
        _ref("collector_events", "collector_id", "collectors.id"),
        sa.CheckConstraint("status in ('open', 'acknowledged', 'resolved')", name="ck_collector_events_status"),
        sa.CheckConstraint("severity in ('info', 'warning', 'error', 'critical')", name="ck_collector_events_severity"),
        sa.CheckConstraint("source in ('cloud', 'collector')", name="ck_collector_events_source"),
    )
    table = "collector_events"
    op.create_index("ix_collector_events_tenant_id", table, ["tenant_id", "at", "id"])
    is_open, is_reported = sa.text("status = 'open'"), sa.text("reported_id is not null")
    op.create_index("ix_collector_events_open", table, ["collector_id", "severity"], postgresql_where=is_open)
    op.create_index(
        "uq_collector_events_reported",
        table,
        ["collector_id", "reported_id"],
        unique=True,
        postgresql_where=is_reported,
    )
    protect(table, site_column="site_id", app="select, insert, update", job="select, insert, update")


def _lookups() -> None:
    """Before the tenant is known: functions of the owner that return ids and nothing else."""
    ids = "select tenant_id, site_id, collector_id"
    for signature, query in (
        (_FUNCTIONS[0], f"{ids} from collector_tokens where token_hash = $1"),
        (_FUNCTIONS[1], f"{ids} from enrolment_codes where code_hash = $1"),
    ):
        op.execute(
            f"create function {signature} returns table (tenant_id uuid, site_id int, collector_id uuid)"
            f" language sql stable security definer set search_path = public, pg_temp as $$ {query} $$"
        )
        op.execute(f"revoke execute on function {signature} from public")
        op.execute(f"grant execute on function {signature} to hi_app")


def downgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    for table in _TABLES:
        op.drop_table(table)
    for signature in _FUNCTIONS:
        op.execute(f"drop function {signature}")
    partitions.drop_functions()
