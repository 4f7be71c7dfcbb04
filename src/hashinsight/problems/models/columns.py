"""Columns by the line: what most tables of problems begin with."""

from typing import Any

from sqlalchemy import Column, DateTime, ForeignKeyConstraint, Integer, Uuid, text


def must(names: str, kind: Any, default: str | None = None) -> list[Column[Any]]:
    given = None if default is None else text(default)
    return [Column(name, kind, nullable=False, server_default=given) for name in names.split()]


def may(names: str, kind: Any) -> list[Column[Any]]:
    return [Column(name, kind) for name in names.split()]


def owned() -> list[Column[Any]]:
    return [*must("tenant_id", Uuid), *must("site_id", Integer)]


def owners(table: str) -> list[ForeignKeyConstraint]:
    return [
        ForeignKeyConstraint([f"{one}_id"], [f"{one}s.id"], name=f"fk_{table}_{one}_id") for one in ("tenant", "site")
    ]


def when() -> DateTime:
    return DateTime(timezone=True)
