"""Operators' actions on problems: acknowledge, start, assign, comment, resolve; one problem or many."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Response
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.identity.access import CurrentCaller, Session
from hashinsight.identity.caller import Caller
from hashinsight.inventory.parameters import Now
from hashinsight.kit.web.parameters import body
from hashinsight.kit.web.responses import encode, errors
from hashinsight.problems.actions import ActionInput, ProblemAction
from hashinsight.problems.schemas.problems import BulkResult, Problem
from hashinsight.problems.schemas.requests import Assignment, Bulk, Comment, Remark, ResolveBody
from hashinsight.problems.service import actions, lists

router = APIRouter()

_PROBLEM = "/problems/{problem_id}"
_OptionalRemark = Annotated[Remark | None, body(Remark)]


@router.post("/problems/bulk", response_model=BulkResult, responses=errors(404))
async def act_on_problems(
    caller: CurrentCaller, session: Session, now: Now, given: Annotated[Bulk, body(Bulk)]
) -> Response:
    """One action on up to 1,000 problems, each with its own result; a refused one says why.

    404 when the caller sees none of them.
    """
    results = await actions.act_on_problems(session, caller, given.act, given.ids, given.to_input(), now=now)
    rows = [
        {"id": result.id, "changed": True, "status": result.status}
        if result.error is None
        else {
            "id": result.id,
            "changed": False,
            "error_code": result.error.error_code,
            "reason": result.error.message,
        }
        for result in results
    ]
    changed = sum(bool(row["changed"]) for row in rows)
    return encode(BulkResult, {"results": rows, "counts": {"changed": changed, "refused": len(rows) - changed}})


@router.post(f"{_PROBLEM}/acknowledge", response_model=Problem, responses=errors(404, 409))
async def acknowledge_problem(
    caller: CurrentCaller, session: Session, now: Now, problem_id: UUID, remark: _OptionalRemark = None
) -> Response:
    """Acknowledge it. 409 `ALREADY_ACKNOWLEDGED` or `ALREADY_RESOLVED` if someone else was faster."""
    given = ActionInput() if remark is None else remark.to_input()
    return await _act(session, caller, ProblemAction.ACKNOWLEDGE, problem_id, given, now=now)


@router.post(f"{_PROBLEM}/start", response_model=Problem, responses=errors(404, 409))
async def start_problem(
    caller: CurrentCaller, session: Session, now: Now, problem_id: UUID, remark: _OptionalRemark = None
) -> Response:
    """Start work on it. 409 `ALREADY_STARTED` or `ALREADY_RESOLVED` if someone else was faster."""
    given = ActionInput() if remark is None else remark.to_input()
    return await _act(session, caller, ProblemAction.START, problem_id, given, now=now)


@router.post(f"{_PROBLEM}/assign", response_model=Problem, responses=errors(404, 409))
async def assign_problem(
    caller: CurrentCaller,
    session: Session,
    now: Now,
    problem_id: UUID,
    assignment: Annotated[Assignment, body(Assignment)],
) -> Response:
    """Assign it to a user, or to nobody. 404 `NO_SUCH_USER`; 409 `ALREADY_ASSIGNED` or `CANNOT_ACT_THERE`."""
    return await _act(session, caller, ProblemAction.ASSIGN, problem_id, assignment.to_input(), now=now)


@router.post(f"{_PROBLEM}/comment", response_model=Problem, responses=errors(404, 409))
async def comment_on_problem(
    caller: CurrentCaller, session: Session, now: Now, problem_id: UUID, comment: Annotated[Comment, body(Comment)]
) -> Response:
    """Add a comment to its timeline, also when it is resolved."""
    return await _act(session, caller, ProblemAction.COMMENT, problem_id, comment.to_input(), now=now)


@router.post(f"{_PROBLEM}/resolve", response_model=Problem, responses=errors(404, 409))
async def resolve_problem(
    caller: CurrentCaller,
    session: Session,
    now: Now,
    problem_id: UUID,
    resolution: Annotated[ResolveBody, body(ResolveBody)],
) -> Response:
    """Resolve it: the cause, and what was done. It reopens if it is found again within 24 hours."""
    return await _act(session, caller, ProblemAction.RESOLVE, problem_id, resolution.to_input(), now=now)


async def _act(
    session: AsyncSession, caller: Caller, action: ProblemAction, problem_id: UUID, given: ActionInput, *, now: Now
) -> Response:
    await actions.act_on_problem(session, caller, action, problem_id, given, now=now)
    (problem,) = await lists.list_by_ids(session, caller.seen, [problem_id], now=now)
    return encode(Problem, problem)
