"""Scores: what counts as found, how late, what is false, and how sure one can be. By tables to be checked by hand."""

from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl
import pytest

from hashinsight.bench import detection_scores as scores
from hashinsight.bench.detection import FIRST_SEED, Size, _early_warnings, campaign_size, summarize, with_prefix
from hashinsight.sim.faults import PUBLIC
from hashinsight.sim.frames import LABELS

BEGIN = datetime(2026, 3, 1, tzinfo=UTC)
LAST = BEGIN + timedelta(days=4)
FAULT = BEGIN + timedelta(days=2)
TIME = pl.Datetime("ms", "UTC")
NO_FANS = pl.DataFrame(schema={"miner_id": pl.String, "zero_ts": TIME})


def at(minutes: float) -> datetime:
    """By the moment of the fault."""
    return FAULT + timedelta(minutes=minutes)


def labels(*rows: dict[str, Any]) -> pl.DataFrame:
    usual = {
        "site": "north", "miner_id": "a", "kind": "hashboard_lost", "family": "boards", "start": FAULT, "end": at(600),
        "precursor_start": None, "scope": "machine", "severity": 1.0,
    }  # fmt: skip
    made = [{"no": no, **usual, **row} for no, row in enumerate(rows)]
    return pl.DataFrame([{**row, "members": [row["miner_id"]]} for row in made], schema=LABELS)


def opened(*rows: tuple[float, float | None], miner: str = "a", code: str = "boards_degrading") -> pl.DataFrame:
    return pl.DataFrame(
        [
            (miner, code, "P3", at(begin), None if end is None else at(end), no, True)
            for no, (begin, end) in enumerate(rows)
        ],
        schema={
            "miner_id": pl.String, "issue_code": pl.String, "severity": pl.String, "opened": TIME, "closed": TIME,
            "event_no": pl.Int64, "first": pl.Boolean,
        },
        orient="row",
    )  # fmt: skip


def score(problems: pl.DataFrame, *rows: dict[str, Any]) -> pl.DataFrame:
    episodes = scores.truth(labels(*rows), NO_FANS, last=LAST)
    return scores.score_faults(problems, episodes, begin=BEGIN, last=LAST)


def score_one(problems: pl.DataFrame, **row: Any) -> dict[str, Any]:
    (rows,) = score(problems, row).to_dicts()
    return rows


WARNED = {"precursor_start": at(-2 * 24 * 60 + 300)}


@pytest.mark.parametrize(
    ("when", "outcome"),
    [
        ((5, None), ("in two cycles", 5.0)),
        ((10, 60), ("in two cycles", 10.0)),  # mended, or gone again: it was told
        ((15, None), ("later", 15.0)),
        ((601, None), ("never", None)),  # after its end
        ((-1200, -600), ("never", None)),  # on its warning, but gone when it mattered
        ((-1200, 0), ("never", None)),
        ((-1200, 5), ("in two cycles", 0.0)),
        ((-1200, None), ("in two cycles", 0.0)),
        ((-2700, None), ("never", None)),  # before anything could warn
    ],
)
def test_a_problem_counts_if_it_is_visible_when_the_fault_is_there_or_later(
    when: tuple[float, float | None], outcome: tuple[str, float | None]
) -> None:
    scored = score_one(opened(when), **WARNED)
    how = "never" if scored["opened"] is None else "in two cycles" if scored["in_two"] else "later"
    assert (how, scored["delay_min"]) == outcome
    assert scored["early"] is (how != "never" and when[0] < 0)
    assert scored["early_min"] == (-when[0] if scored["early"] else None)


def test_a_problem_that_ended_on_the_warning_does_not_hide_a_late_detection() -> None:
    scored = score_one(opened((-1200, -600), (25, None)), **WARNED)
    assert (scored["in_two"], scored["delay_min"], scored["early"]) == (False, 25.0, False)
    assert scored["duplicates"] == 1  # and people saw two


def test_without_a_warning_an_older_problem_is_no_finding() -> None:
    assert score_one(opened((-30, None)))["opened"] is None


def test_protection_delay_counts_from_the_trip_and_problems_ended_before_do_not_count() -> None:
    stopped = {"code": "hashrate_zero"}
    assert score_one(opened((15, None), **stopped), kind="psu_protection")["in_two"]
    assert not score_one(opened((20, None), **stopped), kind="psu_protection")["in_two"]
    assert score_one(opened((2, 6), **stopped), kind="psu_protection")["opened"] is None


def test_only_fitting_issues_detect_a_known_fault_and_any_issue_an_unseen_one() -> None:
    fan = opened((5, None), code="fan_zero")
    assert score_one(fan)["opened"] is None
    assert score_one(opened((5, None), miner="b"))["opened"] is None
    assert score_one(fan, kind="kept_for_scoring")["opened"] is not None


def test_the_first_hours_common_causes_and_machines_that_are_ill_already_are_left_out() -> None:
    problems = opened((5, None))
    assert score(problems, {"start": BEGIN + timedelta(hours=1)}).is_empty()
    assert score(problems, {"scope": "site"}).is_empty()
    assert score(problems, {}, {"kind": "dust", "start": at(-600), "end": at(-30)}).height == 1
    assert score(problems, {}, {"kind": "dust", "start": at(-600), "end": at(-90)}).height == 2
    assert score(problems, {"kind": "spontaneous_reboot"}).is_empty()


def test_a_stopped_fan_differs_from_a_slow_one_by_its_first_row() -> None:
    zero = pl.DataFrame({"miner_id": ["a", "b"], "zero_ts": [at(5), at(50)]}, schema=NO_FANS.schema)
    rows = labels({"kind": "fan_failing"}, {"kind": "fan_failing", "miner_id": "b"})
    assert scores.truth(rows, zero, last=LAST)["kind"].to_list() == ["fan_stopped", "fan_failing"]


