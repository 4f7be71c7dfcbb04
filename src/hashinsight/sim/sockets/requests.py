"""Requests on port 4028: JSON, plain `command|parameter`, several commands joined by `+`; and their answers."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hashinsight.sim.sockets.cgminer import Body, as_json, as_text, joined_json
from hashinsight.sim.sockets.machine import Machine

MAX_COMMANDS = 32
_MAX_DIGITS = 12


class RequestError(Exception):
    """Message and code are cgminer's own."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


@dataclass(frozen=True)
class Request:
    commands: tuple[str, ...]
    parameter: str
    fields: Mapping[str, Any]
    as_text: bool = False

    @property
    def joined(self) -> bool:
        return len(self.commands) > 1


def parse_request(raw: bytes) -> Request:
    text = raw.decode("utf-8", errors="replace").strip(" \t\r\n\0")
    if not text.startswith(("{", "[")):
        command, _, parameter = text.partition("|")
        return Request(_commands(command), parameter, {}, as_text=True)
    return parse_fields(_object(text))


def parse_fields(fields: Mapping[str, Any]) -> Request:
    command = fields.get("command", fields.get("cmd"))
    if not isinstance(command, str) or not command:
        raise RequestError(24, "Missing JSON 'command'")
    parameter = fields.get("parameter", fields.get("param", ""))
    text = parameter if isinstance(parameter, str) else json.dumps(parameter)
    return Request(_commands(command), encodable(text), fields)


def encodable(text: str) -> str:
    """Replaces lone surrogates, which JSON can contain and no answer can."""
    return text.encode("utf-8", errors="replace").decode()


def whole_number(text: str) -> int | None:
    """The number in a client's text, or None; Python raises an error on thousands of digits."""
    bare = text.strip()
    return int(bare) if bare.isascii() and bare.isdecimal() and len(bare) <= _MAX_DIGITS else None


def is_complete(raw: bytes) -> bool:
    """Whether the request is complete. Clients keep the connection open, so only its syntax shows its end."""
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
        fields = json.loads(text)
    except (ValueError, RecursionError):
        raise RequestError(23, "Invalid JSON") from None
    if not isinstance(fields, dict):
        raise RequestError(23, "Invalid JSON")
    return fields


def _commands(command: str) -> tuple[str, ...]:
    commands = tuple(part.strip() for part in command.split("+"))
    if len(commands) > MAX_COMMANDS or not all(commands):
        raise RequestError(14, "Invalid command")
    return commands


Read = Callable[[Machine, str], Body]
Write = Callable[[Machine, Request], Awaitable[Body]]
_CACHED_PARAMETER = 8  # longer ones are not cached: clients choose them freely


@dataclass(frozen=True)
class CommandSet:
    """The commands that a make understands. `fail` builds its error answer."""

    reads: Mapping[str, Read]
    writes: Mapping[str, Write]
    fail: Callable[[Machine, int, str], Body]


async def answer(commands: CommandSet, machine: Machine, raw: bytes) -> bytes:
    """Looks the command up in the make's command set."""
    try:
        request = parse_request(raw)
    except RequestError as problem:
        return as_json(commands.fail(machine, problem.code, str(problem)))
    if request.as_text:
        answers = {command: await answer_one(commands, machine, command, request) for command in request.commands}
        return as_text(list(answers.values()))
    if request.joined:
        return joined_json(
            {command: await _answer_json(commands, machine, command, request) for command in request.commands}
        )
    return await _answer_json(commands, machine, request.commands[0], request)


async def _answer_json(commands: CommandSet, machine: Machine, command: str, request: Request) -> bytes:
    read, parameter = commands.reads.get(command), request.parameter
    if read is not None and len(parameter) <= _CACHED_PARAMETER:
        return machine.rendered((command, parameter), lambda: as_json(_read(commands, machine, read, parameter)))
    return as_json(await answer_one(commands, machine, command, request))


async def answer_one(commands: CommandSet, machine: Machine, command: str, request: Request) -> Body:
    if command in commands.reads:
        return _read(commands, machine, commands.reads[command], request.parameter)
    if command not in commands.writes:
        return commands.fail(machine, 14, "Invalid command")
    if request.joined:
        return commands.fail(machine, 45, f"Access denied to '{command}' command")
    try:
        return await commands.writes[command](machine, request)
    except RequestError as problem:
        return commands.fail(machine, problem.code, str(problem))
    finally:
        machine.forget()


def _read(commands: CommandSet, machine: Machine, read: Read, parameter: str) -> Body:
    try:
        return read(machine, parameter)
    except RequestError as problem:
        return commands.fail(machine, problem.code, str(problem))
