"""Find: which machine a list of commands is about."""

from contextlib import suppress
from typing import TypedDict

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.identity.scope import Scope
from hashinsight.inventory.queries import miners
from hashinsight.kit.errors import Conflict, NotFound


class Machine(TypedDict, total=False):
    miner_no: int
    miner_id: str


async def find_machine(session: AsyncSession, scope: Scope, miner_id: str | None, site_id: int | None) -> Machine:
    """By its number, which it keeps under another name and which has an index; by the word where that is not one."""
    if miner_id is None:
        return {}
    with suppress(NotFound, Conflict):
        return {"miner_no": (await miners.get_miner(session, scope, miner_id, site_id)).miner.miner_no}
    return {"miner_id": miner_id}
