"""The catalogue as a table of Markdown, for docs/wire-commands.md. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any

from hashinsight.commands.catalogue.entries import CATALOGUE, LEGACY_NAMES, CommandType, Downtime

_HEAD = (
    "command_type",
    "wire verb",
    "risk",
    "parameters",
    "the machine",
    "counts as down",
    "one at a time",
    "undone by",
    "older name",
)


def catalogue_table() -> str:
    lines = [_line(_HEAD), "|" + "---|" * len(_HEAD)]
    lines += [_line(_cells(kind)) for kind in CATALOGUE.values()]
    return "\n".join(lines) + "\n"


def _line(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"


def _cells(kind: CommandType) -> tuple[str, ...]:
    older = [f"`{old}`{_meaning(old)}" for old, new in LEGACY_NAMES.items() if new.name == kind.name]
    return (
        f"`{kind.name}`",
        f"`{kind.verb}`",
        kind.risk.value,
        ", ".join(_params(kind)),
        "" if kind.effect.value == "nothing" else kind.effect.value,
        "" if kind.down is Downtime.NO else kind.down.value,
        "✓" if kind.is_control else "",
        _undone_by(kind),
        ", ".join(older),
    )


def _undone_by(kind: CommandType) -> str:
    if kind.inverse == kind.name:
        return "the same, with what was before"
    return f"`{kind.inverse}`" if kind.inverse else ""


def _meaning(old: str) -> str:
    renamed = [f"{name} = {new}" for name, new in LEGACY_NAMES[old].renamed.items()]
    implied = [f"{name} {value}" for name, value in LEGACY_NAMES[old].implied.items()]
    return f" ({', '.join(renamed + implied)})" if renamed + implied else ""


def _params(kind: CommandType) -> Iterator[str]:
    needed = kind.schema["required"]
    for name, said in kind.schema["properties"].items():
        facts = [
            *_facts(said),
            *([said["description"]] if said.get("description") and "properties" not in said else []),
        ]
        yield f"`{name}{'' if name in needed else '?'}`" + (f" ({', '.join(facts)})" if facts else "")


def _facts(said: Mapping[str, Any]) -> Iterator[str]:
    for one in said.get("anyOf", (said,)):
        if "unit" in one:
            yield f"{one['minimum']:g} to {one['maximum']:g} {one['unit']}"
        elif "enum" in one:
            yield " / ".join(one["enum"])
        elif one.get("type") == "boolean":
            yield "true / false"
        elif "properties" in one:
            inner = (f"`{name}` {', '.join(_facts(each))}" for name, each in one["properties"].items())
            yield f"one or more of {'; '.join(inner)}"
