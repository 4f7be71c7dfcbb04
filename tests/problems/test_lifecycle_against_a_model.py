"""The life of problems in bulk does what a simple machine of one event at a time does, whatever happens."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hashinsight.problems.codes import ACTIONS, EventStatus, Issue, RuleVerdict
from hashinsight.problems.config import LifecycleConfig
from hashinsight.problems.events import EARLIER, Events, SubjectVerdicts, Transitions, no_events
from hashinsight.problems.lifecycle import advance
from tests.problems.fleet import Fleet, readings_of

SUBJECTS = (-1, 3, 7)
CHOSEN = (Issue.OVERHEAT_CRIT, Issue.OVERHEAT_WARN, Issue.HASHRATE_DEGRADATION)
SHOWN = ("open", "ack", "in_progress")


@dataclass
class One:
    """One row of the registry, as a person would keep it on paper."""

    no: int
    severity: int
    status: str = "pending"
    fails: int = 1
    oks: int = 0
    recurrences: int = 0
    resolved_at: float = 0.0
    opened: bool = False
    flap_since: float = float("-inf")
    flaps: int = 0
    flapping: bool = False
    before: int = -1
    worst_told: int = 127
    is_told: bool = False  # people know that it is there now

    def tell(self) -> bool:
        """Once a severity, however often it comes back."""
        if self.severity >= self.worst_told:
            return False
        self.worst_told, self.is_told = self.severity, True
        return True


@dataclass
class Model:
    life: LifecycleConfig
    rows: dict[tuple[int, Issue], One] = field(default_factory=dict)
    next_no: int = 1
    notices: set[tuple[int, Issue]] = field(default_factory=set)  # of the last cycle

    def cycle(self, text: dict[tuple[int, Issue], tuple[str, int]], quiet: set[int], now: float) -> dict[object, str]:
        done: dict[object, str] = {}
        self.notices = set()
        held = set()
        for subject in SUBJECTS:
            worse = self.rows.get((subject, Issue.OVERHEAT_CRIT))
            if text[subject, Issue.OVERHEAT_CRIT][0] == "hit" or (worse and worse.status in SHOWN):
                held.add((subject, Issue.OVERHEAT_WARN))
        # rows are numbered in the order of issue and subject, as the bulk does
        for key in sorted(text, key=lambda key: (key[1], key[0])):
            verdict, severity = text[key]
            action = self._one(key, "unknown" if key in held else verdict, severity, key[0] in quiet, now)
            if action:
                done[key] = action
        for subject in SUBJECTS:
            worse, lesser = (self.rows.get((subject, each)) for each in (Issue.OVERHEAT_CRIT, Issue.OVERHEAT_WARN))
            if worse and lesser and worse.status in SHOWN and lesser.status != "resolved":
                if lesser.status in SHOWN:
                    lesser.resolved_at = now
                    done[subject, "closed"] = "escalated"
                else:
                    lesser.resolved_at = float("-inf")
                lesser.status = "resolved"
        return done

    def _one(self, key: tuple[int, Issue], verdict: str, severity: int, quiet: bool, now: float) -> str | None:  # noqa: FBT001
        row = self.rows.get(key)
        if verdict == "hit" and quiet:
            return "suppressed"
        if row is None or (
            row.status == "resolved" and verdict == "hit" and not now - row.resolved_at < self.life.cooldown_sec
        ):
            return self._begin(key, row, severity) if verdict == "hit" else None
        if row.status == "resolved":
            return self._again(key, row, severity, now) if verdict == "hit" else None
        if verdict == "unknown" or (quiet and row.status != "pending"):
            return "no_event"
        if verdict == "hit":
            return self._seen(key, row, severity)
        return self._healthy(key, row, now)

    def _need(self, severity: int) -> int:
        return self.life.debounce_p0 if severity == 0 else self.life.debounce

    def _begin(self, key: tuple[int, Issue], old: One | None, severity: int) -> str:
        before = -1 if old is None else (old.no if old.opened else old.before)
        row = self.rows[key] = One(self.next_no, severity, before=before)
        self.next_no += 1
        if self._need(severity) <= 1:
            row.status, row.opened = "open", True
            self._tell(key, row)
            return "created"
        return "debouncing"

    def _tell(self, key: tuple[int, Issue], row: One) -> None:
        if row.tell():
            self.notices.add(key)

    def _again(self, key: tuple[int, Issue], row: One, severity: int, now: float) -> str:
        row.is_told = False
        row.status, row.severity, row.recurrences = "open", severity, row.recurrences + 1
        row.fails, row.oks = 1, 0
        if not now - row.flap_since < self.life.flapping_sec:
            row.flap_since, row.flaps = now, 0
        row.flaps += 1
        row.flapping = row.flapping or row.flaps >= self.life.flapping_recurrences
        self._tell(key, row)
        return "recurred"

    def _seen(self, key: tuple[int, Issue], row: One, severity: int) -> str:
        rises = severity < row.severity
        row.severity, row.fails, row.oks = min(row.severity, severity), row.fails + 1, 0
        if row.status == "pending":
            if row.fails < self._need(row.severity):
                return "debouncing"
            row.status, row.opened = "open", True
            self._tell(key, row)
            return "created"
        if rises:
            self._tell(key, row)
        return "escalated" if rises else "updated"

    def _healthy(self, key: tuple[int, Issue], row: One, now: float) -> str:
        row.fails = 0
        if row.status == "pending":
            if row.before >= 0:
                row.status, row.resolved_at = "resolved", float("-inf")
            else:
                del self.rows[key]
            return "no_event"
        row.oks += 1
        if row.oks < (self.life.resolve_flapping if row.flapping else self.life.resolve):
            return "counting"
        row.status, row.resolved_at = "resolved", now
        if row.is_told:
            self.notices.add(key)
        return "resolved"


verdicts = st.tuples(st.sampled_from(["unknown", "fine", "hit", "hit"]), st.integers(0, 3))
cycles = st.fixed_dictionaries(
    {
        "said": st.lists(verdicts, min_size=len(SUBJECTS) * len(CHOSEN), max_size=len(SUBJECTS) * len(CHOSEN)),
        "quiet": st.sets(st.sampled_from(SUBJECTS), max_size=1) | st.just(set()),
        "later": st.sampled_from([300.0, 300.0, 300.0, 4000.0, 90_000.0]),
        "person": st.none() | st.tuples(st.integers(0, 8), st.sampled_from(["ack", "in_progress", "resolved"])),
    }
)


@settings(max_examples=150, deadline=None)
@given(plan=st.lists(cycles, max_size=16), debounce=st.integers(1, 3), debounce_p0=st.integers(1, 2))
def test_the_bulk_lives_as_single_events_do(plan: list[dict[str, Any]], debounce: int, debounce_p0: int) -> None:
    life = LifecycleConfig(debounce=debounce, debounce_p0=debounce_p0, resolve_flapping=5)
    model, events, now = Model(life), no_events(), 1e9
    for row in plan:
        now += row["later"]
        keys = [(subject, issue) for subject in SUBJECTS for issue in CHOSEN]
        text = dict(zip(keys, row["said"], strict=True))
        expected = model.cycle(text, row["quiet"], now)
        step = advance(events, judged(text, row["quiet"]), now=now, life=life)
        events = step.events
        assert describe(step.transitions) == sorted(expected.values())
        assert noticed(step.transitions) == sorted(model.notices)
        compare(model, events)
        if row["person"] is not None:
            number, word = row["person"]
            events = act(model, events, number, word, now)


def test_a_problem_flapping_all_day_sends_one_notice_at_each_end() -> None:
    notices, fleet = [], Fleet()
    fleet.cycle(times=2)
    for _ in range(7):
        for cycle in range(16):
            moves = fleet.cycle(readings_of(0, hashrate_ths=0.0) if cycle < 3 else None).lifecycle.transitions
            notices += [ACTIONS[each].value for each in moves.action[moves.notify].tolist()]
    assert fleet.state.events.flapping.tolist() == [True]
    assert fleet.state.events.recurrences.tolist() == [6]
    assert notices == ["created", "resolved"]
    fleet.cycle(times=300)  # after the cooldown it is another problem, and news
    moves = fleet.cycle(readings_of(0, hashrate_ths=0.0), times=2).lifecycle.transitions
    assert moves.notify.tolist() == [True]


def judged(text: dict[tuple[int, Issue], tuple[str, int]], quiet: set[int]) -> SubjectVerdicts:
    verdict = np.zeros((len(Issue), len(SUBJECTS)), dtype=np.int8)
    severity = np.full((len(Issue), len(SUBJECTS)), 3, dtype=np.int8)
    for (subject, issue), (word, worst) in text.items():
        verdict[issue, SUBJECTS.index(subject)] = RuleVerdict[word.upper()]
        severity[issue, SUBJECTS.index(subject)] = worst
    return SubjectVerdicts(np.array(SUBJECTS), verdict, severity, np.isin(SUBJECTS, list(quiet)))


def describe(moves: Transitions) -> list[str]:
    return sorted(ACTIONS[each].value for each in moves.action.tolist())


def noticed(moves: Transitions) -> list[tuple[int, Issue]]:
    rows = np.flatnonzero(moves.notify)
    return sorted((int(moves.subject[row]), Issue(moves.issue[row])) for row in rows)


def compare(model: Model, events: Events) -> None:
    seen = {}
    for row in range(events.n):
        seen[int(events.subject[row]), Issue(events.issue[row])] = row
    assert set(seen) == set(model.rows)
    for key, each in model.rows.items():
        row = seen[key]
        event = (
            events.event_no[row], EventStatus(events.status[row]).name.lower(), events.severity[row],
            events.recurrences[row], events.flapping[row], events.predecessor[row],
        )  # fmt: skip
        assert event == (each.no, each.status, each.severity, each.recurrences, each.flapping, each.before)
        was_told = each.worst_told != 127 and not each.is_told
        assert events.notified[row] == each.worst_told + (EARLIER if was_told else 0)
        if each.status != "resolved":
            assert (events.consecutive_fail[row], events.consecutive_ok[row]) == (each.fails, each.oks)


def act(model: Model, events: Events, number: int, word: str, now: float) -> Events:
    """Somebody takes an event in hand or says that it is done."""
    key = sorted(model.rows)[number % len(model.rows)] if model.rows else None
    if key is None or model.rows[key].status not in SHOWN:
        return events
    row = (events.subject == key[0]) & (events.issue == key[1])
    status, resolved = events.status.copy(), events.resolved_ts.copy()
    status[row] = EventStatus[word.upper()]
    model.rows[key].status = word
    if word == "resolved":
        model.rows[key].resolved_at = now
        resolved[row] = now
    return replace(events, status=status, resolved_ts=resolved)
