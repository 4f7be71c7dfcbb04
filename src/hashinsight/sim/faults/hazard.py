"""Random faults: every machine accumulates a dose; heat and power cycles add to it faster."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hashinsight.sim.episodes import MachineNumbers
from hashinsight.sim.faults.family import DAY, Families, Family
from hashinsight.sim.fleet import Fleet
from hashinsight.sim.plan import FaultRates
from hashinsight.sim.random_streams import stream_of
from hashinsight.sim.readings import Flags, Floats
from hashinsight.sim.state import State

TICK_SEC = 3600.0
_REBOOT = "spontaneous_reboot"
_YEAR_SEC = 365 * DAY
_CYCLE_DAYS = 3.0  # a power cycle ages boards and supplies like this many days
_AFTER_BOOT_SEC = (180.0, 1200.0)  # delay of faults that a power cycle triggers

When = Callable[[Floats, np.random.Generator], Floats]


@dataclass(frozen=True)
class Onset:
    """Machines in which a fault of one kind begins, and when."""

    family: Family
    machines: MachineNumbers
    at: Floats


class Hazard:
    """Dose against a drawn threshold, per kind and machine: a fault begins when the dose passes it."""

    def __init__(self, fleet: Fleet, families: Families, rates: FaultRates, seed: int) -> None:
        self._families = [family for family in families if family.share > 0 or family.kind in rates.of_kind]
        self._rng = {family.kind: stream_of(seed, "hazard", family.kind) for family in self._families}
        self._per_sec = np.array([_per_sec(family, fleet, rates) for family in self._families]).reshape(-1, fleet.n)
        drawn = [self._rng[family.kind].exponential(1.0, fleet.n) for family in self._families]
        self._left = np.array(drawn).reshape(-1, fleet.n)  # dose left until each fault begins
        self._heat = np.array([family.heat for family in self._families], dtype=np.bool_)[:, None]
        self._cycles = np.array([family.cycles for family in self._families], dtype=np.bool_)[:, None]

    def look_back(self, start: float) -> list[Onset]:
        """Faults that began before the run and may still be warning, so that the first weeks are typical."""
        onsets = []
        for number, family in enumerate(self._families):
            back = family.lead_sec[1] if family.warns else 0.0
            dose = self._per_sec[number] * back
            hit = np.flatnonzero(self._left[number] < dose)
            at = start - back * (1 - self._left[number, hit] / dose[hit])
            # the others keep this dose, else nothing new would begin for as long as we looked back
            self._left[number] -= dose
            self._left[number, hit] = self._rng[family.kind].exponential(1.0, hit.size)
            if hit.size:
                onsets.append(Onset(family, hit, at))
        return onsets

    def tick(self, state: State, target_c: Floats, now: float) -> list[Onset]:
        """Faults that begin within the next hour at the current temperature: rates double with every 10 °C."""
        heat = np.clip(2.0 ** ((state.chip_c.max(axis=1) - (target_c - 4)) / 10), 0.5, 4.0)
        dose = self._per_sec * TICK_SEC * np.where(self._heat, heat, 1.0)
        return self._spend(dose, lambda part, _rng: now + TICK_SEC * part)

    def power_cycle(self, machines: Flags, now: float) -> list[Onset]:
        """Faults that a power cycle triggers, a few minutes after the boot."""
        dose = np.where(self._cycles & machines, self._per_sec * _CYCLE_DAYS * DAY, 0.0)
        return self._spend(dose, lambda part, rng: now + rng.uniform(*_AFTER_BOOT_SEC, part.shape))

    def _spend(self, dose: Floats, when: When) -> list[Onset]:
        hits = self._left <= dose
        onsets = []
        for number in np.flatnonzero(hits.any(axis=1)).tolist():
            family = self._families[number]
            machines = np.flatnonzero(hits[number])
            part = self._left[number, machines] / dose[number, machines]
            onsets.append(Onset(family, machines, when(part, self._rng[family.kind])))
            dose[number, machines] = 0.0
            self._left[number, machines] = self._rng[family.kind].exponential(1.0, machines.size)
        self._left -= dose
        return onsets


def _per_sec(family: Family, fleet: Fleet, rates: FaultRates) -> Floats:
    if family.kind in rates.of_kind:
        yearly = np.full(fleet.n, rates.of_kind[family.kind])
    elif family.kind == _REBOOT:
        return np.full(fleet.n, rates.reboots_per_year * rates.on / _YEAR_SEC)  # a faster year has no more of them
    elif family.by_itself:
        yearly = np.full(fleet.n, family.share)
    else:
        yearly = fleet.faults_per_year * family.share
    return yearly * rates.scale * rates.on / _YEAR_SEC
