"""The step to claims of machines without a zone, with rows that were there before it."""

import psycopg
from alembic import command

from hashinsight.kit.db.address import LOGIN_ROLE, DatabaseAddress
from hashinsight.migrations import upgrade
from hashinsight.migrations.runner import config, run_as_owner

# `auto`: registered by the collector of zone z before 0019, `new`: since then; `by`: who brought the newest sample
_MACHINES = """
listed in z     | z | -    | -   | zone
listed          | - | -    | -   | zone
by whole        | - | -    | -   | whole
silent          | - | -    | -   | -
auto            | - | auto | -   | zone
auto, by whole  | - | auto | -   | whole
auto, silent    | - | auto | -   | -
auto, by other  | - | auto | -   | other
auto, zone off  | - | auto | off | zone
auto of whole   | - | all  | -   | whole
new             | - | new  | -   | zone
"""
_BEFORE = """
insert into tenants (id, name, created_at) values (gen_random_uuid(), 'a', now());
insert into sites (tenant_id, code, name, created_at) select id, 'one', 'one', now() from tenants;
insert into zones (tenant_id, site_id, code, name) select tenant_id, id, n, n from sites, unnest(array['z', 'y']) n;
insert into collectors (id, tenant_id, site_id, zone_id, name, status, permissions, created_at, updated_at)
select gen_random_uuid(), s.tenant_id, s.id, z.id, n, 'active', '{}', now(), now()
from sites s cross join (values ('zone', 'z'), ('other', 'y'), ('whole', null)) c (n, of)
left join zones z on z.code = c.of;
insert into audit_log (id, at, tenant_id, actor_kind, actor_id, action, entity_type, entity_id)
select gen_random_uuid(), case name when 'zone' then timestamptz '2026-01-01 00:00:00.123456' else '2026-01-02' end,
    tenant_id, 'collector', id, 'miners_registered', 'site', site_id from collectors where name <> 'other'
"""
_MACHINE = """
with added as (
    insert into miners (tenant_id, site_id, zone_id, miner_id, registered_by, created_at, updated_at)
    select s.tenant_id, s.id, (select id from zones where code = %(zone)s), %(name)s,
        case %(made)s when 'new' then (select number from collectors where name = 'zone') end,
        case %(made)s when 'auto' then timestamptz '2026-01-01 00:00:00.123456' when 'all' then '2026-01-02'
            else now() end, now()
    from sites s returning *
), changed as (
    insert into miner_changes (id, tenant_id, site_id, miner_no, at, field, old, cause)
    select gen_random_uuid(), tenant_id, site_id, miner_no, now(), 'zone', 'z', 'operator' from added
    where %(changed)s = 'off'
)
insert into telemetry_live (miner_no, tenant_id, site_id, ts, online, status, flags, updated_at, collector_no)
select a.miner_no, a.tenant_id, a.site_id, now(), true, 0, 0, now(), c.number
from added a join collectors c on c.name = %(by)s
"""


async def test_machines_registered_by_a_zone_get_it_and_others_it_reads_are_claimed_with_an_event(
    admin_of_test: DatabaseAddress, superuser_url: str
) -> None:
    await run_as_owner(admin_of_test, lambda connection: command.downgrade(config(connection), "0020"))
    await run_as_owner(admin_of_test, lambda connection: command.downgrade(config(connection), "-1"))
    with psycopg.connect(superuser_url, autocommit=True) as db:
        db.execute(_BEFORE.encode())
        for line in _MACHINES.strip().splitlines():
            cells = (cell.strip() for cell in line.split("|"))
            db.execute(_MACHINE.encode(), dict(zip(("name", "zone", "made", "changed", "by"), cells, strict=True)))
        await upgrade(admin_of_test, login=LOGIN_ROLE)
        held = """
            select miner_id, z.code, c.name from miners m left join zones z on z.id = m.zone_id
            left join collectors c on c.number = m.claimed_by order by miner_no
        """
        assert db.execute(held).fetchall() == [
            ("listed in z", "z", None),
            ("listed", None, "zone"),
            ("by whole", None, None),
            ("silent", None, None),
            ("auto", "z", None),
            ("auto, by whole", "z", None),
            ("auto, silent", "z", None),
            ("auto, by other", None, "other"),
            ("auto, zone off", None, "zone"),
            ("auto of whole", None, None),
            ("new", "z", None),
        ]
        query = """
            select name, kind, e.status, details -> 'miner_ids'
            from collector_events e join collectors c on c.id = collector_id order by name
        """
        assert db.execute(query).fetchall() == [
            ("other", "machines_claimed", "open", ["auto, by other"]),
            ("zone", "machines_claimed", "open", ["auto, zone off", "listed"]),
        ]
        recorded = "select action, after -> 'machines' from audit_log where actor_kind = 'system' order by action, 2"
        assert db.execute(recorded).fetchall() == [("miner_changed", 4), ("miners_claimed", 1), ("miners_claimed", 2)]
        assert db.execute("select distinct registration_open_until from collectors").fetchall() == [(None,)]
