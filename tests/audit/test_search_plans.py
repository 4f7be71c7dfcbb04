"""Query plans of the audit search, for any value."""

from collections.abc import Iterator
from datetime import UTC, datetime
from uuid import UUID

import psycopg
import pytest
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg

from hashinsight.audit.actions import Action
from hashinsight.audit.queries.entries import ORDER, AuditFilter, select_entries

TENANT, COLLECTOR, USER = (UUID(int=n) for n in (1, 2, 3))
AT = datetime(2026, 3, 1, tzinfo=UTC)
# as a site writes it: a dispatch and an ack for every machine, and now and then somebody does something
FILL = """
insert into audit_log (id, at, tenant_id, actor_kind, actor_id, action, entity_type, entity_id)
select uuidv7(), %(at)s + n * interval '1 second', %(tenant)s,
    case when n %% 500 = 0 then 'user' else 'collector' end,
    case when n %% 500 = 0 then %(user)s else %(collector)s end,
    case when n %% 500 = 0 then 'miner_changed' when n %% 2 = 0 then 'command_dispatched' else 'command_acked' end,
    'command', 'c' || n
from generate_series(1, 10000) n
"""
DIALECT = PGDialect_psycopg(paramstyle="numeric_dollar")  # type: ignore[no-untyped-call] # the library leaves it untyped


def _plan(connection: psycopg.Connection, filters: AuditFilter, *, newest_first: bool = True) -> str:
    """The generic plan, which a connection uses after a few executions."""
    order = [column.desc() if newest_first else column for column in ORDER]
    query = select_entries(TENANT, filters).order_by(*order).limit(100)
    statement = psycopg.sql.SQL(str(query.compile(dialect=DIALECT)))
    explain = psycopg.sql.SQL("explain (generic_plan, costs off) ")
    with psycopg.RawCursor(connection) as cursor:
        return "\n".join(str(row[0]) for row in cursor.execute(explain + statement).fetchall())


FILTERS = [
    (AuditFilter(action=Action.MINER_CHANGED), "ix_audit_log_action"),
    (AuditFilter(action=Action.MINER_CHANGED, since=AT, until=AT), "ix_audit_log_action"),
    (AuditFilter(action=Action.COMMAND_ACKED), "ix_audit_log_tenant_at"),
    (AuditFilter(action=Action.COMMAND_DISPATCHED, since=AT), "ix_audit_log_tenant_at"),
    (AuditFilter(actor=str(USER)), "ix_audit_log_actor"),
    (AuditFilter(actor=str(COLLECTOR)), "ix_audit_log_actor"),
    (AuditFilter(actor=str(COLLECTOR), action=Action.COMMAND_ACKED), "ix_audit_log_actor"),
    (AuditFilter(entity_type="command", entity_id="c7"), "ix_audit_log_entity"),
    (AuditFilter(), "ix_audit_log_tenant_at"),
]


@pytest.fixture
def filled(superuser_url: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(superuser_url, autocommit=True) as connection:
        connection.execute(FILL, {"at": AT, "tenant": TENANT, "user": str(USER), "collector": str(COLLECTOR)})
        connection.execute("vacuum analyze audit_log")
        yield connection


def test_every_filter_uses_an_index_and_polls_and_acks_skip_the_one_by_action(
    filled: psycopg.Connection,
) -> None:
    for filters, index in FILTERS:
        for newest_first in (True, False):
            plan = _plan(filled, filters, newest_first=newest_first)
            assert f"{index} on audit_log" in plan, (filters.given(), plan)
            assert "Seq Scan" not in plan
    rows = filled.execute("select relname, reltuples from pg_class where relname like 'ix_audit_log_a%'").fetchall()
    assert dict(rows) == {"ix_audit_log_action": 20, "ix_audit_log_actor": 10_000}
