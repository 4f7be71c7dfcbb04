"""Commands: catalogue, request, list, story, approve, reject, cancel."""

from contextlib import suppress
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Header, Query, Request, Response
from pydantic import AwareDatetime
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.commands import service
from hashinsight.commands.catalogue import LEGACY_NAMES
from hashinsight.commands.queries import commands as queries
from hashinsight.commands.queries.commands import CommandFilter
from hashinsight.commands.schemas.batches import DryRunOut, RequestOut, show_dry_run, show_result
from hashinsight.commands.schemas.catalogue import CatalogueOut, show_catalogue
from hashinsight.commands.schemas.commands import CommandList, CommandOut, CommandStory, show_brief
from hashinsight.commands.schemas.requests import Cancellation, Decision, NewCommands
from hashinsight.commands.service.approvals import DecisionTarget
from hashinsight.commands.service.stories import find_machine
from hashinsight.commands.states import Approval, Priority, State
from hashinsight.identity.access import AuthenticateFirst, CurrentCaller, ReadSession, Session, allowed, vault_of
from hashinsight.identity.caller import Caller
from hashinsight.identity.permissions import Permission
from hashinsight.inventory.filters import Word
from hashinsight.inventory.parameters import Cursor, Limit, Now, SiteQuery, ViewScope
from hashinsight.inventory.queries import places
from hashinsight.kit.errors import Forbidden, NotFound
from hashinsight.kit.web.parameters import body
from hashinsight.kit.web.responses import encode, errors

router = APIRouter()
# a request may name 100,000 machines: the caller is checked before the body is read
_request_router = APIRouter(route_class=AuthenticateFirst)

IdempotencyKey = Annotated[
    str | None,
    Header(description="The same request with the same key, within 24 hours, creates nothing and returns the result."),
]
Text = Annotated[Word | None, Query()]


@router.get("/commands/catalogue", response_model=CatalogueOut, dependencies=[allowed(Permission.SEE)])
async def get_command_catalogue() -> Any:
    """Every command type with its parameters (JSON Schema, with units), risk and effect on the machine."""
    return show_catalogue()


