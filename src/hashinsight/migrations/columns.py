"""Columns and keys shared by migrations, named as in the models."""

import sqlalchemy as sa


def id_column() -> sa.Column[int]:
    return sa.Column("id", sa.Integer, sa.Identity(), nullable=False)


def int_column(name: str, *, nullable: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, nullable=nullable)


def text_column(name: str, *, nullable: bool = False, default: str | None = None) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=nullable, server_default=default)


def at_column(name: str, *, nullable: bool = False) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def tenant_columns(table: str) -> list[sa.schema.SchemaItem]:
    return [
        sa.Column("tenant_id", sa.Uuid, nullable=False),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenants.id"], name=f"fk_{table}_tenant_id"),
    ]


def reference(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [target], name=f"fk_{table}_{column}")
