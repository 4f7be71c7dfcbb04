"""Deciding about one command: approve, reject, cancel."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Request, Response

from hashinsight.commands import service
from hashinsight.commands.answer_schemas import show_brief
from hashinsight.commands.queries import commands
from hashinsight.commands.requests import caller_for
from hashinsight.commands.routes import examples
from hashinsight.commands.routes.asking import Asks, told
from hashinsight.commands.schemas import Cancellation, Decision, body
from hashinsight.commands.service.approvals import DecisionTarget
from hashinsight.identity.access import CurrentCaller, Session, check_step_up, now_of
from hashinsight.inventory.parameters import Now
from hashinsight.kit.web.examples import answers

router = APIRouter()

_REJECTED = {"state": "canceled", "approval_state": "rejected", "error_code": "REJECTED", "wait_reason": None}
_CANCELED = {"state": "canceled", "error_code": "CANCELED", "wait_reason": None}


@router.post(
    "/commands/{command_id}/approve",
    response_class=Response,
    responses=answers(examples.COMMAND | {"approval_state": "approved", "wait_reason": None}),
)
async def approve_command(
    request: Request,
    principal: CurrentCaller,
    session: Session,
    command_id: UUID,
    decision: Annotated[Decision, body(Decision)],
) -> Response:
    """Let it go out; its TTL starts now. The second factor is shown again, where there is one.

    403 `OWN_REQUEST` for the one who asked; 409 `ALREADY_DECIDED` or `ALREADY_FINAL` when somebody was first.
    """
    now, asker = now_of(request), caller_for(principal)
    await commands.get_command(session, asker.seen, command_id)  # first: what one does not see does not exist
    check_step_up(principal, now=now)
    await service.approve(session, asker, DecisionTarget(command_id=command_id), reason=decision.reason, now=now)
    return told(show_brief(await service.get_story(session, asker.seen, command_id, now=now)))


@router.post("/commands/{command_id}/reject", response_class=Response, responses=answers(examples.COMMAND | _REJECTED))
async def reject_command(
    asker: Asks, session: Session, now: Now, command_id: UUID, decision: Annotated[Decision, body(Decision)]
) -> Response:
    """Never let it go out. 409 `ALREADY_DECIDED` or `ALREADY_FINAL` when somebody was first."""
    await service.reject(session, asker, DecisionTarget(command_id=command_id), reason=decision.reason, now=now)
    return told(show_brief(await service.get_story(session, asker.seen, command_id, now=now)))


@router.post("/commands/{command_id}/cancel", response_class=Response, responses=answers(examples.COMMAND | _CANCELED))
async def cancel_command(
    asker: Asks,
    session: Session,
    now: Now,
    command_id: UUID,
    wish: Annotated[Cancellation | None, body(Cancellation)] = None,
) -> Response:
    """In the queue: canceled at once. Handed out: not again, and its ack or the end of its lease decides.

    409 `ALREADY_FINAL` when it is over, `CANCEL_REQUESTED` when somebody was first.
    """
    reason = "" if wish is None else wish.reason
    await service.cancel(session, asker, DecisionTarget(command_id=command_id), reason=reason, now=now)
    return told(show_brief(await service.get_story(session, asker.seen, command_id, now=now)))
