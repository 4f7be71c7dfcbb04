"""Scopes: only access code makes them, and each becomes one predicate."""

from uuid import UUID

import pytest
from sqlalchemy import column

from hashinsight.audit.actions import SYSTEM
from hashinsight.identity.permissions import MAY, Permission, Role, may
from hashinsight.identity.scope import Columns, Reach, Scope, make_scope, within

TENANT = UUID(int=1)
COLUMNS = Columns(
    column("tenant_id"), column("site_id"), column("zone_id"), in_groups=lambda ids: column("group_id").in_(ids)
)


def sql(scope: Scope, columns: Columns = COLUMNS) -> str:
    return str(within(scope, columns).compile(compile_kwargs={"literal_binds": True}))


def test_a_scope_cannot_be_made_outside_access_code() -> None:
    with pytest.raises(TypeError, match="only be made by access code"):
        Scope(object(), TENANT, SYSTEM, whole_sites=None)


def test_the_whole_tenant_is_one_condition() -> None:
    assert "site_id" not in sql(make_scope(TENANT, SYSTEM, [Reach()]))


def test_a_grant_over_the_whole_tenant_includes_every_other() -> None:
    assert make_scope(TENANT, SYSTEM, [Reach(sites=(1,)), Reach()]).is_whole


def test_sites_zones_and_groups_are_joined_by_or() -> None:
    condition = sql(make_scope(TENANT, SYSTEM, [Reach(sites=(2, 1)), Reach(zones=(7,)), Reach(groups=(9,))]))
    assert "site_id IN (1, 2) OR zone_id IN (7) OR group_id IN (9)" in condition


def test_no_grant_sees_nothing() -> None:
    assert "false" in sql(make_scope(TENANT, SYSTEM, []))


def test_a_table_without_zones_shows_nothing_to_a_zone_scope() -> None:
    condition = sql(
        make_scope(TENANT, SYSTEM, [Reach(zones=(7,))], touched=[3]), Columns(column("tenant_id"), column("site_id"))
    )
    assert "IN" not in condition
    assert "false" in condition


def test_row_level_security_gets_every_site_that_the_scope_touches() -> None:
    scope = make_scope(TENANT, SYSTEM, [Reach(sites=(5,)), Reach(zones=(7,))], touched=[3])
    assert scope.context().sites == (3, 5)
    assert not scope.holds_site(3)
    assert scope.holds_site(5)


def test_the_permission_table_matches_the_specification() -> None:
    assert set(MAY) == set(Permission)
    assert [role for role in Role if may(role, Permission.ADMIN)] == [Role.OWNER]
    assert [role for role in Role if may(role, Permission.APPROVE)] == [Role.OWNER, Role.OPS_MANAGER]
    assert not may(Role.NOC, Permission.COLLECTOR_TOKENS)
    assert may(Role.NOC, Permission.INVENTORY)
    assert [permission for permission in Permission if may(Role.CUSTOMER, permission)] == [Permission.SEE]
