"""Scores of a replayed run against its labels: detected faults, delays, false alarms. Pure functions on frames."""

from datetime import datetime, timedelta
from math import sqrt

import polars as pl

from hashinsight.problems.codes import CycleAction, Issue
from hashinsight.problems.lifecycle import WORSE_THAN

GRACE = timedelta(minutes=60)  # a repaired machine boots, settles, and its means recover
EARLY = timedelta(minutes=10)
_CYCLE = timedelta(seconds=300)
_FIRST_HOURS = timedelta(hours=2)  # baselines are being learnt
_NO_FAULT = ("spontaneous_reboot",)
HARD = ("hashboard_lost", "psu_protection", "failed_restart", "network_lost", "fan_stopped")
# protection trips three minutes and one step after the label's start; the machine hashes until then
_SHOWS_LATER = {"psu_protection": timedelta(seconds=180) + _CYCLE}
_STOPPED = ("hashrate_zero", "offline")
_HOT = (
    "temp_anomaly",
    "overheat_warn",
    "overheat_crit",
    "fleet_outlier",
    "hashrate_degradation",
    "efficiency_degradation",
)
_ANY = tuple(issue.code for issue in Issue)
_LESSER = tuple(lesser.code for _, lesser in WORSE_THAN)
DETECTED_BY: dict[str, tuple[str, ...]] = {
    "hashboard_lost": ("board_lost", "boards_degrading", "boards_dead", "hashrate_zero", "hashrate_degradation"),
    "psu_protection": _STOPPED,
    "failed_restart": _STOPPED,
    "network_lost": ("offline",),
    "fan_stopped": ("fan_zero", *_HOT, "hashrate_zero"),
    "fan_failing": ("fan_zero", *_HOT, "hashrate_zero"),
    "chips_failing": ("hashrate_degradation", "hw_error_rate_high", "efficiency_degradation", "trend_anomaly"),
    "dust": _HOT,
    "paste": _HOT,
    "heatsink_off": (*_HOT, "boards_degrading", "hashrate_zero"),
    "hung_firmware": ("data_implausible", "hashrate_zero"),
    "pool_rejects": ("reject_rate_high",),
    "psu_reboot_loop": ("hashrate_degradation", *_STOPPED),
    "sensor_fault": ("sensor_fault", "data_implausible"),
    # of the independent fleet
    "overheated": ("overheat_crit", "overheat_warn"),
    "declining": ("hashrate_degradation", "trend_anomaly", "efficiency_degradation"),
    "heat_creeping": _HOT,
    "power_rising": ("efficiency_degradation", "fleet_outlier"),
    "errors_rising": ("hw_error_rate_high",),
}


def openings(moves: pl.DataFrame, names: dict[int, str]) -> pl.DataFrame:
    """One row each time a machine's problem became visible (created or recurred), with the time it closed."""
    opens = pl.col("action").is_in([CycleAction.CREATED, CycleAction.RECURRED])
    # escalated into a worse issue, which has its own opening
    taken_over = (pl.col("action") == CycleAction.ESCALATED) & pl.col("issue_code").is_in(_LESSER)
    changes = moves.filter((pl.col("subject") >= 0) & (opens | (pl.col("action") == CycleAction.RESOLVED) | taken_over))
    changes = changes.sort("event_no", "ts", maintain_order=True).with_columns(
        closed=pl.col("ts").shift(-1).over("event_no")
    )
    return (
        changes.filter(opens)
        .sort("ts", "event_no")
        .select(
            pl.col("subject").replace_strict(names, return_dtype=pl.String).alias("miner_id"),
            "issue_code",
            "severity",
            "closed",
            opened="ts",
            event_no="event_no",
            first=pl.col("action") == CycleAction.CREATED,
        )
    )


def truth(labels: pl.DataFrame, fan_zero: pl.DataFrame, *, last: datetime) -> pl.DataFrame:
    """One row per machine and episode. The file itself tells a stopped fan from a slow one."""
    warns = pl.min_horizontal("start", "precursor_start")
    affected = labels.filter(~pl.col("kind").is_in(_NO_FAULT) & (warns < last))
    affected = affected.drop("miner_id").explode("members").rename({"members": "miner_id"})
    affected = affected.with_columns(
        end=pl.col("end").fill_null(last),
        since=pl.min_horizontal("start", "precursor_start").fill_null(pl.col("start")),
    )
    # only the first row counts: a slow fan also reports 0 once heat has stopped the machine
    stopped = affected.filter(pl.col("kind") == "fan_failing").join(fan_zero, on="miner_id")
    stopped = stopped.filter(pl.col("zero_ts").is_between(pl.col("start"), pl.col("start") + _CYCLE))
    has_stopped = pl.col("no").is_in(stopped["no"].unique().implode()) & (pl.col("kind") == "fan_failing")
    later = pl.col("kind").replace_strict(_SHOWS_LATER, default=timedelta(0))
    return affected.with_columns(
        kind=pl.when(has_stopped).then(pl.lit("fan_stopped")).otherwise(pl.col("kind")), shows=pl.col("start") + later
    )


