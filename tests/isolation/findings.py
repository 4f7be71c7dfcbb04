"""The whole check of a database: its shape, and what each context can do with each of its tables."""

from collections.abc import Generator
from contextlib import closing

from psycopg import Connection, Rollback

from tests.isolation.catalogue import Relation, relations, schema_findings, shape_findings
from tests.isolation.exceptions import NOBODYS
from tests.isolation.table_access import behaviour_findings


def findings(connection: Connection, *, only: str | None = None) -> list[str]:
    """What is wrong with the isolation, one line each; with `only`, of one relation. Leaves the database as it was."""
    return list(_each_finding(connection, only=only))


def _each_finding(connection: Connection, *, only: str | None) -> Generator[str]:
    if only is None:
        yield from schema_findings(connection)
    for relation in relations(connection, only):
        yield from shape_findings(connection, relation)
        if holds_tenant_data(relation):
            yield from behaviour_findings(connection, relation)


def tenant_tables(connection: Connection) -> list[Relation]:
    return [relation for relation in relations(connection) if holds_tenant_data(relation)]


def holds_tenant_data(relation: Relation) -> bool:
    is_table = relation.kind in "rp" and not relation.is_partition
    return is_table and relation.tenant is not None and relation.name not in NOBODYS


def findings_after(connection: Connection, table: str, *statements: str) -> list[str]:
    """What the check finds about a table after these statements, which are undone."""
    lines: list[str] = []
    with connection.transaction():
        for statement in statements:
            connection.execute(statement.encode())
        lines = findings(connection, only=table)
        raise Rollback
    return lines


def is_noticed(connection: Connection, table: str, *statements: str, saying: str = "") -> bool:
    """Whether the check finds anything about a table after these statements; looks no further than the first."""
    noticed = False
    with connection.transaction():
        for statement in statements:
            connection.execute(statement.encode())
        with closing(_each_finding(connection, only=table)) as findings:
            noticed = any(saying in finding for finding in findings)
        raise Rollback
    return noticed
