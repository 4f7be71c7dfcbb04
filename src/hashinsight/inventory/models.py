"""Tables of sites, zones, racks, nodes, miners and groups, and of the states that machines are expected in."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    CheckConstraint,
    Computed,
    Double,
    ForeignKey,
    Identity,
    Index,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from hashinsight.kit.db.metadata import Model

_CODE_KEY = 'lower(code collate "C")'  # as `wire.sites.fold_code`


class Site(Model):
    """One physical site. `code` is unique in the installation, so a collector can name its site by id or code.

    It keeps its case; lookups use `code_key`, because under row-level security lower() uses no index.
    """

    __tablename__ = "sites"
    __table_args__ = (Index("ix_sites_tenant_id", "tenant_id", "id"),)

    id: Mapped[int] = mapped_column(Identity(), primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    code: Mapped[str]
    code_key: Mapped[str] = mapped_column(Computed(_CODE_KEY, persisted=True), unique=True)
    name: Mapped[str]
    timezone: Mapped[str] = mapped_column(server_default="UTC")
    created_at: Mapped[datetime]


class Zone(Model):
    """A part of a site: building, container, row. Matched by the exact code, else in any case."""

    __tablename__ = "zones"
    __table_args__ = (UniqueConstraint("site_id", "code"),)

    id: Mapped[int] = mapped_column(Identity(), primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    site_id: Mapped[int] = mapped_column(ForeignKey("sites.id"))
    code: Mapped[str]
    code_key: Mapped[str] = mapped_column(Computed(_CODE_KEY, persisted=True))
    name: Mapped[str]


class Rack(Model):
    """A code is unique in its zone, and among the racks without a zone: every zone numbers its own racks."""

    __tablename__ = "racks"
    __table_args__ = (UniqueConstraint("site_id", "zone_id", "code", postgresql_nulls_not_distinct=True),)

    id: Mapped[int] = mapped_column(Identity(), primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    site_id: Mapped[int] = mapped_column(ForeignKey("sites.id"))
    zone_id: Mapped[int | None] = mapped_column(ForeignKey("zones.id"))
    code: Mapped[str]


class Node(Model):
    """A point of the power or network tree, if known: what fails together is below one node."""

    __tablename__ = "nodes"
    __table_args__ = (
        UniqueConstraint("site_id", "kind", "code"),
        CheckConstraint("kind in ('transformer', 'breaker', 'pdu', 'router', 'switch')", name="kind"),
        CheckConstraint("parent_id is null or parent_id <> id", name="not_its_own_parent"),
    )

    id: Mapped[int] = mapped_column(Identity(), primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    site_id: Mapped[int] = mapped_column(ForeignKey("sites.id"))
    kind: Mapped[str]
    code: Mapped[str]
    parent_id: Mapped[int | None] = mapped_column(ForeignKey("nodes.id"))


class Miner(Model):
    """One machine. `miner_id` is the operator's own id; `miner_no` keys the large tables and never changes."""

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

    miner_no: Mapped[int] = mapped_column(Identity(), primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    site_id: Mapped[int] = mapped_column(ForeignKey("sites.id"))
    miner_id: Mapped[str]
    serial: Mapped[str | None]
    mac: Mapped[str | None]
    model: Mapped[str | None]
    firmware: Mapped[str | None]
    cooling: Mapped[str] = mapped_column(server_default="air")
    zone_id: Mapped[int | None] = mapped_column(ForeignKey("zones.id"))
    rack_id: Mapped[int | None] = mapped_column(ForeignKey("racks.id"))
    position: Mapped[str | None]
    power_node_id: Mapped[int | None] = mapped_column(ForeignKey("nodes.id"))
    network_node_id: Mapped[int | None] = mapped_column(ForeignKey("nodes.id"))
    owner: Mapped[str | None]
    expected_ths: Mapped[float | None] = mapped_column(Double)
    expected_source: Mapped[str | None]
    state: Mapped[str] = mapped_column(server_default="in_service")
    registered_by: Mapped[int | None]  # the collector that reported it first; null: entered by people
    claimed_by: Mapped[int | None]  # of a machine without a zone: the collector that read it first
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]


