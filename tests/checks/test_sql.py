"""SQL is written only in `queries`, `models`, migrations and the technical base, where somebody would look for it."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "hashinsight"
PLACES = {"queries", "queries.py", "models", "models.py", "migrations", "kit", "bench"}
# what other code needs: the type of the session, and the errors that it raises
ALLOWED = {"sqlalchemy.ext.asyncio", "sqlalchemy.exc", "psycopg.errors"}
EXCEPTIONS = {
    "identity/scope.py": "a scope becomes its predicate there, and nowhere else",
    "cli/migrate.py": "compares all models with the migrations",
    "commands/service/targets.py": "passes a predicate on, which queries make and read",
}


def statements(source: str) -> list[str]:
    """Names by which SQL is built that the source imports."""
    names: list[str] = []
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, ast.ImportFrom)
            and node.module
            and node.module.partition(".")[0] in ("sqlalchemy", "psycopg")
        ):
            imported = {f"{node.module}.{alias.name}" for alias in node.names}
            names += [] if node.module in ALLOWED else sorted(imported - ALLOWED - {"psycopg.Error"})
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names if alias.name.partition(".")[0] in ("sqlalchemy", "psycopg")]
    return names


def has_sql(place: str, source: str) -> bool:
    """Whether a module that is no place for SQL builds some."""
    return not PLACES & set(Path(place).parts) and statements(source) != []


def test_sql_is_only_in_queries_models_migrations_and_the_technical_base() -> None:
    files = {file.relative_to(SOURCE).as_posix(): file.read_text() for file in SOURCE.rglob("*.py")}
    assert {place for place, source in files.items() if has_sql(place, source)} == EXCEPTIONS.keys()


@pytest.mark.parametrize(
    ("source", "is_sql"),
    [
        ("from sqlalchemy import text", True),
        ("from sqlalchemy import select, insert", True),
        ("from sqlalchemy.dialects.postgresql import insert", True),
        ("import sqlalchemy as sa", True),
        ("from psycopg import sql", True),
        ("def late():\n    from sqlalchemy import update", True),
        ("from sqlalchemy.ext.asyncio import AsyncSession", False),
        ("from sqlalchemy.exc import DBAPIError", False),
        ("from psycopg import errors", False),
    ],
)
def test_planted_imports_of_sql_are_reported_and_types_and_errors_are_not(source: str, *, is_sql: bool) -> None:
    assert has_sql("problems/routes/lists.py", source) is is_sql


@pytest.mark.parametrize(
    ("place", "is_reported"),
    [
        ("problems/routes/lists.py", True),
        ("commands/service/leases.py", True),
        ("cli/new_command.py", True),
        ("worker/loop.py", True),
        ("problems/queries/lists.py", False),
        ("inventory/queries.py", False),
        ("audit/models.py", False),
        ("migrations/versions/0001.py", False),
        ("kit/db/database.py", False),
    ],
)
def test_a_planted_statement_is_reported_outside_its_places(place: str, *, is_reported: bool) -> None:
    assert has_sql(place, "from sqlalchemy import select") is is_reported
