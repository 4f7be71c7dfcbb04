"""Expected, delivered, stopped and lost hashrate of each machine, and its condition. Pure, on whole columns.

The only definition: totals of sites and zones, the map, the problem summary and the console all read these columns.

| column | |
|---|---|
| `rated_ths` | nameplate, the same in every mode: operator, model, else as reported or inferred by a cycle |
| `reference_ths` | what problems and baselines are ratios of: operator, machine, model, own baseline, else inferred |
| `running_ths` | expected while it runs: its reference, or what its model does in its mode (eco, perf) |
| `delivered_ths` | hashrate now: 5-minute mean, 0 once it is offline, null if unknown |
| `is_excused` | in an expected state: curtailed, stopped or restarted by command, maintained; or `awaits_sample` |
| `awaits_sample` | such a state has ended after its newest sample, and the next one is not late yet |
| `is_recovering` | such a state has ended, but the 5-minute mean still reaches back into it |
| `lack_ths` | expected but not delivered (recovering: by the newest sample); 0 while excused, null if unknown |
| `expected_ths` | expected now: `running_ths`; while excused what it delivers; null without a rating |
| `stopped_ths` | `running_ths` minus `expected_ths`: stopped on purpose |
| `is_stopped` | excused and not hashing, or more than a tenth of it is stopped on purpose |
| `condition` | P0 … P3, `down`, `stopped`, `unknown` or `fine` |

Over any group: expected - delivered = lost + unknown - surplus.
"""

from collections.abc import Collection
from typing import Any

import polars as pl

HASHING_SHARE = 0.05  # of expected: below this a machine is not hashing
SHORT_SHARE = 0.1  # of expected: a smaller gap may be normal variance of five minutes
SEVERITIES = ("P0", "P1", "P2", "P3")
CONDITIONS = (*SEVERITIES, "down", "stopped", "unknown", "fine")
SOUND = ("ok", "stopped")  # health after a scan without findings
# the columns that `add_losses` and `tally` read, besides the results of a cycle
LOSS_INPUTS = (
    "site_id", "online", "data_state", "expected_state", "hashrate_ths", "hashrate_5min_ths", "given_ths",
    "given_source", "nameplate_ths", "nameplate_source", "is_recovering", "awaits_sample",
)  # fmt: skip
SUMS = (
    "hashrate_ths", "expected_ths", "expected_unknown_ths", "stopped_ths", "lost_ths", "lost_with_problem_ths",
    "surplus_ths", "power_w",
)  # fmt: skip
COUNTS = ("machines", "online", "power_unknown", "efficiency_left_out", "zones")
OTHERS = ("efficiency_j_th", "hottest_c", "newest_at", "updated_at", "offline_after_sec")


def add_losses(frame: pl.DataFrame) -> pl.DataFrame:
    """Adds the columns above. Called again when a cycle has changed mode or health."""
    newest = pl.coalesce("hashrate_ths", "hashrate_5min_ths").fill_null(0.0)
    is_unknown = pl.col("data_state") == "unknown"
    frame = frame.with_columns(
        **_running(newest),
        has_mean=pl.col("online") & pl.col("hashrate_5min_ths").is_not_null(),
        is_excused=(pl.col("expected_state").is_not_null() | pl.col("awaits_sample")) & ~is_unknown,
    ).with_columns(
        is_hashing=pl.col("online") & (newest > HASHING_SHARE * pl.col("running_ths").fill_null(0.0)),
        is_known=pl.col("has_mean") | pl.col("is_excused") | (pl.col("data_state") == "offline"),
        is_recovering=pl.col("is_recovering") & pl.col("has_mean") & ~pl.col("is_excused"),
        delivered_ths=_delivered(),
    )
    frame = frame.with_columns(lack_ths=_lack()).with_columns(expected_ths=_expected())
    missing = pl.max_horizontal(pl.col("running_ths") - pl.col("expected_ths"), pl.lit(0.0))
    is_on_purpose = pl.col("is_excused") | pl.col("is_recovering")
    frame = frame.with_columns(
        stopped_ths=pl.when(is_on_purpose).then(missing).otherwise(0.0),
        expected_source=pl.when(is_on_purpose & pl.col("expected_ths").is_not_null())
        .then(pl.lit("expected_state"))
        .otherwise("running_source"),
    )
    is_short = pl.col("stopped_ths") > SHORT_SHARE * pl.col("running_ths").fill_null(0.0)
    frame = frame.with_columns(is_stopped=(pl.col("is_excused") & ~pl.col("is_hashing")) | is_short)
    return frame.with_columns(condition=_condition(is_unknown))


