"""Sites and what stands in them: zones, racks, nodes, miners, groups, and what state each machine is expected in."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Computed,
    DateTime,
    Double,
    ForeignKey,
    Identity,
    Index,
    Integer,
    Text,
    UniqueConstraint,
    Uuid,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from hashinsight.kit.db.metadata import Model

_CODE_KEY = 'lower(code collate "C")'  # as `wire.sites.fold_code`


def _when() -> DateTime:
    return DateTime(timezone=True)


class Site(Model):
    """One physical place. `code` is unique in the installation: a collector may name its site by either.

    It keeps its case; `code_key` is what it is found by, because under row-level security lower() uses no index.
    """

    __tablename__ = "sites"
    __table_args__ = (Index("ix_sites_tenant_id", "tenant_id", "id"),)

    id: Mapped[int] = mapped_column(Integer, Identity(), primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey("tenants.id"))
    code: Mapped[str] = mapped_column(Text)
    code_key: Mapped[str] = mapped_column(Text, Computed(_CODE_KEY, persisted=True), unique=True)
    name: Mapped[str] = mapped_column(Text)
    timezone: Mapped[str] = mapped_column(Text, server_default="UTC")
    created_at: Mapped[datetime] = mapped_column(_when())


class Zone(Model):
    """A part of a site: building, container, row. Found by its code as written, else without regard to case."""

    __tablename__ = "zones"
    __table_args__ = (UniqueConstraint("site_id", "code"),)

    id: Mapped[int] = mapped_column(Integer, Identity(), primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey("tenants.id"))
    site_id: Mapped[int] = mapped_column(Integer, ForeignKey("sites.id"))
    code: Mapped[str] = mapped_column(Text)
    code_key: Mapped[str] = mapped_column(Text, Computed(_CODE_KEY, persisted=True))
    name: Mapped[str] = mapped_column(Text)


class Rack(Model):
    """Racks are numbered anew in every zone, so a code is unique in its zone, and among the racks without one."""

    __tablename__ = "racks"
    __table_args__ = (UniqueConstraint("site_id", "zone_id", "code", postgresql_nulls_not_distinct=True),)

    id: Mapped[int] = mapped_column(Integer, Identity(), primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey("tenants.id"))
    site_id: Mapped[int] = mapped_column(Integer, ForeignKey("sites.id"))
    zone_id: Mapped[int | None] = mapped_column(Integer, ForeignKey("zones.id"))
    code: Mapped[str] = mapped_column(Text)


class Node(Model):
    """A point of the power or the network tree, where it is known: what fails together hangs below one node."""

    __tablename__ = "nodes"
    __table_args__ = (
        UniqueConstraint("site_id", "kind", "code"),
        CheckConstraint("kind in ('transformer', 'breaker', 'pdu', 'router', 'switch')", name="kind"),
        CheckConstraint("parent_id is null or parent_id <> id", name="not_its_own_parent"),
    )

    id: Mapped[int] = mapped_column(Integer, Identity(), primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey("tenants.id"))
    site_id: Mapped[int] = mapped_column(Integer, ForeignKey("sites.id"))
    kind: Mapped[str] = mapped_column(Text)
    code: Mapped[str] = mapped_column(Text)
    parent_id: Mapped[int | None] = mapped_column(Integer, ForeignKey("nodes.id"))


class Miner(Model):
    """One machine. `miner_id` is the operator's own text; `miner_no` keys the large tables and never changes."""

    __tablename__ = "miners"
    __table_args__ = (
        UniqueConstraint("site_id", "miner_id"),
        CheckConstraint("state in ('in_service', 'retired')", name="state"),
        CheckConstraint("cooling in ('air', 'hydro', 'immersion')", name="cooling"),
        CheckConstraint("expected_source in ('operator', 'reported', 'catalogue', 'baseline')", name="expected_source"),
        CheckConstraint("expected_ths > 0 and expected_ths < 100000", name="expected_ths"),
        Index("uq_miners_serial", "tenant_id", "serial", unique=True, postgresql_where=text("serial is not null")),
        Index("ix_miners_mac", "tenant_id", "mac"),
        Index("ix_miners_zone_id", "zone_id"),
        Index("ix_miners_tenant_id", "tenant_id", "miner_id", "miner_no"),
        Index(
            "ix_miners_registered_by",
            "registered_by",
            "created_at",
            postgresql_where=text("registered_by is not null"),
        ),
    )

    miner_no: Mapped[int] = mapped_column(Integer, Identity(), primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey("tenants.id"))
    site_id: Mapped[int] = mapped_column(Integer, ForeignKey("sites.id"))
    miner_id: Mapped[str] = mapped_column(Text)
    serial: Mapped[str | None] = mapped_column(Text)
    mac: Mapped[str | None] = mapped_column(Text)
    model: Mapped[str | None] = mapped_column(Text)
    firmware: Mapped[str | None] = mapped_column(Text)
    cooling: Mapped[str] = mapped_column(Text, server_default="air")
    zone_id: Mapped[int | None] = mapped_column(Integer, ForeignKey("zones.id"))
    rack_id: Mapped[int | None] = mapped_column(Integer, ForeignKey("racks.id"))
    position: Mapped[str | None] = mapped_column(Text)
    power_node_id: Mapped[int | None] = mapped_column(Integer, ForeignKey("nodes.id"))
    network_node_id: Mapped[int | None] = mapped_column(Integer, ForeignKey("nodes.id"))
    owner: Mapped[str | None] = mapped_column(Text)
    expected_ths: Mapped[float | None] = mapped_column(Double)
    expected_source: Mapped[str | None] = mapped_column(Text)
    state: Mapped[str] = mapped_column(Text, server_default="in_service")
    registered_by: Mapped[int | None] = mapped_column(Integer)  # the collector that reported it first; null: people
    claimed_by: Mapped[int | None] = mapped_column(Integer)  # listed without a zone: the collector that read it first
    created_at: Mapped[datetime] = mapped_column(_when())
    updated_at: Mapped[datetime] = mapped_column(_when())


