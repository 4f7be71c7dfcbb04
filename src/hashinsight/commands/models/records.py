"""What is kept of dispatches, moves, batches and decisions, and of keys, rates and devices."""

from sqlalchemy import (
    ARRAY,
    REAL,
    BigInteger,
    CheckConstraint,
    Column,
    DateTime,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    Table,
    Text,
    Uuid,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

from hashinsight.kit.db.metadata import metadata

ATTEMPTS = Table(
    "command_attempts",
    metadata,
    Column("dispatch_id", Uuid, nullable=False),
    Column("tenant_id", Uuid, nullable=False),
    Column("site_id", Integer, nullable=False),
    Column("command_id", Uuid, nullable=False),
    Column("miner_no", Integer, nullable=False),
    Column("n", Integer, nullable=False),
    Column("collector_id", Uuid, nullable=False),
    Column("device", Text),
    Column("held_by", ARRAY(Uuid), nullable=False),  # every collector that it was leased to
    Column("deliveries", Integer, nullable=False),
    Column("leased_at", DateTime(timezone=True), nullable=False),
    Column("lease_until", DateTime(timezone=True), nullable=False),
    Column("result", Text),
    Column("acked_at", DateTime(timezone=True)),
    Column("started_at", DateTime(timezone=True)),
    Column("finished_at", DateTime(timezone=True)),
    Column("execution_time_ms", Integer),
    Column("error_code", Text),
    Column("error_message", Text),
    Column("snapshot_before", JSONB(none_as_null=True)),
    Column("snapshot_after", JSONB(none_as_null=True)),
    Column("payload", JSONB(none_as_null=True)),
    Column("late_count", Integer, nullable=False, server_default=text("0")),
    Column("late_acks", JSONB(none_as_null=True)),  # acks that changed nothing: the first ones, the rest is counted
    PrimaryKeyConstraint("dispatch_id", name="pk_command_attempts"),
    CheckConstraint(
        "result in ('succeeded', 'failed', 'rejected', 'skipped', 'running', 'lost', 'fenced')", name="result"
    ),
    Index("ix_command_attempts_command_id", "command_id", "n"),
)

HISTORY = Table(
    "command_history",
    metadata,
    Column("command_id", Uuid, nullable=False),
    Column("n", Integer, nullable=False),
    Column("tenant_id", Uuid, nullable=False),
    Column("site_id", Integer, nullable=False),
    Column("at", DateTime(timezone=True), nullable=False),
    Column("event", Text, nullable=False),
    Column("old_state", Text),
    Column("new_state", Text, nullable=False),
    Column("actor_kind", Text, nullable=False),
    Column("actor_id", Text),
    Column("message", Text),
    Column("details", JSONB(none_as_null=True)),
    Column("execution_time_ms", Integer),
    # by the database's clock, inside the statement: the true order of a machine's moves
    Column("recorded_at", DateTime(timezone=True), nullable=False, server_default=text("clock_timestamp()")),
    PrimaryKeyConstraint("command_id", "n", name="pk_command_history"),
)

BATCHES = Table(
    "command_batches",
    metadata,
    Column("batch_id", Uuid, nullable=False),
    Column("tenant_id", Uuid, nullable=False),
    Column("site_id", Integer, nullable=False),
    Column("command_type", Text, nullable=False),
    Column("params", JSONB, nullable=False),
    Column("selection", JSONB, nullable=False),
    Column("priority", Text, nullable=False),
    Column("created_by_kind", Text, nullable=False),
    Column("created_by", Text),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("reason", Text, nullable=False),
    Column("approval_state", Text, nullable=False),
    Column("approval_reason", Text),
    Column("machines", Integer, nullable=False),
    Column("created", Integer, nullable=False),
    Column("existing", Integer, nullable=False),
    Column("refused", JSONB, nullable=False),
    Column("repeated", JSONB(none_as_null=True)),  # machines whose command existed before, by the dedupe key
    PrimaryKeyConstraint("batch_id", name="pk_command_batches"),
    ForeignKeyConstraint(["tenant_id"], ["tenants.id"], name="fk_command_batches_tenant_id"),
    ForeignKeyConstraint(["site_id"], ["sites.id"], name="fk_command_batches_site_id"),
    Index("ix_command_batches_tenant_id", "tenant_id", "created_at", "batch_id"),
)

APPROVALS = Table(
    "approvals",
    metadata,
    Column("id", Uuid, nullable=False),
    Column("tenant_id", Uuid, nullable=False),
    Column("site_id", Integer, nullable=False),
    Column("batch_id", Uuid, nullable=False),
    Column("command_id", Uuid),  # null: the whole batch
    Column("decision", Text, nullable=False),
    Column("by_kind", Text, nullable=False),
    Column("by_id", Text),
    Column("at", DateTime(timezone=True), nullable=False),
    Column("reason", Text, nullable=False),
    Column("commands", Integer, nullable=False),
    PrimaryKeyConstraint("id", name="pk_approvals"),
    ForeignKeyConstraint(["tenant_id"], ["tenants.id"], name="fk_approvals_tenant_id"),
    ForeignKeyConstraint(["site_id"], ["sites.id"], name="fk_approvals_site_id"),
    CheckConstraint("decision in ('approved', 'rejected', 'pre_approved', 'emergency')", name="decision"),
    Index("ix_approvals_batch_id", "batch_id", "at"),
)

DEDUPE = Table(
    "command_dedupe",
    metadata,
    Column("tenant_id", Uuid, nullable=False),
    Column("site_id", Integer, nullable=False),
    Column("dedupe_key", Text, nullable=False),
    Column("miner_no", Integer, nullable=False),
    Column("requester", Text, nullable=False, server_default=text("''")),  # each requester has keys of their own
    Column("command_id", Uuid, nullable=False),
    Column("until_at", DateTime(timezone=True), nullable=False),
    PrimaryKeyConstraint("tenant_id", "dedupe_key", "miner_no", "requester", name="pk_command_dedupe"),
    Index("ix_command_dedupe_until_at", "until_at"),
)

# one row per machine that a requester commanded without approval: later requests count them towards the limits
UNAPPROVED = Table(
    "command_unapproved",
    metadata,
    Column("tenant_id", Uuid, nullable=False),
    Column("site_id", Integer, nullable=False),
    Column("requester", Text, nullable=False),
    Column("miner_no", Integer, nullable=False),
    Column("command_id", Uuid, nullable=False),  # the newest
    Column("at", DateTime(timezone=True), nullable=False),
    Column("power_w", REAL, nullable=False),  # at the time of the request: a stopped machine draws nothing later
    PrimaryKeyConstraint("site_id", "requester", "miner_no", name="pk_command_unapproved"),
    Index("ix_command_unapproved_at", "at"),
)

KEYS = Table(
    "command_keys",
    metadata,
    Column("tenant_id", Uuid, nullable=False),
    Column("key", Text, nullable=False),
    Column("fingerprint", LargeBinary, nullable=False),  # of the request: the same key for another one is refused
    Column("batch_id", Uuid, nullable=False),
    Column("until_at", DateTime(timezone=True), nullable=False),
    PrimaryKeyConstraint("tenant_id", "key", name="pk_command_keys"),
    Index("ix_command_keys_until_at", "until_at"),
)

RATES = Table(
    "command_rates",
    metadata,
    Column("id", Uuid, nullable=False),
    Column("tenant_id", Uuid, nullable=False),
    Column("site_id", Integer, nullable=False),
    Column("command_type", Text, nullable=False),
    Column("at", DateTime(timezone=True), nullable=False),
    Column("n", Integer, nullable=False),
    PrimaryKeyConstraint("id", name="pk_command_rates"),
    Index("ix_command_rates_site_id", "site_id", "command_type", "at"),
)

DEVICES = Table(
    "command_devices",
    metadata,
    Column("tenant_id", Uuid, nullable=False),
    Column("site_id", Integer, nullable=False),
    Column("collector_id", Uuid, nullable=False),
    Column("device", Text, nullable=False),  # empty for a collector that names none
    Column("last_seen_at", DateTime(timezone=True), nullable=False),
    Column("incarnation", BigInteger),  # counts the device's starts, if it sends that number
    PrimaryKeyConstraint("collector_id", "device", name="pk_command_devices"),
    ForeignKeyConstraint(["collector_id"], ["collectors.id"], name="fk_command_devices_collector_id"),
)