def _delivered() -> pl.Expr:
    """For every answer; what a machine did before it went offline is `last_reported`."""
    return (
        pl.when("has_mean")
        .then(pl.col("hashrate_5min_ths").cast(pl.Float64))
        .when(pl.col("data_state") == "offline")
        .then(0.0)
    )


def _lack() -> pl.Expr:
    """While recovering, by the newest sample: the mean still includes the stop."""
    running, delivered = pl.col("running_ths"), pl.col("delivered_ths").fill_null(0.0)
    newest = pl.min_horizontal(pl.coalesce(pl.col("hashrate_ths").cast(pl.Float64), running), running)
    delivers = pl.when("is_recovering").then(pl.max_horizontal(delivered, newest)).otherwise(delivered)
    return pl.when("is_excused").then(0.0).when("is_known").then(running - delivers)


def _expected() -> pl.Expr:
    """While excused, what it delivers; while recovering, also what its newest sample lacks."""
    delivered = pl.col("delivered_ths").fill_null(0.0)
    now = (
        pl.when("is_excused")
        .then(delivered)
        .when("is_recovering")
        .then(delivered + pl.col("lack_ths"))
        .otherwise("running_ths")
    )
    return pl.when(pl.col("running_ths").is_not_null()).then(now)


def efficiency(watts: pl.Expr, ths: pl.Expr) -> pl.Expr:
    """J/TH from power and hashrate of the same samples; unknown without hashrate."""
    return pl.when(ths > 0).then(watts / ths)


def efficiency_of_machine(watts: str, ths: str, hashrate: str) -> pl.Expr:
    """J/TH of a machine's columns; 0 while it does not hash, even if its power is unknown."""
    return pl.coalesce(efficiency(pl.col(watts), pl.col(ths)), pl.when(pl.col(hashrate) == 0).then(0.0))


def efficiency_sql(watts: str, ths: str, hashrate: str) -> str:
    """`efficiency_of_machine` in SQL."""
    return f"(case when {ths} > 0 then {watts} / {ths} when {hashrate} = 0 then 0 end)"


def tally(frame: pl.DataFrame, *by: str | pl.Expr, only: Collection[str] | None = None) -> pl.DataFrame:
    """Machines by condition, and expected, delivered and lost hashrate, per group.

    Over any group: expected - delivered = lost + unknown - surplus. A figure that no machine reports is null, not 0.
    `only`: these figures.
    """
    return frame.group_by(*by).agg(**{name: sums for name, sums in _totals().items() if only is None or name in only})


def sum_up(frame: pl.DataFrame, *by: str | pl.Expr) -> pl.DataFrame:
    """`tally` with power, efficiency and ages; the efficiency leaves out machines of unknown power."""
    online = pl.col("online")
    is_measured = online & pl.col("power_5min_w").is_not_null() & pl.col("powered_5min_ths").is_not_null()
    return frame.group_by(*by).agg(
        **_totals(),
        power_w=_where(pl.col("power_w").filter(online).count() > 0, _total("power_w", online))
        .when(pl.col("is_known").any() & ~online.any())
        .then(0.0),
        power_unknown=(pl.col("power_w").is_null() & online).sum(),
        efficiency_j_th=efficiency(_total("power_5min_w", is_measured), _total("powered_5min_ths", is_measured)),
        efficiency_left_out=(online & ~is_measured).sum(),
        hottest_c=pl.col("temp_max_c").filter(online).cast(pl.Float64).max(),
        newest_at=pl.col("ts").max(),
        updated_at=pl.col("updated_at").max(),
        offline_after_sec=pl.col("offline_sec").max(),
        zones=pl.col("zone").n_unique(),
    )


def _totals() -> dict[str, pl.Expr]:
    lack, running = pl.col("lack_ths"), pl.col("running_ths")
    is_short = lack > SHORT_SHARE * running
    # surplus of other machines does not offset a machine that is down; many small gaps add up to a loss too
    lost = pl.max_horizontal(lack.sum(), _total("lack_ths", is_short), pl.lit(0.0))
    has_problem = pl.col("condition").cast(pl.String).is_in(SEVERITIES)
    is_judged, is_known = lack.count() > 0, pl.col("is_known").any()
    is_rated = is_known | running.is_not_null().any()
    return {
        "machines": pl.len(),
        "online": pl.col("online").sum(),
        **{name: (pl.col("condition") == name).sum() for name in CONDITIONS},
        "unheard": (pl.col("data_state") == "unknown").sum(),
        "hashrate_ths": _where(is_known, pl.col("delivered_ths").sum()),
        # a machine without a rating counts with what it delivers
        "expected_ths": _where(is_rated, pl.coalesce("expected_ths", "delivered_ths").sum()),
        # a machine that is offline delivers nothing; one that is unknown may still hash
        "expected_unknown_ths": _where(is_rated, _total("running_ths", ~pl.col("is_known"))),
        "stopped_ths": _where(is_known, pl.col("stopped_ths").sum()),
        "lost_ths": _where(is_judged, lost),
        "lost_with_problem_ths": _where(is_judged, pl.min_horizontal(lost, _total("lack_ths", is_short & has_problem))),
        "surplus_ths": _where(is_judged, lost - lack.sum()),
    }


