"""`bench detection`: what is found of what was broken, how late, and what is said of machines that are well.

On seeds that nobody looked at while rules were made, through the files of `hashinsight replay` alone. Beside us: the
same number of alarms by chance, the hard rules alone, and the plain design. A long campaign: the sizes can be set.

A plain name is the point, what was counted; `_low` and `_high` are the ends of its 95 % interval. With nothing missed
the low end of recall is 0.999 from 3,838 faults on; with no false event the high end of their rate is below 0.05 from
73.4 thousand machine-days on.
"""

import asyncio
import tempfile
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from hashinsight.bench import detection_scores as scores
from hashinsight.bench import independent_runs
from hashinsight.bench.detection_runs import OFTEN, Part, Scored, mode_accuracy, ordinary, play, random_like
from hashinsight.bench.report import Result
from hashinsight.problems.health_rules import HARD as HARD_ISSUES
from hashinsight.sim.faults import PUBLIC
from hashinsight.sim.reserved import RESERVED

FIRST_SEED = 20_000  # those below were looked at while rules were made
_DESIGNS = {
    "ours": "",
    "random": "random_",
    "rules_only": "rules_only_",
    "plain": "plain_",
}  # and what names begin with
_SOFT = tuple(kind for kind in scores.FOUND_BY if kind not in scores.HARD)
_FANS, _DRIFTS = ("fan_stopped", "fan_failing"), ("dust", "paste")
_UNSEEN = "recall_unseen"
_HARD_CODES = tuple(issue.code for issue in HARD_ISSUES)


@dataclass(frozen=True)
class Size:
    machines: int = 6000
    days: float = 8.0
    seeds: int = 3  # runs with many faults, and as many as in life
    extras: bool = True  # reserved families, twice the noise, bad data: one seed each


def sized(given: dict[str, float]) -> Size:
    """The usual campaign with these sizes. Small ones are for trying it out: their intervals are wide."""
    usual = Size()
    return Size(
        machines=int(given.get("machines", usual.machines)),
        days=float(given.get("days", usual.days)),
        seeds=int(given.get("seeds", usual.seeds)),
    )


async def measure(size: Size | None = None) -> Result:
    return await asyncio.to_thread(_measure, size or Size())


def _measure(size: Size) -> Result:
    detail: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="hi-bench-") as name:
        folder = Path(name)
        often = Part("often", ordinary(size.machines, scale=OFTEN))
        life = Part("life", ordinary(size.machines, scale=1.0))
        runs = [play(often, seed=FIRST_SEED + no, days=size.days, folder=folder) for no in range(size.seeds)]
        calm = [play(life, seed=FIRST_SEED + 500 + no, days=size.days, folder=folder) for no in range(size.seeds)]
        detail |= _recall(runs)
        detail |= _false("", calm)
        detail |= _false("often_", runs)
        if size.extras:
            for part in (
                Part("reserved", ordinary(size.machines, scale=OFTEN), (*PUBLIC, *RESERVED)),
                Part("noise_doubled", ordinary(size.machines, scale=OFTEN, noise=2.0)),
                Part("bad_data", ordinary(size.machines, scale=OFTEN, messy=True)),
            ):
                run = [play(part, seed=FIRST_SEED + 900, days=size.days, folder=folder)]
                detail |= of_part(part.name, {**_recall(run), **_false("", run)})
            detail |= independent_runs.measure(
                FIRST_SEED + 730, size.seeds, machines=min(size.machines, independent_runs.MACHINES),
                days=min(size.days, independent_runs.DAYS), folder=folder,
            )  # fmt: skip
        machines, ours, plain = mode_accuracy(seed=FIRST_SEED + 950, machines=400, folder=folder)
    detail |= {"mode_accuracy": ours / machines, "plain_mode_accuracy": plain / machines}
    recall = detail.get("recall_soft", 0.0)
    return Result(
        name="detection",
        figure=round(recall, 5),
        unit=f"of soft faults found; {detail['recall_hard']:.5f} of {detail['hard_faults']:,.0f} hard faults within two"
        f" cycles (95 % interval {detail['recall_hard_low']:.5f} to {detail['recall_hard_high']:.5f})",
        limit=1.0,
        ratio=round(recall, 5),
        detail={what: round(value, 4) for what, value in detail.items()},
    )


def of_part(name: str, told: dict[str, float]) -> dict[str, float]:
    """A part's figures begin with its name. Unseen families are in one part alone, so theirs need none."""
    return {what if what.endswith(_UNSEEN) else f"{name}_{what}": value for what, value in told.items()}


