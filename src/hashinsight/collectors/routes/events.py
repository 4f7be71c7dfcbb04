"""Collector events: list, acknowledge, resolve."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query, Request

from hashinsight.collectors.models import CollectorEvent
from hashinsight.collectors.operators import NOT_PERMITTED, Operator, get_site, operator
from hashinsight.collectors.queries import events
from hashinsight.collectors.routes import examples
from hashinsight.collectors.routes.collectors import Cursor, Limit, SiteParam
from hashinsight.collectors.schemas import show_event
from hashinsight.collectors.service import events as service
from hashinsight.collectors.states import EventStatus, Severity
from hashinsight.identity.access import ReadSession, Session, allowed, now_of
from hashinsight.identity.permissions import Permission
from hashinsight.identity.scope import Scope
from hashinsight.kit.errors import Forbidden, NotFound
from hashinsight.kit.paging import page
from hashinsight.kit.web.examples import answers

router = APIRouter()

Keeper = Annotated[Operator, operator(Permission.ACKNOWLEDGE)]
Reader = Annotated[Scope, allowed(Permission.ACKNOWLEDGE)]  # what a site's collectors report is not for its customers
Kind = Annotated[str | None, Query(pattern=r"^[a-z][a-z0-9_]{0,63}$")]


@router.get("/collector-events", responses=answers({"events": [examples.EVENT], "next_cursor": None}))
async def list_events(
    scope: Reader,
    session: ReadSession,
    *,
    site_id: SiteParam = None,
    collector_id: UUID | None = None,
    status: EventStatus | None = None,
    severity: Severity | None = None,
    kind: Kind = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> dict[str, Any]:
    """Events in one's scope, newest first."""
    query = events.select_events(scope)
    if site_id is not None:
        query = query.where(CollectorEvent.site_id == (await get_site(session, scope, site_id)).id)
    given = {"collector_id": collector_id, "status": status, "severity": severity, "kind": kind}
    for name, value in given.items():
        if value is not None:
            query = query.where(getattr(CollectorEvent, name) == value)
    key = [CollectorEvent.at, CollectorEvent.id]
    found = await page(session, query, key, limit=limit, cursor=cursor, descending=True)
    return {"events": [show_event(event) for event in found.rows], "next_cursor": found.next_cursor}


@router.post("/collector-events/{event_id}/acknowledge", responses=answers(examples.EVENT | {"status": "acknowledged"}))
async def acknowledge_event(request: Request, keeper: Keeper, session: Session, event_id: UUID) -> dict[str, Any]:
    """Somebody looks after it. 409 when it is not open any more."""
    event = await _get(session, keeper, event_id)
    await service.acknowledge(session, keeper.actor, event, keeper.by, now=now_of(request))
    return show_event(await _found(session, keeper.seen, event_id))


@router.post("/collector-events/{event_id}/resolve", responses=answers(examples.EVENT | {"status": "resolved"}))
async def resolve_event(request: Request, keeper: Keeper, session: Session, event_id: UUID) -> dict[str, Any]:
    """It is over. 409 `ALREADY_FINAL` when it was resolved before."""
    event = await _get(session, keeper, event_id)
    await service.resolve(session, keeper.actor, event, keeper.by, now=now_of(request))
    return show_event(await _found(session, keeper.seen, event_id))


async def _get(session: Session, keeper: Operator, event_id: UUID) -> CollectorEvent:
    event = await _found(session, keeper.seen, event_id)
    if await events.find_event(session, keeper.scope, event_id) is None:
        raise Forbidden(NOT_PERMITTED)
    return event


async def _found(session: Session, scope: Scope, event_id: UUID) -> CollectorEvent:
    event = await events.find_event(session, scope, event_id)
    if event is None:
        raise NotFound("no such event")
    return event
