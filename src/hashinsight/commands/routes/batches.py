"""Whole batches: list, show, whom one left out, approve, reject, cancel."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response
from pydantic import AwareDatetime

from hashinsight.commands import service
from hashinsight.commands.queries import batches as queries
from hashinsight.commands.queries.batches import BatchFilter
from hashinsight.commands.requests import caller_for
from hashinsight.commands.routes import examples
from hashinsight.commands.routes.asking import Asks, told
from hashinsight.commands.schemas import Cancellation, Decision, body
from hashinsight.commands.service import batches
from hashinsight.commands.service.approvals import DecisionTarget
from hashinsight.commands.states import Approval
from hashinsight.identity.access import CurrentCaller, ReadSession, Session, check_step_up, now_of
from hashinsight.inventory.filters import Word
from hashinsight.inventory.parameters import Cursor, Limit, Now, SiteQuery, ViewScope
from hashinsight.inventory.queries import places
from hashinsight.kit.web.examples import answers

router = APIRouter()

_REFUSED = {"refused": examples.MADE["refused"], "next_cursor": None}
_CANCELED = examples.DECIDED | {"states": {"canceled": 800, "dispatched": 12}}


@router.get("/batches", response_class=Response, responses=answers({"batches": [examples.BATCH], "next_cursor": None}))
async def list_batches(
    *,
    scope: ViewScope,
    session: ReadSession,
    site_id: SiteQuery = None,
    command_type: Annotated[Word | None, Query()] = None,
    approval_state: Approval | None = None,
    waiting: Annotated[bool | None, Query(description="Only those with commands that wait for approval.")] = None,
    created_by: Annotated[Word | None, Query()] = None,
    since: AwareDatetime | None = None,
    until: AwareDatetime | None = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Response:
    """Batches of sites that one holds, and one's own, newest first. Every request is one, also for one machine."""
    site = None if site_id is None else (await places.get_site(session, scope, site_id)).id
    wanted = BatchFilter(site, command_type, approval_state, created_by, since, until, waiting)
    found = await batches.list_batches(session, scope, wanted, limit=limit, cursor=cursor)
    return told({"batches": found.rows, "next_cursor": found.next_cursor})


@router.get("/batches/{batch_id}", response_class=Response, responses=answers(examples.BATCH_STORY))
async def read_batch(scope: ViewScope, session: ReadSession, batch_id: UUID) -> Response:
    """How far a batch is: its commands by state, who decided about it, and the first 1,000 that it left out.

    Its commands are listed by `/commands?batch_id=`.
    """
    return told(await batches.get_batch(session, scope, batch_id))


@router.get("/batches/{batch_id}/refused", response_class=Response, responses=answers(_REFUSED))
async def list_refused(
    scope: ViewScope, session: ReadSession, batch_id: UUID, limit: Limit = 1000, cursor: Cursor = None
) -> Response:
    """The machines that a batch left out, each with its reason."""
    found = await batches.list_refused(session, scope, batch_id, limit=limit, cursor=cursor)
    return told({"refused": found.rows, "next_cursor": found.next_cursor})


@router.post("/batches/{batch_id}/approve", responses=answers(examples.DECIDED))
async def approve_batch(
    request: Request,
    principal: CurrentCaller,
    session: Session,
    batch_id: UUID,
    decision: Annotated[Decision, body(Decision)],
) -> dict[str, Any]:
    """Everything of it that waits for approval, at once; the TTL of each starts now. As for one command otherwise."""
    now, asker = now_of(request), caller_for(principal)
    await queries.check_visible(session, asker.seen, batch_id)  # first: what one does not see does not exist
    check_step_up(principal, now=now)
    decided = await service.approve(session, asker, DecisionTarget(batch_id=batch_id), reason=decision.reason, now=now)
    return batches.summarize_decision(batch_id, decided)


@router.post("/batches/{batch_id}/reject", responses=answers(examples.DECIDED | {"states": {"canceled": 812}}))
async def reject_batch(
    asker: Asks, session: Session, now: Now, batch_id: UUID, decision: Annotated[Decision, body(Decision)]
) -> dict[str, Any]:
    """Everything of it that waits for approval is canceled for good."""
    decided = await service.reject(session, asker, DecisionTarget(batch_id=batch_id), reason=decision.reason, now=now)
    return batches.summarize_decision(batch_id, decided)


@router.post("/batches/{batch_id}/cancel", responses=answers(_CANCELED))
async def cancel_batch(
    asker: Asks,
    session: Session,
    now: Now,
    batch_id: UUID,
    wish: Annotated[Cancellation | None, body(Cancellation)] = None,
) -> dict[str, Any]:
    """Everything of it that is still open: at once in the queue, by ack or end of lease where it was handed out."""
    reason = "" if wish is None else wish.reason
    decided = await service.cancel(session, asker, DecisionTarget(batch_id=batch_id), reason=reason, now=now)
    return batches.summarize_decision(batch_id, decided)
