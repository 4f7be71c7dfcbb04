"""Collectors: list, summary, create, change, approve, disable, enable, heartbeats."""

from functools import partial
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query, Request
from pydantic import AfterValidator

from hashinsight.collectors.fields import Instant, storable
from hashinsight.collectors.models import Collector, Heartbeat
from hashinsight.collectors.operators import (
    Operator,
    Reader,
    check_holds,
    get_collector,
    get_site,
    get_zone_id,
    operator,
)
from hashinsight.collectors.queries import liveness, registry, tokens
from hashinsight.collectors.routes import examples
from hashinsight.collectors.schemas import (
    ChangeCollectorBody,
    NewCollectorBody,
    show_brief,
    show_brief_summary,
    show_collector,
    show_heartbeat,
    show_summary,
    show_token,
)
from hashinsight.collectors.service import registry as service
from hashinsight.collectors.service.registry import Credential, NewCollector
from hashinsight.collectors.states import Status
from hashinsight.identity.access import CurrentCaller, ReadSession, Session, allowed, check_step_up, now_of
from hashinsight.identity.permissions import Permission
from hashinsight.identity.scope import Scope
from hashinsight.kit.clock import iso_z
from hashinsight.kit.errors import NotFound
from hashinsight.kit.paging import MAX_LIMIT, page
from hashinsight.kit.web.examples import answers

router = APIRouter()

Seen = Annotated[Scope, allowed(Permission.SEE)]
Keeper = Annotated[Operator, operator(Permission.INVENTORY)]
Opener = Annotated[Operator, operator(Permission.INVENTORY, step_up=True)]
Limit = Annotated[int, Query(ge=1, le=MAX_LIMIT)]
Cursor = Annotated[str | None, Query(max_length=1024)]
SiteParam = Annotated[
    Annotated[str, AfterValidator(storable)] | None,
    Query(max_length=120, description="The site's integer id or its code."),
]