def _recall(runs: list[Scored]) -> dict[str, float]:
    told: dict[str, float] = {}
    for who, prefix in _DESIGNS.items():
        found = pl.concat(
            [
                scores.found(_openings(run, who), run.truth, begin=run.begin, last=run.last).drop(
                    "members", strict=False
                )
                for run in runs
            ]
        )
        hard = found.filter(pl.col("kind").is_in(scores.HARD))
        hits = int(hard["in_two"].sum())
        low, high = scores.share_interval(hits, hard.height)
        told[f"{prefix}recall_hard"] = hits / max(hard.height, 1)
        if who == "ours":
            told |= {"hard_faults": hard.height, "recall_hard_low": low, "recall_hard_high": high}
            told |= _early("hard", hard)
            told["duplicates_per_100_faults"] = 100 * int(found["duplicates"].sum()) / max(found.height, 1)
        told |= {f"{prefix}{name}": value for name, value in summed_up(found).items()}
        for (kind,), rows in sorted(found.group_by("kind")):
            seen = rows.filter(pl.col("opened").is_not_null())
            told[f"{prefix}recall_{kind}"] = seen.height / rows.height
            if who == "ours":
                low, high = scores.share_interval(seen.height, rows.height)
                told |= {f"{kind}_faults": rows.height, f"recall_{kind}_low": low, f"recall_{kind}_high": high}
                told |= _delay(f"delay_{kind}_min", rows)
                told |= _early(kind, rows)
    return told


def summed_up(found: pl.DataFrame) -> dict[str, float]:
    """The figures that are compared over years, by the names of the specification. What had no fault has no figure."""
    kind = pl.col("kind")
    told: dict[str, float] = {}
    for name, faults in (
        ("recall_soft", found.filter(kind.is_in(_SOFT))),
        (_UNSEEN, found.filter(~kind.is_in([*scores.HARD, *_SOFT]))),
    ):
        if faults.height:
            told[name] = faults["opened"].count() / faults.height
    told |= _delay("delay_board_min", found.filter(kind == "hashboard_lost"))
    told |= _delay("delay_fan_min", found.filter(kind.is_in(_FANS)))
    drift = _delay("delay_drift_h", found.filter(kind.is_in(_DRIFTS)))
    return told | {name: minutes / 60 for name, minutes in drift.items()}


def _delay(name: str, found: pl.DataFrame) -> dict[str, float]:
    """The median of those that were found; nothing where none was."""
    middle = found["delay_min"].median()
    return {name: middle} if isinstance(middle, float) else {}


def _early(what: str, found: pl.DataFrame) -> dict[str, float]:
    """Found before the fault and still visible then, as a share of all; and how long before."""
    middle = found["early_min"].median()
    share = {f"{what}_warned_before": int(found["early"].sum()) / max(found.height, 1)}
    return share | ({f"{what}_median_warning_min": middle} if isinstance(middle, float) else {})


def _false(prefix: str, runs: list[Scored]) -> dict[str, float]:
    days = sum(run.machine_days for run in runs) / 1000
    told = {f"{prefix}thousand_machine_days": days}
    for who, design in _DESIGNS.items():
        wrong = pl.concat([scores.false_openings(_openings(run, who), run.truth) for run in runs])
        first = wrong.filter("first")
        name = f"{prefix}{design}false"
        low, high = scores.rate_interval(first.height, days)
        told |= {
            f"{name}_per_1000_days": first.height / days,
            f"{name}_p0_per_1000_days": first.filter(pl.col("severity") == "P0").height / days,
        }
        if who == "ours":
            told |= {f"{name}_per_1000_days_low": low, f"{name}_per_1000_days_high": high}
            low, high = scores.rate_interval(first.filter(pl.col("severity") == "P0").height, days)
            told |= {
                f"{name}_p0_per_1000_days_low": low,
                f"{name}_p0_per_1000_days_high": high,
                f"{name}_reopenings_per_1000_days": (wrong.height - first.height) / days,
            }
            for (code,), rows in sorted(first.group_by("issue_code")):
                told[f"{name}_{code}_per_1000_days"] = rows.height / days
    return told


def _openings(run: Scored, who: str) -> pl.DataFrame:
    if who == "plain":
        return run.plain
    if who == "rules_only":
        return run.ours.filter(pl.col("issue_code").is_in(_HARD_CODES))
    return random_like(run.ours, run, FIRST_SEED) if who == "random" else run.ours
