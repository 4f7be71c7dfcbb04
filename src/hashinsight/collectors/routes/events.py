"""Collector events: list, acknowledge, resolve."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query

from hashinsight.collectors.models import CollectorEvent
from hashinsight.collectors.operators import NOT_PERMITTED, Operator, operator
from hashinsight.collectors.queries import events as queries
from hashinsight.collectors.schemas.configs import EventList, EventOut, show_event
from hashinsight.collectors.service import events as service
from hashinsight.collectors.states import EventStatus, Severity
from hashinsight.identity.access import ReadSession, Session, allowed
from hashinsight.identity.permissions import Permission
from hashinsight.identity.scope import Scope
from hashinsight.inventory.parameters import Cursor, Limit, Now, SiteQuery
from hashinsight.inventory.queries import places
from hashinsight.kit.errors import Forbidden, NotFound
from hashinsight.kit.web.responses import errors

router = APIRouter(prefix="/collector-events")

Staff = Annotated[Operator, operator(Permission.ACKNOWLEDGE)]
StaffScope = Annotated[Scope, allowed(Permission.ACKNOWLEDGE)]  # events of a site are not for its customers
Kind = Annotated[str | None, Query(pattern=r"^[a-z][a-z0-9_]{0,63}$")]


@router.get("", response_model=EventList, responses=errors(404))
async def list_collector_events(
    scope: StaffScope,
    session: ReadSession,
    *,
    site_id: SiteQuery = None,
    collector_id: UUID | None = None,
    status: EventStatus | None = None,
    severity: Severity | None = None,
    kind: Kind = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Any:
    """Events within the caller's scope, newest first."""
    site = None if site_id is None else (await places.get_site(session, scope, site_id)).id
    filters = {"site_id": site, "collector_id": collector_id, "status": status, "severity": severity, "kind": kind}
    page = await queries.list_events(session, scope, filters, limit=limit, cursor=cursor)
    return {"events": [show_event(event) for event in page.rows], "next_cursor": page.next_cursor}


@router.post("/{event_id}/acknowledge", response_model=EventOut, responses=errors(404, 409))
async def acknowledge_collector_event(staff: Staff, session: Session, now: Now, event_id: UUID) -> Any:
    """Acknowledge an open event. 409 if it is not open."""
    event = await _get_own(session, staff, event_id)
    await service.acknowledge(session, staff.actor, event, now=now)
    return show_event(await _get(session, staff.seen, event_id))


@router.post("/{event_id}/resolve", response_model=EventOut, responses=errors(404, 409))
async def resolve_collector_event(staff: Staff, session: Session, now: Now, event_id: UUID) -> Any:
    """Resolve an event. 409 `ALREADY_FINAL` if it was resolved before."""
    event = await _get_own(session, staff, event_id)
    await service.resolve(session, staff.actor, event, now=now)
    return show_event(await _get(session, staff.seen, event_id))


async def _get_own(session: Session, staff: Operator, event_id: UUID) -> CollectorEvent:
    event = await _get(session, staff.seen, event_id)
    if await queries.find_event(session, staff.scope, event_id) is None:
        raise Forbidden(NOT_PERMITTED)
    return event


async def _get(session: Session, scope: Scope, event_id: UUID) -> CollectorEvent:
    event = await queries.find_event(session, scope, event_id)
    if event is None:
        raise NotFound("no such event")
    return event