class MinerChange(Model):
    """What a machine was before: a swapped control board changes its MAC, and it stays the same machine."""

    __tablename__ = "miner_changes"
    __table_args__ = (Index("ix_miner_changes_miner_no", "miner_no", "at"),)

    id: Mapped[UUID] = mapped_column(Uuid, primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey("tenants.id"))
    site_id: Mapped[int] = mapped_column(Integer, ForeignKey("sites.id"))
    miner_no: Mapped[int] = mapped_column(Integer, ForeignKey("miners.miner_no"))
    at: Mapped[datetime] = mapped_column(_when())
    field: Mapped[str] = mapped_column(Text)
    old: Mapped[str | None] = mapped_column(Text)
    new: Mapped[str | None] = mapped_column(Text)
    cause: Mapped[str] = mapped_column(Text)


class Group(Model):
    """A named set of miners: listed, or by a filter whose members are materialised.

    While rights rest on a filter group, `to_join` and `to_leave` count what its filter finds and nobody has taken over.
    """

    __tablename__ = "groups"
    __table_args__ = (
        UniqueConstraint("tenant_id", "name"),
        CheckConstraint("kind in ('listed', 'filter')", name="kind"),
        CheckConstraint("(kind = 'filter') = (filter is not null)", name="filter_or_list"),
    )

    id: Mapped[int] = mapped_column(Integer, Identity(), primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey("tenants.id"))
    name: Mapped[str] = mapped_column(Text)
    kind: Mapped[str] = mapped_column(Text)
    filter: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    created_at: Mapped[datetime] = mapped_column(_when())
    refreshed_at: Mapped[datetime | None] = mapped_column(_when())
    to_join: Mapped[int | None] = mapped_column(Integer)
    to_leave: Mapped[int | None] = mapped_column(Integer)


class GroupMember(Model):
    __tablename__ = "group_members"
    __table_args__ = (Index("ix_group_members_miner_no", "miner_no"),)

    group_id: Mapped[int] = mapped_column(Integer, ForeignKey("groups.id"), primary_key=True)
    miner_no: Mapped[int] = mapped_column(Integer, ForeignKey("miners.miner_no"), primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey("tenants.id"))
    site_id: Mapped[int] = mapped_column(Integer, ForeignKey("sites.id"))


class TenantSettingsRow(Model):
    """Prices, thresholds, pools: one versioned document a tenant."""

    __tablename__ = "tenant_settings"

    tenant_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey("tenants.id"), primary_key=True)
    version: Mapped[int] = mapped_column(Integer)
    data: Mapped[dict[str, Any]] = mapped_column(JSONB)
    updated_at: Mapped[datetime] = mapped_column(_when())


class ExpectedState(Model):
    """From when until when a machine is expected to be stopped, and why. An open end is null."""

    __tablename__ = "expected_states"
    __table_args__ = (
        CheckConstraint("state in ('curtailed', 'stopped', 'rebooting', 'maintenance')", name="state"),
        CheckConstraint("until_at is null or until_at > from_at", name="forward"),
        Index("ix_expected_states_miner_no", "miner_no", "from_at"),
        Index("ix_expected_states_site_id", "site_id", "until_at"),
    )

    id: Mapped[UUID] = mapped_column(Uuid, primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey("tenants.id"))
    site_id: Mapped[int] = mapped_column(Integer, ForeignKey("sites.id"))
    miner_no: Mapped[int] = mapped_column(Integer, ForeignKey("miners.miner_no"))
    state: Mapped[str] = mapped_column(Text)
    from_at: Mapped[datetime] = mapped_column(_when())
    until_at: Mapped[datetime | None] = mapped_column(_when())
    cause: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(_when())


class Suppression(Model):
    """From when until when nothing new is told of something; over when it is lifted. An open end is null."""

    __tablename__ = "suppressions"
    __table_args__ = (
        CheckConstraint(
            "kind = case when miner_no is not null then 'miner' when zone_id is not null then 'zone'"
            " when group_id is not null then 'group' else 'site' end"
            " and num_nonnulls(miner_no, zone_id, group_id) <= 1",
            name="kind",
        ),
        CheckConstraint("until_at is null or until_at > from_at", name="forward"),
        Index("ix_suppressions_site_id", "site_id", postgresql_where=text("lifted_at is null")),
        Index("ix_suppressions_miner_no", "miner_no", "from_at"),
    )

    id: Mapped[UUID] = mapped_column(Uuid, primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey("tenants.id"))
    site_id: Mapped[int] = mapped_column(Integer, ForeignKey("sites.id"))
    kind: Mapped[str] = mapped_column(Text)
    miner_no: Mapped[int | None] = mapped_column(Integer, ForeignKey("miners.miner_no"))
    zone_id: Mapped[int | None] = mapped_column(Integer, ForeignKey("zones.id"))
    group_id: Mapped[int | None] = mapped_column(Integer, ForeignKey("groups.id"))
    from_at: Mapped[datetime] = mapped_column(_when())
    until_at: Mapped[datetime | None] = mapped_column(_when())
    maintenance: Mapped[bool] = mapped_column(Boolean)  # somebody works on it
    reason: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(_when())
    created_by_kind: Mapped[str] = mapped_column(Text)
    created_by: Mapped[str | None] = mapped_column(Text)
    lifted_at: Mapped[datetime | None] = mapped_column(_when())
    lifted_by: Mapped[str | None] = mapped_column(Text)
