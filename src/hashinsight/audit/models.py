"""The log, its seals and their keys: rows are only added; a trigger blocks everything else for everybody."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, Index, SmallInteger, func, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from hashinsight.audit.actions import Action
from hashinsight.audit.snapshot import EVERYTHING
from hashinsight.kit.db.metadata import Model

# Polls and acks write a third of all entries. They are found by time; an index by action would be written for each
# machine of a batch. Queries repeat this condition so that the planner can use the partial index.
DENSE = (Action.COMMAND_ACKED, Action.COMMAND_DISPATCHED)
RARE = "action not in ({})".format(", ".join(f"'{action.value}'" for action in DENSE))
CLOSES = f"snapshot = '{EVERYTHING}'"  # a seal that ends its era


class AuditEntry(Model):
    __tablename__ = "audit_log"
    __table_args__ = (
        Index("ix_audit_log_tenant_at", "tenant_id", "at", "id"),
        Index("ix_audit_log_entity", "tenant_id", "entity_type", "entity_id", "at"),
        Index("ix_audit_log_action", "tenant_id", "action", "at", "id", postgresql_where=text(RARE)),
        Index("ix_audit_log_actor", "tenant_id", "actor_id", "at", "id"),
        Index("ix_audit_log_sealing", "era", "xid"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True)
    at: Mapped[datetime]
    recorded_at: Mapped[datetime] = mapped_column(server_default=func.now())
    tenant_id: Mapped[UUID | None]
    actor_kind: Mapped[str]
    actor_id: Mapped[str | None]
    action: Mapped[str]
    entity_type: Mapped[str]
    entity_id: Mapped[str | None]
    before: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    after: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    reason: Mapped[str | None]
    request_id: Mapped[str | None]
    address: Mapped[str | None]
    # set by the database: a writer cannot choose them
    era: Mapped[int] = mapped_column(SmallInteger, server_default="1")
    xid: Mapped[int] = mapped_column(BigInteger, server_default=text("pg_current_xact_id()::text::bigint"))


class AuditSeal(Model):
    __tablename__ = "audit_seals"
    # the few among millions that explain a restore
    __table_args__ = (Index("ix_audit_seals_closing", "era", postgresql_where=text(CLOSES)),)

    no: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    era: Mapped[int] = mapped_column(SmallInteger)
    snapshot: Mapped[str]
    server: Mapped[str]
    entries: Mapped[int]
    digest: Mapped[bytes]
    previous: Mapped[bytes]
    sealed_at: Mapped[datetime]
    key_id: Mapped[str]
    hash: Mapped[bytes]
    signature: Mapped[bytes]
    leaves: Mapped[bytes] = mapped_column(deferred=True)


class AuditKey(Model):
    __tablename__ = "audit_keys"

    key_id: Mapped[str] = mapped_column(primary_key=True)
    public_key: Mapped[bytes]
    sealed_key: Mapped[bytes]
    created_at: Mapped[datetime]


class AuditAnchor(Model):
    """How far seals were delivered to a target; its address can have a secret, so only the hash is stored."""

    __tablename__ = "audit_anchors"

    target: Mapped[str] = mapped_column(primary_key=True)
    line: Mapped[str]  # the last seal delivered
    last_at: Mapped[datetime]
