"""The simulated fleet: advances time, starts faults, executes commands, and records the true episodes."""

import numpy as np
from numpy.typing import NDArray

from hashinsight.sim import commands, physics, restarts, sensors
from hashinsight.sim.causes import CAUSES
from hashinsight.sim.causes.schedule import CauseSchedule, matching
from hashinsight.sim.commands import Command, Refusal, Restart, Resume
from hashinsight.sim.effects import no_effects
from hashinsight.sim.episodes import Episode, EpisodeLog, MachineNumbers
from hashinsight.sim.faults import PUBLIC
from hashinsight.sim.faults.family import Families
from hashinsight.sim.faults.hazard import TICK_SEC, Hazard, Onset
from hashinsight.sim.faults.schedule import FaultSchedule
from hashinsight.sim.fleet import build_fleet
from hashinsight.sim.plan import PlannedCause, Pool, Scenario, ScenarioError, Where
from hashinsight.sim.random_streams import stream_of
from hashinsight.sim.readings import Flags, Floats, Readings
from hashinsight.sim.state import constants_of, hashing_state
from hashinsight.sim.weather import Air

MAX_STEP_SEC = 60.0
_RESUME_FAILURES = 0.003
_SETTLING_SEC = 3600.0


class World:
    """`families` are the fault families in play; those reserved for scoring are passed in, never imported here."""

    def __init__(
        self,
        scenario: Scenario,
        *,
        seed: int,
        start: float,
        families: Families = PUBLIC,
        max_step_sec: float = MAX_STEP_SEC,
    ) -> None:
        self.scenario, self.at, self._start, self._max_step = scenario, start, start, max_step_sec
        self.fleet = build_fleet(scenario, seed)
        n = self.fleet.n
        self._constants = constants_of(self.fleet)
        self._luck, self._noise = stream_of(seed, "luck"), stream_of(seed, "noise")
        self._shares, self._target_c = stream_of(seed, "shares"), self._constants.target_c
        self._air = Air(scenario.sites, stream_of(seed, "weather"))
        self.state = hashing_state(self.fleet, start=start, uptime_sec=self._luck.uniform(0.5, 40, n) * 86_400)
        self._effects = no_effects(n)
        self._restart_failures = np.zeros(n)
        self._episodes = EpisodeLog()
        self._own_pools: dict[int, tuple[Pool, ...]] = {}
        self._pool_count = np.array([len(pools) for pools in self.fleet.site_pools])[self.fleet.site.no]
        rollouts = [cause for cause in scenario.causes if cause.kind == "firmware_rollout"]
        self.firmwares = _with(self.fleet.firmware.of, [cause.firmware for cause in rollouts])
        self.reported_models = _with(
            tuple(m.name for m in self.fleet.models), [cause.reported_model for cause in rollouts]
        )
        self._faults = FaultSchedule(self.fleet, families, scenario.rates, self._episodes, seed)
        self._causes = CauseSchedule(self.fleet, self._episodes, seed, self.firmwares, self.reported_models)
        self._hazard = Hazard(self.fleet, families, scenario.rates, seed)
        self._settle(n)
        self._plan(seed)
        self._next_tick = start

    def advance(self, to: float) -> None:
        while self.at < to:
            dt = min(self._max_step, to - self.at)
            self._step(self.at + dt, dt)

    def readings(self) -> Readings:
        return self._readings

    def collected(self) -> Flags:
        """Machines for which the collector has a row; none while the collector itself is silent."""
        return ~self._effects.silent & (self._readings.reachable | self.fleet.says_offline)

    def spooled(self) -> tuple[Floats, Floats]:
        """Start and end of the time whose rows a silent collector spools; NaN where nothing is spooled."""
        return self._effects.spooled_from, self._effects.spooled_until

    def firmware_of(self, machine: int) -> str:
        return self.firmwares[int(self.state.firmware_no[machine])]

    def reported_model(self, machine: int) -> str:
        """The model name that the machine reports; a firmware update may change it."""
        return self.reported_models[int(self.state.reported_model_no[machine])]

    def pools(self, machine: int) -> tuple[Pool, ...]:
        return self._own_pools.get(machine, self.fleet.pools_of(machine))

    def execute(self, machine: int, command: Command) -> Refusal | None:
        return self.execute_many(np.array([machine], dtype=np.int64), command).get(machine)

    def execute_many(self, machines: NDArray[np.int64], command: Command) -> dict[int, Refusal]:
        """Executes on every machine that accepts it; returns the refusals."""
        refused: dict[int, Refusal] = {}
        for machine in machines.tolist():  # few machines, each with its own reason
            if not self._readings.reachable[machine]:
                refused[machine] = Refusal("machine is not responding")
                continue
            hung = bool(self._effects.frozen[machine])
            reason = commands.find_refusal(self.fleet, machine, command, firmware=self.firmware_of(machine), hung=hung)
            if reason is not None:
                refused[machine] = reason
        accepting = np.array([machine for machine in machines.tolist() if machine not in refused], dtype=np.int64)
        if not accepting.size:
            return refused
        commands.execute(self.fleet, self.state, accepting, command, now=self.at, pools=self._own_pools)
        self._pool_count[list(self._own_pools)] = [len(pools) for pools in self._own_pools.values()]
        if isinstance(command, Restart) and command.whole:
            self._faults.cure(accepting, self.at)
            self._start_cases(self._hazard.power_cycle(_flags(self.fleet.n, accepting), self.at))
        if isinstance(command, Resume) and self.scenario.rates.on:
            self._fail_restarts(accepting[self._luck.random(accepting.size) < _RESUME_FAILURES], self.at)
        return refused

    def inject(
        self, kind: str, machines: NDArray[np.int64], *, severity: float = 1.0, until: float | None = None
    ) -> list[Episode]:
        """Starts a fault or a common cause on exactly these machines, now."""
        if kind in self._faults.families:
            family = self._faults.families[kind]
            return self._faults.inject(family, machines, now=self.at, end=until, severity=severity)
        cause = next((known for known in CAUSES if known.kind == kind), None)
        if cause is None:
            raise ScenarioError(f"unknown fault or cause {kind!r}")
        plan = PlannedCause(kind, Where(), 0.0, cause.usual_sec, severity=severity)
        scope = f"machines:{len(machines)}"
        end = self.at + cause.usual_sec if until is None and cause.lasting else until
        first_pool = self.state.first_pool[machines]
        return [self._causes.happen(plan, machines, scope, start=self.at, end=end, first_pool=first_pool)]

    def end(self, episode_no: int) -> bool:
        episode = self._episodes.find(episode_no)
        if episode is None or not episode.begun(self.at) or (episode.end is not None and episode.end <= self.at):
            return False
        return self._causes.end(episode_no, self.at) or self._faults.end(episode, self.at)

    def episodes(self) -> list[Episode]:
        """True episodes so far, including those in their warning phase, whose start is in the future."""
        return self._episodes.list_begun(self.at)

    def _settle(self, n: int) -> None:
        """Runs two hours without faults first, so that machines are warm in the first row."""
        for seconds in (-_SETTLING_SEC, 0.0):
            self._physics(self._start + seconds, 1800.0, np.ones(n, dtype=np.bool_))
        boots_ago = self._start - self.state.booted_at
        rates = self._shares.uniform(0.95, 1.05, n) * boots_ago
        self.state.accepted[:] = rates * 0.2
        self.state.rejected[:] = rates * 0.2 * 0.003
        self.state.board_errors[:] = (rates / 3600 * 0.5)[:, None]
        self._take_readings(1800.0)

    def _plan(self, seed: int) -> None:
        for number, fault in enumerate(self.scenario.faults):
            among = np.flatnonzero(matching(self.fleet, fault.where))
            rng = stream_of(seed, "planned", str(number))
            machines = np.sort(rng.choice(among, min(fault.where.count or 1, among.size), replace=False))
            start = self._start + fault.at_sec
            end = None if fault.lasts_sec is None else start + fault.lasts_sec
            family = self._faults.families[fault.kind]
            self._faults.plan(family, machines, start=start, end=end, severity=fault.severity)
        for cause in self.scenario.causes:
            self._causes.plan(cause, self._start + cause.at_sec, self.state)
        for onset in self._hazard.look_back(self._start):
            self._faults.begin(onset, self._start)

    def _step(self, now: float, dt: float) -> None:
        effects, state = self._effects, self.state
        effects.reset()
        if self.at >= self._next_tick:
            self._start_cases(self._hazard.tick(state, self._target_c, self.at))
            self._next_tick += TICK_SEC
        effects.reboot |= self._faults.take_over(now)
        self._faults.apply(effects, state, now=now, dt=dt)
        self._causes.apply(effects, state, now)
        luck = self._luck.random((2, self.fleet.n))  # not float32: these are added to times
        booted, returned = restarts.update_power(self.fleet, state, effects, now=now, luck=luck[0])
        if booted.any() or returned.any():
            self._start_cases(self._hazard.power_cycle(booted | returned, now))
            self._fail_restarts(np.flatnonzero(returned & (luck[1] < self._restart_failures)), now)
        self._restart_failures = np.where(effects.curtailed, effects.restart_failures, 0.0)
        state.pool_no = np.where(effects.pool_dead, np.where(self._pool_count > 1, 1, -1), 0).astype(np.int8)
        self._physics(now, dt, restarts.update_network(state, effects, now=now))
        self._take_readings(dt)

    def _physics(self, now: float, dt: float, has_work: Flags) -> None:
        air = self._air.step(now, dt)
        physics.step(
            self.fleet, self._constants, self.state, self._effects,
            air_c=air, has_work=has_work, now=now, dt=dt, rng=self._shares,
        )  # fmt: skip
        self.at = now

    def _take_readings(self, dt: float) -> None:
        normals = self._noise.standard_normal((sensors.NORMALS, self.fleet.n), dtype=np.float32)
        sensors.advance_noise(self.state, normals, dt)
        noise = self.scenario.defects.noise
        readings = sensors.take_readings(
            self.fleet, self._constants, self.state, self._effects, at=self.at, normals=normals, noise=noise
        )
        self._readings = sensors.hold_frozen(readings, getattr(self, "_readings", None), self._effects)

    def _start_cases(self, onsets: list[Onset]) -> None:
        for onset in onsets:
            self._faults.begin(onset, self.at)

    def _fail_restarts(self, machines: MachineNumbers, now: float) -> None:
        family = self._faults.families.get("failed_restart")
        if family is not None and machines.size:
            self._faults.plan(family, machines, start=now, end=None, severity=1.0)


def _flags(n: int, machines: MachineNumbers) -> Flags:
    flags = np.zeros(n, dtype=np.bool_)
    flags[machines] = True
    return flags


def _with(known: tuple[str, ...], more: list[str | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*known, *(text for text in more if text is not None)]))
