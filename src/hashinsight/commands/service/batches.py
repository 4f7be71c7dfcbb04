"""Batches as people see them: what was requested by whom, progress, and the machines that were left out."""

from collections import Counter
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.commands.queries import batches as queries
from hashinsight.commands.queries.batches import BatchFilter
from hashinsight.commands.service.approvals import DecisionResult
from hashinsight.identity.scope import Scope
from hashinsight.kit.paging import Page

MAX_ROWS_OF_BATCH = 1000  # selected machines and refused ones of one batch; the refused ones have a list of their own


async def list_batches(
    session: AsyncSession, scope: Scope, batch_filter: BatchFilter, *, limit: int, cursor: str | None = None
) -> Page:
    """Newest first, without progress, which would count all commands of each."""
    batches = await queries.list_batches(session, scope, batch_filter, limit=limit, cursor=cursor)
    return Page([_with_counts(row) for row in batches.rows], batches.next_cursor)


async def get_batch(session: AsyncSession, scope: Scope, batch_id: UUID) -> dict[str, Any]:
    batch = _with_counts(await queries.get_batch(session, scope, batch_id))
    states, waiting = await queries.count_commands(session, scope, batch_id)
    return {
        **batch,
        "selection": _shorten(batch["selection"]),
        "states": states,
        "waiting_for_approval": waiting,
        "refused": (await queries.list_refused(session, batch_id, limit=MAX_ROWS_OF_BATCH)).rows,
        "approvals": await queries.list_decisions(session, batch_id, most=MAX_ROWS_OF_BATCH),
    }


async def list_refused(
    session: AsyncSession, scope: Scope, batch_id: UUID, *, limit: int, cursor: str | None = None
) -> Page:
    await queries.get_batch(session, scope, batch_id)
    return await queries.list_refused(session, batch_id, limit=limit, cursor=cursor)


def summarize_decision(batch_id: UUID, decision: DecisionResult) -> dict[str, Any]:
    """How many commands a decision about a batch moved, by their new state."""
    states = Counter(state for _, state in decision.commands)
    return {"batch_id": batch_id, "commands": len(decision.commands), "states": dict(states)}


def _with_counts(batch: dict[str, Any]) -> dict[str, Any]:
    """The refused ones are the rest: the list itself need not be counted."""
    counts = {name: batch.pop(name) for name in ("machines", "created", "existing")}
    return {**batch, "counts": {**counts, "refused": counts["machines"] - counts["created"] - counts["existing"]}}


def _shorten(selection: dict[str, Any]) -> dict[str, Any]:
    miner_ids = selection.get("miner_ids")
    if miner_ids is None or len(miner_ids) <= MAX_ROWS_OF_BATCH:
        return selection
    return {
        **selection,
        "miner_ids": miner_ids[:MAX_ROWS_OF_BATCH],
        "miner_ids_not_shown": len(miner_ids) - MAX_ROWS_OF_BATCH,
    }
