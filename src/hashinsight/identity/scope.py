"""The scope of a caller: sites, zones and groups they may see or act on, and its SQL predicate.

Tenant data is read with a scope only, and only access code can make one: the constructor needs a key of this module.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, SQLColumnExpression, and_, false, or_

from hashinsight.audit.actions import Actor
from hashinsight.kit.db.context import Context

_KEY = object()


@dataclass(frozen=True)
class Reach:
    """What one grant covers: the whole tenant when all three are None."""

    sites: tuple[int, ...] | None = None
    zones: tuple[int, ...] | None = None
    groups: tuple[int, ...] | None = None

    @property
    def is_whole(self) -> bool:
        return self.sites is None and self.zones is None and self.groups is None


WHOLE_TENANT = Reach()


class Scope:
    """Tenant, actor and what they reach. `sites` are all sites that it touches: the ones row-level security shows."""

    __slots__ = ("actor", "groups", "sites", "tenant_id", "whole_sites", "zones")

    def __init__(
        self,
        key: object,
        tenant_id: UUID,
        actor: Actor,
        *,
        whole_sites: Iterable[int] | None,
        zones: Iterable[int] = (),
        groups: Iterable[int] = (),
        touched: Iterable[int] = (),
    ) -> None:
        if key is not _KEY:
            raise TypeError("a scope can only be made by access code")
        self.tenant_id = tenant_id
        self.actor = actor
        self.whole_sites = None if whole_sites is None else tuple(sorted(set(whole_sites)))
        self.zones = tuple(sorted(set(zones)))
        self.groups = tuple(sorted(set(groups)))
        self.sites = None if self.whole_sites is None else tuple(sorted({*self.whole_sites, *touched}))

    @property
    def is_whole(self) -> bool:
        return self.whole_sites is None

    def context(self, *, read_only: bool = False) -> Context:
        return Context(tenant=str(self.tenant_id), sites=self.sites, read_only=read_only)

    def covers_same(self, other: "Scope") -> bool:
        mine, theirs = ((of.tenant_id, of.whole_sites, of.zones, of.groups, of.sites) for of in (self, other))
        return mine == theirs

    def holds_site(self, site_id: int) -> bool:
        """Whether the whole site is in scope, not only a zone or some machines of it."""
        return self.whole_sites is None or site_id in self.whole_sites


@dataclass(frozen=True)
class Columns:
    """The columns of a table that a scope is compared with; None where the table has none."""

    tenant: SQLColumnExpression[Any]
    site: SQLColumnExpression[Any] | None = None
    zone: SQLColumnExpression[Any] | None = None
    in_groups: Any = None  # (group ids) → condition that the row's machine is in one of them


def within(scope: Scope, columns: Columns) -> ColumnElement[bool]:
    """The predicate of a scope, for all lists, streams, exports and counts."""
    own = columns.tenant == scope.tenant_id
    if scope.whole_sites is None:
        return own
    conditions: list[ColumnElement[bool]] = [false()]
    if columns.site is not None and scope.whole_sites:
        conditions.append(columns.site.in_(scope.whole_sites))
    if columns.zone is not None and scope.zones:
        conditions.append(columns.zone.in_(scope.zones))
    if columns.in_groups is not None and scope.groups:
        conditions.append(columns.in_groups(scope.groups))
    return and_(own, or_(*conditions))


def make_scope(tenant_id: UUID, actor: Actor, reaches: Iterable[Reach], touched: Iterable[int] = ()) -> Scope:
    """For access code. `touched` are the sites that the zones and groups of the reaches are in."""
    reaches = list(reaches)
    if any(reach.is_whole for reach in reaches):
        return Scope(_KEY, tenant_id, actor, whole_sites=None)
    return Scope(
        _KEY,
        tenant_id,
        actor,
        whole_sites=[site for reach in reaches for site in reach.sites or ()],
        zones=[zone for reach in reaches for zone in reach.zones or ()],
        groups=[group for reach in reaches for group in reach.groups or ()],
        touched=touched,
    )
