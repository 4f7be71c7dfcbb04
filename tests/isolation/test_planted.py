"""That the check of the tables notices what it is there for: tables, rights and functions, planted one by one."""

import pytest
from psycopg import Connection

from tests.isolation.catalogue import relations, schema_findings
from tests.isolation.findings import findings_after
from tests.isolation.rows import A, B, insert, open_up

PLANTED = "create table planted (id int primary key, tenant_id uuid not null, site_id int, note text)"
GIVEN = "grant select, insert, update, delete on planted to hi_app, hi_job"
OWNED = "alter table planted owner to hi_owner"
GUARDED = (
    "alter table planted enable row level security",
    "alter table planted force row level security",
    "create policy job on planted to hi_job using (true)",
    "create policy owner on planted to hi_owner using (true)",
)
_TENANT = "tenant_id = nullif(current_setting('app.tenant', true), '')::uuid"
_SITE = (
    "(current_setting('app.sites', true) = '*' or site_id = any"
    " (string_to_array(nullif(nullif(current_setting('app.sites', true), '*'), ''), ',')::int[]))"
)
_OR_NOBODY = f"({_TENANT} or nullif(current_setting('app.tenant', true), '') is null)"
_SITE_OR_NONE = f"({_SITE} or current_setting('app.sites', true) = '')"


def test_a_planted_table_is_covered_by_nobodys_doing(superuser: Connection) -> None:
    right = f"create policy app on planted to hi_app using ({_TENANT} and {_SITE})"
    assert findings_after(superuser, "planted", PLANTED, GIVEN, OWNED, *GUARDED, right) == []


@pytest.mark.parametrize(
    ("policies", "expected"),
    [
        ((), "row-level security is off"),
        ((*GUARDED, f"create policy app on planted to hi_app using ({_TENANT})"), "a narrower scope sees"),
        ((*GUARDED, f"create policy app on planted to hi_app using ({_SITE})"), "another tenant sees"),
        (
            (*GUARDED, f"create policy app on planted using ({_TENANT} and {_SITE}) with check (true)"),
            "may insert a row",
        ),
        (
            (*GUARDED, f"create policy app on planted to hi_app using ({_TENANT} and {_SITE}) with check (true)"),
            "may move its rows to another tenant_id",
        ),
        (
            (*GUARDED, f"create policy app on planted to hi_app using ({_OR_NOBODY} and {_SITE})"),
            "no tenant sees",
        ),
        (
            (*GUARDED, f"create policy app on planted to hi_app using ({_TENANT} and {_SITE_OR_NONE})"),
            "a scope of no site sees",
        ),
        ((*GUARDED, f"create policy app on planted for select to hi_app using ({_TENANT} and {_SITE})"), "changes 0"),
    ],
)
def test_a_planted_table_with_wrong_policies_is_found(
    superuser: Connection, policies: tuple[str, ...], expected: str
) -> None:
    findings = findings_after(superuser, "planted", PLANTED, GIVEN, OWNED, *policies)
    assert any(expected in finding for finding in findings), findings


@pytest.mark.parametrize(
    ("name", "statements"),
    [
        ("loose", ("create table loose (id int)", "grant select on loose to hi_app")),
        ("loose", ("create table loose (id int)", "grant update (id) on loose to hi_job")),
        ("peek", ("create view peek as select * from users", "grant select on peek to hi_app")),
        ("peek", ("create materialized view peek as select * from users", "grant select on peek to hi_app")),
        (
            "collector_heartbeats_20260101t0000",
            (
                "select partition_ensure('collector_heartbeats', '2026-01-01 00:00+00', '2026-01-02 00:00+00')",
                "grant select on collector_heartbeats_20260101t0000 to hi_app",
            ),
        ),
        ("miners", ("grant truncate on miners to hi_app",)),
        ("miners", ("grant select on miners to public",)),
        ("miners", ("grant select on miners to hashinsight",)),
        ("miners", ("alter table miners owner to postgres",)),
        ("login_failures", ("alter table login_failures add tenant_id uuid",)),
        (
            "remarks",
            ("create table remarks (tenant_id uuid, miner_no int)", "alter table remarks owner to hi_owner"),
        ),
    ],
)
def test_another_bypass_of_the_policies_is_reported(
    superuser: Connection, name: str, statements: tuple[str, ...]
) -> None:
    findings = findings_after(superuser, name, *statements)
    assert any(finding.startswith(f"{name}: ") for finding in findings), findings


def test_a_column_that_points_to_a_site_under_another_name_is_found(superuser: Connection) -> None:
    planted = ("create table planted (tenant_id uuid, place int references sites)", GIVEN, OWNED, *GUARDED)
    right = f"create policy app on planted to hi_app using ({_TENANT})"
    findings = findings_after(superuser, "planted", *planted, right)
    assert findings == ["planted: place belong to a site and there is no site_id to hold them by"]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("alter role hi_app bypassrls", "hi_app"),
        ("alter role hi_job login", "hi_job"),
        ("grant hi_owner to hi_app", "hi_app"),
        ("grant create on schema public to hi_app", "hi_app"),
        (
            "create function peek() returns bigint language sql security definer as 'select count(*) from users'",
            "peek()",
        ),
        ("alter function lookup_login(text) owner to postgres", "lookup_login(text)"),
        ("alter function lookup_login(text) reset search_path", "lookup_login(text)"),
        ("grant execute on function lookup_login(text) to public", "lookup_login(text)"),
        ("create rule leak as on insert to zones do also select * from users", "zones"),
        ("create schema side; grant usage on schema side to hi_app", "side"),
        ("drop table process_beats", "process_beats"),
    ],
)
def test_a_role_a_function_or_a_rule_that_goes_round_the_policies_is_found(
    superuser: Connection, statement: str, expected: str
) -> None:
    assert list(schema_findings(superuser)) == []
    superuser.execute(statement.encode())
    findings = list(schema_findings(superuser))
    assert [finding.split(": ")[0] for finding in findings if finding.startswith(expected)], findings


def test_a_column_of_an_unknown_type_is_reported(superuser: Connection) -> None:
    planted = "create table planted (tenant_id uuid, place point)"
    findings = findings_after(superuser, "planted", planted, OWNED, GIVEN, *GUARDED)
    assert any("teach tests/isolation/rows.py" in finding for finding in findings), findings


def test_a_serial_is_looked_up_inside_ones_own_tenant(superuser: Connection) -> None:
    """The one function of the owner that takes a guessable key."""
    (table,) = relations(superuser, "miners")
    open_up(superuser, table)
    insert(superuser, table, (A, 1))
    query = "select set_config('app.tenant', %s, true), (select count(*) from lookup_serials(array['x']))"
    assert superuser.execute(query, [str(A)]).fetchone() == (str(A), 1)
    assert superuser.execute(query, [str(B)]).fetchone() == (str(B), 0)
