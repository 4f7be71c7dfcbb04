"""Batches: list, details, refused machines, approve, reject, cancel."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import AwareDatetime

from hashinsight.commands import service
from hashinsight.commands.queries import batches as queries
from hashinsight.commands.queries.batches import BatchFilter
from hashinsight.commands.schemas.batches import BatchDecision, BatchList, BatchStory, RefusalList
from hashinsight.commands.schemas.requests import Cancellation, Decision
from hashinsight.commands.service import batches
from hashinsight.commands.service.approvals import DecisionTarget
from hashinsight.commands.states import Approval
from hashinsight.identity.access import CurrentCaller, ReadSession, Session
from hashinsight.inventory.filters import Word
from hashinsight.inventory.parameters import Cursor, Limit, Now, SiteQuery, ViewScope
from hashinsight.inventory.queries import places
from hashinsight.kit.web.parameters import body
from hashinsight.kit.web.responses import errors

router = APIRouter()


@router.get("/batches", response_model=BatchList, responses=errors(404))
async def list_batches(
    *,
    scope: ViewScope,
    session: ReadSession,
    site_id: SiteQuery = None,
    command_type: Annotated[Word | None, Query()] = None,
    approval_state: Approval | None = None,
    waiting: Annotated[bool | None, Query(description="With commands that wait for approval.")] = None,
    created_by: Annotated[Word | None, Query()] = None,
    since: AwareDatetime | None = None,
    until: AwareDatetime | None = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Any:
    """Batches of the caller's sites, and own ones, newest first. Every request is a batch, also for one machine."""
    site = None if site_id is None else (await places.get_site(session, scope, site_id)).id
    batch_filter = BatchFilter(site, command_type, approval_state, created_by, since, until, waiting)
    page = await batches.list_batches(session, scope, batch_filter, limit=limit, cursor=cursor)
    return {"batches": page.rows, "next_cursor": page.next_cursor}


@router.get("/batches/{batch_id}", response_model=BatchStory, responses=errors(404))
async def get_batch(scope: ViewScope, session: ReadSession, batch_id: UUID) -> Any:
    """Progress of a batch: commands by state, decisions, and the first 1,000 machines that it left out.

    Its commands are listed by `/commands?batch_id=`.
    """
    return await batches.get_batch(session, scope, batch_id)


@router.get("/batches/{batch_id}/refused", response_model=RefusalList, responses=errors(404))
async def list_refused_machines(
    scope: ViewScope, session: ReadSession, batch_id: UUID, limit: Limit = 1000, cursor: Cursor = None
) -> Any:
    """The machines that a batch left out, each with the reason."""
    page = await batches.list_refused(session, scope, batch_id, limit=limit, cursor=cursor)
    return {"refused": page.rows, "next_cursor": page.next_cursor}


@router.post("/batches/{batch_id}/approve", response_model=BatchDecision, responses=errors(404, 409))
async def approve_batch(
    caller: CurrentCaller, session: Session, now: Now, batch_id: UUID, decision: Annotated[Decision, body(Decision)]
) -> Any:
    """Approve all its commands that wait for approval; their TTL starts now. Otherwise as for one command."""
    await queries.check_visible(session, caller.seen, batch_id)  # first: 404 for a batch outside the scope
    caller.check_step_up(now=now)
    target = DecisionTarget(batch_id=batch_id)
    result = await service.approve(session, caller, target, reason=decision.reason, now=now)
    return batches.summarize_decision(batch_id, result)


@router.post("/batches/{batch_id}/reject", response_model=BatchDecision, responses=errors(404, 409))
async def reject_batch(
    caller: CurrentCaller, session: Session, now: Now, batch_id: UUID, decision: Annotated[Decision, body(Decision)]
) -> Any:
    """Reject all its commands that wait for approval: canceled for good."""
    target = DecisionTarget(batch_id=batch_id)
    result = await service.reject(session, caller, target, reason=decision.reason, now=now)
    return batches.summarize_decision(batch_id, result)


@router.post("/batches/{batch_id}/cancel", response_model=BatchDecision, responses=errors(404, 409))
async def cancel_batch(
    caller: CurrentCaller,
    session: Session,
    now: Now,
    batch_id: UUID,
    cancellation: Annotated[Cancellation | None, body(Cancellation)] = None,
) -> Any:
    """Cancel all its open commands: queued ones at once, dispatched ones by ack or end of lease."""
    reason = "" if cancellation is None else cancellation.reason
    target = DecisionTarget(batch_id=batch_id)
    result = await service.cancel(session, caller, target, reason=reason, now=now)
    return batches.summarize_decision(batch_id, result)
