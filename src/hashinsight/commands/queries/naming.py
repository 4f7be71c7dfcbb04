"""Machines by the dispatches that were for them."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

_MACHINES = text("""
select a.dispatch_id, m.miner_id from command_attempts a join miners m on m.miner_no = a.miner_no
where a.dispatch_id = any (cast(:ids as uuid[])) and a.site_id = :site_id
""")


async def list_machines(session: AsyncSession, site_id: int, named: Sequence[str]) -> dict[str, str]:
    """The machine's id by the dispatch's, as it was written; without what is nobody's at this site."""
    ids = {one: found for one in named if (found := _uuid(one)) is not None}
    rows = await session.execute(_MACHINES, {"site_id": site_id, "ids": list(ids.values())})
    machines = {row.dispatch_id: row.miner_id for row in rows}
    return {one: machines[found] for one, found in ids.items() if found in machines}


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