def test_problems_without_a_fault_of_the_machine_are_false() -> None:
    episodes = scores.truth(labels({"precursor_start": at(-60)}), NO_FANS, last=LAST)
    for minutes, is_false in ((-71, True), (-69, False), (5, False), (659, False), (661, True)):
        assert scores.false_openings(opened((minutes, None)), episodes).height == int(is_false), minutes
    assert scores.false_openings(opened((5, None), miner="b"), episodes).height == 1
    nothing = labels().filter(pl.lit(value=False))
    assert scores.false_openings(opened((5, None)), scores.truth(nothing, NO_FANS, last=LAST)).height == 1


def moves(*rows: tuple[float, int, str, str]) -> pl.DataFrame:
    schema: dict[str, Any] = {"ts": TIME, "event_no": pl.Int64, "issue_code": pl.String, "action": pl.String}
    made = pl.DataFrame([(at(when), *rest) for when, *rest in rows], schema=schema, orient="row")
    return made.with_columns(subject=pl.lit(0, pl.Int64), severity=pl.lit("P1"))


def test_a_problem_is_visible_from_each_opening_to_its_end_or_until_a_worse_one_takes_over() -> None:
    openings = scores.openings(
        moves(
            (0, 1, "offline", "created"),
            (5, 2, "overheat_warn", "created"),
            (6, 3, "hashrate_zero", "created"),
            (8, 3, "hashrate_zero", "escalated"),
            (10, 1, "offline", "resolved"),
            (15, 2, "overheat_warn", "escalated"),
            (15, 4, "overheat_crit", "created"),
            (20, 1, "offline", "recurred"),
        ),
        {0: "a"},
    )
    seen = [(row["event_no"], row["opened"], row["closed"], row["first"]) for row in openings.to_dicts()]
    assert seen == [
        (1, at(0), at(10), True),
        (2, at(5), at(15), True),
        (3, at(6), None, True),  # it got worse and is there
        (4, at(15), None, True),
        (1, at(20), None, False),
    ]
    assert set(openings["miner_id"]) == {"a"}


def test_collectors_are_not_machines() -> None:
    of_a_collector = moves((0, 1, "collector_down", "created")).with_columns(subject=pl.lit(-1, pl.Int64))
    assert scores.openings(of_a_collector, {}).is_empty()


def test_intervals_are_wilsons_and_byars() -> None:
    low, high = scores.share_interval(81, 263)  # Newcombe 1998, table I
    assert (round(low, 4), round(high, 4)) == (0.2553, 0.3662)
    assert scores.share_interval(0, 0) == (0.0, 1.0)
    assert (scores.share_interval(54, 54)[1], scores.share_interval(0, 54)[0]) == (1.0, 0.0)  # to the last bit
    low, high = scores.rate_interval(10, 1.0)
    assert low == pytest.approx(4.80, abs=0.02)  # exact: 4.795 and 18.390
    assert high == pytest.approx(18.39, abs=0.02)


def test_the_default_campaign_is_long_enough_for_its_figures() -> None:
    """With nothing false, fewer than 0.05 a thousand machine-days; with nothing missed, 0.999 from 3,838 faults on."""
    usual = Size()
    thousands = usual.seeds * usual.machines * usual.days / 1000
    assert scores.rate_interval(0, thousands)[1] < 0.05
    assert scores.rate_interval(1, thousands)[1] < 0.05
    assert scores.share_interval(3838, 3838)[0] >= 0.999 > scores.share_interval(3837, 3837)[0]
    assert campaign_size({"machines": 100.0, "days": 1.5, "seeds": 2.0}) == Size(machines=100, days=1.5, seeds=2)
    assert FIRST_SEED + usual.seeds <= FIRST_SEED + 500  # no seed is used twice


def test_warnings_are_counted_apart() -> None:
    figures = _early_warnings("x", score(opened((-100, None)), WARNED))
    assert figures == {"x_warned_before": 1.0, "x_median_warning_min": 100.0}
    assert _early_warnings("x", score(opened((5, None)), WARNED)) == {"x_warned_before": 0.0}


def test_soft_and_unseen_faults_are_summed_up_apart_and_drift_outcome_in_hours() -> None:
    kinds = [
        ("hashboard_lost", 5.0), ("hashboard_lost", 9.0), ("fan_stopped", 4.0), ("fan_failing", 8.0), ("dust", 600.0),
        ("paste", 120.0), ("dust", None), ("pool_rejects", 10.0), ("kept_for_scoring", None), ("share_skimming", 60.0),
    ]  # fmt: skip
    frame = pl.DataFrame(
        {"kind": [kind for kind, _ in kinds], "delay_min": [delay for _, delay in kinds]},
    ).with_columns(opened=pl.col("delay_min"))
    figures = summarize(frame)
    assert figures == {
        "recall_soft": 4 / 5,
        "recall_unseen": 1 / 2,
        "delay_board_min": 7.0,
        "delay_fan_min": 6.0,
        "delay_drift_h": 6.0,
    }
    assert summarize(frame.clear()) == {}  # what was not measured has no figure


def test_unseen_families_have_the_name_of_the_specification_without_that_of_their_part() -> None:
    figures = with_prefix("reserved", {"recall_soft": 0.9, "recall_unseen": 0.4, "plain_recall_unseen": 0.3})
    assert figures == {"reserved_recall_soft": 0.9, "recall_unseen": 0.4, "plain_recall_unseen": 0.3}


def test_no_public_family_counts_as_unseen() -> None:
    kinds = {family.kind for family in PUBLIC} - {"spontaneous_reboot"}
    assert kinds <= scores.DETECTED_BY.keys()
