"""Operators' actions on the registry: the only writer beside `registry`, which writes a cycle's changes.

Everybody locks in one order: the site's row, pulses, events, ids in order. A cycle locks the site's row exclusively
just before it writes, and leaves problems alone whose version has changed since it read them.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ARRAY, Uuid, bindparam, text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Actor
from hashinsight.kit.ids import new_ids
from hashinsight.problems.actions import MOVES, ActionInput, ProblemAction, status_word
from hashinsight.wire.times import write_time

_IDS = bindparam("ids", type_=ARRAY(Uuid))
_LOCK_SITES = text("""
select site_id
from problem_sites
where site_id in (select site_id from problem_events where id = any (:ids))
order by site_id
for share
""").bindparams(_IDS)
_LOCK_PULSE = text("""
select problem_id
from problem_pulse
where problem_id = any (:ids)
order by problem_id
for update
""").bindparams(_IDS)
_LOCK_EVENTS = text("""
select id, site_id, miner_id, issue_code, severity, status, assigned_to, acked_by
from problem_events
where id = any (:ids)
order by id
for update
""").bindparams(_IDS)
_SETS: dict[ProblemAction, str] = {
    ProblemAction.ACKNOWLEDGE: "acked_by = :by, acked_at = :now",
    ProblemAction.START: "acked_by = coalesce(e.acked_by, :by), acked_at = coalesce(e.acked_at, :now)",
    ProblemAction.ASSIGN: "assigned_to = :assignee",
    ProblemAction.COMMENT: "updated_at = :now",
    # the pulse is not read any more: its last_seen_ts is copied
    ProblemAction.RESOLVE: "resolved_ts = :now, resolved_by = :by, resolution_cause = :cause,"
    " resolution_action = :action,"
    " seen = false, last_seen_ts = greatest(e.last_seen_ts,"
    " (select to_timestamp(p.last_seen_ts) from problem_pulse p where p.problem_id = e.id))",
}
_PULSE_SETS: dict[ProblemAction, str] = {
    ProblemAction.RESOLVE: ", resolved_ts = extract(epoch from cast(:now as timestamptz)), consecutive_ok = 0"
}
_MOVE = """
with moved as (
    -- the events that are in a status that this action starts from
    update problem_events e
    set {status} {sets}{updated}
    where e.id = any (:ids) and e.status in ({begins})
    returning e.id, e.tenant_id, e.site_id, e.status
){pulse}, logged as (
    -- one entry in the timeline of each
    insert into problem_timeline (id, tenant_id, site_id, problem_id, at, kind, actor_kind, actor_id, message, details)
    select
        n.entry, m.tenant_id, m.site_id, m.id, :now, :kind, :actor_kind, :actor_id, :message,
        jsonb_strip_nulls(jsonb_build_object(
            'assignee', cast(:assignee as text),
            'cause', cast(:cause as text),
            'action', cast(:action as text)
        ))
    from moved m
    join unnest(cast(:ids as uuid[]), cast(:entries as uuid[])) n (id, entry) on n.id = m.id
)
select id, site_id, status from moved order by id
"""
# Only where the status changes: a cycle would not undo an assignment or a comment.
_MOVE_PULSE = """, pulse as (
    update problem_pulse p
    set status = {number}, version = p.version + 1{more}
    from moved
    where p.problem_id = moved.id
)"""


def _statement(action: ProblemAction) -> Any:
    move = MOVES[action]
    begins = ", ".join(f"'{status_word(status)}'" for status in move.begins)
    status = "" if move.ends is None else f"status = '{status_word(move.ends)}',"
    pulse = "" if move.ends is None else _MOVE_PULSE.format(number=int(move.ends), more=_PULSE_SETS.get(action, ""))
    updated = "" if action is ProblemAction.COMMENT else ", updated_at = :now"
    statement = _MOVE.format(status=status, sets=_SETS[action], updated=updated, begins=begins, pulse=pulse)
    return text(statement).bindparams(_IDS)


_STATEMENTS = {action: _statement(action) for action in ProblemAction}
_INSERT_TIMELINE = text("""
insert into problem_timeline (id, tenant_id, site_id, problem_id, at, kind, actor_kind, actor_id, message, details)
select
    n.entry, e.tenant_id, e.site_id, e.id, :now, :kind, :actor_kind, :actor_id, :message,
    jsonb_strip_nulls(jsonb_build_object('until', cast(:until as text)))
from problem_events e
join unnest(cast(:ids as uuid[]), cast(:entries as uuid[])) n (id, entry) on n.id = e.id
""").bindparams(_IDS)


async def lock_problems(session: AsyncSession, ids: Sequence[UUID]) -> Sequence[Any]:
    """The rows, locked until the transaction ends."""
    await session.execute(_LOCK_SITES, {"ids": list(ids)})
    await session.execute(_LOCK_PULSE, {"ids": list(ids)})
    return (await session.execute(_LOCK_EVENTS, {"ids": list(ids)})).all()


async def move(
    session: AsyncSession,
    actor: Actor,
    action: ProblemAction,
    ids: Sequence[UUID],
    given: ActionInput,
    *,
    now: datetime,
) -> Sequence[Any]:
    """Event, pulse and timeline in one guarded statement. Returns the rows that moved."""
    if not ids:
        return []
    values = {
        "ids": list(ids),
        "entries": new_ids(len(ids)),
        "now": now,
        "by": actor.signature,
        "kind": MOVES[action].timeline_kind,
        "actor_kind": actor.kind.value,
        "actor_id": actor.id,
        "message": given.comment,
        "assignee": given.assignee,
        "cause": None if given.cause is None else given.cause.value,
        "action": given.action,
    }
    return (await session.execute(_STATEMENTS[action], values)).all()


async def insert_timeline(
    session: AsyncSession,
    actor: Actor,
    ids: Sequence[UUID],
    kind: str,
    *,
    message: str | None = None,
    until: datetime | None = None,
    now: datetime,
) -> None:
    """An entry in the timeline of each problem, for something that does not change it."""
    if ids:
        values = {
            "ids": list(ids),
            "entries": new_ids(len(ids)),
            "now": now,
            "kind": kind,
            "actor_kind": actor.kind.value,
            "actor_id": actor.id,
            "message": message,
            "until": None if until is None else write_time(until),
        }
        await session.execute(_INSERT_TIMELINE, values)
