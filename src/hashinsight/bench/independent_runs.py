"""Scores on independent fleets, complete and without columns that many collectors do not send."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from hashinsight.bench import detection_scores as scores
from hashinsight.bench import independent_fleet
from hashinsight.bench.detection_runs import START, MoveLog
from hashinsight.bench.independent_fleet import HARD, MODES, SOFT, Fleet
from hashinsight.bench.plain_design import Plain
from hashinsight.problems.codes import Mode
from hashinsight.problems.frame import Frame
from hashinsight.problems.pipeline import CycleResult
from hashinsight.problems.state import State
from hashinsight.replay.runner import ReplayResult, replay
from hashinsight.sim.frame_files import write_frames

MACHINES, DAYS = 1000, 6.0
# dropped columns by prefix of the figures
WITHOUT: dict[str, tuple[str, ...]] = {
    "unlike_told_": (),
    "unlike_without_expected_": ("expected_ths",),
    "unlike_without_model_": ("model",),
    "unlike_without_all_": ("expected_ths", "model", "mode"),
}
_SETTLING_STEPS = 12  # a mode changed within the last hour is not scored


@dataclass(frozen=True)
class FleetScore:
    """Scores of one fleet."""

    faults: pl.DataFrame  # one row per episode
    false: pl.DataFrame  # first openings outside every episode
    plain_false: int
    thousand_days: float
    modes_right: int
    machines: int


def measure(first_seed: int, seeds: int, *, machines: int, days: float, folder: Path) -> dict[str, float]:
    """Several fleets without reported modes; and the first fleet with more or fewer columns."""
    play = partial(run, machines=machines, days=days, folder=folder)
    figures = _figures("unlike_", [play(first_seed + no, ("mode",)) for no in range(seeds)])
    for prefix, columns in WITHOUT.items():
        figures |= _figures(prefix, [play(first_seed, columns)])
    return figures


def run(seed: int, without: tuple[str, ...], *, machines: int, days: float, folder: Path) -> FleetScore:
    fleet = independent_fleet.draw(seed, machines=machines, days=days, begin=START)
    file = folder / f"unlike-{seed}.parquet"
    frames = independent_fleet.frames(fleet, seed, days=days, begin=START)
    write_frames((frame.drop(without) for frame in frames), file, wrote=lambda _: None)
    plain, log, newest = Plain(), MoveLog(), {}

    def watch(now: float, frame: Frame, _state: State, result: CycleResult) -> None:
        log.add(now, plain.step(frame, now))
        newest["modes"] = result.mode

    replayed = replay(file, watch=watch)
    file.unlink()
    return _scored(fleet, replayed, log, newest["modes"].tolist(), days=days)


def _scored(fleet: Fleet, replayed: ReplayResult, log: MoveLog, modes: list[int], *, days: float) -> FleetScore:
    names, last = dict(enumerate(replayed.machine_ids)), START + timedelta(days=days)
    opened = scores.openings(replayed.moves, names)
    by_plain = scores.openings(log.moves(), names)
    true_mode = _true_modes(fleet, replayed.machine_ids, days=days)
    return FleetScore(
        faults=scores.score_faults(opened, fleet.episodes, begin=START, last=last),
        false=scores.false_openings(opened, fleet.episodes).filter("first"),
        plain_false=scores.false_openings(by_plain, fleet.episodes).filter("first").height,
        thousand_days=replayed.machines * days / 1000,
        modes_right=sum(Mode(no).name.lower() == mode for no, mode in zip(modes, true_mode, strict=True)),
        machines=replayed.machines,
    )


def _true_modes(fleet: Fleet, machine_ids: Sequence[str], *, days: float) -> list[str]:
    steps = int(days * 86_400 / independent_fleet.STEP_SEC)
    mode = np.where(fleet.changes_at < steps - _SETTLING_STEPS, fleet.later_mode, fleet.mode)
    by_machine = dict(zip(fleet.machine_ids, mode.tolist(), strict=True))
    return [MODES[by_machine[machine_id]] for machine_id in machine_ids]


def _figures(prefix: str, runs: list[FleetScore]) -> dict[str, float]:
    """Hard faults count if detected within two cycles, soft faults whenever detected."""
    faults = pl.concat([run.faults for run in runs])
    hard, soft = (faults.filter(pl.col("kind").is_in(kinds)) for kinds in (HARD, SOFT))
    false = pl.concat([run.false for run in runs])
    days, machines = (sum(getattr(run, name) for run in runs) for name in ("thousand_days", "machines"))
    low, high = scores.rate_interval(false.height, days)
    figures = {
        "recall_hard": int(hard["in_two"].sum()) / max(hard.height, 1),
        "hard_faults": hard.height,
        "recall_soft": soft["opened"].count() / max(soft.height, 1),
        "soft_faults": soft.height,
        "false_per_1000_days": false.height / days,
        "false_per_1000_days_low": low,
        "false_per_1000_days_high": high,
        "plain_false_per_1000_days": sum(run.plain_false for run in runs) / days,
        "thousand_machine_days": days,
        "mode_accuracy": sum(run.modes_right for run in runs) / machines,
    }
    for (kind,), rows in sorted(faults.group_by("kind")):
        figures[f"recall_{kind}"] = rows["opened"].count() / rows.height
    for (code,), rows in sorted(false.group_by("issue_code")):
        figures[f"false_{code}_per_1000_days"] = rows.height / days
    return {prefix + name: value for name, value in figures.items()}
