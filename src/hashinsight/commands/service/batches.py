"""Tell of batches: what was asked for, by whom, how far it is, and whom it left out."""

from collections import Counter
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.commands.queries import batches as queries
from hashinsight.commands.queries.batches import BatchFilter
from hashinsight.commands.service.approvals import DecisionResult
from hashinsight.identity.scope import Scope
from hashinsight.kit.paging import Page

SHOWN = 1000  # of the machines that it named, and of those that it left out; the latter can be paged through


async def list_batches(
    session: AsyncSession, scope: Scope, wanted: BatchFilter, *, limit: int, cursor: str | None = None
) -> Page:
    """Newest first. How far each is would cost a count of all its commands: that is told of one at a time."""
    found = await queries.list_batches(session, scope, wanted, limit=limit, cursor=cursor)
    return Page([_shown(row) for row in found.rows], found.next_cursor)


async def get_batch(session: AsyncSession, scope: Scope, batch_id: UUID) -> dict[str, Any]:
    batch = _shown(await queries.get_batch(session, scope, batch_id))
    states, waiting = await queries.count_commands(session, scope, batch_id)
    return {
        **batch,
        "selection": _cut(batch["selection"]),
        "states": states,
        "waiting_for_approval": waiting,
        "refused": (await queries.list_refused(session, batch_id, limit=SHOWN)).rows,
        "approvals": await queries.list_decisions(session, batch_id, most=SHOWN),
    }


async def list_refused(
    session: AsyncSession, scope: Scope, batch_id: UUID, *, limit: int, cursor: str | None = None
) -> Page:
    await queries.get_batch(session, scope, batch_id)
    return await queries.list_refused(session, batch_id, limit=limit, cursor=cursor)


def summarize_decision(batch_id: UUID, decided: DecisionResult) -> dict[str, Any]:
    """Of a decision about a whole batch: how many it moved, and where they are now."""
    states = Counter(state for _, state in decided.commands)
    return {"batch_id": batch_id, "commands": len(decided.commands), "states": dict(states)}


def _shown(batch: dict[str, Any]) -> dict[str, Any]:
    """What was refused is the rest: nothing that is as long as the batch has to be counted."""
    counts = {name: batch.pop(name) for name in ("machines", "created", "existing")}
    return {**batch, "counts": {**counts, "refused": counts["machines"] - counts["created"] - counts["existing"]}}


def _cut(selection: dict[str, Any]) -> dict[str, Any]:
    named = selection.get("miner_ids")
    if named is None or len(named) <= SHOWN:
        return selection
    return {**selection, "miner_ids": named[:SHOWN], "miner_ids_not_shown": len(named) - SHOWN}
