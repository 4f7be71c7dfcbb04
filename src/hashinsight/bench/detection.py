"""`bench detection`: recall, delay and false alarms, scored through the files of `hashinsight replay` alone.

Uses seeds held out while rules were made. Compared with as many alarms at random, the hard rules alone, and the plain
design. A long campaign; its size can be set.

A figure without suffix is the point estimate, `_low` and `_high` are its 95 % interval. With nothing missed, the lower
end of recall reaches 0.999 at 3,838 faults; with no false alarm, the upper end of the rate drops below 0.05 at 73.4
thousand machine-days.
"""

import asyncio
import tempfile
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from hashinsight.bench import detection_scores as scores
from hashinsight.bench import independent_runs
from hashinsight.bench.detection_runs import FREQUENT, Part, Scored, mode_accuracy, ordinary, play, random_like
from hashinsight.bench.report import Result
from hashinsight.problems.health_rules import HARD as HARD_ISSUES
from hashinsight.sim.faults import PUBLIC
from hashinsight.sim.reserved import RESERVED

FIRST_SEED = 20_000  # lower seeds were used while rules were made
# with the prefix of each design's figures
_DESIGNS = {"ours": "", "random": "random_", "rules_only": "rules_only_", "plain": "plain_"}
_SOFT = tuple(kind for kind in scores.DETECTED_BY if kind not in scores.HARD)
_FANS, _DRIFTS = ("fan_stopped", "fan_failing"), ("dust", "paste")
_UNSEEN = "recall_unseen"
_HARD_CODES = tuple(issue.code for issue in HARD_ISSUES)


@dataclass(frozen=True)
class Size:
    machines: int = 6000
    days: float = 8.0
    seeds: int = 3  # runs with frequent faults, and as many with realistic rates
    extras: bool = True  # reserved families, doubled noise, bad data: one seed each


def campaign_size(given: dict[str, float]) -> Size:
    """The default campaign with these sizes. A small campaign has wide intervals."""
    default = Size()
    return Size(
        machines=int(given.get("machines", default.machines)),
        days=float(given.get("days", default.days)),
        seeds=int(given.get("seeds", default.seeds)),
    )


async def measure(size: Size | None = None) -> Result:
    return await asyncio.to_thread(_measure, size or Size())


def _measure(size: Size) -> Result:
    detail: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="hi-bench-") as name:
        folder = Path(name)
        frequent = Part("often", ordinary(size.machines, scale=FREQUENT))
        realistic = Part("life", ordinary(size.machines, scale=1.0))
        runs = [play(frequent, seed=FIRST_SEED + no, days=size.days, folder=folder) for no in range(size.seeds)]
        calm = [play(realistic, seed=FIRST_SEED + 500 + no, days=size.days, folder=folder) for no in range(size.seeds)]
        detail |= _recall(runs)
        detail |= _false_alarms("", calm)
        detail |= _false_alarms("often_", runs)
        if size.extras:
            for part in (
                Part("reserved", ordinary(size.machines, scale=FREQUENT), (*PUBLIC, *RESERVED)),
                Part("noise_doubled", ordinary(size.machines, scale=FREQUENT, noise=2.0)),
                Part("bad_data", ordinary(size.machines, scale=FREQUENT, messy=True)),
            ):
                run = [play(part, seed=FIRST_SEED + 900, days=size.days, folder=folder)]
                detail |= with_prefix(part.name, {**_recall(run), **_false_alarms("", run)})
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
        detail={name: round(value, 4) for name, value in detail.items()},
    )


def with_prefix(part: str, figures: dict[str, float]) -> dict[str, float]:
    """Prefix figures with their part. Only one part has unseen families, so their figures need no prefix."""
    return {name if name.endswith(_UNSEEN) else f"{part}_{name}": value for name, value in figures.items()}


