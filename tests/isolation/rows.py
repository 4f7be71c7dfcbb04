"""Rows for any table, made from its column types: tenant A at the sites 1 and 2, tenant B at the site 3."""

from typing import Any
from uuid import UUID

from psycopg import Connection, errors, sql

from tests.isolation.catalogue import Column, Relation

A = UUID(int=0xA)
B = UUID(int=0xB)
Key = tuple[UUID | None, int | None]  # whose a row is, and of which site

_BY_CATEGORY = {
    "A": "{}",
    "B": "false",
    "D": "2026-01-01 00:00+00",
    "I": "10.0.0.1",
    "N": "7",
    "R": "empty",
    "S": "x",
    "T": "1 hour",
    "V": "0",
}
_BY_NAME = {
    "uuid": str(UUID(int=7)),
    "bytea": "\\x07",
    "json": "{}",
    "jsonb": "{}",
    "macaddr": "02:00:00:00:00:01",
    "tsvector": "x",
}


class NoValue(Exception):
    """A column of a type that nobody taught this module: add it above."""


def keys(table: Relation) -> list[Key]:
    """The rows that every table with tenant data is tried with."""
    made: list[Key] = [(A, 1), (A, 2), (B, 3)]
    if table.tenant and table.column(table.tenant).nullable:
        made.append((None, 1))
    if table.site and table.column(table.site).nullable:
        made.append((A, None))
    return made


def open_up(connection: Connection, table: Relation) -> None:
    """Take off what would refuse made-up rows and has nothing to do with isolation: constraints and triggers."""
    name = sql.Identifier(table.name)
    constraints = "select conname from pg_constraint where conrelid = %s and contype in ('c','f','p','u','x')"
    for (constraint,) in connection.execute(constraints, [table.oid]).fetchall():
        drop = sql.SQL("alter table {} drop constraint if exists {} cascade")
        connection.execute(drop.format(name, sql.Identifier(constraint)))
    unique = "select indexrelid::regclass::text from pg_index where indrelid = %s and indisunique"
    for (index,) in connection.execute(unique, [table.oid]).fetchall():
        connection.execute(f"drop index {index}".encode())
    connection.execute(sql.SQL("alter table {} disable trigger user").format(name))
    if table.kind == "p":
        _make_partition(connection, table)


def insert(connection: Connection, table: Relation, key: Key) -> None:
    """As whoever the connection is at the moment, with the columns that they may write."""
    own = {table.tenant, table.site}
    writable = _writable(connection, table)
    values: dict[str, str | None] = {
        c.name: value(connection, c)
        for c in table.columns
        if c.name in writable and (c.name in own or not c.given_by_database)
    }
    if table.site:
        values[table.site] = None if key[1] is None else str(key[1])
    if table.tenant:
        values[table.tenant] = None if key[0] is None else str(key[0])
    statement = sql.SQL("insert into {} ({}) overriding system value values ({})").format(
        sql.Identifier(table.name),
        sql.SQL(", ").join(map(sql.Identifier, values)),
        sql.SQL(", ").join(literal(table.column(name), text) for name, text in values.items()),
    )
    connection.execute(statement)


def literal(column: Column, text: str | None) -> sql.Composable:
    return sql.SQL("cast({} as {})").format(sql.Literal(text), sql.SQL(column.type))


def value(connection: Connection, column: Column) -> str:
    if column.category == "E":
        label = "select enumlabel from pg_enum e join pg_type t on t.oid = e.enumtypid where t.typname = %s limit 1"
        row: Any = connection.execute(label, [column.base]).fetchone()
        return str(row[0])
    if column.kind == "m":
        return "{}"
    made = _BY_NAME.get(column.base) or _BY_CATEGORY.get(column.category)
    if made is None:
        raise NoValue(f"no value for the column {column.name} of type {column.type}: teach tests/isolation/rows.py")
    return made


def _writable(connection: Connection, table: Relation) -> set[str]:
    names = [column.name for column in table.columns]
    query = "select name from unnest(%s::text[]) name where has_column_privilege(%s::oid, name, 'insert')"
    return {row[0] for row in connection.execute(query, [names, table.oid])}


def _make_partition(connection: Connection, table: Relation) -> None:
    """With the product's own function where it fits, so that its partitions are tried, too."""
    try:
        with connection.transaction():
            connection.execute(
                "select partition_ensure(%s, '2026-01-01 00:00+00', '2026-01-02 00:00+00')", [table.name]
            )
    except errors.Error:
        child = sql.Identifier(f"{table.name}_all")
        connection.execute(sql.SQL("create table {} partition of {} default").format(child, sql.Identifier(table.name)))
        for act in ("enable", "force"):
            connection.execute(sql.SQL("alter table {} " + act + " row level security").format(child))
