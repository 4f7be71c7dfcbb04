"""What is kept of every dispatch, every move and every decision."""

from sqlalchemy import ARRAY, CheckConstraint, Index, Integer, PrimaryKeyConstraint, Table, Text, Uuid
from sqlalchemy.dialects.postgresql import JSONB

from hashinsight.commands.models.columns import json, may, must, owned, owners, when
from hashinsight.kit.db.metadata import metadata

ATTEMPTS = Table(
    "command_attempts",
    metadata,
    *must("dispatch_id", Uuid),
    *owned(),
    *must("command_id", Uuid),
    *must("miner_no n", Integer),
    *must("collector_id", Uuid),
    *may("device", Text),
    *must("held_by", ARRAY(Uuid)),  # every collector that it was handed to
    *must("deliveries", Integer),
    *must("leased_at lease_until", when()),
    *may("result", Text),
    *may("acked_at started_at finished_at", when()),
    *may("execution_time_ms", Integer),
    *may("error_code error_message", Text),
    *may("snapshot_before snapshot_after payload", json()),
    *must("late_count", Integer, "0"),
    *may("late_acks", json()),  # what changed nothing, as evidence: the first of them whole, the rest counted
    PrimaryKeyConstraint("dispatch_id", name="pk_command_attempts"),
    CheckConstraint(
        "result in ('succeeded', 'failed', 'rejected', 'skipped', 'running', 'lost', 'fenced')", name="result"
    ),
    Index("ix_command_attempts_command_id", "command_id", "n"),
)

HISTORY = Table(
    "command_history",
    metadata,
    *must("command_id", Uuid),
    *must("n", Integer),
    *owned(),
    *must("at", when()),
    *must("event", Text),
    *may("old_state", Text),
    *must("new_state", Text),
    *must("actor_kind", Text),
    *may("actor_id message", Text),
    *may("details", json()),
    *may("execution_time_ms", Integer),
    # by the database's clock, inside the statement: the order in which moves of one machine really came
    *must("recorded_at", when(), "clock_timestamp()"),
    PrimaryKeyConstraint("command_id", "n", name="pk_command_history"),
)

BATCHES = Table(
    "command_batches",
    metadata,
    *must("batch_id", Uuid),
    *owned(),
    *must("command_type", Text),
    *must("params selection", JSONB),
    *must("priority", Text),
    *must("created_by_kind", Text),
    *may("created_by", Text),
    *must("created_at", when()),
    *must("reason approval_state", Text),
    *may("approval_reason", Text),
    *must("machines created existing", Integer),
    *must("refused", JSONB),
    *may("repeated", json()),  # machines whose command was there already, by the dedupe key
    PrimaryKeyConstraint("batch_id", name="pk_command_batches"),
    *owners("command_batches"),
    Index("ix_command_batches_tenant_id", "tenant_id", "created_at", "batch_id"),
)

APPROVALS = Table(
    "approvals",
    metadata,
    *must("id", Uuid),
    *owned(),
    *must("batch_id", Uuid),
    *may("command_id", Uuid),  # none: the whole batch
    *must("decision", Text),
    *must("by_kind", Text),
    *may("by_id", Text),
    *must("at", when()),
    *must("reason", Text),
    *must("commands", Integer),
    PrimaryKeyConstraint("id", name="pk_approvals"),
    *owners("approvals"),
    CheckConstraint("decision in ('approved', 'rejected', 'pre_approved', 'emergency')", name="decision"),
    Index("ix_approvals_batch_id", "batch_id", "at"),
)
