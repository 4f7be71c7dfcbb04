"""Tries a table in every context: who sees, inserts, changes, deletes and moves which of its rows."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from psycopg import Connection, Rollback, errors, sql

from hashinsight.kit.db.context import Context, Role
from tests.isolation.catalogue import Relation
from tests.isolation.exceptions import TENANTLESS
from tests.isolation.rows import A, B, Key, NoValue, insert, keys, literal, open_up, value

CONTEXTS = {
    "its own tenant": Context(tenant=str(A)),
    "another tenant": Context(tenant=str(B)),
    "another tenant that names its sites": Context(tenant=str(B), sites=(1, 2)),
    "a narrower scope": Context(tenant=str(A), sites=(2,)),
    "a scope of no site": Context(tenant=str(A), sites=()),
    "no tenant": Context(),
    "no tenant that names a site": Context(sites=(1,)),
    "a job": Context(Role.JOB),
    "the owner": Context(Role.OWNER),
}
_REFUSED = -1


def behaviour_findings(connection: Connection, table: Relation) -> Iterator[str]:
    """Everything that a context can do and should not, or should and cannot. Leaves nothing behind."""
    with connection.transaction():
        try:
            open_up(connection, table)
            connection.execute(sql.SQL("delete from {}").format(sql.Identifier(table.name)))
            for key in keys(table):
                insert(connection, table, key)
            for name, context in CONTEXTS.items():
                for attempt in (_read, _insert, _change, _delete, _move):
                    for what in attempt(connection, table, context, keys(table)):
                        yield f"{table.name}: {name} {what}"
        except (NoValue, errors.Error) as error:
            yield f"{table.name}: could not be tried: {error}"
        raise Rollback


def belongs(table: Relation, context: Context, key: Key) -> bool:
    """Whether a row is this context's business."""
    if context.role is not Role.APP:
        return True
    in_sites = table.site is None or context.sites is None or key[1] in context.sites
    return context.tenant is not None and str(key[0]) == context.tenant and in_sites


def _read(connection: Connection, table: Relation, context: Context, rows: list[Key]) -> Iterator[str]:
    columns = [column for column in (table.tenant, table.site) if column]
    if not all(_may(connection, table, context, "select", column) for column in columns):
        return
    query = sql.SQL("select {} from {}").format(
        sql.SQL(", ").join(map(sql.Identifier, columns)), sql.Identifier(table.name)
    )
    with _as(connection, context):
        seen = Counter(map(tuple, connection.execute(query).fetchall()))
    wanted = Counter(key[: len(columns)] for key in rows if belongs(table, context, key))
    if seen != wanted:
        yield f"sees {_told(seen)}, not {_told(wanted)}"


def _insert(connection: Connection, table: Relation, context: Context, rows: list[Key]) -> Iterator[str]:
    if not table.tenant or not _may(connection, table, context, "insert", table.tenant):
        return
    for key in rows:
        is_tenantless = key[0] is None and table.name in TENANTLESS
        wanted = is_tenantless or belongs(table, context, key)
        done = False
        with _as(connection, context), suppress(errors.InsufficientPrivilege):
            insert(connection, table, key)
            done = True
        if done != wanted:
            yield f"{'may' if done else 'may not'} insert a row of {_told(Counter([key]))}"


def _change(connection: Connection, table: Relation, context: Context, rows: list[Key]) -> Iterator[str]:
    free = [c for c in table.columns if c.name not in (table.tenant, table.site) and not c.given_by_database]
    column = next((c for c in free if _may(connection, table, context, "update", c.name)), None)
    if column is None:
        return
    change = sql.SQL("update {} set {} = {}").format(
        sql.Identifier(table.name), sql.Identifier(column.name), literal(column, value(connection, column))
    )
    wanted = sum(belongs(table, context, key) for key in rows)
    if (done := _count(connection, context, change)) != wanted:
        yield f"changes {done} rows, not {wanted}"


def _delete(connection: Connection, table: Relation, context: Context, rows: list[Key]) -> Iterator[str]:
    if _may(connection, table, context, "delete"):
        delete = sql.SQL("delete from {}").format(sql.Identifier(table.name))
        wanted = sum(belongs(table, context, key) for key in rows)
        if (done := _count(connection, context, delete)) != wanted:
            yield f"deletes {done} rows, not {wanted}"


def _move(connection: Connection, table: Relation, context: Context, rows: list[Key]) -> Iterator[str]:
    """Nobody gives a row away: to another tenant, or to a site out of the scope."""
    if context.role is not Role.APP or not any(belongs(table, context, key) for key in rows):
        return
    ways = [(table.tenant, str(B if context.tenant == str(A) else A))]
    if table.site and context.sites is not None:
        ways.append((table.site, "1" if 1 not in context.sites else "3"))
    for name, to in ways:
        if name is None or not _may(connection, table, context, "update", name):
            continue
        move = sql.SQL("update {} set {} = {}").format(
            sql.Identifier(table.name), sql.Identifier(name), literal(table.column(name), to)
        )
        if _count(connection, context, move) != _REFUSED:
            yield f"may move its rows to another {name}"


def _count(connection: Connection, context: Context, statement: sql.Composed) -> int:
    """How many rows a statement reaches, or that it was refused."""
    with _as(connection, context), suppress(errors.InsufficientPrivilege):
        return connection.execute(statement).rowcount
    return _REFUSED


@contextmanager
def _as(connection: Connection, context: Context) -> Iterator[None]:
    """In this context, as the program itself sets it; what happens inside is undone."""
    with connection.transaction():
        settings = context.as_settings()
        connection.execute(
            "select set_config(name, setting, true) from unnest(%s::text[], %s::text[]) as t (name, setting)",
            [list(settings), list(settings.values())],
        )
        yield
        raise Rollback


def _may(connection: Connection, table: Relation, context: Context, right: str, column: str | None = None) -> bool:
    if column is None:
        query, request = "select has_table_privilege(%s, %s::oid, %s)", [context.role.value, table.oid, right]
    else:
        query = "select has_column_privilege(%s, %s::oid, %s, %s)"
        request = [context.role.value, table.oid, column, right]
    return connection.execute(query, request).fetchone() == (True,)


def _told(rows: "Counter[tuple[Any, ...]]") -> str:
    names = {A: "A", B: "B", None: "nobody"}
    changes = [f"{names.get(key[0], key[0])}" + (f"/site {key[1]}" if len(key) > 1 else "") for key in rows.elements()]
    return ", ".join(sorted(changes)) or "nothing"
