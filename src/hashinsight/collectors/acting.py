"""People who act on collectors: what they cannot see is 404, what they see and may not touch is 403."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from fastapi import Depends
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Actor
from hashinsight.collectors.models import Collector
from hashinsight.collectors.queries import registry
from hashinsight.identity.access import Known
from hashinsight.identity.permissions import Permission
from hashinsight.identity.scope import Scope
from hashinsight.inventory.models import Site
from hashinsight.kit.errors import Forbidden, NotFound

NOT_PERMITTED = "you see this, but your role there does not allow it"


@dataclass(frozen=True)
class Acting:
    """Two scopes of one person: of what is seen, and of what may be acted on."""

    seen: Scope
    scope: Scope

    @property
    def actor(self) -> Actor:
        return self.scope.actor

    @property
    def by(self) -> str:
        return self.actor.id or self.actor.kind.value


def acting(permission: Permission) -> Any:
    """A dependency: whoever has this permission anywhere; where, is asked for each thing."""

    async def both(principal: Known) -> Acting:
        return Acting(principal.scope_for(Permission.SEE), principal.scope_for(permission))

    return Depends(both)


async def get_collector(session: AsyncSession, acting: Acting, collector_id: UUID) -> Collector:
    collector = await registry.find_collector(session, collector_id, acting.seen)
    if collector is None:
        raise NotFound("no such collector")
    if await registry.find_collector(session, collector_id, acting.scope) is None:
        raise Forbidden(NOT_PERMITTED)
    return collector


async def get_site(session: AsyncSession, scope: Scope, named: str) -> Site:
    """A site that the scope touches, by its integer id or its code."""
    site = await registry.find_site(session, named.strip())
    if site is None or not scope.sees_site(site.id):
        raise NotFound("no such site")
    return site


async def get_zone_id(session: AsyncSession, site_id: int, named: str | None) -> int | None:
    """A zone of this site, by its integer id or its code."""
    if named is None:
        return None
    zone = await registry.find_zone(session, site_id, named.strip())
    if zone is None:
        raise NotFound("no such zone in this site")
    return zone.id


def check_holds(scope: Scope, site_id: int, zone_id: int | None) -> None:
    """Whether one may put a collector there: by the whole site, or by the zone that it is for."""
    if not scope.holds_site(site_id) and zone_id not in scope.zones:
        raise Forbidden(NOT_PERMITTED)