class MinerChange(Model):
    """History of a machine: with a swapped control board and another MAC it stays the same machine."""

    __tablename__ = "miner_changes"
    __table_args__ = (Index("ix_miner_changes_miner_no", "miner_no", "at"),)

    id: Mapped[UUID] = mapped_column(primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    site_id: Mapped[int] = mapped_column(ForeignKey("sites.id"))
    miner_no: Mapped[int] = mapped_column(ForeignKey("miners.miner_no"))
    at: Mapped[datetime]
    field: Mapped[str]
    old: Mapped[str | None]
    new: Mapped[str | None]
    cause: Mapped[str]


class Group(Model):
    """A named set of miners: listed, or by a filter whose members are stored.

    While a grant is over a filter group, `to_join` and `to_leave` count the changes that wait for an owner's refresh.
    """

    __tablename__ = "groups"
    __table_args__ = (
        UniqueConstraint("tenant_id", "name"),
        CheckConstraint("kind in ('listed', 'filter')", name="kind"),
        CheckConstraint("(kind = 'filter') = (filter is not null)", name="filter_or_list"),
    )

    id: Mapped[int] = mapped_column(Identity(), primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    name: Mapped[str]
    kind: Mapped[str]
    filter: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    created_at: Mapped[datetime]
    refreshed_at: Mapped[datetime | None]
    to_join: Mapped[int | None]
    to_leave: Mapped[int | None]


class GroupMember(Model):
    __tablename__ = "group_members"
    __table_args__ = (Index("ix_group_members_miner_no", "miner_no"),)

    group_id: Mapped[int] = mapped_column(ForeignKey("groups.id"), primary_key=True)
    miner_no: Mapped[int] = mapped_column(ForeignKey("miners.miner_no"), primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    site_id: Mapped[int] = mapped_column(ForeignKey("sites.id"))


class TenantSettingsRow(Model):
    """Prices, thresholds, pools: one versioned document per tenant."""

    __tablename__ = "tenant_settings"

    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"), primary_key=True)
    version: Mapped[int]
    data: Mapped[dict[str, Any]] = mapped_column(JSONB)
    updated_at: Mapped[datetime]


class ExpectedState(Model):
    """When a machine is expected not to hash, and why; `until_at` null is open-ended."""

    __tablename__ = "expected_states"
    __table_args__ = (
        CheckConstraint("state in ('curtailed', 'stopped', 'rebooting', 'maintenance')", name="state"),
        CheckConstraint("until_at is null or until_at > from_at", name="forward"),
        Index("ix_expected_states_miner_no", "miner_no", "from_at"),
        Index("ix_expected_states_site_id", "site_id", "until_at"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    site_id: Mapped[int] = mapped_column(ForeignKey("sites.id"))
    miner_no: Mapped[int] = mapped_column(ForeignKey("miners.miner_no"))
    state: Mapped[str]
    from_at: Mapped[datetime]
    until_at: Mapped[datetime | None]
    cause: Mapped[str]
    created_at: Mapped[datetime]


class Suppression(Model):
    """When no new alerts are sent for a machine, zone, group or site; `until_at` null is open-ended."""

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

    id: Mapped[UUID] = mapped_column(primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    site_id: Mapped[int] = mapped_column(ForeignKey("sites.id"))
    kind: Mapped[str]
    miner_no: Mapped[int | None] = mapped_column(ForeignKey("miners.miner_no"))
    zone_id: Mapped[int | None] = mapped_column(ForeignKey("zones.id"))
    group_id: Mapped[int | None] = mapped_column(ForeignKey("groups.id"))
    from_at: Mapped[datetime]
    until_at: Mapped[datetime | None]
    maintenance: Mapped[bool]  # people are working on it
    reason: Mapped[str]
    created_at: Mapped[datetime]
    created_by_kind: Mapped[str]
    created_by: Mapped[str | None]
    lifted_at: Mapped[datetime | None]
    lifted_by: Mapped[str | None]
