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
def test_every_subset_of_fields_runs_and_says_what_was_left_out(gone: set[str]) -> None:
    yard = Fleet(n=8)

    def drop(told: dict[str, Any]) -> None:
        for name in gone:
            del told[name]

    found = yard.cycle(drop, times=9)
    lacks = {name for name, needs in DEPENDS.items() if set(needs) & gone} | {"board_share_min"}
    assert {left_out_names(int(bits)) for bits in found.left_out} == {tuple(n for n in LEFT_OUT if n in lacks)}
    for rule in RULES:
        if set(rule.needs) & lacks:
            assert (found.verdict[rule.issue] == RuleVerdict.UNKNOWN).all(), rule.code
    assert (found.verdict != RuleVerdict.HIT).all()
    assert (found.verdict[Issue.OFFLINE] == RuleVerdict.FINE).all()


def test_one_machine_that_says_less_takes_nothing_from_the_others() -> None:
    yard = Fleet(n=8)
    found = yard.cycle(readings_of(2, power_w=np.nan, fan_min_rpm=np.nan), times=10)
    assert left_out_names(int(found.left_out[2])) == ("temp_load", "efficiency", "fan_speed_min", "board_share_min")
    assert left_out_names(int(found.left_out[3])) == ("board_share_min",)
    assert not found.observed.own.cold[Metric.EFFICIENCY, 3]
    assert found.verdict[Issue.EFFICIENCY_DEGRADATION, 2] == RuleVerdict.UNKNOWN
    assert found.verdict[Issue.TEMP_ANOMALY, 2] == RuleVerdict.FINE


def test_boards_that_contradict_their_total_are_implausible() -> None:
    yard = Fleet(n=8)

    def boards(told: dict[str, Any]) -> None:
        told["board_ths"] = np.stack([told["hashrate_ths"] / 3] * 3)
        told["board_ths"][0, 1] = 5.0

    found = yard.cycle(boards)
    assert found.verdict[Issue.DATA_IMPLAUSIBLE].tolist() == [1, 2, 1, 1, 1, 1, 1, 1]


def test_values_that_stand_still_are_implausible_and_a_silent_uptime_needs_more() -> None:
    yard = Fleet(n=8)
    yard.warm_up()
    kept: dict[str, float] = {}

    def hung(told: dict[str, Any]) -> None:
        for name in ("hashrate_ths", "temp_c", "temp_max_c", "power_w", "uptime_sec", "accepted"):
            told[name][0] = kept.setdefault(name, float(told[name][0]))

    yard.cycle(hung, times=2)
    assert yard.say_of(Issue.DATA_IMPLAUSIBLE) is RuleVerdict.FINE
    yard.cycle(hung)
    assert yard.say_of(Issue.DATA_IMPLAUSIBLE) is RuleVerdict.HIT
    yard.cycle(hung)
    assert yard.problems(0) == {"data_implausible"}
