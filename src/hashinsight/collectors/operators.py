"""People who act on collectors: what they cannot see is 404, what they see and may not touch is 403."""

from dataclasses import dataclass
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, Request
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Actor
from hashinsight.collectors.models import Collector
from hashinsight.collectors.queries import registry
from hashinsight.identity.access import CurrentCaller, check_step_up, now_of
from hashinsight.identity.permissions import Permission
from hashinsight.identity.scope import Scope
from hashinsight.inventory.queries import places
from hashinsight.inventory.queries.tables import Site
from hashinsight.kit.errors import Forbidden, NotFound

_ID_DIGITS = 10
_MAX_ID = 2**31 - 1
NOT_PERMITTED = "you see this, but your role there does not allow it"


@dataclass(frozen=True)
class Operator:
    """Two scopes of one person: of what is seen, and of what may be acted on."""

    seen: Scope
    scope: Scope

    @property
    def actor(self) -> Actor:
        return self.scope.actor

    @property
    def by(self) -> str:
        return self.actor.id or self.actor.kind.value


def operator(permission: Permission, *, step_up: bool = False) -> Any:
    """A dependency: whoever has this permission anywhere; where, is asked for each thing.

    `step_up` is for what lets a collector in, or lets it do more than before.
    """

    async def both(request: Request, principal: CurrentCaller) -> Operator:
        found = Operator(principal.scope_for(Permission.SEE), principal.scope_for(permission))
        if step_up:
            check_step_up(principal, now=now_of(request))
        return found

    return Depends(both)


@dataclass(frozen=True)
class CollectorReader:
    """Two scopes of one person: of what is seen in brief, and of what is kept, which is seen in full."""

    seen: Scope
    kept: Scope | None

    def shows_all_of(self, collector: Collector) -> bool:
        return self.kept is not None and holds(self.kept, collector.site_id, collector.zone_id)


async def _reading(principal: CurrentCaller) -> CollectorReader:
    seen = principal.scope_for(Permission.SEE)
    try:
        return CollectorReader(seen, principal.scope_for(Permission.INVENTORY))
    except Forbidden:
        return CollectorReader(seen, None)


Reader = Annotated[CollectorReader, Depends(_reading)]


async def get_collector(session: AsyncSession, acting: Operator, collector_id: UUID) -> Collector:
    collector = await registry.find_collector(session, collector_id, acting.seen)
    if collector is None:
        raise NotFound("no such collector")
    if await registry.find_collector(session, collector_id, acting.scope) is None:
        raise Forbidden(NOT_PERMITTED)
    return collector


async def get_site(session: AsyncSession, scope: Scope, named: str) -> Site:
    """A site that the scope touches, by its integer id or its code."""
    return await places.get_site(session, scope, named)


def as_zone_id(named: str) -> int | None:
    """The id that a text of digits alone would be."""
    is_id = named.isascii() and named.isdecimal() and len(named) <= _ID_DIGITS and int(named) <= _MAX_ID
    return int(named) if is_id else None


async def get_zone_id(session: AsyncSession, scope: Scope, site_id: int, named: str | int | None) -> int | None:
    """A zone of this site; outside the scope it does not exist. A number is its id; a text its code, else its id.

    The code first: zones are often numbered, and who writes `2` means what is written on the door.
    """
    if named is None:
        return None
    zone_id = named if isinstance(named, int) else as_zone_id(named.strip())
    if isinstance(named, str):
        try:
            return (await places.get_zone(session, scope, site_id, named.strip())).id
        except NotFound:
            if zone_id is None:
                raise
    zone = await places.get_zone_by_id(session, scope, zone_id or 0)
    if zone.site_id != site_id:
        raise NotFound("there is no such zone at this site")
    return zone.id


def holds(scope: Scope, site_id: int, zone_id: int | None) -> bool:
    """By the whole site, or by the zone that a collector is for."""
    return scope.holds_site(site_id) or zone_id in scope.zones


def check_holds(scope: Scope, site_id: int, zone_id: int | None) -> None:
    """Whether one may put a collector there."""
    if not holds(scope, site_id, zone_id):
        raise Forbidden(NOT_PERMITTED)
