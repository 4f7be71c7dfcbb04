"""Only the registry writes problems: its events and their pulse."""

import re
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "hashinsight"
# as SQL text, or through the tables' objects
WRITES = re.compile(
    r"(insert into|update|delete from)\s+problem_(events|pulse)\b|\b(insert|update|upsert|delete)\((EVENTS|PULSE)\b"
)
IMPORTS = re.compile(r"problems\.queries import (.*\b)?registry\b|problems\.queries\.registry\b")


def sources() -> dict[str, str]:
    """Without benchmarks, which fill tables of an installation of their own."""
    files = {str(file.relative_to(SOURCE)): file.read_text() for file in SOURCE.rglob("*.py")}
    return {name: text for name, text in files.items() if not name.startswith(("bench/", "migrations/"))}


def test_only_the_registry_writes_problems() -> None:
    writers = {name for name, text in sources().items() if WRITES.search(text)}
    assert writers == {"problems/queries/actions.py", "problems/queries/registry.py"}
    assert {name for name, text in sources().items() if IMPORTS.search(text)} == {"problems/registry.py"}
