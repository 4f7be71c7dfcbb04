"""The words in answers are those that the program writes."""

from collections.abc import Iterable
from typing import Any, get_args

import pytest

from hashinsight.audit.actions import ActorKind
from hashinsight.problems.actions import MOVES, ResolutionCause
from hashinsight.problems.codes import DataState, EventStatus, Issue, Mode, Severity, ThawReason
from hashinsight.problems.peers import LEVELS
from hashinsight.problems.registry import FLAPPING, THAWED, TIMELINE_KINDS
from hashinsight.problems.schemas import words
from hashinsight.telemetry import states

TIMELINE = {*TIMELINE_KINDS.values(), FLAPPING, THAWED, *(move.timeline_kind for move in MOVES.values())}
BY_PEOPLE = {"suppressed", "unsuppressed"}
BY_THE_CYCLE = {"recovered", "escalated", "left_site"}


def names(members: Iterable[Any]) -> set[str]:
    return {member.name.lower() for member in members}


@pytest.mark.parametrize(
    ("schema", "written"),
    [
        (words.IssueCode, {issue.code for issue in Issue}),
        (words.SeverityWord, {severity.name for severity in Severity}),
        (words.StatusWord, names(EventStatus)),
        (words.DataStateWord, names(DataState)),
        (words.ThawWord, names(ThawReason)),
        (words.ActorWord, set(ActorKind)),
        (words.PeerLevelWord, set(LEVELS)),
        (words.CauseWord, {*ResolutionCause, *BY_THE_CYCLE}),
        (words.TimelineWord, TIMELINE | BY_PEOPLE),
        (states.Mode, names(Mode)),
    ],
)
def test_a_schema_has_the_words_of_its_enum(schema: Any, written: set[str]) -> None:
    assert set(get_args(schema)) == written
