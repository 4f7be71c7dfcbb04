"""One request to one answer: looks the command up in the words of a make."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from hashinsight.sim.sockets.asking import Asked, NotUnderstood, read_request
from hashinsight.sim.sockets.cgminer import Body, as_json, as_text, joined_json
from hashinsight.sim.sockets.machine import Machine

Read = Callable[[Machine, str], Body]
Write = Callable[[Machine, Asked], Awaitable[Body]]
_KEPT_PARAMETER = 8  # longer ones are not worth keeping, and a client chooses them


@dataclass(frozen=True)
class Words:
    """The commands of a make. `fail` says in its own words that something is not possible."""

    reads: Mapping[str, Read]
    writes: Mapping[str, Write]
    fail: Callable[[Machine, int, str], Body]


async def answer(words: Words, machine: Machine, raw: bytes) -> bytes:
    try:
        asked = read_request(raw)
    except NotUnderstood as problem:
        return as_json(words.fail(machine, problem.code, str(problem)))
    if asked.as_text:
        answers = {command: await answer_one(words, machine, command, asked) for command in asked.commands}
        return as_text(list(answers.values()))
    if asked.joined:
        return joined_json({command: await _answer_json(words, machine, command, asked) for command in asked.commands})
    return await _answer_json(words, machine, asked.commands[0], asked)


async def _answer_json(words: Words, machine: Machine, command: str, asked: Asked) -> bytes:
    read, parameter = words.reads.get(command), asked.parameter
    if read is not None and len(parameter) <= _KEPT_PARAMETER:
        return machine.rendered((command, parameter), lambda: as_json(_read(words, machine, read, parameter)))
    return as_json(await answer_one(words, machine, command, asked))


async def answer_one(words: Words, machine: Machine, command: str, asked: Asked) -> Body:
    if command in words.reads:
        return _read(words, machine, words.reads[command], asked.parameter)
    if command not in words.writes:
        return words.fail(machine, 14, "Invalid command")
    if asked.joined:
        return words.fail(machine, 45, f"Access denied to '{command}' command")
    try:
        return await words.writes[command](machine, asked)
    except NotUnderstood as problem:
        return words.fail(machine, problem.code, str(problem))
    finally:
        machine.forget()


def _read(words: Words, machine: Machine, read: Read, parameter: str) -> Body:
    try:
        return read(machine, parameter)
    except NotUnderstood as problem:
        return words.fail(machine, problem.code, str(problem))
