"""What a client asked: cgminer's JSON form, its plain `command|parameter` form, and several commands joined by `+`."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MAX_COMMANDS = 32
_MOST_DIGITS = 12


class NotUnderstood(Exception):
    """`str()` is cgminer's own sentence; `code` is its number."""

    def __init__(self, code: int, said: str) -> None:
        super().__init__(said)
        self.code = code


@dataclass(frozen=True)
class Asked:
    commands: tuple[str, ...]
    parameter: str
    fields: Mapping[str, Any]
    as_text: bool = False

    @property
    def joined(self) -> bool:
        return len(self.commands) > 1


def read_request(raw: bytes) -> Asked:
    text = raw.decode("utf-8", errors="replace").strip(" \t\r\n\0")
    if not text.startswith(("{", "[")):
        command, _, parameter = text.partition("|")
        return Asked(_commands(command), parameter, {}, as_text=True)
    return read_fields(_object(text))


def read_fields(given: Mapping[str, Any]) -> Asked:
    command = given.get("command", given.get("cmd"))
    if not isinstance(command, str) or not command:
        raise NotUnderstood(24, "Missing JSON 'command'")
    parameter = given.get("parameter", given.get("param", ""))
    text = parameter if isinstance(parameter, str) else json.dumps(parameter)
    return Asked(_commands(command), sendable(text), given)


def sendable(text: str) -> str:
    """JSON can spell half of a character, which no answer could be sent with."""
    return text.encode("utf-8", errors="replace").decode()


def whole_number(text: str) -> int | None:
    """What a client wrote for a number, if it is a sane one: Python refuses thousands of digits with an error."""
    bare = text.strip()
    return int(bare) if bare.isascii() and bare.isdecimal() and len(bare) <= _MOST_DIGITS else None


def is_complete(raw: bytes) -> bool:
    """Whether this can be answered now. Nothing ends a request but its own form, as clients keep the line open."""
    bare = raw.strip(b" \t\r\n")
    if not bare:
        return False
    if not bare.startswith((b"{", b"[")) or bare.endswith(b"\0"):
        return True
    return bare.endswith((b"}", b"]")) and _parses(bare)


def _parses(bare: bytes) -> bool:
    try:
        json.loads(bare)
    except (ValueError, RecursionError):
        return False
    return True


def _object(text: str) -> dict[str, Any]:
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        raise NotUnderstood(23, "Invalid JSON") from None
    if not isinstance(given, dict):
        raise NotUnderstood(23, "Invalid JSON")
    return given


def _commands(command: str) -> tuple[str, ...]:
    commands = tuple(part.strip() for part in command.split("+"))
    if len(commands) > MAX_COMMANDS or not all(commands):
        raise NotUnderstood(14, "Invalid command")
    return commands
