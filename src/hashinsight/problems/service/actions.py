"""Operators' actions on problems: one or a thousand, each with its own result, all in one transaction."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action
from hashinsight.audit.service.entries import Entry, record_many
from hashinsight.identity.caller import Caller
from hashinsight.identity.permissions import MAY, Permission
from hashinsight.identity.queries import accounts as identity
from hashinsight.kit.changes import note_change
from hashinsight.kit.errors import HashInsightError
from hashinsight.problems import errors
from hashinsight.problems.actions import (
    MOVES,
    ActionInput,
    ActionRefusal,
    ProblemAction,
    find_refusal,
    parse_status,
    status_word,
)
from hashinsight.problems.queries import actions, details

MAX_ASSIGNEES = 500
_ROLES = [role.value for role in MAY[Permission.ACKNOWLEDGE]]
_AUDITED = {
    ProblemAction.ACKNOWLEDGE: Action.PROBLEM_ACKNOWLEDGED,
    ProblemAction.START: Action.PROBLEM_STARTED,
    ProblemAction.ASSIGN: Action.PROBLEM_ASSIGNED,
    ProblemAction.COMMENT: Action.PROBLEM_COMMENTED,
    ProblemAction.RESOLVE: Action.PROBLEM_RESOLVED,
}


@dataclass(frozen=True)
class ActionResult:
    """The new status of one problem, or the error that refused the action."""

    id: UUID
    status: str | None = None
    error: HashInsightError | None = None


async def act_on_problem(
    session: AsyncSession, caller: Caller, action: ProblemAction, problem_id: UUID, given: ActionInput, *, now: datetime
) -> None:
    (result,) = await act_on_problems(session, caller, action, [problem_id], given, now=now)
    if result.error is not None:
        raise result.error


async def act_on_problems(
    session: AsyncSession,
    caller: Caller,
    action: ProblemAction,
    ids: Sequence[UUID],
    given: ActionInput,
    *,
    now: datetime,
) -> list[ActionResult]:
    """In the order of the ids, each once. Rows are locked between reading and writing."""
    unique = list(dict.fromkeys(ids))
    visible = await details.list_visible(session, caller.seen, unique)
    if not visible:
        raise errors.problem_not_found()
    allowed = await details.list_visible(session, caller.scope_for(Permission.ACKNOWLEDGE), sorted(visible))
    is_assignment = action is ProblemAction.ASSIGN
    if is_assignment and given.assignee is not None:
        given = replace(given, assignee=await _get_assignee_id(session, given.assignee))
    rows = {row.id: row for row in await actions.lock_problems(session, sorted(allowed))}
    sites = {row.site_id for row in rows.values()}
    barred = await _barred_sites(session, caller, sites, given.assignee) if is_assignment else {}
    refused = {problem_id: _refusal(action, row, given, barred) for problem_id, row in rows.items()}
    accepted = [problem_id for problem_id, error in refused.items() if error is None]
    moved = {row.id: row for row in await actions.move(session, caller.actor, action, accepted, given, now=now)}
    entries = [_audit_entry(caller, action, rows[problem_id], given) for problem_id in moved]
    if entries:
        await record_many(session, caller.actor, entries, now=now)
    for site_id in {row.site_id for row in moved.values()}:
        note_change(session, caller.tenant_id, site_id, "problems")

    def result(problem_id: UUID) -> ActionResult:
        if problem_id in moved:
            return ActionResult(problem_id, moved[problem_id].status)
        if problem_id in visible and problem_id not in allowed:
            return ActionResult(problem_id, error=errors.not_allowed_here())
        if problem_id not in rows:
            return ActionResult(problem_id, error=errors.problem_not_found())
        conflict = ActionRefusal("CONFLICT", "someone else changed this problem first")
        return ActionResult(problem_id, error=refused[problem_id] or _conflict(conflict, rows[problem_id]))

    return [result(problem_id) for problem_id in unique]


def _refusal(
    action: ProblemAction, row: Any, given: ActionInput, barred: dict[int, HashInsightError]
) -> HashInsightError | None:
    refusal = find_refusal(action, parse_status(row.status), assigned_to=row.assigned_to, given=given)
    return barred.get(row.site_id) if refusal is None else _conflict(refusal, row)


def _conflict(refusal: ActionRefusal, row: Any) -> HashInsightError:
    return errors.refused(refusal, {"status": row.status, "acked_by": row.acked_by})


async def list_assignees(session: AsyncSession, caller: Caller, site_id: int) -> list[dict[str, Any]]:
    """The users who may act on problems of this site.

    A caller with only a part of the site sees only themselves: who else works there is not theirs to know.
    """
    scope = caller.scope_for(Permission.ACKNOWLEDGE)
    users = await identity.list_users_with_access(session, scope.tenant_id, site_id, _ROLES, most=MAX_ASSIGNEES)
    return users if scope.holds_site(site_id) else [user for user in users if str(user["id"]) == caller.actor.id]


async def _get_assignee_id(session: AsyncSession, id_or_email: str) -> str:
    try:
        user = await identity.find_user(session, UUID(id_or_email))
    except ValueError:
        user = await identity.find_user_by_email(session, id_or_email.lower())
    if user is None or user.state != "active":
        raise errors.no_such_user()
    return str(user.id)


async def _barred_sites(
    session: AsyncSession, caller: Caller, site_ids: set[int], assignee: str | None
) -> dict[int, HashInsightError]:
    """The sites at which this user cannot be assigned a problem, and why, as in `list_assignees`."""
    if assignee is None:
        return {}
    scope, user_id = caller.scope_for(Permission.ACKNOWLEDGE), UUID(assignee)
    barred: dict[int, HashInsightError] = {}
    for site_id in sorted(site_ids):
        if not scope.holds_site(site_id) and assignee != caller.actor.id:
            barred[site_id] = errors.no_such_user()
        elif not await identity.list_users_with_access(
            session, scope.tenant_id, site_id, _ROLES, most=1, user_id=user_id
        ):
            barred[site_id] = errors.cannot_act_there()
    return barred


def _audit_entry(caller: Caller, action: ProblemAction, row: Any, given: ActionInput) -> Entry:
    ends = MOVES[action].ends
    before: dict[str, Any] = {"status": row.status}
    after: dict[str, Any] = {"status": row.status if ends is None else status_word(ends), "miner_id": row.miner_id}
    after |= {"issue_code": row.issue_code, "site_id": row.site_id}
    if action is ProblemAction.ASSIGN:
        before["assigned_to"], after["assigned_to"] = row.assigned_to, given.assignee
    if action is ProblemAction.RESOLVE:
        after |= {"cause": None if given.cause is None else given.cause.value, "action": given.action}
    return Entry(_AUDITED[action], "problem", row.id, before, after, given.comment, caller.tenant_id)
