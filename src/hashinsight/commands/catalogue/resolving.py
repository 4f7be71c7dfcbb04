"""From the words of a request to a type of the catalogue and its checked parameters. Pure."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError

from hashinsight.commands.catalogue.entries import CATALOGUE, LEGACY_NAMES, CommandType, LegacyName
from hashinsight.commands.catalogue.params import MachineConfig
from hashinsight.kit.errors import ValidationFailed

_SHOWN_FAULTS = 20
_SHOWN_CHARS = 64
_WORDING = {"extra_forbidden": "no such parameter", "missing": "is missing", "model_type": "is not an object"}


def resolve(name: object, params: object = None) -> tuple[CommandType, dict[str, Any]]:
    """The type and its parameters in today's words, only those that were given.

    UNKNOWN_COMMAND_TYPE or BAD_PARAMS; `details` name each parameter and the reason, and repeat no value.
    """
    kind, old = _find_type(name)
    if params is not None and not isinstance(params, Mapping):
        raise _bad(kind, [("params", "is not an object")])
    given = _in_todays_words(kind, old, params or {})
    try:
        checked = kind.params.model_validate(given)
    except ValidationError as error:
        raise _bad(kind, _faults(error, old, params or {})) from None
    return kind, checked.model_dump(exclude_none=True)


def _find_type(name: object) -> tuple[CommandType, LegacyName | None]:
    word = name if isinstance(name, str) else ""
    old = LEGACY_NAMES.get(word)
    kind = CATALOGUE.get(old.name if old else word)
    if kind is not None:
        return kind, old
    shown = word[:_SHOWN_CHARS] if word.isprintable() else ""
    close = get_close_matches(shown, CATALOGUE, n=1)
    hint = f": did you mean {close[0]}?" if close else ""
    raise ValidationFailed(
        f"there is no such type of command{hint}",
        code="UNKNOWN_COMMAND_TYPE",
        details={"command_type": shown, "known": list(CATALOGUE)},
    )


def _in_todays_words(kind: CommandType, old: LegacyName | None, params: Mapping[Any, Any]) -> dict[str, Any]:
    if not all(isinstance(name, str) for name in params):
        raise _bad(kind, [("params", "a parameter's name is a text")])
    if old is None:
        return dict(params)
    twice = [(name, f"says the same as {new}") for name, new in old.renamed.items() if {name, new} <= params.keys()]
    twice += [(name, "follows from the command's name") for name in old.implied if name in params]
    if twice:
        raise _bad(kind, twice)
    return {**{old.renamed.get(name, name): value for name, value in params.items()}, **old.implied}


def _faults(error: ValidationError, old: LegacyName | None, params: Mapping[Any, Any]) -> list[tuple[str, str]]:
    """One line a parameter, under the name by which the client knows it."""
    before = {new: name for name, new in old.renamed.items() if new not in params} if old else {}
    found: dict[str, str] = {}
    for one in error.errors(include_url=False, include_context=False, include_input=False):
        name = _where(one["loc"])
        reason = _WORDING.get(one["type"], one["msg"].removeprefix("Value error, "))
        if name.startswith("config.") and one["type"] == "extra_forbidden":
            reason = f"not set by this command, which sets {', '.join(MachineConfig.model_fields)}"
        found.setdefault(before.get(name, name), reason)
    return list(found.items())


def _where(loc: tuple[int | str, ...]) -> str:
    """The parameter, and which member of an object: `config.url`."""
    inside = loc[:1] == ("config",)
    return ".".join(map(str, loc[:2] if inside else loc[:1])) or "params"


def _bad(kind: CommandType, faults: list[tuple[str, str]]) -> ValidationFailed:
    shown = [{"param": _shown(name), "reason": reason} for name, reason in faults[:_SHOWN_FAULTS]]
    return ValidationFailed(
        f"{kind.name}: {shown[0]['param']}: {shown[0]['reason']}",
        code="BAD_PARAMS",
        details={"command_type": kind.name, "params": shown},
    )


def _shown(name: str) -> str:
    return name[:_SHOWN_CHARS] if name.isprintable() else "?"
