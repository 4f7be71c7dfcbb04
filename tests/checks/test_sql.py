"""SQL is written only in `queries`, `models`, migrations and the technical base, where somebody would look for it."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "hashinsight"
PLACES = {"queries", "queries.py", "models", "models.py", "migrations", "kit", "bench"}
# what code elsewhere needs: the session's type, and the errors that it raises
ALLOWED = {"sqlalchemy.ext.asyncio", "sqlalchemy.exc", "psycopg.errors"}
EXCEPTIONS = {
    "identity/scope.py": "a scope becomes its predicate there, and nowhere else",
    "cli/tables.py": "compares all models with the migrations",
    "commands/service/choosing.py": "passes a predicate on, which queries make and read",
    "cli/doctor.py": "compares the two clocks, and reads what the database account may do",
}
# still to be moved
OPEN = {
    "cli/collectors/acting.py",
    "cli/collectors/configs.py",
    "cli/collectors/registry.py",
    "cli/commands/acting.py",
    "cli/commands/names.py",
    "collectors/routes/configs.py",
    "demo/settling.py",
}


def statements(source: str) -> list[str]:
    """Names by which SQL is built that the source imports."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, ast.ImportFrom)
            and node.module
            and node.module.partition(".")[0] in ("sqlalchemy", "psycopg")
        ):
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found += [] if node.module in ALLOWED else sorted(names - ALLOWED - {"psycopg.Error"})
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names if alias.name.partition(".")[0] in ("sqlalchemy", "psycopg")]
    return found


def misplaced() -> dict[str, list[str]]:
    files = [file for file in SOURCE.rglob("*.py") if not PLACES & set(file.relative_to(SOURCE).parts)]
    return {
        name: found
        for file in sorted(files)
        if (name := file.relative_to(SOURCE).as_posix()) not in EXCEPTIONS and (found := statements(file.read_text()))
    }


def test_sql_is_only_where_it_belongs() -> None:
    assert misplaced().keys() - OPEN == set()


@pytest.mark.parametrize(
    ("source", "is_found"),
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
def test_sql_that_is_planted_elsewhere_is_found(source: str, *, is_found: bool) -> None:
    assert bool(statements(source)) is is_found
