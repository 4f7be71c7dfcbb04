"""What its holder may see and do something with: a value that only the access code can make, and one SQL predicate.

Nothing reads tenant data without a scope, and nobody can write one down: the constructor asks for a key that only this
module hands to the access code.
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
    """One grant's reach: the whole tenant when all three are None."""

    sites: tuple[int, ...] | None = None
    zones: tuple[int, ...] | None = None
    groups: tuple[int, ...] | None = None

    @property
    def is_whole(self) -> bool:
        return self.sites is None and self.zones is None and self.groups is None


WHOLE_TENANT = Reach()


class Scope:
    """Tenant, actor and reach. `sites` is every site that the reach touches: what row-level security is told."""

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
            raise TypeError("a scope is made by the access code alone")
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

    def sees_site(self, site_id: int) -> bool:
        return self.sites is None or site_id in self.sites

    def holds_site(self, site_id: int) -> bool:
        """Whether the whole site is inside, not only a zone or some machines of it."""
        return self.whole_sites is None or site_id in self.whole_sites


@dataclass(frozen=True)
class Columns:
    """Where a table keeps what a scope is about. A part that a table does not know is None."""

    tenant: SQLColumnExpression[Any]
    site: SQLColumnExpression[Any] | None = None
    zone: SQLColumnExpression[Any] | None = None
    in_groups: Any = None  # (group ids) → a condition that the row's machine is in one of them


def within(scope: Scope, columns: Columns) -> ColumnElement[bool]:
    """The one predicate of a scope: lists, streams, exports and counts all ask this."""
    own = columns.tenant == scope.tenant_id
    if scope.whole_sites is None:
        return own
    ways: list[ColumnElement[bool]] = [false()]
    if columns.site is not None and scope.whole_sites:
        ways.append(columns.site.in_(scope.whole_sites))
    if columns.zone is not None and scope.zones:
        ways.append(columns.zone.in_(scope.zones))
    if columns.in_groups is not None and scope.groups:
        ways.append(columns.in_groups(scope.groups))
    return and_(own, or_(*ways))


def make_scope(tenant_id: UUID, actor: Actor, reaches: Iterable[Reach], touched: Iterable[int] = ()) -> Scope:
    """For the access code. `touched` are the sites that the zones and groups of the reaches lie in."""
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
