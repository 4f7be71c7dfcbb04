"""Fault families: figures as data, effect on a machine, signature in telemetry; and their active cases."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hashinsight.sim.effects import Effects
from hashinsight.sim.fleet import Fleet
from hashinsight.sim.readings import Counts, Flags, Floats
from hashinsight.sim.state import State

DRAWS = 5  # numbers between 0 and 1 that make every case of a kind different
MEMORY = 2  # numbers that a case may keep from step to step


class CaseTable:
    def __init__(self) -> None:
        self.no = np.zeros(0, dtype=np.int64)
        self.machine = np.zeros(0, dtype=np.int64)
        self.times = np.zeros((0, 3))  # warns from, starts, ends
        self.severity = np.zeros(0)
        self.draws = np.zeros((0, DRAWS))
        self.memory = np.zeros((0, MEMORY))

    def add(self, no: Counts, machine: Counts, times: Floats, severity: Floats, draws: Floats) -> None:
        self.no = np.concatenate([self.no, no])
        self.machine = np.concatenate([self.machine, machine])
        self.times = np.concatenate([self.times, times])
        self.severity = np.concatenate([self.severity, severity])
        self.draws = np.concatenate([self.draws, draws])
        self.memory = np.concatenate([self.memory, np.full((len(no), MEMORY), np.nan)])

    def _keep(self, rows: Flags) -> None:
        for name in ("no", "machine", "times", "severity", "draws", "memory"):
            setattr(self, name, getattr(self, name)[rows])

    def take_over(self, now: float) -> Counts:
        """Removes finished cases and returns their machines."""
        over = self.times[:, 2] <= now
        if not len(self.no) or not over.any():
            return _NO_MACHINES
        machines = self.machine[over]
        self._keep(~over)
        return machines

    def end(self, no: int, now: float) -> bool:
        """Ends one case now; the next step removes it."""
        rows = self.no == no
        self.times[rows, 2] = now
        return bool(rows.any())

    def drop(self, no: int) -> None:
        """Removes one case without a repair."""
        self._keep(self.no != no)


_NO_MACHINES = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class ActiveCases:
    """Cases of a kind that warn or run at `now`: the input of a fault family."""

    machine: Counts
    severity: Floats
    draws: Floats
    warns_from: Floats
    start: Floats
    now: float
    dt: float
    fleet: Fleet
    state: State
    _table: CaseTable
    _rows: Counts

    @property
    def started(self) -> Flags:
        return self.start <= self.now

    @property
    def age(self) -> Floats:
        """Seconds since the start, 0 before."""
        return np.maximum(self.now - self.start, 0.0)

    @property
    def warning(self) -> Floats:
        """Progress of the warning phase: 0 at its beginning, 1 from the start on."""
        lead = np.maximum(self.start - self.warns_from, 1.0)
        return np.clip((self.now - self.warns_from) / lead, 0.0, 1.0)

    @property
    def memory(self) -> Floats:
        return self._table.memory[self._rows]

    def remember(self, column: int, values: Floats) -> None:
        self._table.memory[self._rows, column] = values


def active_cases(cases: CaseTable, fleet: Fleet, state: State, *, now: float, dt: float) -> ActiveCases | None:
    if not len(cases.no):
        return None
    rows = np.flatnonzero((cases.times[:, 0] <= now) & (now < cases.times[:, 2]))
    if not rows.size:
        return None
    return ActiveCases(
        machine=cases.machine[rows],
        severity=cases.severity[rows],
        draws=cases.draws[rows],
        warns_from=cases.times[rows, 0],
        start=cases.times[rows, 1],
        now=now,
        dt=dt,
        fleet=fleet,
        state=state,
        _table=cases,
        _rows=rows,
    )


MINUTE, HOUR, DAY = 60.0, 3600.0, 86_400.0


@dataclass(frozen=True)
class Family:
    """`share`: of hardware faults, or faults a year where `by_itself`. `warns`: share of cases with a warning phase."""

    kind: str
    family: str
    signature: str  # in words
    within_sec: float  # measurable this long after the start, at severity 1
    does: Callable[[ActiveCases, Effects], None]
    share: float = 0.0
    by_itself: bool = False
    warns: float = 0.0
    lead_sec: tuple[float, float] = (0.0, 0.0)
    precursor: str = "none"
    repair_sec: tuple[float, float] | None = None  # None: the scenario's repair time
    heat: bool = False  # heat makes it more likely
    cycles: bool = False  # power cycles make it more likely
    repair_boots: bool = True  # the repair power-cycles the machine
    restart_cures: float = 0.0  # probability that a commanded reboot ends it
    spreads: str = "machine"  # or rack: all its machines at once


Families = tuple[Family, ...]
