"""Every table that the catalogue knows, tried in every context; and that the check notices what it is there for."""

import pytest
from psycopg import Connection

from tests.isolation.findings import findings, findings_after, is_noticed, tenant_tables


def test_the_database_is_isolated(superuser: Connection) -> None:
    assert len(tenant_tables(superuser)) >= 24
    assert findings(superuser) == []


def test_the_check_leaves_nothing_behind(superuser: Connection) -> None:
    findings(superuser, only="sites")
    assert superuser.execute("select count(*) from sites").fetchone() == (0,)
    assert superuser.execute("select count(*) from pg_constraint where conname = 'pk_sites'").fetchone() == (1,)


HOUR = "telemetry_raw_20260301t1200"


def test_an_hour_of_raw_samples_is_open_to_a_role_that_only_writes(superuser: Connection) -> None:
    superuser.execute("set local role hi_app")
    superuser.execute("select telemetry_open_hour('2026-03-01 12:00+00')")
    superuser.execute("reset role")
    assert findings(superuser, only=HOUR) == []
    for wrong in (
        f"grant select on {HOUR} to hi_ingest",
        f"grant delete on {HOUR} to hi_ingest",
        f"grant insert on {HOUR} to hi_app",
        f"grant insert on {HOUR} to public",
        "grant insert on telemetry_raw to hi_ingest",
        "grant select on miners to hi_ingest",
    ):
        table = wrong.split(" on ")[1].split(" ")[0]
        assert findings_after(superuser, table, wrong), wrong


def test_each_single_policy_is_missed_when_it_is_dropped(superuser: Connection) -> None:
    policies = superuser.execute("select tablename, policyname from pg_policies where schemaname = 'public'").fetchall()
    assert len(policies) >= 3 * len(tenant_tables(superuser))
    unnoticed = [
        (table, policy)
        for table, policy in policies
        if not is_noticed(superuser, table, f'drop policy "{policy}" on "{table}"')
    ]
    assert unnoticed == []


@pytest.mark.parametrize("act", ["no force", "disable"])
def test_row_level_security_that_is_off_or_not_forced_is_noticed_on_every_table(
    superuser: Connection, act: str
) -> None:
    for table in tenant_tables(superuser):
        assert is_noticed(superuser, table.name, f"alter table {table.name} {act} row level security"), table.name


def test_a_policy_that_lets_everything_through_is_noticed_on_every_table(superuser: Connection) -> None:
    for table in tenant_tables(superuser):
        widened = (
            f"drop policy app on {table.name}",
            f"create policy app on {table.name} to hi_app using (true) with check (true)",
        )
        assert is_noticed(superuser, table.name, *widened, saying="another tenant sees"), table.name


def test_a_policy_by_tenant_alone_is_noticed_on_every_table_with_sites(superuser: Connection) -> None:
    with_sites = [table for table in tenant_tables(superuser) if table.site]
    assert len(with_sites) >= 12
    for table in with_sites:
        own = f"{table.tenant} = nullif(current_setting('app.tenant', true), '')::uuid"
        widened = (
            f"drop policy app on {table.name}",
            f"create policy app on {table.name} to hi_app using ({own}) with check ({own})",
        )
        assert is_noticed(superuser, table.name, *widened, saying="a narrower scope sees"), table.name
