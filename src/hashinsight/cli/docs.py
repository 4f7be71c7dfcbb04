"""Regenerates the generated tables and diagrams of the documentation."""

from pathlib import Path


def write_docs(folder: Path) -> None:
    from hashinsight.commands import arbitration
    from hashinsight.commands.catalogue_table import catalogue_table
    from hashinsight.commands.states import state_diagram
    from hashinsight.identity.permissions import permissions_table
    from hashinsight.kit.settings import settings_table
    from hashinsight.sim.kinds import causes_table, faults_table

    parts = (
        ("operations/settings.md", "| variable |", settings_table()),
        ("roles.md", "| may |", permissions_table()),
        ("wire-commands.md", "| command_type |", catalogue_table()),
        ("commands.md", "stateDiagram-v2", state_diagram()),
        ("simulator.md", "| fault |", faults_table()),
        ("simulator.md", "| cause |", causes_table()),
        ("commands.md", "| open command |", table_in(arbitration.__doc__ or "")),
    )
    for name, begins, new in parts:
        file = folder / name
        file.write_text(replaced(file.read_text(), begins, new))


def replaced(text: str, begins: str, new: str) -> str:
    """The text with one block replaced: from the line with this beginning to the next empty line or end of fence."""
    lines = text.splitlines(keepends=True)
    first = next((n for n, line in enumerate(lines) if line.startswith(begins)), None)
    if first is None:
        raise ValueError(f"no block starts with {begins}")
    rest = (n for n in range(first, len(lines)) if not lines[n].strip() or lines[n].startswith("```"))
    last = next(rest, len(lines))
    return "".join([*lines[:first], new, *lines[last:]])


def table_in(text: str) -> str:
    """The table in a module's docstring."""
    return "".join(f"{line}\n" for line in text.splitlines() if line.startswith("|"))
