"""Tenants, people, sessions, keys, grants, and the append-only audit log."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from hashinsight.migrations.policies import protect

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_WHEN = sa.DateTime(timezone=True)
_TABLES = (
    "audit_log",
    "grants",
    "api_keys",
    "login_failures",
    "refresh_tokens",
    "login_sessions",
    "recovery_codes",
    "users",
    "tenants",
)


def upgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    _tenants_and_users()
    _sessions()
    _keys_and_grants()
    _audit()
    _lookups()


def _tenant() -> sa.Column[object]:
    return sa.Column("tenant_id", sa.Uuid, nullable=False)


def _tenants_and_users() -> None:
    op.create_table(
        "tenants",
        sa.Column("id", sa.Uuid, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("require_totp", sa.Boolean, nullable=False, server_default="false"),
        sa.Column("created_at", _WHEN, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_tenants"),
        sa.UniqueConstraint("name", name="uq_tenants_name"),
    )
    protect("tenants", tenant_column="id", app="select, update")
    op.create_table(
        "users",
        sa.Column("id", sa.Uuid, nullable=False),
        _tenant(),
        sa.Column("email", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("password_hash", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False, server_default="active"),
        sa.Column("totp_key", sa.LargeBinary),
        sa.Column("totp_confirmed_at", _WHEN),
        sa.Column("totp_last_step", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("created_at", _WHEN, nullable=False),
        sa.Column("last_login_at", _WHEN),
        sa.PrimaryKeyConstraint("id", name="pk_users"),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenants.id"], name="fk_users_tenant_id"),
        sa.CheckConstraint("state in ('active', 'disabled', 'deleted')", name="ck_users_state"),
    )
    op.create_index("uq_users_email", "users", ["email"], unique=True, postgresql_where=sa.text("state <> 'deleted'"))
    op.create_index("ix_users_tenant_id", "users", ["tenant_id", "created_at", "id"])
    protect("users", app="select, insert, update")
    op.create_table(
        "recovery_codes",
        sa.Column("user_id", sa.Uuid, nullable=False),
        sa.Column("code_hash", sa.LargeBinary, nullable=False),
        _tenant(),
        sa.Column("used_at", _WHEN),
        sa.PrimaryKeyConstraint("user_id", "code_hash", name="pk_recovery_codes"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_recovery_codes_user_id"),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenants.id"], name="fk_recovery_codes_tenant_id"),
    )
    protect("recovery_codes")


def _sessions() -> None:
    op.create_table(
        "login_sessions",
        sa.Column("id", sa.Uuid, nullable=False),
        _tenant(),
        sa.Column("user_id", sa.Uuid, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("created_at", _WHEN, nullable=False),
        sa.Column("expires_at", _WHEN, nullable=False),
        sa.Column("revoked_at", _WHEN),
        sa.Column("revoked_reason", sa.Text),
        sa.Column("address", sa.Text),
        sa.Column("user_agent", sa.Text),
        sa.PrimaryKeyConstraint("id", name="pk_login_sessions"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_login_sessions_user_id"),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenants.id"], name="fk_login_sessions_tenant_id"),
        sa.CheckConstraint("kind in ('token', 'cookie')", name="ck_login_sessions_kind"),
    )
    op.create_index(
        "ix_login_sessions_user_id", "login_sessions", ["user_id"], postgresql_where=sa.text("revoked_at is null")
    )
    protect("login_sessions", app="select, insert, update")
    op.create_table(
        "refresh_tokens",
        sa.Column("token_hash", sa.LargeBinary, nullable=False),
        _tenant(),
        sa.Column("session_id", sa.Uuid, nullable=False),
        sa.Column("issued_at", _WHEN, nullable=False),
        sa.Column("expires_at", _WHEN, nullable=False),
        sa.Column("used_at", _WHEN),
        sa.PrimaryKeyConstraint("token_hash", name="pk_refresh_tokens"),
        sa.ForeignKeyConstraint(["session_id"], ["login_sessions.id"], name="fk_refresh_tokens_session_id"),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenants.id"], name="fk_refresh_tokens_tenant_id"),
    )
    op.create_index("ix_refresh_tokens_session_id", "refresh_tokens", ["session_id"])
    protect("refresh_tokens", app="select, insert, update")
    op.create_table(
        "login_failures",
        sa.Column("fingerprint", sa.LargeBinary, nullable=False),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.Column("last_at", _WHEN, nullable=False),
        sa.Column("blocked_until", _WHEN),
        sa.PrimaryKeyConstraint("fingerprint", name="pk_login_failures"),
    )
    # keyed hashes of e-mails and counters: nobody's data, and the tenant is not known yet
    op.execute("grant select, insert, update, delete on login_failures to hi_app, hi_job")


def _keys_and_grants() -> None:
    op.create_table(
        "api_keys",
        sa.Column("id", sa.Uuid, nullable=False),
        _tenant(),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("key_hash", sa.LargeBinary, nullable=False),
        sa.Column("key_start", sa.Text, nullable=False),
        sa.Column("created_at", _WHEN, nullable=False),
        sa.Column("created_by", sa.Text),
        sa.Column("expires_at", _WHEN),
        sa.Column("revoked_at", _WHEN),
        sa.Column("last_used_at", _WHEN),
        sa.PrimaryKeyConstraint("id", name="pk_api_keys"),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenants.id"], name="fk_api_keys_tenant_id"),
    )
    op.create_index("uq_api_keys_key_hash", "api_keys", ["key_hash"], unique=True)
    op.create_index("ix_api_keys_tenant_id", "api_keys", ["tenant_id", "created_at", "id"])
    protect("api_keys", app="select, insert, update")
    op.create_table(
        "grants",
        sa.Column("id", sa.Uuid, nullable=False),
        _tenant(),
        sa.Column("user_id", sa.Uuid),
        sa.Column("api_key_id", sa.Uuid),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("site_ids", sa.ARRAY(sa.Integer)),
        sa.Column("zone_ids", sa.ARRAY(sa.Integer)),
        sa.Column("group_ids", sa.ARRAY(sa.Integer)),
        sa.Column("created_at", _WHEN, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_grants"),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenants.id"], name="fk_grants_tenant_id"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_grants_user_id"),
        sa.ForeignKeyConstraint(["api_key_id"], ["api_keys.id"], name="fk_grants_api_key_id"),
        sa.CheckConstraint("(user_id is null) <> (api_key_id is null)", name="ck_grants_one_holder"),
        sa.CheckConstraint(
            "role in ('Owner', 'OpsManager', 'NOC', 'Technician', 'CustomerSuccess', 'Customer')", name="ck_grants_role"
        ),
    )
    op.create_index("ix_grants_user_id", "grants", ["user_id"])
    op.create_index("ix_grants_api_key_id", "grants", ["api_key_id"])
    op.create_index("ix_grants_tenant_id", "grants", ["tenant_id", "created_at", "id"])
    protect("grants", app="select, insert, delete")


def _audit() -> None:
    op.create_table(
        "audit_log",
        sa.Column("id", sa.Uuid, nullable=False),
        sa.Column("at", _WHEN, nullable=False),
        sa.Column("recorded_at", _WHEN, nullable=False, server_default=sa.func.now()),
        sa.Column("tenant_id", sa.Uuid),
        sa.Column("actor_kind", sa.Text, nullable=False),
        sa.Column("actor_id", sa.Text),
        sa.Column("action", sa.Text, nullable=False),
        sa.Column("entity_type", sa.Text, nullable=False),
        sa.Column("entity_id", sa.Text),
        sa.Column("before", JSONB),
        sa.Column("after", JSONB),
        sa.Column("reason", sa.Text),
        sa.Column("request_id", sa.Text),
        sa.Column("address", sa.Text),
        sa.PrimaryKeyConstraint("id", name="pk_audit_log"),
    )
    op.create_index("ix_audit_log_tenant_at", "audit_log", ["tenant_id", "at", "id"])
    op.create_index("ix_audit_log_entity", "audit_log", ["tenant_id", "entity_type", "entity_id", "at"])
    protect("audit_log", app="select, insert", job="select, insert")
    # somebody at the door belongs to no tenant yet: such an entry can be written, and not read, without one
    op.execute("create policy anonymous on audit_log for insert to hi_app with check (tenant_id is null)")
    op.execute(
        "create function refuse_audit_change() returns trigger language plpgsql as"
        " $$ begin raise exception 'the audit log is append-only'; end $$"
    )
    op.execute(
        "create trigger append_only before update or delete or truncate on audit_log"
        " for each statement execute function refuse_audit_change()"
    )


def _lookups() -> None:
    """Before the tenant is known: functions of the owner that return ids and nothing else."""
    for name, argument, query in (
        ("lookup_login", "text", "select tenant_id, id from users where email = $1 and state <> 'deleted'"),
        ("lookup_refresh", "bytea", "select tenant_id, session_id from refresh_tokens where token_hash = $1"),
        ("lookup_api_key", "bytea", "select tenant_id, id from api_keys where key_hash = $1"),
    ):
        op.execute(
            f"create function {name}({argument}) returns table (tenant_id uuid, id uuid)"
            f" language sql stable security definer set search_path = public, pg_temp as $$ {query} $$"
        )
        op.execute(f"revoke execute on function {name}({argument}) from public")
        op.execute(f"grant execute on function {name}({argument}) to hi_app")


def downgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    for signature in ("lookup_login(text)", "lookup_refresh(bytea)", "lookup_api_key(bytea)"):
        op.execute(f"drop function {signature}")
    for table in _TABLES:
        op.drop_table(table)
    op.execute("drop function refuse_audit_change()")
