"""Collectors: list, summary, create, change, approve, disable, enable, heartbeats."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Request

from hashinsight.collectors.fields import Instant
from hashinsight.collectors.operators import Operator, Reader, check_covers, get_collector, get_zone_id, operator
from hashinsight.collectors.queries import liveness, tokens
from hashinsight.collectors.queries import registry as queries
from hashinsight.collectors.schemas.collectors import (
    CollectorBrief,
    CollectorDetails,
    CollectorList,
    HeartbeatList,
    NewCollectorOut,
    SummaryList,
    show_brief,
    show_brief_summary,
    show_collector,
    show_heartbeat,
    show_summary,
    show_token,
)
from hashinsight.collectors.schemas.requests import ChangeCollectorBody, NewCollectorBody
from hashinsight.collectors.service import registry as service
from hashinsight.collectors.service.registry import Credential, NewCollector
from hashinsight.collectors.states import Status
from hashinsight.identity.access import CurrentCaller, ReadSession, Session
from hashinsight.identity.permissions import Permission
from hashinsight.identity.scope import Scope
from hashinsight.inventory.parameters import Cursor, Limit, Now, SiteQuery
from hashinsight.inventory.queries import places
from hashinsight.kit.web.responses import errors

router = APIRouter()

Manager = Annotated[Operator, operator(Permission.INVENTORY)]
Approver = Annotated[Operator, operator(Permission.INVENTORY, step_up=True)]


@router.get("/collectors", response_model=CollectorList, responses=errors(404))
async def list_collectors(
    reader: Reader,
    session: ReadSession,
    *,
    site_id: SiteQuery = None,
    status: Status | None = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Any:
    """Collectors within the caller's scope, oldest first; in brief for callers who do not manage them."""
    site = None if site_id is None else (await places.get_site(session, reader.seen, site_id)).id
    page = await queries.list_collectors(session, reader.seen, site_id=site, status=status, limit=limit, cursor=cursor)
    rows = [
        show_collector(collector, code) if reader.sees_in_full(collector) else show_brief(collector, code)
        for collector, code in page.rows
    ]
    return {"collectors": rows, "next_cursor": page.next_cursor}


