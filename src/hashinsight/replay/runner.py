"""Runs the problem cycle over the rows of a file in memory and collects the problems it opens."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hashinsight.problems.codes import ACTIONS, CycleAction, EventStatus, Issue, Severity
from hashinsight.problems.config import Config
from hashinsight.problems.events import Events, LifecycleStep
from hashinsight.problems.evidence import describe
from hashinsight.problems.frame import Frame
from hashinsight.problems.pipeline import CycleResult, step
from hashinsight.problems.state import State, empty_state
from hashinsight.replay.live import NewestState
from hashinsight.replay.rows import FileRows, interval_of, open_rows

Watch = Callable[[float, Frame, State, CycleResult], None]
_REPORTED = (CycleAction.CREATED, CycleAction.RECURRED, CycleAction.ESCALATED, CycleAction.RESOLVED)
_TIME = pl.Datetime("ms", "UTC")
_MOVE_SCHEMA: dict[str, Any] = {
    "ts": _TIME, "event_no": pl.Int64, "subject": pl.Int64, "issue_code": pl.String,
    "severity": pl.String, "action": pl.String, "notify": pl.Boolean,
}  # fmt: skip


@dataclass
class ReplayResult:
    """The problems of a file, and every change of theirs that people would see."""

    events: pl.DataFrame
    moves: pl.DataFrame
    cycles: int
    machine_ids: tuple[str, ...]  # by number
    interval_sec: float
    state: State = field(repr=False)
    evidence: dict[int, str] = field(repr=False)  # by event_no, at its opening; only with `with_evidence`

    @property
    def machines(self) -> int:
        return len(self.machine_ids)


def replay(
    path: Path, config: Config | None = None, *, watch: Watch | None = None, with_evidence: bool = False
) -> ReplayResult:
    """Replay the whole file. `watch` is called after every cycle."""
    with open_rows(path) as rows:
        interval = interval_of(rows)
        config = config or Config()
        config = replace(config, interval_sec=interval, cycle_sec=max(config.cycle_sec, interval))
        newest, state, log = NewestState(), empty_state(), _Log()
        cycles = 0
        for now in _cycles(rows, newest, config.cycle_sec):
            frame = newest.frame()
            state, result = step(state, frame, now, config)
            log.add(now, result.lifecycle)
            if with_evidence:
                log.explain(result)
            cycles += 1
            if watch is not None:
                watch(now, frame, state, result)
    events = log.events(state.events, newest)
    return ReplayResult(events, log.moves(), cycles, tuple(newest.machines.of), interval, state, log.evidence)


def _cycles(rows: FileRows, newest: NewestState, cycle_sec: float) -> Iterator[float]:
    """The times of all cycles, each after its rows were added. Gaps in the file have cycles too."""
    due: float | None = None
    for rows_read in rows.chunks():  # `open_rows` has checked that every time is known
        chunk = newest.arrays_of(rows_read)
        at = chunk["at"]
        if not len(at):
            continue
        if due is None:
            due = float(np.ceil(at[0] / cycle_sec) * cycle_sec)
        begin = 0
        while begin < len(at):
            end = int(np.searchsorted(at, due, side="right"))
            newest.take(chunk, slice(begin, end))
            begin = end
            if end == len(at):
                break  # the next chunk may hold more rows of this cycle
            yield due
            due += cycle_sec
    if due is not None:
        yield due


class _Log:
    """Changes that people would see, and events that were replaced."""

    def __init__(self) -> None:
        self._moves: list[tuple[float, Any]] = []
        self._replaced: list[Events] = []
        self.evidence: dict[int, str] = {}

    def add(self, now: float, lived: LifecycleStep) -> None:
        keep = np.isin(lived.transitions.action, [ACTIONS.index(action) for action in _REPORTED])
        if keep.any():
            moves = lived.transitions
            rows = tuple(
                getattr(moves, name)[keep] for name in ("event_no", "subject", "issue", "severity", "action", "notify")
            )
            self._moves.append((now, rows))
        if lived.replaced.n:
            self._replaced.append(lived.replaced)

    def explain(self, result: CycleResult) -> None:
        """Keep the evidence of problems that opened in this cycle."""
        events = result.lifecycle.events
        opened = result.lifecycle.transitions.of(CycleAction.CREATED).event_no
        which = np.isin(events.event_no, opened)
        if not which.any():
            return
        described = describe(result, events, which).evidence.to_list()
        numbers = events.event_no.tolist()
        self.evidence |= {numbers[row]: described[row] for row in np.flatnonzero(which).tolist()}

    def moves(self) -> pl.DataFrame:
        frames = [
            pl.DataFrame(
                {
                    "ts": pl.Series([round(now * 1000)] * len(rows[0]), dtype=pl.Int64).cast(_TIME),
                    "event_no": rows[0],
                    "subject": rows[1],
                    "issue_code": [Issue(issue).code for issue in rows[2].tolist()],
                    "severity": [Severity(severity).name for severity in rows[3].tolist()],
                    "action": [ACTIONS[action].value for action in rows[4].tolist()],
                    "notify": rows[5],
                },
                schema=_MOVE_SCHEMA,
            )
            for now, rows in self._moves
        ]
        return pl.concat(frames) if frames else pl.DataFrame(schema=_MOVE_SCHEMA)

    def events(self, last: Events, newest: NewestState) -> pl.DataFrame:
        """One row per event that was ever open, oldest first."""
        frames = [_event_rows(events, newest) for events in (*self._replaced, last)]
        return pl.concat(frames).sort("event_no")


def _event_rows(events: Events, newest: NewestState) -> pl.DataFrame:
    opened = events.take(~np.isnan(events.opened_ts))
    machines, collectors = list(newest.machines.of), newest.collectors
    names = [machines[no] if no >= 0 else f"collector:{collectors[-1 - no]}" for no in opened.subject.tolist()]
    return pl.DataFrame(
        {
            "event_no": opened.event_no,
            "subject": opened.subject,
            "site": pl.Series([newest.place_of(no, "site") for no in opened.subject.tolist()], dtype=pl.String),
            "zone": pl.Series([newest.place_of(no, "zone") for no in opened.subject.tolist()], dtype=pl.String),
            "miner_id": pl.Series(names, dtype=pl.String),
            "issue_code": pl.Series([Issue(issue).code for issue in opened.issue.tolist()], dtype=pl.String),
            "severity": pl.Series([Severity(severity).name for severity in opened.severity.tolist()], dtype=pl.String),
            "status": pl.Series(
                [EventStatus(status).name.lower() for status in opened.status.tolist()], dtype=pl.String
            ),
            "start_ts": _moments(opened.start_ts),
            "opened_ts": _moments(opened.opened_ts),
            "last_seen_ts": _moments(opened.last_seen_ts),
            "resolved_ts": _moments(opened.resolved_ts),
            "recurrence_count": opened.recurrences,
            "flapping": opened.flapping,
            "predecessor": opened.predecessor,
        }
    )


def _moments(seconds: NDArray[np.float64]) -> pl.Series:
    millis = pl.Series(seconds * 1000).fill_nan(None)
    return millis.cast(pl.Int64).cast(pl.Datetime("ms")).dt.replace_time_zone("UTC")


def json_lines(result: ReplayResult) -> Iterator[str]:
    """One JSON object per problem, by opening time. There are no incidents yet, so no symptoms."""
    for event in result.events.sort("opened_ts", "event_no").iter_rows(named=True):
        evidence: dict[str, Any] | None = json.loads(result.evidence.get(event["event_no"], "null"))
        if event["issue_code"] == Issue.COLLECTOR_DOWN.code and evidence is not None:
            evidence["collector"] = str(event["miner_id"]).removeprefix("collector:")
        yield json.dumps(
            {
                "kind": "problem",
                "site": event["site"],
                "miner_id": event["miner_id"] if event["subject"] >= 0 else None,
                "issue_code": event["issue_code"],
                "severity": event["severity"],
                "opened_at": _iso(event["opened_ts"]),
                "resolved_at": _iso(event["resolved_ts"]),
                "symptom": False,
                "incident_id": None,
                "evidence": evidence,
            },
            ensure_ascii=False,
        )


def _iso(at: datetime | None) -> str | None:
    return None if at is None else f"{at:%Y-%m-%dT%H:%M:%SZ}"
