"""A command, twice with the same columns: the small hot table, and the finished ones, which stay for ever."""

from typing import Any

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
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
from hashinsight.commands.models.columns import json, may, must, owned, when
from hashinsight.commands.states import ACTIVE_CONTROL, CHECKS, READY, sql_list
from hashinsight.kit.db.metadata import metadata


def _command() -> list[Column[Any]]:
    return [
        *must("command_id", Uuid),
        *owned(),
        *may("zone_id", Integer),
        *must("miner_no", Integer),
        *must("miner_id", Text),
        *must("batch_id", Uuid),
        *must("command_type", Text),
        *must("is_control", Boolean),
        *must("params", JSONB),
        *may("sealed_params", LargeBinary),  # the secret ones: opened for the wire and for nothing else
        *must("asks", LargeBinary),  # a keyed hash of type and parameters: whether two ask for the same thing
        *must("priority", Text),
        *must("priority_number urgency", SmallInteger),
        *must("emergency", Boolean),
        *must("ttl_sec", Integer),
        *may("expires_at", when()),  # none while approval is waited for: the TTL starts with it
        *may("dedupe_key", Text),
        *must("approval_state", Text),
        *may("approval_until", when()),
        *must("created_by_kind", Text),
        *may("created_by", Text),
        *must("created_at", when()),
        *must("created_reason", Text),
        *may("rule_id", Text),
        *may("rule_version", Integer),
        *may("problem_id", Text),
        *may("evidence", json()),
        *must("state", Text),
        *must("moves", Integer),  # how many there were: the number of the newest row of history
        *must("attempt", Integer),  # how often it was handed out
        *must("max_retries retry_backoff_sec", Integer),
        *must("next_attempt_at", when()),
        *may("dispatch_id", Uuid),  # the newest; none while a retry waits for a new one
        *may("lease_owner", Uuid),
        *may("lease_device", Text),
        *may("lease_until dispatched_at started_at finished_at cancel_requested_at", when()),
        *may("ack_payload", json()),
        *may("error_code error_message", Text),
        *may("superseded_by", Uuid),
        *may("verification", Text),
        *may("over_cap", json()),  # an emergency that took down more of the site than its cap: down, cap, site_machines
        *must("updated_at", when()),
    ]


COMMANDS = Table(
    "commands",
    metadata,
    *_command(),
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
    # machines whose mining program settings restarted: what a site's cap counts
    Index(
        "ix_commands_settings",
        "site_id",
        "finished_at",
        postgresql_where=text(f"state = 'succeeded' and command_type in ({sql_list(SETTINGS)})"),
    ),
    Index("ix_commands_batch_id", "batch_id"),
    Index("ix_commands_created_at", "created_at"),  # and no id: it would be taken for a way to one of them
)

DONE = Table(
    "commands_done",
    metadata,
    *_command(),
    PrimaryKeyConstraint("command_id", name="pk_commands_done"),
    Index("ix_commands_done_tenant_id", "tenant_id", "created_at", "command_id"),
    Index("ix_commands_done_state", "tenant_id", "state", "created_at", "command_id"),
    Index("ix_commands_done_site_id", "site_id", "created_at", "command_id"),
    Index("ix_commands_done_miner_no", "miner_no", "created_at", "command_id"),
    Index("ix_commands_done_batch_id", "batch_id"),
)

COLUMNS = tuple(column.name for column in COMMANDS.columns)
