"""Faults of single machines: from onset to episode (warning, start, repair), and the active cases."""

import numpy as np

from hashinsight.sim.effects import Effects
from hashinsight.sim.episodes import Episode, EpisodeLog, MachineNumbers
from hashinsight.sim.faults.family import DAY, DRAWS, CaseTable, Families, Family, active_cases
from hashinsight.sim.faults.hazard import Onset
from hashinsight.sim.fleet import Fleet
from hashinsight.sim.plan import FaultRates
from hashinsight.sim.random_streams import stream_of
from hashinsight.sim.readings import Flags, Floats
from hashinsight.sim.state import State


class FaultSchedule:
    """All faults of single machines in a run."""

    def __init__(self, fleet: Fleet, families: Families, rates: FaultRates, episodes: EpisodeLog, seed: int) -> None:
        self._fleet, self._rates, self._episodes = fleet, rates, episodes
        self.families = {family.kind: family for family in families}
        self._cases = {kind: CaseTable() for kind in self.families}
        self._rng = {kind: stream_of(seed, "case", kind) for kind in self.families}

    def begin(self, onset: Onset, not_before: float) -> None:
        """Cases by rate; those with a warning start later. Cases that would end before the run are left out."""
        family, rng = onset.family, self._rng[onset.family.kind]
        machines, at = self._spread(family, onset.machines, onset.at)
        lead = self._leads(family, len(machines), rng)
        start = at + lead
        lasting = rng.uniform(*self._repair(family), len(machines))
        draws = rng.random((len(machines), DRAWS))
        fits = (start >= not_before) & ~self._has_fault(family.kind, machines)
        times = np.stack([at, start, start + lasting], axis=1)[fits]
        self._add(family, machines[fits], times, np.ones(int(fits.sum())), draws[fits])

    def plan(
        self, family: Family, machines: MachineNumbers, *, start: float, end: float | None, severity: float
    ) -> list[Episode]:
        """Cases at a given time; a part of them has a warning phase before it."""
        rng = self._rng[family.kind]
        lead = self._leads(family, len(machines), rng)
        repaired = (
            start + rng.uniform(*self._repair(family), len(machines)) if end is None else np.full(len(machines), end)
        )
        draws = rng.random((len(machines), DRAWS))
        times = np.stack([start - lead, np.full(len(machines), start), repaired], axis=1)
        return self._add(family, machines, times, np.full(len(machines), severity), draws)

    def inject(
        self, family: Family, machines: MachineNumbers, *, now: float, end: float | None, severity: float
    ) -> list[Episode]:
        """Cases from now on without a warning phase; without an end they last until ended."""
        draws = self._rng[family.kind].random((len(machines), DRAWS))
        times = np.tile([now, now, np.inf if end is None else end], (len(machines), 1))
        return self._add(family, machines, times, np.full(len(machines), severity), draws)

    def end(self, episode: Episode, now: float) -> bool:
        cases = self._cases.get(episode.kind)
        if cases is None or not cases.end(episode.no, now):
            return False
        self._episodes.close(episode.no, now)
        return True

    def cure(self, machines: MachineNumbers, now: float) -> None:
        """Faults that a commanded reboot ends, each with its kind's probability."""
        for kind, cases in self._cases.items():
            chance = self.families[kind].restart_cures
            for no in (
                cases.no[np.isin(cases.machine, machines) & (cases.times[:, 1] <= now)].tolist() if chance else ()
            ):
                if self._rng[kind].random() < chance:
                    cases.drop(no)
                    self._episodes.close(no, now)

    def take_over(self, now: float) -> Flags:
        """Machines repaired by somebody who power-cycled them."""
        repaired = np.zeros(self._fleet.n, dtype=np.bool_)
        for kind, cases in self._cases.items():
            machines = cases.take_over(now)
            if machines.size and self.families[kind].repair_boots:
                repaired[machines] = True
        return repaired

    def apply(self, effects: Effects, state: State, *, now: float, dt: float) -> None:
        for kind, cases in self._cases.items():
            case = active_cases(cases, self._fleet, state, now=now, dt=dt)
            if case is not None:
                self.families[kind].does(case, effects)

    def _repair(self, family: Family) -> tuple[float, float]:
        low, high = self._rates.repair_days
        return family.repair_sec or (low * DAY, high * DAY)

    def _leads(self, family: Family, count: int, rng: np.random.Generator) -> Floats:
        warned, lead = rng.random(count) < family.warns, rng.uniform(*family.lead_sec, count)
        return np.where(warned, lead, 0.0)

    def _has_fault(self, kind: str, machines: MachineNumbers) -> Flags:
        return np.isin(machines, self._cases[kind].machine)

    def _spread(self, family: Family, machines: MachineNumbers, at: Floats) -> tuple[MachineNumbers, Floats]:
        if family.spreads != "rack":
            return machines, at
        racks, first = np.unique(self._fleet.rack.no[machines], return_index=True)
        neighbours = np.flatnonzero(np.isin(self._fleet.rack.no, racks))
        return neighbours, at[first][np.searchsorted(racks, self._fleet.rack.no[neighbours])]

    def _add(
        self, family: Family, machines: MachineNumbers, times: Floats, severity: Floats, draws: Floats
    ) -> list[Episode]:
        # one record per episode: faults of single machines are few
        written = [
            self._episodes.write(
                machine_id=self._fleet.machine_id[machine],
                site=self._fleet.site[machine],
                kind=family.kind,
                family=family.family,
                start=start,
                end=end if end != np.inf else None,
                precursor_start=warns if warns < start else None,
                scope=f"{family.spreads}:{getattr(self._fleet, family.spreads)[machine]}"
                if family.spreads != "machine"
                else f"machine:{self._fleet.machine_id[machine]}",
                severity=worst,
                members=(machine,),
            )
            for machine, (warns, start, end), worst in zip(
                machines.tolist(), times.tolist(), severity.tolist(), strict=True
            )
        ]
        numbers = np.array([episode.no for episode in written], dtype=np.int64)
        self._cases[family.kind].add(numbers, machines, times, severity, draws)
        return written
