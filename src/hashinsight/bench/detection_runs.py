"""Simulator runs for scoring: written to files in the replay format and replayed from them alone."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from hashinsight.bench import detection_scores as scores
from hashinsight.bench.plain_design import Plain
from hashinsight.problems.codes import ACTION_NO, ACTIONS, CycleAction, Issue, Mode, Severity
from hashinsight.problems.events import LifecycleStep
from hashinsight.problems.frame import Frame
from hashinsight.problems.pipeline import CycleResult
from hashinsight.problems.state import State
from hashinsight.replay.runner import ReplayResult, replay
from hashinsight.sim.faults import PUBLIC
from hashinsight.sim.faults.family import Families
from hashinsight.sim.frame_files import write_frames
from hashinsight.sim.frames import Run, Shape
from hashinsight.sim.plan import Batch, Defects, Scenario
from hashinsight.sim.readings import MODES
from hashinsight.sim.scenario import from_library

START = datetime(2026, 3, 1, tzinfo=UTC)
FREQUENT = 200.0  # multiple of realistic fault rates, so that a run has thousands of faults


@dataclass(frozen=True)
class Scored:
    """Truth of one run and the openings of our and the plain design."""

    machine_days: float
    truth: pl.DataFrame
    ours: pl.DataFrame  # openings
    plain: pl.DataFrame
    begin: datetime
    last: datetime
    machines: tuple[str, ...]


@dataclass(frozen=True)
class Part:
    """A kind of run in the campaign."""

    name: str
    scenario: Scenario
    families: Families = PUBLIC


def ordinary(machines: int, *, scale: float, noise: float = 1.0, messy: bool = False) -> Scenario:
    base = from_library("messy_data" if messy else "ordinary")
    base = replace(base, causes=()).resized(machines)
    return replace(base, rates=replace(base.rates, scale=scale), defects=replace(base.defects, noise=noise))


def play(part: Part, *, seed: int, days: float, folder: Path) -> Scored:
    """Simulate into a file, replay it with both designs at once, delete the file."""
    file = folder / f"{part.name}-{seed}.parquet"
    labels = write(part, seed=seed, days=days, file=file)
    plain, log = Plain(), MoveLog()

    def watch(now: float, frame: Frame, _state: State, _result: CycleResult) -> None:
        log.add(now, plain.step(frame, now))

    replayed = replay(file, watch=watch)
    fan_zero = (
        pl.scan_parquet(file)
        .filter(pl.col("fan_rpm") == 0)
        .select(pl.col("miner_id").cast(pl.String), zero_ts="ts")
        .collect()
    )
    file.unlink()
    return scored(replayed, log, labels, fan_zero, days=days)


def write(part: Part, *, seed: int, days: float, file: Path, without: tuple[str, ...] = ()) -> pl.DataFrame:
    shape = Shape(cadence_sec=300)
    run = Run(part.scenario, seed=seed, start=START.timestamp(), days=days, shape=shape, families=part.families)

    def frames() -> Iterator[pl.DataFrame]:
        for frame in run.frames():
            yield frame.drop(without)

    write_frames(frames(), file, wrote=lambda _: None)
    return run.labels()


_VISIBLE = (CycleAction.CREATED, CycleAction.RECURRED, CycleAction.ESCALATED, CycleAction.RESOLVED)


class MoveLog:
    """Visible changes of the plain design's problems."""

    def __init__(self) -> None:
        self.rows: list[tuple[Any, ...]] = []

    def add(self, now: float, step: LifecycleStep) -> None:
        moves = step.transitions
        kept = np.isin(moves.action, [ACTION_NO[action] for action in _VISIBLE])
        if kept.any():
            columns = (moves.event_no, moves.subject, moves.issue, moves.severity, moves.action)
            self.rows += [(now, *row) for row in zip(*(column[kept].tolist() for column in columns), strict=True)]

    def moves(self) -> pl.DataFrame:
        times, numbers, subjects, issues, severities, actions = zip(*self.rows, strict=True) if self.rows else [()] * 6
        return pl.DataFrame(
            {
                "ts": pl.Series([round(at * 1000) for at in times], dtype=pl.Int64).cast(pl.Datetime("ms", "UTC")),
                "event_no": pl.Series(numbers, dtype=pl.Int64),
                "subject": pl.Series(subjects, dtype=pl.Int64),
                "issue_code": pl.Series([Issue(issue).code for issue in issues], dtype=pl.String),
                "severity": pl.Series([Severity(severity).name for severity in severities], dtype=pl.String),
                "action": pl.Series([ACTIONS[action].value for action in actions], dtype=pl.String),
            }
        )


