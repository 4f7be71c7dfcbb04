"""Tables: collectors, tokens, enrolment codes, keys, heartbeats, configurations, events."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    BigInteger,
    CheckConstraint,
    DateTime,
    Double,
    ForeignKey,
    Identity,
    Index,
    LargeBinary,
    Text,
    UniqueConstraint,
    Uuid,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from hashinsight.kit.db.metadata import Model


class Collector(Model):
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

    id: Mapped[UUID] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(Identity(), unique=True)  # for arrays
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    site_id: Mapped[int] = mapped_column(ForeignKey("sites.id"))
    zone_id: Mapped[int | None] = mapped_column(ForeignKey("zones.id"))
    name: Mapped[str] = mapped_column(Text)
    status: Mapped[str] = mapped_column(Text)
    version: Mapped[str | None] = mapped_column(Text)
    config_version: Mapped[str | None] = mapped_column(Text)  # as the collector reports it
    config_applied_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    collection_interval_sec: Mapped[int] = mapped_column(server_default="60")
    heartbeat_interval_sec: Mapped[int] = mapped_column(server_default="30")
    permissions: Mapped[list[str]] = mapped_column(ARRAY(Text))
    signs_commands: Mapped[bool] = mapped_column(server_default="false")  # it gets signed commands only
    settings: Mapped[dict[str, Any]] = mapped_column(JSONB, server_default=text("'{}'"))
    notes: Mapped[str | None] = mapped_column(Text)
    site_form: Mapped[str | None] = mapped_column(Text)  # its site as the collector writes it; answers use the same
    last_seen_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    last_address: Mapped[str | None] = mapped_column(Text)
    last_device_id: Mapped[str | None] = mapped_column(Text)
    registration_open_until: Mapped[datetime | None] = mapped_column(
        DateTime(timezone=True)
    )  # until then it may register a whole site
    watched_from: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))  # silence before this does not count
    connection_count: Mapped[int] = mapped_column(BigInteger, server_default="0")
    last_heartbeat_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    reported_status: Mapped[str | None] = mapped_column(Text)
    cpu_usage: Mapped[float | None] = mapped_column(Double)
    memory_usage: Mapped[float | None] = mapped_column(Double)
    disk_usage: Mapped[float | None] = mapped_column(Double)
    total_miners: Mapped[int | None]
    active_miners: Mapped[int | None]
    uptime_sec: Mapped[int | None] = mapped_column(BigInteger)
    clock_skew_sec: Mapped[float | None] = mapped_column(Double)  # positive: its clock is ahead of ours
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))
    created_by: Mapped[str | None] = mapped_column(Text)
    updated_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))


class CollectorToken(Model):
    """Only the hash. During a rotation, the old and the new token are valid."""

    __tablename__ = "collector_tokens"
    __table_args__ = (Index("ix_collector_tokens_collector_id", "collector_id", "issued_at"),)

    token_hash: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    site_id: Mapped[int] = mapped_column(ForeignKey("sites.id"))
    collector_id: Mapped[UUID] = mapped_column(ForeignKey("collectors.id"))
    issued_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))
    expires_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))
    revoked_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))


class EnrolmentCode(Model):
    """For one registration of one collector."""

    __tablename__ = "enrolment_codes"
    __table_args__ = (Index("ix_enrolment_codes_collector_id", "collector_id"),)

    code_hash: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    site_id: Mapped[int] = mapped_column(ForeignKey("sites.id"))
    collector_id: Mapped[UUID] = mapped_column(ForeignKey("collectors.id"))
    issued_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))
    expires_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))
    used_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    revoked_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))


class PayloadKey(Model):
    """Decrypts a collector's payloads; encrypted by the installation's secret. Old keys stay valid for an overlap."""

    __tablename__ = "collector_payload_keys"
    __table_args__ = (Index("ix_collector_payload_keys_collector_id", "collector_id", "created_at"),)

    id: Mapped[UUID] = mapped_column(primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    site_id: Mapped[int] = mapped_column(ForeignKey("sites.id"))
    collector_id: Mapped[UUID] = mapped_column(ForeignKey("collectors.id"))
    sealed: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))
    good_until: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))


class Heartbeat(Model):
    """Partitioned by day. No foreign keys: dropping a day would lock the other tables."""

    __tablename__ = "collector_heartbeats"
    __table_args__ = (
        Index("ix_collector_heartbeats_collector_id", "collector_id", "at", "id"),
        {"postgresql_partition_by": "RANGE (at)"},
    )

    id: Mapped[UUID] = mapped_column(primary_key=True)
    at: Mapped[datetime] = mapped_column(DateTime(timezone=True), primary_key=True)
    tenant_id: Mapped[UUID]
    site_id: Mapped[int]
    collector_id: Mapped[UUID]
    device_id: Mapped[str | None] = mapped_column(Text)
    status: Mapped[str] = mapped_column(Text)
    cpu_usage: Mapped[float | None] = mapped_column(Double)
    memory_usage: Mapped[float | None] = mapped_column(Double)
    disk_usage: Mapped[float | None] = mapped_column(Double)
    uptime_sec: Mapped[int | None] = mapped_column(BigInteger)
    version: Mapped[str | None] = mapped_column(Text)
    miners_online: Mapped[int | None]
    miners_total: Mapped[int | None]
    errors_count: Mapped[int | None]
    spool_depth: Mapped[int | None] = mapped_column(BigInteger)
    spool_oldest_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    clock_skew_sec: Mapped[float | None] = mapped_column(Double)
    extra_data: Mapped[dict[str, Any] | None] = mapped_column(JSONB)


class CollectorConfig(Model):
    """One version. States: draft → active → deprecated. Without `collector_ids` it applies to all."""

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

    id: Mapped[UUID] = mapped_column(primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    version: Mapped[str] = mapped_column(Text)
    data: Mapped[dict[str, Any]] = mapped_column(JSONB)
    collector_ids: Mapped[list[UUID] | None] = mapped_column(ARRAY(Uuid))
    status: Mapped[str] = mapped_column(Text)
    is_default: Mapped[bool] = mapped_column(server_default="false")
    change_summary: Mapped[str] = mapped_column(Text, server_default="")
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))
    created_by: Mapped[str | None] = mapped_column(Text)
    activated_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    activated_by: Mapped[str | None] = mapped_column(Text)
    deprecated_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
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
        # a report that is repeated after a lost answer is stored once
        Index(
            "uq_collector_events_reported",
            "collector_id",
            "reported_id",
            unique=True,
            postgresql_where=text("reported_id is not null"),
        ),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    site_id: Mapped[int] = mapped_column(ForeignKey("sites.id"))
    zone_id: Mapped[int | None] = mapped_column(ForeignKey("zones.id"))
    collector_id: Mapped[UUID] = mapped_column(ForeignKey("collectors.id"))
    at: Mapped[datetime] = mapped_column(DateTime(timezone=True))
    occurred_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))  # by the collector's clock
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
    acknowledged_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    acknowledged_by: Mapped[str | None] = mapped_column(Text)
    resolved_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    resolved_by: Mapped[str | None] = mapped_column(Text)


class SigningKey(Model):
    """A revoked key loses its secret; the public key stays, to verify what it signed."""

    __tablename__ = "collector_signing_keys"
    __table_args__ = (
        CheckConstraint("algorithm in ('hmac-sha256', 'ed25519')", name="algorithm"),
        CheckConstraint("(algorithm = 'ed25519') = (public_key is not null)", name="public_key"),
        CheckConstraint("(revoked_at is null) = (sealed is not null)", name="revoked"),
    )

    collector_id: Mapped[UUID] = mapped_column(ForeignKey("collectors.id"), primary_key=True)
    key_id: Mapped[str] = mapped_column(Text, primary_key=True)  # also of revoked keys: ids are never reused
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    site_id: Mapped[int] = mapped_column(ForeignKey("sites.id"))
    algorithm: Mapped[str] = mapped_column(Text)
    sealed: Mapped[bytes | None] = mapped_column(LargeBinary)
    public_key: Mapped[bytes | None] = mapped_column(LargeBinary)
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))
    signs_from: Mapped[datetime] = mapped_column(DateTime(timezone=True))  # until then, the collector is given the key
    revoked_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