def _recall(runs: list[Scored]) -> dict[str, float]:
    figures: dict[str, float] = {}
    for design, prefix in _DESIGNS.items():
        scored = [
            scores.score_faults(_openings(run, design), run.truth, begin=run.begin, last=run.last) for run in runs
        ]
        faults = pl.concat([rows.drop("members", strict=False) for rows in scored])
        hard = faults.filter(pl.col("kind").is_in(scores.HARD))
        hits = int(hard["in_two"].sum())
        low, high = scores.share_interval(hits, hard.height)
        figures[f"{prefix}recall_hard"] = hits / max(hard.height, 1)
        if design == "ours":
            figures |= {"hard_faults": hard.height, "recall_hard_low": low, "recall_hard_high": high}
            figures |= _early_warnings("hard", hard)
            figures["duplicates_per_100_faults"] = 100 * int(faults["duplicates"].sum()) / max(faults.height, 1)
        figures |= {f"{prefix}{name}": value for name, value in summarize(faults).items()}
        for (kind,), rows in sorted(faults.group_by("kind")):
            detected = rows.filter(pl.col("opened").is_not_null())
            figures[f"{prefix}recall_{kind}"] = detected.height / rows.height
            if design == "ours":
                low, high = scores.share_interval(detected.height, rows.height)
                figures |= {f"{kind}_faults": rows.height, f"recall_{kind}_low": low, f"recall_{kind}_high": high}
                figures |= _delay(f"delay_{kind}_min", rows)
                figures |= _early_warnings(kind, rows)
    return figures


def summarize(faults: pl.DataFrame) -> dict[str, float]:
    """The figures named in the specification. A kind without faults has no figure."""
    kind = pl.col("kind")
    figures: dict[str, float] = {}
    for name, rows in (
        ("recall_soft", faults.filter(kind.is_in(_SOFT))),
        (_UNSEEN, faults.filter(~kind.is_in([*scores.HARD, *_SOFT]))),
    ):
        if rows.height:
            figures[name] = rows["opened"].count() / rows.height
    figures |= _delay("delay_board_min", faults.filter(kind == "hashboard_lost"))
    figures |= _delay("delay_fan_min", faults.filter(kind.is_in(_FANS)))
    drift = _delay("delay_drift_h", faults.filter(kind.is_in(_DRIFTS)))
    return figures | {name: minutes / 60 for name, minutes in drift.items()}


def _delay(name: str, faults: pl.DataFrame) -> dict[str, float]:
    """Median delay of the detected faults; empty if none was detected."""
    delay_min = faults["delay_min"].median()
    return {name: delay_min} if isinstance(delay_min, float) else {}


def _early_warnings(kind: str, faults: pl.DataFrame) -> dict[str, float]:
    """Share of faults with a problem opened before the fault and still visible then; and the median lead time."""
    lead_min = faults["early_min"].median()
    share = {f"{kind}_warned_before": int(faults["early"].sum()) / max(faults.height, 1)}
    return share | ({f"{kind}_median_warning_min": lead_min} if isinstance(lead_min, float) else {})


def _false_alarms(prefix: str, runs: list[Scored]) -> dict[str, float]:
    days = sum(run.machine_days for run in runs) / 1000
    figures = {f"{prefix}thousand_machine_days": days}
    for design, design_prefix in _DESIGNS.items():
        false = pl.concat([scores.false_openings(_openings(run, design), run.truth) for run in runs])
        first = false.filter("first")
        name = f"{prefix}{design_prefix}false"
        low, high = scores.rate_interval(first.height, days)
        figures |= {
            f"{name}_per_1000_days": first.height / days,
            f"{name}_p0_per_1000_days": first.filter(pl.col("severity") == "P0").height / days,
        }
        if design == "ours":
            figures |= {f"{name}_per_1000_days_low": low, f"{name}_per_1000_days_high": high}
            low, high = scores.rate_interval(first.filter(pl.col("severity") == "P0").height, days)
            figures |= {
                f"{name}_p0_per_1000_days_low": low,
                f"{name}_p0_per_1000_days_high": high,
                f"{name}_reopenings_per_1000_days": (false.height - first.height) / days,
            }
            for (code,), rows in sorted(first.group_by("issue_code")):
                figures[f"{name}_{code}_per_1000_days"] = rows.height / days
    return figures


def _openings(run: Scored, design: str) -> pl.DataFrame:
    if design == "plain":
        return run.plain
    if design == "rules_only":
        return run.ours.filter(pl.col("issue_code").is_in(_HARD_CODES))
    return random_like(run.ours, run, FIRST_SEED) if design == "random" else run.ours
