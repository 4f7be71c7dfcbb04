"""A poll that has looked and not yet locked when a more urgent command for the same machine is made and leased."""

import asyncio

import psycopg

from hashinsight.commands import service
from hashinsight.commands.service.leases import LeasedCommand
from hashinsight.kit.db.address import DatabaseAddress
from hashinsight.kit.db.context import Context
from hashinsight.kit.db.database import Database
from tests.commands.command_site import VAULT, CommandSite

SLOW = "slow"
# the lease of whoever is called `slow` stops at the first row that it looks at, its picture of the table taken
PAUSE = """
create function pause() returns boolean language plpgsql as $$ begin
    if current_setting('application_name') = 'slow' and current_query() like '%skip locked%' then
        perform pg_advisory_xact_lock_shared(4711);
    end if;
    return true;
end $$;
create policy pause on commands as restrictive for select to hi_app using (pause());
"""


async def slip_in(fleet: CommandSite, address: DatabaseAddress, superuser_url: str) -> list[LeasedCommand]:
    """What the slow poll got in the end."""
    await fleet.make_command("set_fan", 1, params={"speed": 60})
    fleet.write(PAUSE)
    slow = Database(address, application=SLOW)

    async def poll() -> list[LeasedCommand]:
        async with slow.transaction(Context(tenant=str(fleet.tenant), sites=(1,))) as session:
            return await service.lease(session, VAULT, fleet.north, now=fleet.now)

    async with await psycopg.AsyncConnection.connect(superuser_url, autocommit=True) as edge_site:
        await edge_site.execute("select pg_advisory_lock(4711)")
        first = asyncio.create_task(poll())
        await _waiting(fleet)
        await fleet.make_command("restart_mining", 1, priority_number=9)
        assert (await fleet.lease_one(fleet.south)).command_type == "restart_mining"
        await edge_site.execute("select pg_advisory_unlock(4711)")
        leased = await first
    await slow.dispose()
    return leased


async def _waiting(fleet: CommandSite) -> None:
    while not fleet.rows("select from pg_locks where locktype = 'advisory' and not granted"):  # noqa: ASYNC110 - of the server
        await asyncio.sleep(0.02)