def _where(is_known: pl.Expr, figure: pl.Expr) -> Any:
    return pl.when(is_known).then(figure)


def _total(column: str, which: pl.Expr) -> pl.Expr:
    return pl.col(column).filter(which).cast(pl.Float64).sum()


def totals_answer(sums: dict[str, Any] | None, *, judged: bool = True) -> dict[str, Any]:
    """As in `schemas.overview.SiteTotals`. Totals of no machines are null, and so are conditions of a past time."""
    if sums is None:
        nothing: dict[str, Any] = dict.fromkeys((*SUMS, *OTHERS))
        sums = dict.fromkeys((*COUNTS, *CONDITIONS, "unheard"), 0) | nothing
    shown = {name: sums[name] for name in (*COUNTS, *SUMS, *OTHERS)}
    conditions = {name: sums[name] for name in CONDITIONS} if judged else None
    if not judged:
        shown["lost_with_problem_ths"] = None
    return shown | {"unknown": sums["unknown" if judged else "unheard"], "conditions": conditions}


def _running(newest: pl.Expr) -> dict[str, pl.Expr]:
    """In eco or perf, what its model does in that mode; until that is known, in eco what the machine itself does."""
    reference = pl.coalesce("given_ths", pl.col("inferred_ths").cast(pl.Float64))
    is_inferred = pl.col("given_ths").is_null() & reference.is_not_null()
    source = pl.when(is_inferred).then(pl.lit("inferred")).otherwise("given_source")
    share = pl.col("mode_share").cast(pl.Float64)
    in_mode = reference * share
    is_new = (pl.col("inferred_mode") == "eco") & (newest > HASHING_SHARE * reference)
    own = pl.min_horizontal(reference, pl.col("hashrate_5min_ths").cast(pl.Float64))
    by_mode = pl.when(in_mode.is_not_null()).then(in_mode).when(is_new).then(own)
    is_by_mode = by_mode.is_not_null() & (share.fill_null(0.0) != 1)
    rated = pl.coalesce("nameplate_ths", pl.when(~_is_setting(share)).then(reference))
    return {
        "reference_ths": reference,
        "rated_ths": rated,
        "rated_source": pl.coalesce("nameplate_source", pl.when(rated.is_not_null()).then(source)),
        "running_ths": pl.coalesce(by_mode, reference),
        "running_source": pl.when(is_by_mode).then(pl.lit("mode")).otherwise(source),
    }


def _is_setting(share: pl.Expr) -> pl.Expr:
    """In eco or perf, a reported figure may be that of the mode and not the rating."""
    is_apart = pl.col("inferred_mode").is_in(["eco", "perf"]).fill_null(value=False)
    return is_apart & (pl.col("given_source") == "reported").fill_null(value=False) & (share.fill_null(1.0) == 1)


def health_word() -> pl.Expr:
    """The condition as `overall_health` and `health_state` show it: `ok` for `fine`."""
    return pl.when(pl.col("condition") == "fine").then(pl.lit("ok")).otherwise("condition")


def _condition(is_unknown: pl.Expr) -> pl.Expr:
    """A problem first, then the state of its data. Fine: it hashes, and the last scan found nothing."""
    is_fresh = pl.col("data_state") == "fresh"
    return (
        pl.when(pl.col("overall_health").is_in(SEVERITIES))
        .then("overall_health")
        .when(is_unknown)
        .then(pl.lit("unknown"))
        .when("is_stopped")
        .then(pl.lit("stopped"))
        .when((pl.col("data_state") == "offline") | (is_fresh & pl.col("has_mean") & ~pl.col("is_hashing")))
        .then(pl.lit("down"))
        .when(is_fresh & pl.col("overall_health").is_in(SOUND))
        .then(pl.lit("fine"))
        .otherwise(pl.lit("unknown"))
    )