@router.get("/collectors/summary", response_model=SummaryList, responses=errors(404))
async def list_collector_summaries(
    request: Request,
    reader: Reader,
    session: ReadSession,
    now: Now,
    *,
    site_id: SiteQuery = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Any:
    """One row per collector, now: state, last heartbeat, load, machines, open alerts by severity, commands.

    Load, clock, alerts and commands are shown to callers who manage the collector.
    """
    site = None if site_id is None else (await places.get_site(session, reader.seen, site_id)).id
    page = await queries.list_summaries(session, reader.seen, site_id=site, limit=limit, cursor=cursor)
    managed = [row[0].id for row in page.rows if reader.sees_in_full(row[0])]
    commands = await request.app.state.count_commands(session, managed, now=now)
    rows = [
        show_summary(commands[row[0].id], *row) if row[0].id in commands else show_brief_summary(row[0], row[1])
        for row in page.rows
    ]
    return {"collectors": rows, "next_cursor": page.next_cursor}


@router.post("/collectors", status_code=201, response_model=NewCollectorOut, responses=errors(404, 409))
async def create_collector(caller: CurrentCaller, session: Session, now: Now, body: NewCollectorBody) -> Any:
    """Create a collector: active at once with a token, pending with an enrolment code. The credential is shown once.

    Both need the permission for collectors' tokens and a step-up (403 `STEP_UP_REQUIRED`, `PERSON_REQUIRED` for an API
    key); with `credential: nothing` the permission for inventory is enough.
    """
    has_credential = body.credential is not Credential.NOTHING
    scope = caller.scope_for(Permission.COLLECTOR_TOKENS if has_credential else Permission.INVENTORY)
    if has_credential:
        caller.check_step_up(now=now)
    site = await places.get_site(session, caller.seen, body.site_id)
    zone_id = await get_zone_id(session, caller.seen, site.id, body.zone_id)
    check_covers(scope, site.id, zone_id)
    fields = body.model_dump(exclude={"site_id", "zone_id", "credential"}) | {
        "permissions": [permission.value for permission in body.permissions]
    }
    new = NewCollector(zone_id=zone_id, **fields)
    collector, secret = await service.create(session, scope.actor, site, new, body.credential, now=now)
    answer = {"collector": show_collector(collector, site.code)}
    return answer | ({secret.field: secret.value, "expires_at": secret.expires_at} if secret else {})


@router.get("/collectors/{collector_id}", response_model=CollectorDetails | CollectorBrief, responses=errors(404))
async def get_collector_details(reader: Reader, session: ReadSession, collector_id: UUID) -> Any:
    """One collector with the dates of its newest token; in brief for callers who do not manage it."""
    collector = await queries.get_collector(session, collector_id, reader.seen)
    if not reader.sees_in_full(collector):
        return show_brief(collector, await queries.get_site_code(session, collector.site_id))
    return await _show_details(session, reader.seen, collector_id)


@router.patch("/collectors/{collector_id}", response_model=CollectorDetails, responses=errors(404, 409))
async def change_collector(
    caller: CurrentCaller,
    manager: Manager,
    session: Session,
    now: Now,
    *,
    collector_id: UUID,
    body: ChangeCollectorBody,
) -> Any:
    """Change the given fields: name, zone, intervals, permissions, settings, notes.

    `registration_open_until`, at most seven days ahead, lets it register the machines of a whole site; null closes it.
    Another zone or the whole site, more permissions, longer intervals and opening registration need a step-up
    (403 `STEP_UP_REQUIRED`, `PERSON_REQUIRED` for an API key).
    """
    collector = await get_collector(session, manager, collector_id)
    fields = body.model_dump(exclude_unset=True)
    if "zone_id" in fields:
        fields["zone_id"] = await get_zone_id(session, manager.seen, collector.site_id, body.zone_id)
        check_covers(manager.scope, collector.site_id, fields["zone_id"])
    if body.permissions is not None:
        fields["permissions"] = sorted({permission.value for permission in body.permissions})
    await service.change(session, manager.actor, collector_id, fields, caller=caller, now=now)
    return await _show_details(session, manager.seen, collector_id)


@router.post("/collectors/{collector_id}/approve", response_model=CollectorDetails, responses=errors(404, 409))
async def approve_collector(approver: Approver, session: Session, now: Now, collector_id: UUID) -> Any:
    """Activate a pending collector. Needs a step-up."""
    collector = await get_collector(session, approver, collector_id)
    await service.approve(session, approver.actor, collector, now=now)
    return await _show_details(session, approver.seen, collector_id)


@router.post("/collectors/{collector_id}/disable", response_model=CollectorDetails, responses=errors(404, 409))
async def disable_collector(manager: Manager, session: Session, now: Now, collector_id: UUID) -> Any:
    """Refuse every call of this collector from the next one on. Needs no step-up."""
    collector = await get_collector(session, manager, collector_id)
    await service.disable(session, manager.actor, collector, now=now)
    return await _show_details(session, manager.seen, collector_id)


@router.post("/collectors/{collector_id}/enable", response_model=CollectorDetails, responses=errors(404, 409))
async def enable_collector(approver: Approver, session: Session, now: Now, collector_id: UUID) -> Any:
    """Activate a disabled collector again, with the tokens that it had. Needs a step-up."""
    collector = await get_collector(session, approver, collector_id)
    await service.enable(session, approver.actor, collector, now=now)
    return await _show_details(session, approver.seen, collector_id)


@router.get("/collectors/{collector_id}/heartbeats", response_model=HeartbeatList, responses=errors(404))
async def list_heartbeats(
    manager: Manager,
    session: ReadSession,
    collector_id: UUID,
    *,
    since: Instant | None = None,
    until: Instant | None = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Any:
    """Heartbeats of the last seven days, newest first. A time without a zone is UTC."""
    await get_collector(session, manager, collector_id)
    page = await liveness.list_heartbeats(session, collector_id, since=since, until=until, limit=limit, cursor=cursor)
    return {"heartbeats": [show_heartbeat(row) for row in page.rows], "next_cursor": page.next_cursor}


async def _show_details(session: Session, scope: Scope, collector_id: UUID) -> dict[str, Any]:
    collector = await queries.get_collector(session, collector_id, scope)
    code = await queries.get_site_code(session, collector.site_id)
    token = show_token(await tokens.find_newest_token(session, collector_id))
    return show_collector(collector, code) | {"token": token}
