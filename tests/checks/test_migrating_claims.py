"""The step to claims of machines without a zone, with rows that were there before it."""

import psycopg
import pytest
from alembic import command

from hashinsight.kit.db.address import LOGIN_ROLE, DatabaseAddress, address_of_socket
from hashinsight.kit.embedded.folder import DataFolder
from hashinsight.migrations import upgrade
from hashinsight.migrations.moving import as_owner, config

_BEFORE = """
insert into tenants (id, name, created_at) values (gen_random_uuid(), 'a', now());
insert into sites (tenant_id, code, name, created_at) select id, 'one', 'one', now() from tenants;
insert into zones (tenant_id, site_id, code, name) select tenant_id, id, 'z', 'z' from sites;
insert into collectors (id, tenant_id, site_id, zone_id, name, status, permissions, created_at, updated_at)
select gen_random_uuid(), s.tenant_id, s.id, case n when 'zone' then z.id end, n, 'active', '{}', now(), now()
from sites s, zones z, unnest(array['zone', 'whole']) n;
insert into miners (tenant_id, site_id, zone_id, miner_id, created_at, updated_at)
select s.tenant_id, s.id, case m when 'listed' then z.id end, m, now(), now()
from sites s, zones z, unnest(array['listed', 'by zone', 'by whole', 'silent']) m;
insert into telemetry_live (miner_no, tenant_id, site_id, ts, online, status, flags, updated_at, collector_no)
select m.miner_no, m.tenant_id, m.site_id, now(), true, 0, 0, now(), c.number from miners m join collectors c
on c.name = case m.miner_id when 'by whole' then 'whole' else 'zone' end where m.miner_id <> 'silent'
"""


@pytest.fixture
def admin_of_test(folder: DataFolder, database_name: str) -> DatabaseAddress:
    return address_of_socket(folder.sockets, database_name, "postgres")


async def test_a_zone_that_reads_a_machine_without_one_has_claimed_it_after_the_step(
    admin_of_test: DatabaseAddress, superuser_url: str
) -> None:
    await as_owner(admin_of_test, lambda connection: command.downgrade(config(connection), "0020"))
    await as_owner(admin_of_test, lambda connection: command.downgrade(config(connection), "-1"))
    with psycopg.connect(superuser_url, autocommit=True) as db:
        db.execute(_BEFORE.encode())
        await upgrade(admin_of_test, login=LOGIN_ROLE)
        claims = (
            "select miner_id, name from miners m left join collectors c on c.number = m.claimed_by order by miner_no"
        )
        assert db.execute(claims).fetchall() == [
            ("listed", None),
            ("by zone", "zone"),
            ("by whole", None),
            ("silent", None),
        ]
        assert db.execute("select distinct registration_open_until from collectors").fetchall() == [(None,)]
