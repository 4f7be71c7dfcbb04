"""The registry is the only writer of problems: of its events and of their pulse."""

import re
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "hashinsight"
# in words, or through the tables' objects
WRITES = re.compile(
    r"(insert into|update|delete from)\s+problem_(events|pulse)\b|\b(insert|update|upsert|delete)\((EVENTS|PULSE)\b"
)
STATEMENTS = "problems/queries/registry.py"


def files() -> dict[str, str]:
    """But for benchmarks, which fill tables of an installation of their own."""
    found = {str(file.relative_to(SOURCE)): file.read_text() for file in SOURCE.rglob("*.py")}
    return {name: words for name, words in found.items() if not name.startswith(("bench/", "migrations/"))}


def test_nobody_but_the_registry_writes_problems() -> None:
    assert {name for name, words in files().items() if WRITES.search(words)} == {
        *("problems/queries/actions.py", STATEMENTS),
    }
    asks = re.compile(r"problems\.queries import (.*\b)?events\b|problems\.queries\.events\b")
    assert {name for name, words in files().items() if asks.search(words)} == {"problems/registry.py"}
