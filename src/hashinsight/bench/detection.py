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
from hashinsight.bench.detection_runs import OFTEN, Part, Scored, mode_accuracy, ordinary, play, random_like
from hashinsight.bench.report import Result
from hashinsight.problems.health_rules import HARD as HARD_ISSUES
from hashinsight.sim.faults import PUBLIC
from hashinsight.sim.reserved import RESERVED

FIRST_SEED = 20_000  # those below were looked at while rules were made
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
                detail |= {f"{part.name}_{what}": value for what, value in {**_recall(run), **_false("", run)}.items()}
        machines, ours, plain = mode_accuracy(seed=FIRST_SEED + 950, machines=400, folder=folder)
    detail |= {"mode_accuracy": ours / machines, "plain_mode_accuracy": plain / machines}
    recall = detail["hard_recall_in_two_cycles"]
    return Result(
        name="detection",
        figure=round(recall, 5),
        unit=f"of {detail['hard_faults']:,.0f} hard faults within two cycles (point; 95 % interval"
        f" {detail['hard_recall_low']:.5f} to {detail['hard_recall_high']:.5f})",
        limit=1.0,
        ratio=round(recall, 5),
        detail={what: round(value, 4) for what, value in detail.items()},
    )


def _recall(runs: list[Scored]) -> dict[str, float]:
    told: dict[str, float] = {}
    for who in ("ours", "random", "hard_rules", "plain"):
        found = pl.concat(
            [
                scores.found(_openings(run, who), run.truth, begin=run.begin, last=run.last).drop(
                    "members", strict=False
                )
                for run in runs
            ]
        )
        prefix = "" if who == "ours" else f"{who}_"
        hard = found.filter(pl.col("kind").is_in(scores.HARD))
        hits = int(hard["in_two"].sum())
        low, high = scores.share_interval(hits, hard.height)
        told[f"{prefix}hard_recall_in_two_cycles"] = hits / max(hard.height, 1)
        if who == "ours":
            told |= {"hard_faults": hard.height, "hard_recall_low": low, "hard_recall_high": high}
            told |= _early("hard", hard)
            told["duplicates_per_100_faults"] = 100 * int(found["duplicates"].sum()) / max(found.height, 1)
        for (kind,), rows in sorted(found.group_by("kind")):
            seen = rows.filter(pl.col("opened").is_not_null())
            told[f"{prefix}{kind}_recall"] = seen.height / rows.height
            if who == "ours":
                low, high = scores.share_interval(seen.height, rows.height)
                delay = seen["delay_min"].median()
                told |= {f"{kind}_faults": rows.height, f"{kind}_recall_low": low, f"{kind}_recall_high": high}
                told[f"{kind}_median_delay_min"] = float(delay) if isinstance(delay, float) else -1.0
                told |= _early(kind, rows)
    return told


def _early(what: str, found: pl.DataFrame) -> dict[str, float]:
    """Found before the fault and still visible then, as a share of all; and how long before."""
    middle = found["early_min"].median()
    share = {f"{what}_warned_before": int(found["early"].sum()) / max(found.height, 1)}
    return share | ({f"{what}_median_warning_min": middle} if isinstance(middle, float) else {})


def _false(prefix: str, runs: list[Scored]) -> dict[str, float]:
    days = sum(run.machine_days for run in runs) / 1000
    told = {f"{prefix}thousand_machine_days": days}
    for who in ("ours", "random", "hard_rules", "plain"):
        wrong = pl.concat([scores.false_openings(_openings(run, who), run.truth) for run in runs])
        first = wrong.filter("first")
        name = f"{prefix}{'' if who == 'ours' else who + '_'}false"
        low, high = scores.rate_interval(first.height, days)
        told |= {
            f"{name}_events": first.height / days,
            f"{name}_p0": first.filter(pl.col("severity") == "P0").height / days,
        }
        if who == "ours":
            told |= {f"{name}_events_low": low, f"{name}_events_high": high}
            low, high = scores.rate_interval(first.filter(pl.col("severity") == "P0").height, days)
            told |= {
                f"{name}_p0_low": low,
                f"{name}_p0_high": high,
                f"{name}_reopenings": (wrong.height - first.height) / days,
            }
            for (code,), rows in sorted(first.group_by("issue_code")):
                told[f"{name}_{code}"] = rows.height / days
    return told


def _openings(run: Scored, who: str) -> pl.DataFrame:
    if who == "plain":
        return run.plain
    if who == "hard_rules":
        return run.ours.filter(pl.col("issue_code").is_in(_HARD_CODES))
    return random_like(run.ours, run, FIRST_SEED) if who == "random" else run.ours
