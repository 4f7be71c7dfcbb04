"""What the caller may edit: outside of what they see 404, outside of what they may edit 403."""

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.identity.caller import Caller
from hashinsight.identity.permissions import Permission
from hashinsight.identity.scope import Scope
from hashinsight.inventory.models import Site
from hashinsight.inventory.queries import miners, places
from hashinsight.inventory.queries.miners import LocatedMiner
from hashinsight.kit.errors import Conflict, Forbidden


def edit_scope(caller: Caller) -> Scope:
    return caller.scope_for(Permission.INVENTORY)


def check_whole_tenant(caller: Caller, action: str) -> None:
    if not edit_scope(caller).is_whole:
        raise Forbidden(f"{action} needs a role for the whole tenant")


async def get_site_to_edit(session: AsyncSession, caller: Caller, ref: str | int) -> Site:
    """A site that the caller may edit as a whole."""
    site = await places.get_site(session, caller.seen, ref)
    if not edit_scope(caller).holds_site(site.id):
        raise Forbidden("your scope does not include the whole site")
    return site


async def get_miner_to_edit(
    session: AsyncSession, caller: Caller, miner_id: str, site: str | int | None, to_site: str | int | None = None
) -> LocatedMiner:
    """A machine that the caller may edit, locked; its site and the target site are locked first, against imports."""
    site_ids = {(await miners.get_miner(session, caller.seen, miner_id, site)).miner.site_id}
    if to_site is not None:
        site_ids.add((await places.get_site(session, caller.seen, to_site)).id)
    await places.lock_sites_shared(session, site_ids)
    located = await miners.get_miner(session, caller.seen, miner_id, site, lock=True)
    if located.miner.site_id not in site_ids:
        raise Conflict("this miner was moved to another site just now: try again", code="MINER_MOVED")
    if not await miners.is_within(session, edit_scope(caller), located.miner.miner_no):
        raise Forbidden("you may see this miner but not edit it")
    return located


def check_place(caller: Caller, site_id: int, zone_id: int | None) -> None:
    """A machine can only be put where the caller's scope reaches."""
    scope = edit_scope(caller)
    if not scope.holds_site(site_id) and zone_id not in scope.zones:
        raise Forbidden("this place is outside your scope")
