"""Who goes first on one machine: a new command weighed against those that are there. Pure, and every verdict has words.

Only control commands are weighed; lights can blink at any time. In this order, for each command that is there:

| it is | and the new one | verdict |
|---|---|---|
| leased | asks for the same | refused: DUPLICATE |
| leased | is a safety emergency, and it is none | it is superseded, its dispatch fenced |
| leased | contradicts it and is of a lower class | refused: CONTRADICTS |
| leased | anything else | the new one waits |
| queued | outranks it (by class, or as a safety emergency) | it is superseded |
| queued | asks for the same | refused: DUPLICATE |
| queued | contradicts it | refused: CONTRADICTS (same class: the older one stands) |
| queued | anything else | the new one waits its turn |

One refusal is enough to refuse; then nothing is superseded either.

A leased one that comes back to the queue, by a failure or a lost lease, is weighed again: what was asked for behind it
and outranks it could not displace it then, and does now. So of any two commands that wait for a machine the later was
weighed against the earlier, and an approval, which changes neither class nor age, has nothing left to weigh.
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
    """What is asked for, the same for every machine of a request."""

    command_type: str
    asks: bytes
    priority: Priority
    emergency: bool
    opposes: frozenset[str]

    @property
    def interrupts(self) -> bool:
        return self.emergency and self.priority is Priority.SAFETY


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

    @property
    def interrupts(self) -> bool:
        return self.emergency and self.priority is Priority.SAFETY


@dataclass(frozen=True)
class ArbitrationResult:
    refused: ArbitrationRefusal | None
    reason: str
    supersedes: tuple[OpenCommand, ...] = ()
    weighed: tuple[OpenCommand, ...] = ()
    because_of: UUID | None = None  # of a refusal: the command that stands against it

    def as_evidence(self) -> dict[str, Any]:
        """For the record: the decision, its reason, and what was weighed."""
        return {
            "decision": self.refused.value if self.refused else "supersedes" if self.supersedes else "waits",
            "reason": self.reason,
            "weighed": [
                {
                    "command_id": str(one.command_id),
                    "command_type": one.command_type,
                    "priority": one.priority.value,
                    "state": one.state.value,
                }
                for one in self.weighed
            ],
            "superseded": [str(one.command_id) for one in self.supersedes],
        }


def arbitrate(wish: Intent, present: Iterable[OpenCommand]) -> ArbitrationResult:
    weighed = tuple(present)
    superseded: list[OpenCommand] = []
    reasons: list[str] = []
    for one in weighed:
        refused, reason, displaced = _weigh(wish, one)
        if refused is not None:
            return ArbitrationResult(refused, reason, weighed=weighed, because_of=one.command_id)
        reasons.append(reason)
        if displaced:
            superseded.append(one)
    return ArbitrationResult(None, "; ".join(reasons), tuple(superseded), weighed)


def _weigh(wish: Intent, one: OpenCommand) -> tuple[ArbitrationRefusal | None, str, bool]:
    """Against one command: whether it refuses the wish, why, and whether the wish displaces it."""
    return _against_leased(wish, one) if one.is_leased else _against_queued(wish, one)


def _against_leased(wish: Intent, one: OpenCommand) -> tuple[ArbitrationRefusal | None, str, bool]:
    if one.asks == wish.asks:
        return ArbitrationRefusal.DUPLICATE, f"the same is under way: {one}", False
    if wish.interrupts and not one.interrupts:
        return None, f"a safety emergency interrupts {one}", True
    if one.command_type in wish.opposes and _RANKS[wish.priority] < _RANKS[one.priority]:
        return ArbitrationRefusal.CONTRADICTS, f"{one} is of a higher class and asks for the opposite", False
    return None, f"waits for {one}, which is not interrupted", False


def _against_queued(wish: Intent, one: OpenCommand) -> tuple[ArbitrationRefusal | None, str, bool]:
    rank, other = _RANKS[wish.priority], _RANKS[one.priority]
    if _outranks(wish, one):
        by_class = f"goes before {one}, which is of a lower class"
        return None, by_class if rank > other else f"a safety emergency goes before {one}", True
    if one.asks == wish.asks:
        return ArbitrationRefusal.DUPLICATE, f"the same waits already: {one}", False
    if one.command_type in wish.opposes:
        why = "is older and of the same class" if rank == other else "is of a higher class"
        return ArbitrationRefusal.CONTRADICTS, f"{one} {why} and asks for the opposite", False
    return None, f"waits beside {one}", False


def _outranks(new: Intent | OpenCommand, one: OpenCommand) -> bool:
    return _RANKS[new.priority] > _RANKS[one.priority] or (new.interrupts and not one.interrupts)


def find_outranking(one: OpenCommand, others: Iterable[OpenCommand]) -> OpenCommand | None:
    """What displaces one that comes back to the queue: of those that were asked for behind it, the most urgent.

    What was there before it has nothing to do with it: it was weighed against that when it was made.
    """
    behind = (other for other in others if other.command_id > one.command_id and not other.is_leased)
    above = [other for other in behind if _outranks(other, one)]
    return max(above, key=lambda other: (other.interrupts, _RANKS[other.priority]), default=None)


def arbitrate_all(wish: Intent, present: dict[int, Sequence[OpenCommand]]) -> dict[int, ArbitrationResult]:
    """By machine, of those that have open commands; all others have nothing to weigh."""
    return {miner_no: arbitrate(wish, ones) for miner_no, ones in present.items()}
