"""Acts of people on problems: one or a thousand, each with its own result, all in one transaction."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action
from hashinsight.audit.service.entries import Entry, record_many
from hashinsight.identity import queries as identity
from hashinsight.identity.permissions import MAY, Permission
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
from hashinsight.problems.caller import ProblemsCaller
from hashinsight.problems.queries import actions, details

MAX_ASSIGNEES = 500
_ACTING = [role.value for role in MAY[Permission.ACKNOWLEDGE]]
_AUDITED = {
    ProblemAction.ACKNOWLEDGE: Action.PROBLEM_ACKNOWLEDGED,
    ProblemAction.START: Action.PROBLEM_STARTED,
    ProblemAction.ASSIGN: Action.PROBLEM_ASSIGNED,
    ProblemAction.COMMENT: Action.PROBLEM_COMMENTED,
    ProblemAction.RESOLVE: Action.PROBLEM_RESOLVED,
}


@dataclass(frozen=True)
class ActionResult:
    """What became of one id. `error` says why nothing did."""

    id: UUID
    status: str | None = None
    error: HashInsightError | None = None


async def act_on_problem(
    session: AsyncSession,
    asker: ProblemsCaller,
    act: ProblemAction,
    problem_id: UUID,
    said: ActionInput,
    *,
    now: datetime,
) -> None:
    (outcome,) = await act_on_problems(session, asker, act, [problem_id], said, now=now)
    if outcome.error is not None:
        raise outcome.error


async def act_on_problems(
    session: AsyncSession,
    asker: ProblemsCaller,
    act: ProblemAction,
    ids: Sequence[UUID],
    said: ActionInput,
    *,
    now: datetime,
) -> list[ActionResult]:
    """In the order of the ids, each named once. Nobody else's act comes between reading and writing."""
    wanted = list(dict.fromkeys(ids))
    seen = await details.list_seen(session, asker.seen, wanted)
    if not seen:
        raise errors.problem_not_found()
    mine = await details.list_seen(session, asker.acting(), sorted(seen))
    if act is ProblemAction.ASSIGN and said.assignee is not None:
        said = replace(said, assignee=await _assignee(session, said.assignee))
    rows = {row.id: row for row in await actions.lock(session, sorted(mine))}
    sites = {row.site_id for row in rows.values()}
    barred = await _barred(session, asker, sites, said) if act is ProblemAction.ASSIGN else {}
    refused = {key: find_refusal(act, parse_status(row.status), assigned_to=row.assigned_to, said=said)
               for key, row in rows.items()}  # fmt: skip
    going = [key for key, why in refused.items() if why is None and rows[key].site_id not in barred]
    moved = {row.id: row for row in await actions.move(session, asker.actor, act, going, said, now=now)}
    entries = [_entry(asker, act, rows[key], said) for key in moved]
    if entries:
        await record_many(session, asker.actor, entries, now=now)
    for site_id in {row.site_id for row in moved.values()}:
        note_change(session, asker.tenant_id, site_id, "problems")
    return [
        ActionResult(key, moved[key].status)
        if key in moved
        else ActionResult(key, error=_why(key, seen, mine, rows, refused, barred=barred))
        for key in wanted
    ]


async def list_assignees(session: AsyncSession, asker: ProblemsCaller, site_id: int) -> list[dict[str, Any]]:
    """Whom a problem of this site can be given to: those who may act there.

    Who holds only a part of the site is told of nobody but themselves: who else works there is not theirs to know.
    """
    scope = asker.acting()
    found = await identity.list_users_with_access(session, scope.tenant_id, site_id, _ACTING, most=MAX_ASSIGNEES)
    return found if scope.holds_site(site_id) else [one for one in found if str(one["id"]) == asker.actor.id]


async def _assignee(session: AsyncSession, named: str) -> str:
    """By id or e-mail, as the id."""
    try:
        user = await identity.find_user(session, UUID(named))
    except ValueError:
        user = await identity.find_user_by_email(session, named.lower())
    if user is None or user.state != "active":
        raise errors.no_such_user()
    return str(user.id)


async def _barred(
    session: AsyncSession, asker: ProblemsCaller, site_ids: set[int], said: ActionInput
) -> dict[int, HashInsightError]:
    """At which of these sites the one who is named cannot be given a problem, and why: as `list_takers` tells it."""
    if said.assignee is None:
        return {}
    scope, taker = asker.acting(), UUID(said.assignee)
    found: dict[int, HashInsightError] = {}
    for site_id in sorted(site_ids):
        if not scope.holds_site(site_id) and said.assignee != asker.actor.id:
            found[site_id] = errors.no_such_user()
        elif not await identity.list_users_with_access(
            session, scope.tenant_id, site_id, _ACTING, most=1, user_id=taker
        ):
            found[site_id] = errors.cannot_act_there()
    return found


def _entry(asker: ProblemsCaller, act: ProblemAction, row: Any, said: ActionInput) -> Entry:
    ends = MOVES[act].ends
    before: dict[str, Any] = {"status": row.status}
    after: dict[str, Any] = {"status": row.status if ends is None else status_word(ends), "miner_id": row.miner_id}
    after |= {"issue_code": row.issue_code, "site_id": row.site_id}
    if act is ProblemAction.ASSIGN:
        before["assigned_to"], after["assigned_to"] = row.assigned_to, said.assignee
    if act is ProblemAction.RESOLVE:
        after |= {"cause": None if said.cause is None else said.cause.value, "action": said.action}
    return Entry(_AUDITED[act], "problem", row.id, before, after, said.comment, asker.tenant_id)


def _why(
    key: UUID,
    seen: set[UUID],
    mine: set[UUID],
    rows: dict[UUID, Any],
    refused: dict[UUID, ActionRefusal | None],
    *,
    barred: dict[int, HashInsightError],
) -> HashInsightError:
    if key in seen and key not in mine:
        return errors.not_allowed_here()
    if key not in rows:
        return errors.problem_not_found()
    if refused[key] is None and rows[key].site_id in barred:
        return barred[rows[key].site_id]
    why = refused[key] or ActionRefusal("CONFLICT", "somebody was first")
    return errors.refused(why, {"status": rows[key].status, "acked_by": rows[key].acked_by})
