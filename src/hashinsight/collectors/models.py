"""Collectors, their tokens, enrolment codes, heartbeats, configurations and events."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Boolean,
    CheckConstraint,
    DateTime,
    Double,
    ForeignKey,
    Identity,
    Index,
    Integer,
    LargeBinary,
    Text,
    UniqueConstraint,
    Uuid,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from hashinsight.kit.db.metadata import Model

_TENANT = "tenants.id"
_SITE = "sites.id"
_COLLECTOR = "collectors.id"


def _when() -> DateTime:
    return DateTime(timezone=True)


class Collector(Model):
    """One edge program at a site. States: pending → active ⇄ offline; any of them → disabled → active."""

    __tablename__ = "collectors"
    __table_args__ = (
        UniqueConstraint("site_id", "name"),
        CheckConstraint("status in ('pending', 'active', 'offline', 'disabled')", name="status"),
        CheckConstraint("permissions <@ array['read', 'control', 'config']", name="permissions"),
        CheckConstraint("collection_interval_sec between 1 and 86400", name="collection_interval"),
        CheckConstraint("heartbeat_interval_sec between 1 and 86400", name="heartbeat_interval"),
        Index("ix_collectors_tenant_id", "tenant_id", "id"),
        Index("ix_collectors_active", "id", postgresql_where=text("status = 'active'")),
    )

    id: Mapped[UUID] = mapped_column(Uuid, primary_key=True)
    number: Mapped[int] = mapped_column(Integer, Identity(), unique=True)  # for arrays
    tenant_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey(_TENANT))
    site_id: Mapped[int] = mapped_column(Integer, ForeignKey(_SITE))
    zone_id: Mapped[int | None] = mapped_column(Integer, ForeignKey("zones.id"))
    name: Mapped[str] = mapped_column(Text)
    status: Mapped[str] = mapped_column(Text)
    version: Mapped[str | None] = mapped_column(Text)
    config_version: Mapped[str | None] = mapped_column(Text)  # what it says that it runs
    config_applied_at: Mapped[datetime | None] = mapped_column(_when())
    collection_interval_sec: Mapped[int] = mapped_column(Integer, server_default="60")
    heartbeat_interval_sec: Mapped[int] = mapped_column(Integer, server_default="30")
    permissions: Mapped[list[str]] = mapped_column(ARRAY(Text))
    signs_commands: Mapped[bool] = mapped_column(Boolean, server_default="false")  # it is handed signed ones only
    settings: Mapped[dict[str, Any]] = mapped_column(JSONB, server_default=text("'{}'"))
    notes: Mapped[str | None] = mapped_column(Text)
    site_form: Mapped[str | None] = mapped_column(Text)  # its site as it writes it; answers use the same text
    last_seen_at: Mapped[datetime | None] = mapped_column(_when())
    last_address: Mapped[str | None] = mapped_column(Text)
    last_device_id: Mapped[str | None] = mapped_column(Text)
    registration_open_until: Mapped[datetime | None] = mapped_column(_when())  # till then it may register a whole site
    watched_from: Mapped[datetime | None] = mapped_column(_when())  # silence before this is not held against it
    connection_count: Mapped[int] = mapped_column(BigInteger, server_default="0")
    last_heartbeat_at: Mapped[datetime | None] = mapped_column(_when())
    reported_status: Mapped[str | None] = mapped_column(Text)
    cpu_usage: Mapped[float | None] = mapped_column(Double)
    memory_usage: Mapped[float | None] = mapped_column(Double)
    disk_usage: Mapped[float | None] = mapped_column(Double)
    total_miners: Mapped[int | None] = mapped_column(Integer)
    active_miners: Mapped[int | None] = mapped_column(Integer)
    uptime_sec: Mapped[int | None] = mapped_column(BigInteger)
    clock_skew_sec: Mapped[float | None] = mapped_column(Double)  # positive: its clock is ahead of ours
    created_at: Mapped[datetime] = mapped_column(_when())
    created_by: Mapped[str | None] = mapped_column(Text)
    updated_at: Mapped[datetime] = mapped_column(_when())


class CollectorToken(Model):
    """Only the hash. While a token is being rotated, the old one and the new one are both good."""

    __tablename__ = "collector_tokens"
    __table_args__ = (Index("ix_collector_tokens_collector_id", "collector_id", "issued_at"),)

    token_hash: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey(_TENANT))
    site_id: Mapped[int] = mapped_column(Integer, ForeignKey(_SITE))
    collector_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey(_COLLECTOR))
    issued_at: Mapped[datetime] = mapped_column(_when())
    expires_at: Mapped[datetime] = mapped_column(_when())
    revoked_at: Mapped[datetime | None] = mapped_column(_when())


class EnrolmentCode(Model):
    """Good for one registration of one collector."""

    __tablename__ = "enrolment_codes"
    __table_args__ = (Index("ix_enrolment_codes_collector_id", "collector_id"),)

    code_hash: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey(_TENANT))
    site_id: Mapped[int] = mapped_column(Integer, ForeignKey(_SITE))
    collector_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey(_COLLECTOR))
    issued_at: Mapped[datetime] = mapped_column(_when())
    expires_at: Mapped[datetime] = mapped_column(_when())
    used_at: Mapped[datetime | None] = mapped_column(_when())
    revoked_at: Mapped[datetime | None] = mapped_column(_when())


class PayloadKey(Model):
    """Opens what a collector encrypts; sealed by the installation's secret. The old one is good while it is rotated."""

    __tablename__ = "collector_payload_keys"
    __table_args__ = (Index("ix_collector_payload_keys_collector_id", "collector_id", "created_at"),)

    id: Mapped[UUID] = mapped_column(Uuid, primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey(_TENANT))
    site_id: Mapped[int] = mapped_column(Integer, ForeignKey(_SITE))
    collector_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey(_COLLECTOR))
    sealed: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[datetime] = mapped_column(_when())
    good_until: Mapped[datetime | None] = mapped_column(_when())


