"""Whatever a make does not report, the rest is judged, and the row says what it was judged without."""

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hashinsight.problems.codes import Issue, Metric, RuleVerdict
from hashinsight.problems.features import LEFT_OUT, left_out_names
from hashinsight.problems.health_rules import RULES
from tests.problems.fleet import Fleet, readings_of

OPTIONAL = (
    "hashrate_ths", "expected_ths", "temp_c", "temp_max_c", "fan_min_rpm", "fan_rpm", "power_w", "accepted",
    "rejected", "hw_errors", "uptime_sec", "boards_healthy", "boards_total", "site", "collector", "model", "firmware",
)  # fmt: skip
DEPENDS = {
    "hashrate_ratio": ("hashrate_ths",),  # what is expected is inferred where nobody says it
    "boards_ratio": ("boards_healthy", "boards_total"),
    "temp_max": ("temp_max_c",),
    "temp_load": ("temp_max_c", "fan_min_rpm"),
    "temp_spread": ("temp_max_c", "temp_c"),
    "efficiency": ("hashrate_ths", "power_w"),
    "fan_speed_min": ("fan_min_rpm",),
    "reject_rate": ("accepted", "rejected"),
    "hw_error_rate": ("hw_errors", "hashrate_ths"),
}


@settings(max_examples=40, deadline=None)
@given(gone=st.sets(st.sampled_from(OPTIONAL)))
def test_every_subset_of_fields_runs_and_lists_the_skipped_rules(gone: set[str]) -> None:
    fleet = Fleet(n=8)

    def drop(readings: dict[str, Any]) -> None:
        for name in gone:
            del readings[name]

    result = fleet.cycle(drop, times=9)
    lacks = {name for name, needs in DEPENDS.items() if set(needs) & gone} | {"board_share_min"}
    assert {left_out_names(int(bits)) for bits in result.left_out} == {tuple(n for n in LEFT_OUT if n in lacks)}
    for rule in RULES:
        if set(rule.needs) & lacks:
            assert (result.verdict[rule.issue] == RuleVerdict.UNKNOWN).all(), rule.code
    assert (result.verdict != RuleVerdict.HIT).all()
    assert (result.verdict[Issue.OFFLINE] == RuleVerdict.FINE).all()


def test_a_machine_with_fewer_fields_takes_no_rule_from_the_others() -> None:
    fleet = Fleet(n=8)
    result = fleet.cycle(readings_of(2, power_w=np.nan, fan_min_rpm=np.nan), times=10)
    assert left_out_names(int(result.left_out[2])) == ("temp_load", "efficiency", "fan_speed_min", "board_share_min")
    assert left_out_names(int(result.left_out[3])) == ("board_share_min",)
    assert not result.observed.own.cold[Metric.EFFICIENCY, 3]
    assert result.verdict[Issue.EFFICIENCY_DEGRADATION, 2] == RuleVerdict.UNKNOWN
    assert result.verdict[Issue.TEMP_ANOMALY, 2] == RuleVerdict.FINE


def test_boards_that_contradict_their_total_are_implausible() -> None:
    fleet = Fleet(n=8)

    def boards(readings: dict[str, Any]) -> None:
        readings["board_ths"] = np.stack([readings["hashrate_ths"] / 3] * 3)
        readings["board_ths"][0, 1] = 5.0

    result = fleet.cycle(boards)
    assert result.verdict[Issue.DATA_IMPLAUSIBLE].tolist() == [1, 2, 1, 1, 1, 1, 1, 1]


def test_frozen_values_are_implausible_and_a_missing_uptime_needs_more_of_them() -> None:
    fleet = Fleet(n=8)
    fleet.warm_up()
    kept: dict[str, float] = {}

    def hung(readings: dict[str, Any]) -> None:
        for name in ("hashrate_ths", "temp_c", "temp_max_c", "power_w", "uptime_sec", "accepted"):
            readings[name][0] = kept.setdefault(name, float(readings[name][0]))

    fleet.cycle(hung, times=2)
    assert fleet.say_of(Issue.DATA_IMPLAUSIBLE) is RuleVerdict.FINE
    fleet.cycle(hung)
    assert fleet.say_of(Issue.DATA_IMPLAUSIBLE) is RuleVerdict.HIT
    fleet.cycle(hung)
    assert fleet.problems(0) == {"data_implausible"}
