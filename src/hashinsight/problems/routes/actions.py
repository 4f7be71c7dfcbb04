"""What people do with problems: acknowledge, start, assign, comment, resolve; one, or many at once."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Response
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.identity.access import Session
from hashinsight.inventory.parameters import Now
from hashinsight.kit.web.examples import answers
from hashinsight.problems.actions import ActionInput, ProblemAction
from hashinsight.problems.caller import ProblemsCaller
from hashinsight.problems.routes import examples
from hashinsight.problems.routes.params import Caller, told
from hashinsight.problems.schemas import Assignment, Bulk, Comment, Remark, Resolution, body
from hashinsight.problems.service import actions, lists

router = APIRouter()

_ONE = "/problems/{problem_id}"
_ACKED: dict[str, Any] = {**examples.PROBLEM, "status": "ack"}
_STARTED: dict[str, Any] = {**examples.PROBLEM, "status": "in_progress"}


@router.post("/problems/bulk", response_class=Response, responses=answers(examples.BULK))
async def act_on_many(asker: Caller, session: Session, now: Now, asked: Annotated[Bulk, body(Bulk)]) -> Response:
    """One act on up to 1,000 problems, each with its own result; those that cannot be are told why.

    404 when none of the ids is a problem that one sees.
    """
    outcomes = await actions.act_on_problems(session, asker, asked.act, asked.ids, asked.said(), now=now)
    results: list[dict[str, Any]] = [
        {"id": one.id, "changed": True, "status": one.status}
        if one.error is None
        else {"id": one.id, "changed": False, "error_code": one.error.error_code, "reason": one.error.message}
        for one in outcomes
    ]
    changed = sum(one["changed"] for one in results)
    return told({"results": results, "counts": {"changed": changed, "refused": len(results) - changed}})


@router.post(f"{_ONE}/acknowledge", response_class=Response, responses=answers(_ACKED))
async def acknowledge(
    asker: Caller, session: Session, now: Now, problem_id: UUID, said: Annotated[Remark | None, body(Remark)] = None
) -> Response:
    """Somebody has seen it. 409 `ALREADY_ACKNOWLEDGED` or `ALREADY_RESOLVED` when somebody was first."""
    return await _act(
        session, asker, ProblemAction.ACKNOWLEDGE, problem_id, ActionInput() if said is None else said.said(), now=now
    )


@router.post(f"{_ONE}/start", response_class=Response, responses=answers(_STARTED))
async def start(
    asker: Caller, session: Session, now: Now, problem_id: UUID, said: Annotated[Remark | None, body(Remark)] = None
) -> Response:
    """Somebody works on it. 409 `ALREADY_STARTED` or `ALREADY_RESOLVED` when somebody was first."""
    return await _act(
        session, asker, ProblemAction.START, problem_id, ActionInput() if said is None else said.said(), now=now
    )


@router.post(f"{_ONE}/assign", response_class=Response, responses=answers(examples.PROBLEM))
async def assign(
    asker: Caller, session: Session, now: Now, problem_id: UUID, said: Annotated[Assignment, body(Assignment)]
) -> Response:
    """Give it to somebody, or to nobody. 404 `NO_SUCH_USER`; 409 `ALREADY_ASSIGNED` when it is so."""
    return await _act(session, asker, ProblemAction.ASSIGN, problem_id, said.said(), now=now)


@router.post(f"{_ONE}/comment", response_class=Response, responses=answers(examples.PROBLEM))
async def comment(
    asker: Caller, session: Session, now: Now, problem_id: UUID, said: Annotated[Comment, body(Comment)]
) -> Response:
    """Say something in its timeline, also when it is resolved."""
    return await _act(session, asker, ProblemAction.COMMENT, problem_id, said.said(), now=now)


@router.post(f"{_ONE}/resolve", response_class=Response, responses=answers(examples.RESOLVED))
async def resolve(
    asker: Caller, session: Session, now: Now, problem_id: UUID, said: Annotated[Resolution, body(Resolution)]
) -> Response:
    """It is over: why, and what was done. Seen again within 24 hours, it is open again. 409 `ALREADY_RESOLVED`."""
    return await _act(session, asker, ProblemAction.RESOLVE, problem_id, said.said(), now=now)


async def _act(
    session: AsyncSession, asker: ProblemsCaller, act: ProblemAction, problem_id: UUID, said: ActionInput, *, now: Now
) -> Response:
    await actions.act_on_problem(session, asker, act, problem_id, said, now=now)
    (problem,) = await lists.list_by_ids(session, asker.seen, [problem_id], now=now)
    return told(problem)
