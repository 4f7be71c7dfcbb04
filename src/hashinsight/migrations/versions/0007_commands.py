"""Commands: the hot table, the finished ones, attempts, history, batches, approvals, and what guards repetition."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from hashinsight.migrations.policies import protect

revision = "0007"
down_revision = "0006b"
branch_labels = None
depends_on = None

_WHEN = sa.DateTime(timezone=True)
_TABLES = (
    *("command_devices", "command_rates", "command_keys", "command_dedupe", "approvals", "command_batches"),
    *("command_history", "command_attempts", "commands_done", "commands"),
)
_LEASED = "'dispatched', 'running'"
_FINAL = "'succeeded', 'failed', 'expired', 'canceled', 'superseded'"
_CLASSES = "'convenience', 'efficiency', 'compliance', 'safety'"
_READY = "state = 'queued' and approval_state <> 'required'"
_CHECKS = {
    "state": f"state in ('queued', {_LEASED}, {_FINAL})",
    "approval_state": "approval_state in ('none', 'required', 'approved', 'rejected')",
    "leased": f"(state in ({_LEASED})) = (lease_until is not null)",
    "lease_owner": "(lease_until is null) = (lease_owner is null)",
    "fenced": "lease_until is null or dispatch_id is not null",
    "finished": f"(state in ({_FINAL})) = (finished_at is not null)",
    "unapproved": "approval_state <> 'required' or state in ('queued', 'expired', 'canceled', 'superseded')",
    "rejected": "approval_state <> 'rejected' or state = 'canceled'",
    "expires": "expires_at is not null or approval_state in ('required', 'rejected')",
    "superseded": "(state = 'superseded') = (superseded_by is not null)",
    "tried": f"attempt > 0 or state not in ({_LEASED}, 'succeeded', 'failed')",
    "ttl": "ttl_sec between 5 and 604800",
    "priority": f"priority in ({_CLASSES})",
    "urgency": f"urgency = (array_position(array[{_CLASSES}], priority) - 1) * 10 + priority_number",
    "priority_number": "priority_number between 0 and 9",
    "verification": "verification in ('pending', 'verified', 'unverified', 'unverifiable')",
}


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


def _command() -> list[sa.Column[object]]:
    return [
        *_must("command_id", sa.Uuid),
        *_owned(),
        *_may("zone_id", sa.Integer),
        *_must("miner_no", sa.Integer),
        *_must("miner_id", sa.Text),
        *_must("batch_id", sa.Uuid),
        *_must("command_type", sa.Text),
        *_must("is_control", sa.Boolean),
        *_must("params", JSONB),
        *_may("sealed_params", sa.LargeBinary),
        *_must("asks", sa.LargeBinary),
        *_must("priority", sa.Text),
        *_must("priority_number urgency", sa.SmallInteger),
        *_must("emergency", sa.Boolean),
        *_must("ttl_sec", sa.Integer),
        *_may("expires_at", _WHEN),
        *_may("dedupe_key", sa.Text),
        *_must("approval_state", sa.Text),
        *_may("approval_until", _WHEN),
        *_must("created_by_kind", sa.Text),
        *_may("created_by", sa.Text),
        *_must("created_at", _WHEN),
        *_must("created_reason", sa.Text),
        *_may("rule_id", sa.Text),
        *_may("rule_version", sa.Integer),
        *_may("problem_id", sa.Text),
        *_may("evidence", JSONB),
        *_must("state", sa.Text),
        *_must("moves attempt max_retries retry_backoff_sec", sa.Integer),
        *_must("next_attempt_at", _WHEN),
        *_may("dispatch_id lease_owner", sa.Uuid),
        *_may("lease_device", sa.Text),
        *_may("lease_until dispatched_at started_at finished_at cancel_requested_at", _WHEN),
        *_may("ack_payload", JSONB),
        *_may("error_code error_message", sa.Text),
        *_may("superseded_by", sa.Uuid),
        *_may("verification", sa.Text),
        *_must("updated_at", _WHEN),
    ]


def upgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    _hot()
    _done()
    _attempts_and_history()
    _batches_and_approvals()
    _guards()


def _hot() -> None:
    op.create_table(
        "commands",
        *_command(),
        sa.PrimaryKeyConstraint("command_id", name="pk_commands"),
        sa.ForeignKeyConstraint(["miner_no"], ["miners.miner_no"], name="fk_commands_miner_no"),
        *(sa.CheckConstraint(check, name=f"ck_commands_{name}") for name, check in _CHECKS.items()),
    )
    order: list[str | sa.TextClause] = ["site_id", "command_type", sa.text("urgency desc"), "created_at", "command_id"]
    indexes: tuple[tuple[str, list[str | sa.TextClause], str | None], ...] = (
        ("ready", order, _READY),
        ("open", ["miner_no"], "finished_at is null"),
        ("lease_until", ["lease_until"], "lease_until is not null"),
        ("expires_at", ["expires_at"], f"{_READY} and expires_at is not null"),  # for the sweeper, not for polls
        ("waiting", ["approval_until"], "state = 'queued' and expires_at is null"),
        ("finished_at", ["finished_at"], "finished_at is not null"),
        ("batch_id", ["batch_id"], None),
        # without the tenant: a statement that names its rows must not come to think that walking a tenant is cheaper
        ("created_at", ["created_at", "command_id"], None),
    )
    for name, columns, where in indexes:
        chosen = None if where is None else sa.text(where)
        op.create_index(f"ix_commands_{name}", "commands", columns, postgresql_where=chosen)
    active = sa.text(f"is_control and state in ({_LEASED})")
    op.create_index("uq_commands_active", "commands", ["miner_no"], unique=True, postgresql_where=active)
    # small and always changing: room for the next version of a row beside it, and cleaned long before it has doubled
    op.execute(
        "alter table commands set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02,"
        " autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0)"
    )
    protect("commands", site_column="site_id", app="select, insert, update")


def _done() -> None:
    op.create_table("commands_done", *_command(), sa.PrimaryKeyConstraint("command_id", name="pk_commands_done"))
    for name, *columns in (("tenant_id",), ("state", "tenant_id", "state"), ("site_id",), ("miner_no",)):
        keys = [*(columns or [name]), "created_at", "command_id"]
        op.create_index(f"ix_commands_done_{name}", "commands_done", keys)
    op.create_index("ix_commands_done_batch_id", "commands_done", ["batch_id"])
    protect("commands_done", site_column="site_id", app="select", job="select, insert, update")
    op.execute(
        "create view all_commands with (security_invoker = true) as"
        " select * from commands union all select * from commands_done"
    )
    op.execute("grant select on all_commands to hi_app, hi_job")


def _attempts_and_history() -> None:
    op.create_table(
        "command_attempts",
        *_must("dispatch_id", sa.Uuid),
        *_owned(),
        *_must("command_id", sa.Uuid),
        *_must("miner_no n", sa.Integer),
        *_must("collector_id", sa.Uuid),
        *_may("device", sa.Text),
        *_must("held_by", sa.ARRAY(sa.Uuid)),
        *_must("deliveries", sa.Integer),
        *_must("leased_at lease_until", _WHEN),
        *_may("result", sa.Text),
        *_may("acked_at started_at finished_at", _WHEN),
        *_may("execution_time_ms", sa.Integer),
        *_may("error_code error_message", sa.Text),
        *_may("snapshot_before snapshot_after payload", JSONB),
        *_must("late_count", sa.Integer, "0"),
        *_may("late_acks", JSONB),
        sa.PrimaryKeyConstraint("dispatch_id", name="pk_command_attempts"),
        sa.CheckConstraint(
            "result in ('succeeded', 'failed', 'rejected', 'skipped', 'running', 'lost', 'fenced')",
            name="ck_command_attempts_result",
        ),
    )
    op.create_index("ix_command_attempts_command_id", "command_attempts", ["command_id", "n"])
    op.execute("alter table command_attempts set (fillfactor = 70)")  # most are written twice: leased, acked
    protect("command_attempts", site_column="site_id", app="select, insert, update", job="select, insert, update")
    op.create_table(
        "command_history",
        *_must("command_id", sa.Uuid),
        *_must("n", sa.Integer),
        *_owned(),
        *_must("at", _WHEN),
        *_must("event", sa.Text),
        *_may("old_state", sa.Text),
        *_must("new_state", sa.Text),
        *_must("actor_kind", sa.Text),
        *_may("actor_id message", sa.Text),
        *_may("details", JSONB),
        *_may("execution_time_ms", sa.Integer),
        *_must("recorded_at", _WHEN, "clock_timestamp()"),
        sa.PrimaryKeyConstraint("command_id", "n", name="pk_command_history"),
    )
    protect("command_history", site_column="site_id", app="select, insert", job="select, insert")


def _batches_and_approvals() -> None:
    op.create_table(
        "command_batches",
        *_must("batch_id", sa.Uuid),
        *_owned(),
        *_must("command_type", sa.Text),
        *_must("params selection", JSONB),
        *_must("priority", sa.Text),
        *_must("created_by_kind", sa.Text),
        *_may("created_by", sa.Text),
        *_must("created_at", _WHEN),
        *_must("reason approval_state", sa.Text),
        *_may("approval_reason", sa.Text),
        *_must("machines created existing", sa.Integer),
        *_must("refused", JSONB),
        *_may("repeated", JSONB),
        sa.PrimaryKeyConstraint("batch_id", name="pk_command_batches"),
        *_owners("command_batches"),
    )
    op.create_index("ix_command_batches_tenant_id", "command_batches", ["tenant_id", "created_at", "batch_id"])
    protect("command_batches", site_column="site_id", app="select, insert, update", job="select, insert, update")
    op.create_table(
        "approvals",
        *_must("id", sa.Uuid),
        *_owned(),
        *_must("batch_id", sa.Uuid),
        *_may("command_id", sa.Uuid),
        *_must("decision", sa.Text),
        *_must("by_kind", sa.Text),
        *_may("by_id", sa.Text),
        *_must("at", _WHEN),
        *_must("reason", sa.Text),
        *_must("commands", sa.Integer),
        sa.PrimaryKeyConstraint("id", name="pk_approvals"),
        *_owners("approvals"),
        sa.CheckConstraint(
            "decision in ('approved', 'rejected', 'pre_approved', 'emergency')", name="ck_approvals_decision"
        ),
    )
    op.create_index("ix_approvals_batch_id", "approvals", ["batch_id", "at"])
    protect("approvals", site_column="site_id", app="select, insert", job="select, insert")


def _guards() -> None:
    """What keeps a request, a rate or a device from being counted twice."""
    op.create_table(
        "command_dedupe",
        *_owned(),
        *_must("dedupe_key", sa.Text),
        *_must("miner_no", sa.Integer),
        *_must("command_id", sa.Uuid),
        *_must("until_at", _WHEN),
        sa.PrimaryKeyConstraint("tenant_id", "dedupe_key", "miner_no", name="pk_command_dedupe"),
    )
    op.create_index("ix_command_dedupe_until_at", "command_dedupe", ["until_at"])
    protect("command_dedupe", site_column="site_id", app="select, insert, update")
    op.create_table(
        "command_keys",
        *_must("tenant_id", sa.Uuid),
        *_must("key", sa.Text),
        *_must("fingerprint", sa.LargeBinary),
        *_must("batch_id", sa.Uuid),
        *_must("until_at", _WHEN),
        sa.PrimaryKeyConstraint("tenant_id", "key", name="pk_command_keys"),
    )
    op.create_index("ix_command_keys_until_at", "command_keys", ["until_at"])
    protect("command_keys", app="select, insert, update")
    op.create_table(
        "command_rates",
        *_must("id", sa.Uuid),
        *_owned(),
        *_must("command_type", sa.Text),
        *_must("at", _WHEN),
        *_must("n", sa.Integer),
        sa.PrimaryKeyConstraint("id", name="pk_command_rates"),
    )
    op.create_index("ix_command_rates_site_id", "command_rates", ["site_id", "command_type", "at"])
    protect("command_rates", site_column="site_id", app="select, insert")
    op.create_table(
        "command_devices",
        *_owned(),
        *_must("collector_id", sa.Uuid),
        *_must("device", sa.Text),
        *_must("last_seen_at", _WHEN),
        sa.PrimaryKeyConstraint("collector_id", "device", name="pk_command_devices"),
        sa.ForeignKeyConstraint(["collector_id"], ["collectors.id"], name="fk_command_devices_collector_id"),
    )
    protect("command_devices", site_column="site_id", app="select, insert, update")


def downgrade() -> None:
    op.execute("set local lock_timeout = '3s'")
    op.execute("drop view all_commands")
    for table in _TABLES:
        op.drop_table(table)
