"""Who may manage collectors: 404 for what the caller does not see, 403 for what they see and may not change."""

from dataclasses import dataclass
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Actor
from hashinsight.collectors.models import Collector
from hashinsight.collectors.queries import registry
from hashinsight.identity.access import CurrentCaller
from hashinsight.identity.permissions import Permission
from hashinsight.identity.scope import Scope
from hashinsight.inventory.parameters import Now
from hashinsight.inventory.queries import places
from hashinsight.kit.errors import Forbidden, NotFound

_ID_DIGITS = 10
_MAX_ID = 2**31 - 1
NOT_PERMITTED = "your role does not allow this here"


@dataclass(frozen=True)
class Operator:
    """A caller with two scopes: what they see, and what they may change."""

    seen: Scope
    scope: Scope

    @property
    def actor(self) -> Actor:
        return self.scope.actor


def operator(permission: Permission, *, step_up: bool = False) -> Any:
    """A dependency: a caller with this permission anywhere; each collector is checked later.

    `step_up` is for actions that let a collector in, or let it do more than before.
    """

    def check(caller: CurrentCaller, now: Now) -> Operator:
        allowed = Operator(caller.seen, caller.scope_for(permission))
        if step_up:
            caller.check_step_up(now=now)
        return allowed

    return Depends(check)


@dataclass(frozen=True)
class CollectorReader:
    """A caller with two scopes: collectors seen in brief, and collectors seen in full."""

    seen: Scope
    managed: Scope | None

    def sees_in_full(self, collector: Collector) -> bool:
        return self.managed is not None and covers(self.managed, collector.site_id, collector.zone_id)


def _reader(caller: CurrentCaller) -> CollectorReader:
    return CollectorReader(caller.seen, caller.find_scope(Permission.INVENTORY))


Reader = Annotated[CollectorReader, Depends(_reader)]


async def get_collector(session: AsyncSession, operator: Operator, collector_id: UUID) -> Collector:
    collector = await registry.get_collector(session, collector_id, operator.seen)
    if await registry.find_collector(session, collector_id, operator.scope) is None:
        raise Forbidden(NOT_PERMITTED)
    return collector


def parse_zone_id(name: str) -> int | None:
    """The id, if the text consists of digits only."""
    is_id = name.isascii() and name.isdecimal() and len(name) <= _ID_DIGITS and int(name) <= _MAX_ID
    return int(name) if is_id else None


async def get_zone_id(session: AsyncSession, scope: Scope, site_id: int, zone: str | int | None) -> int | None:
    """A zone of this site within the scope: a number is the id; a text the code, else the id.

    The code first: zones are often numbered, and `2` means the sign on the door.
    """
    if zone is None:
        return None
    zone_id = zone if isinstance(zone, int) else parse_zone_id(zone.strip())
    if isinstance(zone, str):
        try:
            return (await places.get_zone(session, scope, site_id, zone.strip())).id
        except NotFound:
            if zone_id is None:
                raise
    by_id = await places.get_zone_by_id(session, scope, zone_id or 0)
    if by_id.site_id != site_id:
        raise NotFound("no such zone at this site")
    return by_id.id


def covers(scope: Scope, site_id: int, zone_id: int | None) -> bool:
    """The whole site, or the zone that a collector is for."""
    return scope.holds_site(site_id) or zone_id in scope.zones


def check_covers(scope: Scope, site_id: int, zone_id: int | None) -> None:
    if not covers(scope, site_id, zone_id):
        raise Forbidden(NOT_PERMITTED)