class Heartbeat(Model):
    """Partitioned by day. No foreign keys: dropping a day would lock what they point to."""

    __tablename__ = "collector_heartbeats"
    __table_args__ = (
        Index("ix_collector_heartbeats_collector_id", "collector_id", "at", "id"),
        {"postgresql_partition_by": "RANGE (at)"},
    )

    id: Mapped[UUID] = mapped_column(Uuid, primary_key=True)
    at: Mapped[datetime] = mapped_column(_when(), primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(Uuid)
    site_id: Mapped[int] = mapped_column(Integer)
    collector_id: Mapped[UUID] = mapped_column(Uuid)
    device_id: Mapped[str | None] = mapped_column(Text)
    status: Mapped[str] = mapped_column(Text)
    cpu_usage: Mapped[float | None] = mapped_column(Double)
    memory_usage: Mapped[float | None] = mapped_column(Double)
    disk_usage: Mapped[float | None] = mapped_column(Double)
    uptime_sec: Mapped[int | None] = mapped_column(BigInteger)
    version: Mapped[str | None] = mapped_column(Text)
    miners_online: Mapped[int | None] = mapped_column(Integer)
    miners_total: Mapped[int | None] = mapped_column(Integer)
    errors_count: Mapped[int | None] = mapped_column(Integer)
    spool_depth: Mapped[int | None] = mapped_column(BigInteger)
    spool_oldest_at: Mapped[datetime | None] = mapped_column(_when())
    clock_skew_sec: Mapped[float | None] = mapped_column(Double)
    extra_data: Mapped[dict[str, Any] | None] = mapped_column(JSONB)


class CollectorConfig(Model):
    """One version. States: draft → active → deprecated. Without listed collectors it applies to all."""

    __tablename__ = "collector_configs"
    __table_args__ = (
        UniqueConstraint("tenant_id", "version"),
        CheckConstraint("status in ('draft', 'active', 'deprecated')", name="status"),
        CheckConstraint("not is_default or collector_ids is null", name="default_is_for_all"),
        Index(
            "uq_collector_configs_default",
            "tenant_id",
            unique=True,
            postgresql_where=text("is_default and status = 'active'"),
        ),
    )

    id: Mapped[UUID] = mapped_column(Uuid, primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey(_TENANT))
    version: Mapped[str] = mapped_column(Text)
    data: Mapped[dict[str, Any]] = mapped_column(JSONB)
    collector_ids: Mapped[list[UUID] | None] = mapped_column(ARRAY(Uuid))
    status: Mapped[str] = mapped_column(Text)
    is_default: Mapped[bool] = mapped_column(Boolean, server_default="false")
    change_summary: Mapped[str] = mapped_column(Text, server_default="")
    created_at: Mapped[datetime] = mapped_column(_when())
    created_by: Mapped[str | None] = mapped_column(Text)
    activated_at: Mapped[datetime | None] = mapped_column(_when())
    activated_by: Mapped[str | None] = mapped_column(Text)
    deprecated_at: Mapped[datetime | None] = mapped_column(_when())
    deprecated_by: Mapped[str | None] = mapped_column(Text)


class CollectorEvent(Model):
    """States: open → acknowledged → resolved, or open → resolved."""

    __tablename__ = "collector_events"
    __table_args__ = (
        CheckConstraint("status in ('open', 'acknowledged', 'resolved')", name="status"),
        CheckConstraint("severity in ('info', 'warning', 'error', 'critical')", name="severity"),
        CheckConstraint("source in ('cloud', 'collector')", name="source"),
        Index("ix_collector_events_tenant_id", "tenant_id", "at", "id"),
        Index("ix_collector_events_open", "collector_id", "severity", postgresql_where=text("status = 'open'")),
        # a report that is sent again after a lost answer is stored once
        Index(
            "uq_collector_events_reported",
            "collector_id",
            "reported_id",
            unique=True,
            postgresql_where=text("reported_id is not null"),
        ),
    )

    id: Mapped[UUID] = mapped_column(Uuid, primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey(_TENANT))
    site_id: Mapped[int] = mapped_column(Integer, ForeignKey(_SITE))
    zone_id: Mapped[int | None] = mapped_column(Integer, ForeignKey("zones.id"))
    collector_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey(_COLLECTOR))
    at: Mapped[datetime] = mapped_column(_when())
    occurred_at: Mapped[datetime | None] = mapped_column(_when())  # by the collector's own clock
    source: Mapped[str] = mapped_column(Text)
    kind: Mapped[str] = mapped_column(Text)
    severity: Mapped[str] = mapped_column(Text)
    title: Mapped[str] = mapped_column(Text)
    message: Mapped[str] = mapped_column(Text, server_default="")
    details: Mapped[dict[str, Any] | None] = mapped_column(JSONB)
    miner_id: Mapped[str | None] = mapped_column(Text)
    command_id: Mapped[str | None] = mapped_column(Text)
    reported_id: Mapped[str | None] = mapped_column(Text)
    status: Mapped[str] = mapped_column(Text, server_default="open")
    acknowledged_at: Mapped[datetime | None] = mapped_column(_when())
    acknowledged_by: Mapped[str | None] = mapped_column(Text)
    resolved_at: Mapped[datetime | None] = mapped_column(_when())
    resolved_by: Mapped[str | None] = mapped_column(Text)


class SigningKey(Model):
    """Of one that was revoked the secret is gone; the public half stays, for whoever checks what it signed."""

    __tablename__ = "collector_signing_keys"
    __table_args__ = (
        CheckConstraint("algorithm in ('hmac-sha256', 'ed25519')", name="algorithm"),
        CheckConstraint("(algorithm = 'ed25519') = (public_key is not null)", name="public_key"),
        CheckConstraint("(revoked_at is null) = (sealed is not null)", name="revoked"),
    )

    collector_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey("collectors.id"), primary_key=True)
    key_id: Mapped[str] = mapped_column(Text, primary_key=True)  # of a revoked key, too: an id never comes again
    tenant_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey("tenants.id"))
    site_id: Mapped[int] = mapped_column(Integer, ForeignKey("sites.id"))
    algorithm: Mapped[str] = mapped_column(Text)
    sealed: Mapped[bytes | None] = mapped_column(LargeBinary)
    public_key: Mapped[bytes | None] = mapped_column(LargeBinary)
    created_at: Mapped[datetime] = mapped_column(_when())
    signs_from: Mapped[datetime] = mapped_column(_when())  # before it, the collector is given the key
    revoked_at: Mapped[datetime | None] = mapped_column(_when())
