"""Runs of the simulator for scoring: written to files in the replay format, replayed, and nothing else is looked at."""

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
from hashinsight.sim.scenario import from_library

START = datetime(2026, 3, 1, tzinfo=UTC)
OFTEN = 200.0  # faults come so much more often than in life, so that thousands fit into a run
MODES = ("eco", "normal", "perf")


@dataclass(frozen=True)
class Scored:
    """What one run gave, for us and for the plain design."""

    machine_days: float
    truth: pl.DataFrame
    ours: pl.DataFrame  # openings
    plain: pl.DataFrame
    begin: datetime
    last: datetime
    machines: tuple[str, ...]


@dataclass(frozen=True)
class Part:
    """A kind of run of the campaign."""

    name: str
    scenario: Scenario
    families: Families = PUBLIC


def ordinary(machines: int, *, scale: float, noise: float = 1.0, messy: bool = False) -> Scenario:
    base = from_library("messy_data" if messy else "ordinary")
    base = replace(base, causes=()).resized(machines)
    return replace(base, rates=replace(base.rates, scale=scale), defects=replace(base.defects, noise=noise))


def play(part: Part, *, seed: int, days: float, folder: Path) -> Scored:
    """Simulate into files, replay them with both designs in one go, delete the files."""
    file = folder / f"{part.name}-{seed}.parquet"
    labels = write(part, seed=seed, days=days, file=file)
    plain, log = Plain(), Watched()

    def watch(now: float, frame: Frame, _state: State, _verdicts: CycleResult) -> None:
        log.add(now, plain.step(frame, now))

    done = replay(file, watch=watch)
    fan_zero = (
        pl.scan_parquet(file)
        .filter(pl.col("fan_rpm") == 0)
        .select(pl.col("miner_id").cast(pl.String), zero_ts="ts")
        .collect()
    )
    file.unlink()
    return scored(done, log, labels, fan_zero, days=days)


def write(part: Part, *, seed: int, days: float, file: Path, without: tuple[str, ...] = ()) -> pl.DataFrame:
    shape = Shape(cadence_sec=300)
    run = Run(part.scenario, seed=seed, start=START.timestamp(), days=days, shape=shape, families=part.families)

    def frames() -> Iterator[pl.DataFrame]:
        for frame in run.frames():
            yield frame.drop(without)

    write_frames(frames(), file, wrote=lambda _: None)
    return run.labels()


_SEEN = (CycleAction.CREATED, CycleAction.RECURRED, CycleAction.ESCALATED, CycleAction.RESOLVED)


class Watched:
    """What people would see of the plain design's problems."""

    def __init__(self) -> None:
        self.rows: list[tuple[Any, ...]] = []

    def add(self, now: float, lived: LifecycleStep) -> None:
        moves = lived.transitions
        kept = np.isin(moves.action, [ACTION_NO[one] for one in _SEEN])
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
                "issue_code": pl.Series([Issue(one).code for one in issues], dtype=pl.String),
                "severity": pl.Series([Severity(one).name for one in severities], dtype=pl.String),
                "action": pl.Series([ACTIONS[one].value for one in actions], dtype=pl.String),
            }
        )


def scored(done: ReplayResult, plain: Watched, labels: pl.DataFrame, fan_zero: pl.DataFrame, *, days: float) -> Scored:
    last = START + timedelta(days=days)
    names = dict(enumerate(done.machine_ids))
    return Scored(
        machine_days=done.machines * days,
        truth=scores.truth(labels, fan_zero, last=last),
        ours=scores.openings(done.moves, names),
        plain=scores.openings(plain.moves(), names),
        begin=START,
        last=last,
        machines=tuple(done.machine_ids),
    )


def random_like(opened: pl.DataFrame, run: Scored, seed: int) -> pl.DataFrame:
    """As many openings of the same kinds, each as long as it was, on machines and at times drawn by chance."""
    rng = np.random.default_rng(seed)
    n = opened.height
    span = (run.last - run.begin).total_seconds()
    drawn = [run.begin + timedelta(seconds=float(one)) for one in rng.uniform(0, span, n)]
    at = pl.Series(drawn, dtype=pl.Datetime("ms", "UTC"))
    return opened.with_columns(
        miner_id=pl.Series(np.array(run.machines)[rng.integers(0, len(run.machines), n)].tolist(), dtype=pl.String),
        opened=at,
        closed=at + (opened["closed"] - opened["opened"]),
    )


def mixed_modes(machines: int) -> Scenario:
    """Groups of one, two and three modes under one model and firmware each."""
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
    """Machines, and how many of them we and the plain design put into their mode, without being told any."""
    scenario = mixed_modes(machines)
    file = folder / "modes.parquet"
    part = Part("modes", scenario)
    told = Run(scenario, seed=seed, start=START.timestamp(), days=1, shape=Shape(cadence_sec=300))
    write(part, seed=seed, days=1.0, file=file, without=("mode",))
    fleet = told.world.fleet
    true_mode = dict(zip(fleet.machine_id, (MODES[no] for no in fleet.mode.tolist()), strict=True))
    plain, seen = Plain(), {}

    def watch(now: float, frame: Frame, _state: State, verdicts: CycleResult) -> None:
        plain.step(frame, now)
        seen["ours"], seen["plain"] = verdicts.mode, plain.mode

    done = replay(file, watch=watch)
    file.unlink()
    truth = [true_mode[one] for one in done.machine_ids]
    right = [
        sum(Mode(said).name.lower() == mode for said, mode in zip(seen[who].tolist(), truth, strict=True))
        for who in ("ours", "plain")
    ]
    return len(truth), right[0], right[1]
