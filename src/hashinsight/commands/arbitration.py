"""Priority between commands for one machine: a new command is compared with the open ones. Pure.

Only control commands are compared; lights can blink at any time. In this order, for each open command:

| open command | new command | result |
|---|---|---|
| leased | asks for the same | refused: DUPLICATE |
| leased, no safety emergency | safety emergency | open command superseded, its dispatch fenced |
| leased | contradicts it, of a lower class | refused: CONTRADICTS |
| leased | anything else | new command waits |
| queued | outranks it (by class, or as a safety emergency) | open command superseded |
| queued | asks for the same | refused: DUPLICATE |
| queued | contradicts it | refused: CONTRADICTS (same class: the older one stays) |
| queued | anything else | new command waits |

One refusal refuses the new command, and then it supersedes nothing. Every result has a reason.

A leased command that returns to the queue, after a failure or a lost lease, is compared again: commands requested in
the meantime that outrank it could not displace it then, and do now. So of any two commands that wait for a machine, the
later was compared with the earlier. An approval changes neither class nor age, so nothing is compared again then.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from uuid import UUID

from hashinsight.commands.states import LEASED, Priority, State

_RANKS = {priority: rank for rank, priority in enumerate(Priority)}


class ArbitrationRefusal(StrEnum):
    DUPLICATE = "DUPLICATE"
    CONTRADICTS = "CONTRADICTS"


@dataclass(frozen=True)
class Intent:
    """What a request asks for, the same for each of its machines."""

    command_type: str
    asks: bytes
    priority: Priority
    emergency: bool
    opposes: frozenset[str]


@dataclass(frozen=True)
class OpenCommand:
    """A control command that is open on the machine."""

    command_id: UUID
    moves: int
    command_type: str
    asks: bytes
    priority: Priority
    emergency: bool
    state: State
    dispatch_id: UUID | None = None

    def __str__(self) -> str:
        return f"{self.command_type} ({self.priority}, {self.state})"

    @property
    def is_leased(self) -> bool:
        return self.state in LEASED


@dataclass(frozen=True)
class ArbitrationResult:
    refused: ArbitrationRefusal | None
    reason: str
    supersedes: tuple[OpenCommand, ...] = ()
    compared: tuple[OpenCommand, ...] = ()
    because_of: UUID | None = None  # of a refusal: the open command

    def as_evidence(self) -> dict[str, Any]:
        """For the audit log: decision, reason, and the commands that were compared."""
        return {
            "decision": self.refused.value if self.refused else "supersedes" if self.supersedes else "waits",
            "reason": self.reason,
            "weighed": [
                {
                    "command_id": str(command.command_id),
                    "command_type": command.command_type,
                    "priority": command.priority.value,
                    "state": command.state.value,
                }
                for command in self.compared
            ],
            "superseded": [str(command.command_id) for command in self.supersedes],
        }


def arbitrate(intent: Intent, open_commands: Iterable[OpenCommand]) -> ArbitrationResult:
    compared = tuple(open_commands)
    superseded: list[OpenCommand] = []
    reasons: list[str] = []
    for command in compared:
        compare = _compare_leased if command.is_leased else _compare_queued
        refusal, reason, displaces = compare(intent, command)
        if refusal is not None:
            return ArbitrationResult(refusal, reason, compared=compared, because_of=command.command_id)
        reasons.append(reason)
        if displaces:
            superseded.append(command)
    return ArbitrationResult(None, "; ".join(reasons), tuple(superseded), compared)


def _compare_leased(intent: Intent, command: OpenCommand) -> tuple[ArbitrationRefusal | None, str, bool]:
    """Whether the leased command refuses the new one, why, and whether the new one displaces it."""
    if command.asks == intent.asks:
        return ArbitrationRefusal.DUPLICATE, f"already dispatched: {command}", False
    if _interrupts(intent) and not _interrupts(command):
        return None, f"safety emergency interrupts {command}", True
    if command.command_type in intent.opposes and _RANKS[intent.priority] < _RANKS[command.priority]:
        return ArbitrationRefusal.CONTRADICTS, f"contradicts {command} of a higher class", False
    return None, f"waits for {command}", False


def _compare_queued(intent: Intent, command: OpenCommand) -> tuple[ArbitrationRefusal | None, str, bool]:
    rank, other = _RANKS[intent.priority], _RANKS[command.priority]
    if _outranks(intent, command):
        reason = f"outranks {command}" if rank > other else f"safety emergency supersedes {command}"
        return None, reason, True
    if command.asks == intent.asks:
        return ArbitrationRefusal.DUPLICATE, f"already queued: {command}", False
    if command.command_type in intent.opposes:
        which = "an older command of the same class" if rank == other else "a higher class"
        return ArbitrationRefusal.CONTRADICTS, f"contradicts {command}, {which}", False
    return None, f"waits, no conflict with {command}", False


def _interrupts(command: Intent | OpenCommand) -> bool:
    return command.emergency and command.priority is Priority.SAFETY


def _outranks(new: Intent | OpenCommand, queued: OpenCommand) -> bool:
    """By class, or as a safety emergency; the same for a new command and for one that was there first."""
    return _RANKS[new.priority] > _RANKS[queued.priority] or (_interrupts(new) and not _interrupts(queued))


def find_outranking(command: OpenCommand, others: Iterable[OpenCommand]) -> OpenCommand | None:
    """Of the commands requested after one that returns to the queue, the most urgent that displaces it.

    Earlier ones do not matter: it was compared with them when it was requested.
    """
    later = (other for other in others if other.command_id > command.command_id and not other.is_leased)
    above = [other for other in later if _outranks(other, command)]
    return max(above, key=lambda other: (_interrupts(other), _RANKS[other.priority]), default=None)


def arbitrate_all(intent: Intent, open_commands: dict[int, Sequence[OpenCommand]]) -> dict[int, ArbitrationResult]:
    """By machine, for machines with open commands."""
    return {miner_no: arbitrate(intent, commands) for miner_no, commands in open_commands.items()}