def scored(
    replayed: ReplayResult, plain: MoveLog, labels: pl.DataFrame, fan_zero: pl.DataFrame, *, days: float
) -> Scored:
    last = START + timedelta(days=days)
    names = dict(enumerate(replayed.machine_ids))
    return Scored(
        machine_days=replayed.machines * days,
        truth=scores.truth(labels, fan_zero, last=last),
        ours=scores.openings(replayed.moves, names),
        plain=scores.openings(plain.moves(), names),
        begin=START,
        last=last,
        machines=tuple(replayed.machine_ids),
    )


def random_like(opened: pl.DataFrame, run: Scored, seed: int) -> pl.DataFrame:
    """The same openings with the same durations, on random machines at random times."""
    rng = np.random.default_rng(seed)
    n = opened.height
    span = (run.last - run.begin).total_seconds()
    drawn = [run.begin + timedelta(seconds=float(second)) for second in rng.uniform(0, span, n)]
    at = pl.Series(drawn, dtype=pl.Datetime("ms", "UTC"))
    return opened.with_columns(
        miner_id=pl.Series(np.array(run.machines)[rng.integers(0, len(run.machines), n)].tolist(), dtype=pl.String),
        opened=at,
        closed=at + (opened["closed"] - opened["opened"]),
    )


def mixed_modes(machines: int) -> Scenario:
    """Models with one, two and three modes, each with one firmware."""
    base = replace(from_library("ordinary"), causes=(), defects=Defects())
    site = base.sites[0]
    shares = {
        "Antminer S19j Pro": {"eco": 3, "normal": 5, "perf": 2},
        "Antminer S19 XP": {"normal": 6},
        "Antminer S21": {"eco": 3, "normal": 5},
        "Antminer T21": {"normal": 5, "perf": 3},
    }
    batches = tuple(
        Batch(model, count * 10, "stock 1.0", mode=mode)
        for model, modes in shares.items()
        for mode, count in modes.items()
    )
    zone = replace(site.zones[0], batches=batches)
    return replace(base, sites=(replace(site, zones=(zone,)),)).resized(machines)


def mode_accuracy(*, seed: int, machines: int, folder: Path) -> tuple[int, int, int]:
    """Machines, and how many of them we and the plain design assign to the right mode without knowing any."""
    scenario = mixed_modes(machines)
    file = folder / "modes.parquet"
    part = Part("modes", scenario)
    run = Run(scenario, seed=seed, start=START.timestamp(), days=1, shape=Shape(cadence_sec=300))
    write(part, seed=seed, days=1.0, file=file, without=("mode",))
    fleet = run.world.fleet
    true_mode = dict(zip(fleet.machine_id, (MODES[no] for no in fleet.mode.tolist()), strict=True))
    plain, modes = Plain(), {}

    def watch(now: float, frame: Frame, _state: State, result: CycleResult) -> None:
        plain.step(frame, now)
        modes["ours"], modes["plain"] = result.mode, plain.mode

    replayed = replay(file, watch=watch)
    file.unlink()
    truth = [true_mode[machine_id] for machine_id in replayed.machine_ids]
    right = [
        sum(Mode(assigned).name.lower() == mode for assigned, mode in zip(modes[design].tolist(), truth, strict=True))
        for design in ("ours", "plain")
    ]
    return len(truth), right[0], right[1]
