"""A small fleet whose every reading a test decides, cycle by cycle."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hashinsight.problems.codes import EventStatus, Issue, RuleVerdict
from hashinsight.problems.config import Config
from hashinsight.problems.frame import Frame, TextColumn, make_frame
from hashinsight.problems.pipeline import CycleResult, step
from hashinsight.problems.state import State, empty_state

NOON = 1_780_056_000.0  # 2026-05-29 12:00 UTC
Change = Callable[[dict[str, Any]], None]


@dataclass
class Fleet:
    """`n` S19j Pro of one site. `change` gets the columns of each cycle before they are shown."""

    n: int = 12
    config: Config = field(default_factory=lambda: Config(interval_sec=300.0))
    now: float = NOON
    seed: int = 1
    state: State = field(default_factory=empty_state)
    columns: dict[str, Any] = field(default_factory=dict)
    last: CycleResult | None = None

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)
        n = self.n
        self.counted = np.zeros(n)
        self.columns = {
            "site": same("north", n),
            "collector": same("north", n),
            "model": same("Antminer S19j Pro", n),
            "firmware": same("stock 1.0", n),
            "expected_ths": np.full(n, 104.0),
            "boards_healthy": np.full(n, 3.0),
            "boards_total": np.full(n, 3.0),
        }

    def readings(self) -> dict[str, Any]:
        noise = self.rng.standard_normal((4, self.n))
        self.counted += 60
        return {
            **{name: value if isinstance(value, TextColumn) else value.copy() for name, value in self.columns.items()},
            "ts": np.full(self.n, self.now - 10),
            "heard_at": np.full(self.n, self.now - 5),
            "status": np.ones(self.n),
            "hashrate_ths": 104 * (1 + 0.013 * noise[0]),
            "temp_c": np.round(58 + 0.4 * noise[1], 1),
            "temp_max_c": np.round(62 + 0.4 * noise[1], 1),
            "fan_min_rpm": 4500 + 25 * noise[2],
            "fan_rpm": 4540 + 12 * noise[2],
            "power_w": 3050 * (1 + 0.004 * noise[3]),
            "accepted": self.counted.copy(),
            "rejected": np.floor(self.counted * 0.003),
            "hw_errors": np.floor(self.counted * 0.002),
            "uptime_sec": np.full(self.n, self.now - NOON + 5 * 86_400),
        }

    def cycle(self, change: Change | None = None, *, times: int = 1) -> CycleResult:
        for _ in range(times):
            self.now += self.config.cycle_sec
            readings = self.readings()
            if change is not None:
                change(readings)
            self.state, self.last = step(self.state, self.frame(readings), self.now, self.config)
        assert self.last is not None
        return self.last

    def frame(self, readings: dict[str, Any]) -> Frame:
        return make_frame(np.arange(self.n), readings)

    def warm_up(self) -> None:
        """Enough cycles that baselines are no longer cold."""
        self.cycle(times=10)

    def problems(self, machine: int) -> set[str]:
        """What is open on a machine."""
        events = self.state.events
        mine = (events.subject == machine) & events.active & (events.status != EventStatus.PENDING)
        return {Issue(each).code for each in events.issue[mine].tolist()}

    def everything_open(self) -> set[tuple[int, str]]:
        events = self.state.events
        shown = events.active & (events.status != EventStatus.PENDING)
        return {
            (int(who), Issue(what).code)
            for who, what in zip(events.subject[shown], events.issue[shown].tolist(), strict=True)
        }

    def say_of(self, issue: Issue, machine: int = 0) -> RuleVerdict:
        assert self.last is not None
        return RuleVerdict(int(self.last.verdict[issue, machine]))

    def set_status(self, machine: int, issue: Issue, status: EventStatus) -> None:
        """What people do, as the registry's writer hands it in."""
        events = self.state.events.copy()
        row = (events.subject == machine) & (events.issue == issue)
        assert row.sum() == 1
        events.status[row] = status
        if status is EventStatus.RESOLVED:
            events.resolved_ts[row] = self.now
        self.state = replace(self.state, events=events)


def readings_of(machine: int, **values: float) -> Change:
    """These readings of one machine."""

    def change(readings: dict[str, Any]) -> None:
        for name, value in values.items():
            if name not in readings:
                readings[name] = np.full(len(readings["ts"]), np.nan)
            readings[name] = readings[name].astype(np.float64)
            readings[name][machine] = value

    return change


def slower(machine: int, part: float) -> Change:
    """A part of the hashrate of one machine is gone, and as much of its power."""

    def change(readings: dict[str, Any]) -> None:
        readings["hashrate_ths"][machine] *= 1 - part
        readings["power_w"][machine] *= 1 - part

    return change


def late(machines: Iterable[int], *, since: float = NOON + 700) -> Change:
    """Nothing new of these machines since a moment."""

    def change(readings: dict[str, Any]) -> None:
        readings["ts"][list(machines)] = since

    return change


def both(*changes: Change) -> Change:
    def change(readings: dict[str, Any]) -> None:
        for each in changes:
            each(readings)

    return change


def leave(fleet: Fleet, few: int) -> None:
    """Only the first few machines are left at the site."""

    def frame(readings: dict[str, Any]) -> Frame:
        cut = {
            name: TextColumn(each.of, each.no[:few]) if isinstance(each, TextColumn) else each[:few]
            for name, each in readings.items()
        }
        return make_frame(np.arange(few), cut)

    fleet.frame = frame  # type: ignore[method-assign]


def same(word: str, n: int) -> TextColumn:
    return TextColumn((word,), np.zeros(n, dtype=np.int64))


Floats = NDArray[np.float64]