def false_openings(opened: pl.DataFrame, episodes: pl.DataFrame) -> pl.DataFrame:
    """Openings outside every episode of their machine, from its warning until an hour after its end."""
    joined = opened.with_row_index("row").join(
        episodes.select("miner_id", "since", "end"), on="miner_id", how="left", maintain_order="left"
    )
    explained = joined.filter(
        (pl.col("opened") >= pl.col("since") - EARLY) & (pl.col("opened") <= pl.col("end") + GRACE)
    )
    return opened.with_row_index("row").filter(~pl.col("row").is_in(explained["row"].unique().implode()))


def score_faults(opened: pl.DataFrame, episodes: pl.DataFrame, *, begin: datetime, last: datetime) -> pl.DataFrame:
    """Per episode: when the first matching problem became visible, its delay, and whether within two cycles.

    A problem counts if it is visible when the fault shows or becomes visible later. Opened on the fault's warning and
    still open, it is early: delay 0. Closed before the fault shows, it does not count.
    Left out: the first hours of a run, and machines with another fault at the time.
    """
    others = episodes.select("miner_id", other="no", other_start="start", other_end="end")
    overlapped = (
        episodes.join(others, on="miner_id")
        .filter(
            (pl.col("other") != pl.col("no"))
            & (pl.col("other_start") <= pl.col("start") + 2 * _CYCLE)
            & (pl.col("other_end") + GRACE >= pl.col("start"))
        )["no"]
        .unique()
    )
    clean = episodes.filter(
        ~pl.col("no").is_in(overlapped.implode())
        & pl.col("start").is_between(begin + _FIRST_HOURS, last - timedelta(minutes=30))
        & (pl.col("scope").str.starts_with("machine"))
    )
    # families reserved for scoring have no entry in DETECTED_BY: any problem counts
    kinds = clean["kind"].unique().to_list()
    pairs = [(kind, code) for kind in kinds for code in DETECTED_BY.get(kind, _ANY)]
    fits = pl.DataFrame(pairs, schema={"kind": pl.String, "issue_code": pl.String}, orient="row")
    hits = clean.join(fits, on="kind").join(opened, on=["miner_id", "issue_code"])
    hits = hits.filter((pl.col("opened") >= pl.col("since")) & (pl.col("opened") <= pl.col("end")))
    rows = hits.group_by("no").agg(rows=pl.col("event_no").n_unique(), codes=pl.col("issue_code").n_unique())
    visible = hits.filter(pl.col("closed").is_null() | (pl.col("closed") > pl.col("shows")))
    firsts = visible.group_by("no").agg(opened=pl.col("opened").min())
    late = (pl.col("opened") - pl.col("start")).dt.total_seconds() / 60
    return (
        clean.join(firsts, on="no", how="left")
        .join(rows, on="no", how="left")
        .with_columns(
            delay_min=late.clip(lower_bound=0.0),
            early=(late < 0).fill_null(value=False),
            early_min=pl.when(late < 0).then(-late),
            in_two=(pl.col("opened") <= pl.col("shows").dt.truncate("5m") + 2 * _CYCLE).fill_null(value=False),
            duplicates=pl.col("rows").fill_null(0).cast(pl.Int64) - pl.col("codes").fill_null(0).cast(pl.Int64),
        )
    )


def share_interval(hits: int, of: int) -> tuple[float, float]:
    """Wilson interval, 95 %."""
    if not of:
        return 0.0, 1.0
    z, part = 1.96, hits / of
    middle = (part + z * z / (2 * of)) / (1 + z * z / of)
    half = z * sqrt(part * (1 - part) / of + z * z / (4 * of * of)) / (1 + z * z / of)
    return min(max(middle - half, 0.0), part), max(min(middle + half, 1.0), part)


def rate_interval(count: int, of: float) -> tuple[float, float]:
    """Byar's 95 % interval of a Poisson count, as a rate."""
    low = count * (1 - 1 / (9 * count) - 1.96 / (3 * sqrt(count))) ** 3 if count else 0.0
    more = count + 1
    high = more * (1 - 1 / (9 * more) + 1.96 / (3 * sqrt(more))) ** 3
    return low / of, high / of