@_request_router.post(
    "/commands",
    status_code=201,
    response_model=RequestOut,
    responses={
        200: {"model": DryRunOut, "description": "Dry run: what the request would affect"},
        **errors(404, 409),
    },
)
async def request_commands(
    request: Request,
    caller: CurrentCaller,
    session: Session,
    *,
    now: Now,
    new: Annotated[NewCommands, body(NewCommands)],
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """One command per machine, for up to 100,000 machines. `dry_run` creates nothing and answers 200.

    `counts` are complete; `commands`, `refused` and `excluded` have the first 10,000 rows each, the rest is listed by
    `/commands?batch_id=` and `/batches/{batch_id}/refused`. A command that the same `dedupe_key` created before has
    `"existing": true`. If no machine can be commanded at all, it is an error and nothing is stored. Emergencies and
    pool changes need a step-up.
    """
    command_request = new.command_request(idempotency_key)
    if new.dry_run:
        dry_run = await service.dry_run(session, vault_of(request), caller, command_request, now=now)
        return encode(DryRunOut, show_dry_run(dry_run))
    if new.emergency or _sets_pool(new.command_type):
        caller.check_step_up(now=now)
    result = await service.request(session, vault_of(request), caller, command_request, now=now)
    return encode(RequestOut, show_result(result), 201)


router.include_router(_request_router)


@router.get("/commands", response_model=CommandList, responses=errors(404))
async def list_commands(
    *,
    scope: ViewScope,
    session: ReadSession,
    now: Now,
    site_id: SiteQuery = None,
    miner_id: Annotated[Word | None, Query(description="The operator's own id of the machine.")] = None,
    batch_id: UUID | None = None,
    state: Annotated[list[State] | None, Query(description="Repeatable.")] = None,
    approval_state: Approval | None = None,
    command_type: Text = None,
    priority: Priority | None = None,
    rule_id: Text = None,
    problem_id: Text = None,
    created_by: Text = None,
    since: Annotated[AwareDatetime | None, Query(description="Created at or after this time.")] = None,
    until: Annotated[AwareDatetime | None, Query(description="Created before this time.")] = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Response:
    """Commands within the caller's scope, newest first, finished ones included. Queued ones have a `wait_reason`."""
    site = None if site_id is None else (await places.get_site(session, scope, site_id)).id
    command_filter = CommandFilter(
        site_id=site,
        batch_id=batch_id,
        state=tuple(value.value for value in state or ()),
        approval_state=approval_state,
        command_type=command_type,
        priority=priority,
        rule_id=rule_id,
        problem_id=problem_id,
        created_by=created_by,
        since=since,
        until=until,
        **(await find_machine(session, scope, miner_id, site)),
    )
    page = await service.list_commands(session, scope, command_filter, limit=limit, cursor=cursor, now=now)
    rows = [show_brief(row) for row in page.rows]
    return encode(CommandList, {"commands": rows, "next_cursor": page.next_cursor})


@router.get("/commands/{command_id}", response_model=CommandStory, responses=errors(404))
async def get_command(caller: CurrentCaller, scope: ViewScope, session: ReadSession, now: Now, command_id: UUID) -> Any:
    """A command's whole story: fields, attempts, history, approvals, audit entries, and why it waits.

    `audit` is null for callers who may not read the audit log there.
    """
    story = await service.get_story(session, scope, command_id, now=now)
    return story if await _may_read_audit(session, caller, command_id) else {**story, "audit": None}


@router.post("/commands/{command_id}/approve", response_model=CommandOut, responses=errors(404, 409))
async def approve_command(
    caller: CurrentCaller, session: Session, now: Now, command_id: UUID, decision: Annotated[Decision, body(Decision)]
) -> Any:
    """Approve it; its TTL starts now. Needs a step-up.

    403 `OWN_REQUEST` for the requester; 409 `ALREADY_DECIDED` or `ALREADY_FINAL` if someone else was faster.
    """
    await queries.get_command(session, caller.seen, command_id)  # first: 404 for a command outside the scope
    caller.check_step_up(now=now)
    await service.approve(session, caller, DecisionTarget(command_id=command_id), reason=decision.reason, now=now)
    return show_brief(await service.get_command(session, caller.seen, command_id, now=now))


@router.post("/commands/{command_id}/reject", response_model=CommandOut, responses=errors(404, 409))
async def reject_command(
    caller: CurrentCaller, session: Session, now: Now, command_id: UUID, decision: Annotated[Decision, body(Decision)]
) -> Any:
    """Reject it: canceled for good. 409 `ALREADY_DECIDED` or `ALREADY_FINAL` if someone else was faster."""
    await service.reject(session, caller, DecisionTarget(command_id=command_id), reason=decision.reason, now=now)
    return show_brief(await service.get_command(session, caller.seen, command_id, now=now))


@router.post("/commands/{command_id}/cancel", response_model=CommandOut, responses=errors(404, 409))
async def cancel_command(
    caller: CurrentCaller,
    session: Session,
    now: Now,
    command_id: UUID,
    cancellation: Annotated[Cancellation | None, body(Cancellation)] = None,
) -> Any:
    """Queued: canceled at once. Dispatched: not dispatched again; its ack or the end of its lease decides.

    409 `ALREADY_FINAL` if it has ended, `CANCEL_REQUESTED` if someone else was faster.
    """
    reason = "" if cancellation is None else cancellation.reason
    await service.cancel(session, caller, DecisionTarget(command_id=command_id), reason=reason, now=now)
    return show_brief(await service.get_command(session, caller.seen, command_id, now=now))


async def _may_read_audit(session: AsyncSession, caller: Caller, command_id: UUID) -> bool:
    with suppress(Forbidden, NotFound):
        await queries.get_command(session, caller.scope_for(Permission.AUDIT_READ), command_id)
        return True
    return False


def _sets_pool(command_type: str) -> bool:
    legacy = LEGACY_NAMES.get(command_type)
    return (legacy.name if legacy else command_type) == "set_pool"
