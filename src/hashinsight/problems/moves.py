"""What goes into the life of problems and what comes out of it: verdicts in, moves out."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hashinsight.problems.codes import ACTION_NO, Action
from hashinsight.problems.events import Events
from hashinsight.problems.frame import Flags, Ints


@dataclass(frozen=True)
class Judged:
    """A cycle's verdicts: (issues, subjects). Subjects are in order; who is not among them is unknown."""

    subject: Ints
    verdict: NDArray[np.int8]
    severity: NDArray[np.int8]  # of a hit, by issue and subject
    suppressed: Flags


@dataclass(frozen=True)
class Moves:
    """What was done, one row a problem that was touched. `event_no` is -1 where there is no event."""

    event_no: Ints
    subject: Ints
    issue: NDArray[np.int8]
    severity: NDArray[np.int8]
    action: NDArray[np.int8]  # index into codes.ACTIONS
    notify: Flags  # people are to be told: of a beginning, of something worse, or of the end of what they were told

    def of(self, action: Action) -> "Moves":
        chosen = self.action == ACTION_NO[action]
        return Moves(
            *(getattr(self, name)[chosen] for name in ("event_no", "subject", "issue", "severity", "action", "notify"))
        )

    def __len__(self) -> int:
        return len(self.event_no)


@dataclass(frozen=True)
class Lived:
    events: Events
    moves: Moves
    replaced: Events  # resolved rows that are not kept in mind: their problem came back as a new row, or never did


def rows_of(events: Events, action: NDArray[np.int8], notify: Flags) -> Moves:
    return Moves(events.event_no, events.subject, events.issue, events.severity, action, notify)


def together(parts: list[Moves]) -> Moves:
    names = ("event_no", "subject", "issue", "severity", "action", "notify")
    return Moves(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))
