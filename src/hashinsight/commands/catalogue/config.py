"""A free configuration for one machine: bounded, and no way around the other commands. Pure.

`update_config` is of medium risk. What another command guards by a higher one (where a machine hashes, its credentials,
its firmware) is therefore refused here, by the names under which makers know it.
"""

import re
from collections.abc import Iterator
from typing import Any

from hashinsight.kit.scrub import is_hidden_name
from hashinsight.wire.canonical import canonical_json

MOST_BYTES = 8 * 1024
MOST_DEPTH = 6
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_GUARDED = frozenset({"user", "username", "pass"})
_GUARDED_ANYWHERE = ("pool", "stratum", "worker", "firmware")  # also inside a word: some makers write poolurl
_ADDRESS = re.compile(r"stratum2?(?:\+[a-z]+)?://", re.IGNORECASE)


def check_config(config: dict[str, Any]) -> dict[str, Any]:
    """The same; ValueError says what is wrong. What passes has a canonical form, so it can be signed."""
    if not config:
        raise ValueError("is empty")
    if _depth(config) > MOST_DEPTH:
        raise ValueError(f"nested more than {MOST_DEPTH} levels deep")
    if len(canonical_json(config)) > MOST_BYTES:
        raise ValueError(f"larger than {MOST_BYTES} bytes")
    for name, value in _members(config):
        _check_member(name, value)
    return config


def _check_member(name: str, value: Any) -> None:
    if not _NAME.fullmatch(name):
        raise ValueError("a name has 1 to 64 letters, digits, dots, dashes or underscores")
    words = {word.lower() for word in _PARTS.findall(name)}
    is_guarded = words & _GUARDED or any(part in name.lower() for part in _GUARDED_ANYWHERE)
    if is_guarded or is_hidden_name(name):
        raise ValueError(f"{name}: pools, credentials, addresses and firmware are not set here")
    if isinstance(value, str) and not value.isprintable():
        raise ValueError(f"{name}: holds a character that cannot be shown")
    if isinstance(value, str) and _ADDRESS.search(value):
        raise ValueError(f"{name}: a pool is set by set_pool")


def _members(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Every value with the name that it stands under; those of a list stand under the list's."""
    if isinstance(value, dict):
        for inner, one in value.items():
            yield inner, None  # the name itself, also of an empty object
            yield from _members(one, inner)
    elif isinstance(value, list):
        for one in value:
            yield from _members(one, name)
    else:
        yield name, value


def _depth(value: Any, above: int = 0) -> int:
    """Levels of it; stops counting where it is too deep anyway."""
    if above > MOST_DEPTH or not isinstance(value, dict | list):
        return above
    inner = value.values() if isinstance(value, dict) else value
    return max((_depth(one, above + 1) for one in inner), default=above + 1)
