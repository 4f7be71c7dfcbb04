"""What a caller sees, and what the caller may change: outside the first is 404, outside the second 403."""

from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Actor
from hashinsight.identity.scope import Scope
from hashinsight.inventory.queries import miners, places
from hashinsight.inventory.queries.miners import LocatedMiner
from hashinsight.inventory.queries.tables import Site
from hashinsight.kit.errors import Conflict, Forbidden


def _no_step_up() -> None:
    """Of the server's command line: it acts as the system."""


@dataclass(frozen=True)
class Rights:
    see: Scope
    write: Scope
    gives_rights: bool = False  # grants and users of the whole tenant are in this caller's hands
    check_step_up: Callable[[], None] = _no_step_up  # raises unless a person has just shown who they are

    @property
    def actor(self) -> Actor:
        return self.write.actor


def check_whole(rights: Rights, what: str) -> None:
    if not rights.write.is_whole:
        raise Forbidden(f"{what} is for those whose scope is the whole tenant")


async def site_to_change(session: AsyncSession, rights: Rights, ref: str | int) -> Site:
    """A site that the caller may change as a whole."""
    site = await places.get_site(session, rights.see, ref)
    if not rights.write.holds_site(site.id):
        raise Forbidden("your scope is not the whole site")
    return site


async def miner_to_change(
    session: AsyncSession, rights: Rights, miner_id: str, site: str | int | None, to_site: str | int | None = None
) -> LocatedMiner:
    """A machine that the caller may change, locked; before it its site and the one that it goes to, against imports."""
    sites = {(await miners.get_miner(session, rights.see, miner_id, site)).miner.site_id}
    if to_site is not None:
        sites.add((await places.get_site(session, rights.see, to_site)).id)
    await places.lock_sites_shared(session, sites)
    found = await miners.get_miner(session, rights.see, miner_id, site, lock=True)
    if found.miner.site_id not in sites:
        raise Conflict("somebody moved this miner to another site at this moment: try again", code="MINER_MOVED")
    if not await miners.is_within(session, rights.write, found.miner.miner_no):
        raise Forbidden("you see this miner, but may not change it")
    return found


def check_place(rights: Rights, site_id: int, zone_id: int | None) -> None:
    """A machine may be put only where the caller's scope holds: nobody writes beyond it."""
    if not rights.write.holds_site(site_id) and zone_id not in rights.write.zones:
        raise Forbidden("this place lies outside your scope")
