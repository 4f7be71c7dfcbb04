"""Supersede: by a new command that outranks what is there, or by one that waited when what it outranks comes back."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action, Actor
from hashinsight.audit.service.entries import Entry, record_many
from hashinsight.commands.arbitration import find_outranking
from hashinsight.commands.queries import requests as queries
from hashinsight.commands.service.weighing import by_machine


async def supersede(
    session: AsyncSession, actor: Actor, rows: Sequence[Mapping[str, Any]], *, now: datetime
) -> set[UUID]:
    """`rows`: command_id, the moves at which it was judged, by whom, and why. Their locks are held."""
    if not rows:
        return set()
    moved = await queries.move_superseded(session, actor, rows, now=now)
    if len(moved) != len(rows):
        raise RuntimeError("a command moved under its lock")
    entries = [
        Entry(
            Action.COMMAND_SUPERSEDED,
            "command",
            row.command_id,
            {"state": row.old_state},
            {
                "state": "superseded",
                "superseded_by": str(row.by),
                "dispatch_id": row.dispatch_id and str(row.dispatch_id),
            },
            tenant_id=row.tenant_id,
        )
        for row in moved
    ]
    await record_many(session, actor, entries, now=now)
    return {row.command_id for row in moved}


async def weigh_returned(
    session: AsyncSession, actor: Actor, returned: Mapping[UUID, int], *, now: datetime
) -> set[UUID]:
    """Those that came back to the queue, by their machines: a retry must not undo what outranks it and waited for it.

    Behind the move and under its lock: a request that came before it is seen here, and one that comes later weighs
    what it finds in the queue.
    """
    if not returned:
        return set()
    machines = sorted(set(returned.values()))
    present = by_machine(await queries.list_present(session, machines, lock=False, now=now))
    rows = []
    for ones in present.values():
        for one in ones:
            by = find_outranking(one, ones) if one.command_id in returned else None
            if by is not None:
                message = f"came back to the queue, where {by} goes before it"
                rows.append({"command_id": one.command_id, "moves": one.moves, "by": by.command_id, "message": message})
    return await supersede(session, actor, rows, now=now)