@router.get("/collectors", responses=answers({"collectors": [examples.COLLECTOR], "next_cursor": None}))
async def list_collectors(
    reader: Reader,
    session: ReadSession,
    *,
    site_id: SiteParam = None,
    status: Status | None = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> dict[str, Any]:
    """The collectors in one's scope, oldest first; in brief for those who do not keep them."""
    query = registry.select_collectors(reader.seen)
    if site_id is not None:
        query = query.where(Collector.site_id == (await get_site(session, reader.seen, site_id)).id)
    if status is not None:
        query = query.where(Collector.status == status.value)
    found = await page(session, query, [Collector.id], limit=limit, cursor=cursor)
    rows = [(show_collector if reader.shows_all_of(row[0]) else show_brief)(*row) for row in found.rows]
    return {"collectors": rows, "next_cursor": found.next_cursor}


@router.get("/collectors/summary", responses=answers({"collectors": [examples.SUMMARY], "next_cursor": None}))
async def list_collector_summaries(
    request: Request,
    reader: Reader,
    session: ReadSession,
    *,
    site_id: SiteParam = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> dict[str, Any]:
    """One row a collector, as of now: state, last heartbeat, load, machines, open alerts by severity, commands.

    `pending_commands`: leased to it, or ready for its place. `commands_24h`: created within 24 hours and handed to it,
    by how they ended; `mean_execution_sec`: how long their finished attempts took, null when no ack tells it. Load,
    clock, alerts and commands are for those who keep the collector.
    """
    query = registry.select_summary(reader.seen)
    if site_id is not None:
        query = query.where(Collector.site_id == (await get_site(session, reader.seen, site_id)).id)
    found = await page(session, query, [Collector.id], limit=limit, cursor=cursor)
    kept = [row[0].id for row in found.rows if reader.shows_all_of(row[0])]
    commands = await request.app.state.count_commands(session, kept, now=now_of(request))
    rows = [
        show_summary(commands[row[0].id], *row) if row[0].id in commands else show_brief_summary(row[0], row[1])
        for row in found.rows
    ]
    return {"collectors": rows, "next_cursor": found.next_cursor}


@router.post("/collectors", status_code=201, responses=answers(examples.CREATED, 201))
async def create_collector(
    request: Request, principal: CurrentCaller, session: Session, body: NewCollectorBody
) -> dict[str, Any]:
    """A new collector. Its token (it is active at once) or enrolment code (it waits to be approved) is shown only here.

    Both need the permission for collectors' tokens, and a person with a step-up (403 `STEP_UP_REQUIRED`, for an API key
    `PERSON_REQUIRED`); with `credential: nothing` the permission for inventory is enough.
    """
    wanted = Permission.INVENTORY if body.credential is Credential.NOTHING else Permission.COLLECTOR_TOKENS
    scope = principal.scope_for(wanted)
    if body.credential is not Credential.NOTHING:
        check_step_up(principal, now=now_of(request))
    seen = principal.scope_for(Permission.SEE)
    site = await get_site(session, seen, body.site_id)
    zone_id = await get_zone_id(session, seen, site.id, body.zone_id)
    check_holds(scope, site.id, zone_id)
    fields = body.model_dump(exclude={"site_id", "zone_id", "credential"}) | {
        "permissions": [permission.value for permission in body.permissions]
    }
    new = NewCollector(zone_id=zone_id, **fields)
    collector, secret = await service.create(session, scope.actor, site, new, body.credential, now=now_of(request))
    shown = {"collector": show_collector(collector, site.code)}
    return shown | ({secret.field: secret.value, "expires_at": iso_z(secret.expires_at)} if secret else {})


@router.get("/collectors/{collector_id}", responses=answers(examples.COLLECTOR | {"token": examples.TOKEN_DATES}))
async def read_collector(reader: Reader, session: ReadSession, collector_id: UUID) -> dict[str, Any]:
    """One collector, with the dates of its newest token; in brief for those who do not keep it."""
    collector = await registry.find_collector(session, collector_id, reader.seen)
    if collector is not None and not reader.shows_all_of(collector):
        return show_brief(collector, await registry.get_site_code(session, collector.site_id))
    return await _shown(session, reader.seen, collector_id)


@router.patch("/collectors/{collector_id}", responses=answers(examples.COLLECTOR | {"token": examples.TOKEN_DATES}))
async def change_collector(
    request: Request,
    principal: CurrentCaller,
    keeper: Keeper,
    session: Session,
    *,
    collector_id: UUID,
    body: ChangeCollectorBody,
) -> dict[str, Any]:
    """Change what is given: name, zone, intervals, permissions, settings, notes.

    `registration_open_until`, at most seven days ahead, lets it register the machines of a whole site; null closes it.
    Another zone or the whole site, more permissions, longer intervals and opening registration need a person with a
    step-up (403 `STEP_UP_REQUIRED`, for an API key `PERSON_REQUIRED`).
    """
    now = now_of(request)
    collector = await get_collector(session, keeper, collector_id)
    fields = body.model_dump(exclude_unset=True)
    if "zone_id" in fields:
        fields["zone_id"] = await get_zone_id(session, keeper.seen, collector.site_id, body.zone_id)
        check_holds(keeper.scope, collector.site_id, fields["zone_id"])
    if body.permissions is not None:
        fields["permissions"] = sorted({permission.value for permission in body.permissions})
    check = partial(check_step_up, principal, now=now)
    await service.change(session, keeper.actor, collector_id, fields, check_step_up=check, now=now)
    return await _shown(session, keeper.seen, collector_id)


@router.post("/collectors/{collector_id}/approve", responses=answers(examples.MOVED))
async def approve_collector(request: Request, opener: Opener, session: Session, collector_id: UUID) -> dict[str, Any]:
    """A pending collector becomes active, by a person with a step-up."""
    collector = await get_collector(session, opener, collector_id)
    await service.approve(session, opener.actor, collector, now=now_of(request))
    return await _shown(session, opener.seen, collector_id)


@router.post("/collectors/{collector_id}/disable", responses=answers(examples.MOVED | {"status": "disabled"}))
async def disable_collector(request: Request, keeper: Keeper, session: Session, collector_id: UUID) -> dict[str, Any]:
    """Every call of this collector is refused from the next one on. Needs no step-up."""
    collector = await get_collector(session, keeper, collector_id)
    await service.disable(session, keeper.actor, collector, now=now_of(request))
    return await _shown(session, keeper.seen, collector_id)


@router.post("/collectors/{collector_id}/enable", responses=answers(examples.MOVED))
async def enable_collector(request: Request, opener: Opener, session: Session, collector_id: UUID) -> dict[str, Any]:
    """A disabled collector becomes active again, with the tokens that it had, by a person with a step-up."""
    collector = await get_collector(session, opener, collector_id)
    await service.enable(session, opener.actor, collector, now=now_of(request))
    return await _shown(session, opener.seen, collector_id)


@router.get(
    "/collectors/{collector_id}/heartbeats", responses=answers({"heartbeats": [examples.BEAT], "next_cursor": None})
)
async def list_heartbeats(
    keeper: Keeper,
    session: ReadSession,
    collector_id: UUID,
    *,
    since: Instant | None = None,
    until: Instant | None = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> dict[str, Any]:
    """The heartbeats of the last seven days, newest first. A time without a zone is UTC."""
    await get_collector(session, keeper, collector_id)
    query = liveness.select_heartbeats(collector_id, since, until)
    found = await page(session, query, [Heartbeat.at, Heartbeat.id], limit=limit, cursor=cursor, descending=True)
    return {"heartbeats": [show_heartbeat(row) for row in found.rows], "next_cursor": found.next_cursor}


async def _shown(session: Session, scope: Scope, collector_id: UUID) -> dict[str, Any]:
    collector = await registry.find_collector(session, collector_id, scope)
    if collector is None:
        raise NotFound("no such collector")
    code = await registry.get_site_code(session, collector.site_id)
    return show_collector(collector, code) | {
        "token": show_token(await tokens.find_newest_token(session, collector_id))
    }
