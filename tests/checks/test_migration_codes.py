"""The step to codes without case, with rows that were there before it."""

import psycopg
import pytest
from alembic import command

from hashinsight.kit.db.address import LOGIN_ROLE, DatabaseAddress
from hashinsight.migrations import upgrade
from hashinsight.migrations.runner import config, run_as_owner

_BEFORE = """
insert into tenants (id, name, created_at) values (gen_random_uuid(), 'a', now());
insert into sites (tenant_id, code, name, created_at)
select id, c, c, now() from tenants, unnest(array['one', 'two']) c;
insert into zones (tenant_id, site_id, code, name) select tenant_id, id, c, c from sites, unnest(array['B2', 'b2']) c;
insert into collectors (id, tenant_id, site_id, name, status, permissions, site_form, created_at, updated_at)
select gen_random_uuid(), tenant_id, id, f, 'active', '{}', nullif(f, 'silent'), now(), now()
from sites, unnest(array['id', 'code', 'silent']) f where code = 'two'
"""


async def test_sites_zones_and_collector_site_names_migrate_both_ways(
    admin_of_test: DatabaseAddress, superuser_url: str
) -> None:
    await run_as_owner(admin_of_test, lambda connection: command.downgrade(config(connection), "0019"))
    await run_as_owner(admin_of_test, lambda connection: command.downgrade(config(connection), "-1"))
    with psycopg.connect(superuser_url, autocommit=True) as db:
        db.execute(_BEFORE.encode())
        await upgrade(admin_of_test, login=LOGIN_ROLE)
        assert db.execute("select code, code_key from sites order by code").fetchall() == [
            ("one", "one"),
            ("two", "two"),
        ]
        assert db.execute("select code, code_key from zones where site_id = 1 order by id").fetchall() == [
            ("B2", "b2"),
            ("b2", "b2"),
        ]
        forms = "select name, site_form from collectors order by name"
        assert db.execute(forms).fetchall() == [("code", "two"), ("id", "2"), ("silent", None)]
        with pytest.raises(psycopg.errors.UniqueViolation):
            db.execute(
                "insert into sites (tenant_id, code, name, created_at) select id, 'ONE', 'x', now() from tenants"
            )
        db.execute("update sites set code = 'Two' where code = 'two'")
        await run_as_owner(admin_of_test, lambda connection: command.downgrade(config(connection), "0019"))
        await run_as_owner(admin_of_test, lambda connection: command.downgrade(config(connection), "-1"))
        assert db.execute(forms).fetchall() == [("code", "code"), ("id", "id"), ("silent", None)]
