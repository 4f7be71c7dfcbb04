"""Commands in two tables with the same columns: the small hot one, and the finished ones, which are kept forever."""

from typing import Any

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    SmallInteger,
    Table,
    Text,
    Uuid,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

from hashinsight.commands.catalogue import SETTINGS
from hashinsight.commands.states import ACTIVE_CONTROL, CHECKS, READY, sql_list
from hashinsight.kit.db.metadata import metadata


def _columns() -> list[Column[Any]]:
    return [
        Column("command_id", Uuid, nullable=False),
        Column("tenant_id", Uuid, nullable=False),
        Column("site_id", Integer, nullable=False),
        Column("zone_id", Integer),
        Column("miner_no", Integer, nullable=False),
        Column("miner_id", Text, nullable=False),
        Column("batch_id", Uuid, nullable=False),
        Column("command_type", Text, nullable=False),
        Column("is_control", Boolean, nullable=False),
        Column("params", JSONB, nullable=False),
        Column("sealed_params", LargeBinary),  # secret parameters, decrypted for the wire only
        Column("asks", LargeBinary, nullable=False),  # keyed hash of type and parameters: equal for duplicates
        Column("priority", Text, nullable=False),
        Column("priority_number", SmallInteger, nullable=False),
        Column("urgency", SmallInteger, nullable=False),
        Column("emergency", Boolean, nullable=False),
        Column("ttl_sec", Integer, nullable=False),
        Column("expires_at", DateTime(timezone=True)),  # null while waiting for approval: the TTL starts then
        Column("dedupe_key", Text),
        Column("approval_state", Text, nullable=False),
        Column("approval_until", DateTime(timezone=True)),
        Column("created_by_kind", Text, nullable=False),
        Column("created_by", Text),
        Column("created_at", DateTime(timezone=True), nullable=False),
        Column("created_reason", Text, nullable=False),
        Column("rule_id", Text),
        Column("rule_version", Integer),
        Column("problem_id", Text),
        Column("evidence", JSONB(none_as_null=True)),
        Column("state", Text, nullable=False),
        Column("moves", Integer, nullable=False),  # number of the newest row in the history
        Column("attempt", Integer, nullable=False),  # number of dispatches
        Column("max_retries", Integer, nullable=False),
        Column("retry_backoff_sec", Integer, nullable=False),
        Column("next_attempt_at", DateTime(timezone=True), nullable=False),
        Column("dispatch_id", Uuid),  # the newest; null while a retry waits for a new one
        Column("lease_owner", Uuid),
        Column("lease_device", Text),
        Column("lease_until", DateTime(timezone=True)),
        Column("dispatched_at", DateTime(timezone=True)),
        Column("started_at", DateTime(timezone=True)),
        Column("finished_at", DateTime(timezone=True)),
        Column("cancel_requested_at", DateTime(timezone=True)),
        Column("ack_payload", JSONB(none_as_null=True)),
        Column("error_code", Text),
        Column("error_message", Text),
        Column("superseded_by", Uuid),
        Column("verification", Text),
        Column("over_cap", JSONB(none_as_null=True)),  # an emergency above the site's cap: down, cap, site_machines
        Column("updated_at", DateTime(timezone=True), nullable=False),
    ]


COMMANDS = Table(
    "commands",
    metadata,
    *_columns(),
    PrimaryKeyConstraint("command_id", name="pk_commands"),
    ForeignKeyConstraint(["miner_no"], ["miners.miner_no"], name="fk_commands_miner_no"),
    *(CheckConstraint(check, name=name) for name, check in CHECKS.items()),
    Index("uq_commands_active", "miner_no", unique=True, postgresql_where=text(ACTIVE_CONTROL)),
    Index(
        "ix_commands_ready",
        "site_id",
        "command_type",
        text("urgency desc"),
        "created_at",
        "command_id",
        postgresql_where=text(READY),
    ),
    Index("ix_commands_open", "miner_no", postgresql_where=text("finished_at is null")),
    Index("ix_commands_lease_until", "lease_until", postgresql_where=text("lease_until is not null")),
    Index("ix_commands_expires_at", "expires_at", postgresql_where=text(f"{READY} and expires_at is not null")),
    Index("ix_commands_waiting", "approval_until", postgresql_where=text("state = 'queued' and expires_at is null")),
    Index("ix_commands_finished_at", "finished_at", postgresql_where=text("finished_at is not null")),
    # machines whose mining program restarted with new settings: counted by the site's cap
    Index(
        "ix_commands_settings",
        "site_id",
        "finished_at",
        postgresql_where=text(f"state = 'succeeded' and command_type in ({sql_list(SETTINGS)})"),
    ),
    Index("ix_commands_batch_id", "batch_id"),
    Index(
        "ix_commands_created_at", "created_at"
    ),  # without the id: the planner would use it to look up single commands
)

DONE = Table(
    "commands_done",
    metadata,
    *_columns(),
    PrimaryKeyConstraint("command_id", name="pk_commands_done"),
    Index("ix_commands_done_tenant_id", "tenant_id", "created_at", "command_id"),
    Index("ix_commands_done_state", "tenant_id", "state", "created_at", "command_id"),
    Index("ix_commands_done_site_id", "site_id", "created_at", "command_id"),
    Index("ix_commands_done_miner_no", "miner_no", "created_at", "command_id"),
    Index("ix_commands_done_batch_id", "batch_id"),
)

COLUMNS = tuple(column.name for column in COMMANDS.columns)
