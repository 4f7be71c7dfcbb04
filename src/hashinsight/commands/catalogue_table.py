"""The catalogue as a Markdown table, for docs/wire-commands.md. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any

from hashinsight.commands.catalogue import CATALOGUE, LEGACY_NAMES, CommandType, Downtime, Effect

_HEAD = (
    "command_type",
    "wire verb",
    "risk",
    "parameters",
    "the machine",
    "counts as down",
    "one at a time",
    "undone by",
    "legacy name",
)


def catalogue_table() -> str:
    lines = [_line(_HEAD), "|" + "---|" * len(_HEAD)]
    lines += [_line(_cells(kind)) for kind in CATALOGUE.values()]
    return "\n".join(lines) + "\n"


def _line(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"


def _cells(kind: CommandType) -> tuple[str, ...]:
    legacy = [f"`{old}`{_meaning(old)}" for old, new in LEGACY_NAMES.items() if new.name == kind.name]
    return (
        f"`{kind.name}`",
        f"`{kind.verb}`",
        kind.risk.value,
        ", ".join(_params(kind)),
        "" if kind.effect is Effect.NOTHING else kind.effect.value,
        "" if kind.down is Downtime.NO else kind.down.value,
        "✓" if kind.is_control else "",
        _undone_by(kind),
        ", ".join(legacy),
    )


def _undone_by(kind: CommandType) -> str:
    if kind.inverse == kind.name:
        return "the same, with the previous values"
    return f"`{kind.inverse}`" if kind.inverse else ""


def _meaning(old: str) -> str:
    renamed = [f"{name} = {new}" for name, new in LEGACY_NAMES[old].renamed.items()]
    implied = [f"{name} {value}" for name, value in LEGACY_NAMES[old].implied.items()]
    return f" ({', '.join(renamed + implied)})" if renamed + implied else ""


def _params(kind: CommandType) -> Iterator[str]:
    required = kind.schema["required"]
    for name, schema in kind.schema["properties"].items():
        facts = [
            *_facts(schema),
            *([schema["description"]] if schema.get("description") and "properties" not in schema else []),
        ]
        yield f"`{name}{'' if name in required else '?'}`" + (f" ({', '.join(facts)})" if facts else "")


def _facts(schema: Mapping[str, Any]) -> Iterator[str]:
    for option in schema.get("anyOf", (schema,)):
        if "unit" in option:
            yield f"{option['minimum']:g} to {option['maximum']:g} {option['unit']}"
        elif "enum" in option:
            yield " / ".join(option["enum"])
        elif option.get("type") == "boolean":
            yield "true / false"
        elif "properties" in option:
            inner = (f"`{name}` {', '.join(_facts(each))}" for name, each in option["properties"].items())
            yield f"one or more of {'; '.join(inner)}"
