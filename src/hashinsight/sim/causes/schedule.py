"""Schedule of common causes: which machines each affects, when it runs and when it repeats."""

from dataclasses import replace

import numpy as np

from hashinsight.sim.causes import CAUSES
from hashinsight.sim.causes.kind import CauseEvent, CauseKind
from hashinsight.sim.effects import Effects
from hashinsight.sim.episodes import Episode, EpisodeLog, MachineNumbers
from hashinsight.sim.fleet import Fleet, Names
from hashinsight.sim.plan import PlannedCause, Where
from hashinsight.sim.random_streams import stream_of
from hashinsight.sim.readings import Counts, Flags
from hashinsight.sim.state import State


class CauseSchedule:
    def __init__(
        self,
        fleet: Fleet,
        episodes: EpisodeLog,
        seed: int,
        firmwares: tuple[str, ...],
        reported_models: tuple[str, ...],
    ) -> None:
        self._fleet, self._episodes = fleet, episodes
        self._firmwares, self._reported_models = firmwares, reported_models
        self._rng = stream_of(seed, "causes")
        self._events: list[CauseEvent] = []
        self.kinds = {kind.kind: kind for kind in CAUSES}

    def plan(self, plan: PlannedCause, start: float, state: State) -> None:
        """Does nothing where a small fleet has no matching machine."""
        machines, scope = machines_reached(self._fleet, self.kinds[plan.kind], plan)
        if machines.size:
            first_pool = state.first_pool[machines]
            self.happen(plan, machines, scope, start=start, end=start + plan.lasts_sec, first_pool=first_pool)

    def happen(
        self,
        plan: PlannedCause,
        machines: MachineNumbers,
        scope: str,
        *,
        start: float,
        end: float | None,
        first_pool: Counts,
    ) -> Episode:
        episode = self._episodes.write(
            machine_id=None,
            site=self._fleet.site[int(machines[0])],
            kind=plan.kind,
            family=self.kinds[plan.kind].family,
            start=start,
            end=end,
            precursor_start=None,
            scope=scope,
            severity=plan.severity,
            members=tuple(machines.tolist()),
        )
        event = CauseEvent(
            no=episode.no,
            plan=plan,
            machines=machines,
            start=start,
            end=np.inf if end is None else end,
            luck=self._rng.random(len(machines)),
            first_pool=first_pool,
            firmware_no=self._firmwares.index(plan.firmware) if plan.firmware in self._firmwares else None,
            reported_model_no=self._reported_models.index(plan.reported_model)
            if plan.reported_model in self._reported_models
            else None,
        )
        self._events.append(event)
        return episode

    def end(self, no: int, now: float) -> bool:
        for event in self._events:
            if event.no == no:
                event.end, event.plan = now, replace(event.plan, every_sec=None)
                self._episodes.close(no, now)
                return True
        return False

    def apply(self, effects: Effects, state: State, now: float) -> None:
        over = [event for event in self._events if event.end <= now]
        self._events = [event for event in self._events if event.end > now]
        for event in over:
            if event.plan.every_sec is not None:
                scope = getattr(self._episodes.find(event.no), "scope", "")
                start = event.start + event.plan.every_sec
                end = start + event.plan.lasts_sec
                self.happen(event.plan, event.machines, scope, start=start, end=end, first_pool=event.first_pool)
        for event in self._events:
            if event.start <= now:
                self.kinds[event.plan.kind].does(event, effects, state, now)


def machines_reached(fleet: Fleet, kind: CauseKind, plan: PlannedCause) -> tuple[MachineNumbers, str]:
    """The machines that a planned cause affects, and its scope."""
    where = plan.where
    chosen = matching(fleet, where)
    if plan.pool is not None:
        chosen &= np.array([bool(pools) and pools[0].url == plan.pool for pools in fleet.site_pools])[fleet.site.no]
    narrow = {"switch": (where.switch, fleet.switch), "pdu": (where.pdu, fleet.pdu)}
    number, names = narrow.get(kind.reach, (None, None))
    if names is None:
        return np.flatnonzero(chosen), _scope(where, plan.pool)
    machines = nth(names, chosen, number or 1)
    return machines, f"{kind.reach}:{names[int(machines[0])] if machines.size else ''}"


def matching(fleet: Fleet, where: Where) -> Flags:
    chosen = np.ones(fleet.n, dtype=np.bool_)
    if where.site is not None:
        chosen &= fleet.site.no == fleet.site.of.index(where.site)
    if where.zone is not None:
        chosen &= np.isin(fleet.zone.no, [no for no, name in enumerate(fleet.zone.of) if name == where.zone])
    if where.model is not None:
        chosen &= fleet.model == [model.name for model in fleet.models].index(where.model)
    return chosen


def nth(names: Names, among: Flags, number: int) -> MachineNumbers:
    """All machines of the n-th switch or PDU among these; counting wraps around in a smaller fleet."""
    present = np.unique(names.no[among])
    if not present.size:
        return np.zeros(0, dtype=np.int64)
    return np.flatnonzero(names.no == present[(number - 1) % present.size])


def _scope(where: Where, pool: str | None) -> str:
    if pool is not None:
        return f"pool:{pool}"
    if where.zone is not None:
        return f"zone:{where.site or ''}/{where.zone}"
    return f"site:{where.site or 'all'}"
