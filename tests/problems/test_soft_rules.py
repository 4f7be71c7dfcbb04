"""Rules that need a past or peers: just under, at and over their thresholds, on numbers that a test has made."""

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from hashinsight.problems.baselines import Residuals
from hashinsight.problems.codes import ANCHORED_METRICS, ISSUES, METRICS, Issue, Metric, RuleVerdict
from hashinsight.problems.config import Config, resolve_limits
from hashinsight.problems.data_state import data_status
from hashinsight.problems.features import Features
from hashinsight.problems.frame import make_frame
from hashinsight.problems.health_rules import evaluate
from hashinsight.problems.health_rules.rule import Observations
from hashinsight.problems.peers import PeerPositions

N = 2  # the second machine stays as it is
FINE, HIT, UNKNOWN = RuleVerdict.FINE, RuleVerdict.HIT, RuleVerdict.UNKNOWN
USUAL = {
    Metric.HASHRATE_RATIO: 1.0, Metric.EFFICIENCY: 30.0, Metric.TEMP_MAX: 62.0, Metric.TEMP_LOAD: 74.0,
    Metric.TEMP_SPREAD: 4.0, Metric.BOARDS_RATIO: 1.0, Metric.REJECT_RATE: 0.003, Metric.HW_ERROR_RATE: 0.01,
}  # fmt: skip
SIGMA = {Metric.HASHRATE_RATIO: 0.013, Metric.EFFICIENCY: 0.4, Metric.TEMP_MAX: 0.5, Metric.TEMP_LOAD: 0.5}


def usual() -> Observations:
    """Two machines with which nothing is wrong."""
    frame = make_frame(
        range(N),
        {"ts": np.full(N, 1e9), "hashrate_ths": np.full(N, 104.0), "expected_ths": np.full(N, 104.0),
         "temp_max_c": np.full(N, 62.0), "fan_min_rpm": np.full(N, 4500.0), "rejected": np.full(N, 100.0)},
    )  # fmt: skip
    yes, no, zero = np.ones(N, dtype=np.bool_), np.zeros(N, dtype=np.bool_), np.zeros(N)
    values = np.stack([np.full(N, USUAL[metric]) for metric in Metric])
    sigma = np.stack([np.full(N, SIGMA.get(metric, 0.01)) for metric in Metric])
    nothing = np.zeros((METRICS, N))
    numbers: dict[str, Any] = {each.name: zero.copy() for each in fields(Features)}
    numbers |= {name: no.copy() for name in ("temp_fault", "fan_fault", "hashrate_implausible", "boards_contradict",
                                             "uptime_stuck", "frozen", "booting")}  # fmt: skip
    numbers |= {name: yes.copy() for name in ("is_online", "hashing", "steady")}
    numbers |= {metric.name.lower(): np.full(N, value) for metric, value in USUAL.items()}
    numbers["fan_speed_min"] = np.full(N, 4500.0)
    among = PeerPositions(np.zeros(N, np.int8), np.zeros(N, np.int64), np.full(N, 40), zero, zero, zero, ())
    return Observations(
        now=1e9 + 10,
        config=Config(),
        frame=frame,
        data=data_status(frame, np.full(N, np.nan), now=1e9 + 10, config=Config()),
        features=Features(**numbers),
        limits=resolve_limits(Config(), frame),
        own=Residuals(values, values * 0, nothing.copy(), sigma, nothing.copy(), nothing.copy(), nothing > 0),
        drift=np.full((ANCHORED_METRICS, N), np.nan),
        cusum_up=np.zeros((ANCHORED_METRICS, N)),
        cusum_down=np.zeros((ANCHORED_METRICS, N)),
        slope=zero.copy(),
        slope_hours=zero.copy(),
        frozen_samples=zero.copy(),
        mode=np.full(N, 2, np.int8),
        expectation=np.ones(N, np.int8),
        peers={
            metric: replace(among, median=np.full(N, USUAL[metric]), scale=np.full(N, SIGMA[metric]), z=zero.copy())
            for metric in (Metric.HASHRATE_RATIO, Metric.TEMP_MAX, Metric.EFFICIENCY)
        },
        site_reject_rate=np.full(N, 0.003),
        site_error_rate=np.full(N, 0.01),
        judgeable=yes.copy(),
        unlike_mode=no.copy(),
        shown=np.zeros((ISSUES, N), dtype=np.bool_),
    )


def says(seen: Observations, issue: Issue) -> RuleVerdict:
    results = evaluate(seen)
    del results[Issue.COLLECTOR_DOWN]
    assert not any(result.hit[1] for result in results.values()), "the other machine is healthy"
    return RuleVerdict(int(results[issue].verdict[0]))


def shifted(metric: Metric, by: float, *, z: float | None = None) -> Observations:
    seen = usual()
    for values in (seen.own.residual, seen.own.smooth):
        values[metric, 0] = by
    seen.own.z[metric, 0] = by / seen.own.sigma[metric, 0] if z is None else z
    return seen


def behind(seen: Observations, mean_rpm: float, slowest_rpm: float) -> Observations:
    seen.frame.fan_rpm[0] = mean_rpm
    seen.features.fan_speed_min[0] = slowest_rpm
    return seen


def test_a_machine_that_is_as_ever_is_fine_by_every_rule_that_can_judge() -> None:
    results = evaluate(usual())
    assert not any(result.hit.any() for result in results.values())
    soft = (Issue.HASHRATE_DEGRADATION, Issue.EFFICIENCY_DEGRADATION, Issue.TEMP_ANOMALY, Issue.FLEET_OUTLIER)
    assert all((results[issue].verdict == FINE).all() for issue in soft)


@pytest.mark.parametrize(
    ("issue", "metric", "by", "z", "verdict"),
    [
        (Issue.HASHRATE_DEGRADATION, Metric.HASHRATE_RATIO, -0.0299, -2.3, FINE),
        (Issue.HASHRATE_DEGRADATION, Metric.HASHRATE_RATIO, -0.03, -2.3, HIT),
        (Issue.HASHRATE_DEGRADATION, Metric.HASHRATE_RATIO, -0.30, -23.0, HIT),
        (Issue.HASHRATE_DEGRADATION, Metric.HASHRATE_RATIO, -0.30, -2.0, FINE),
        (Issue.HASHRATE_DEGRADATION, Metric.HASHRATE_RATIO, -0.30, -2.01, HIT),
        (Issue.HASHRATE_DEGRADATION, Metric.HASHRATE_RATIO, 0.30, 23.0, FINE),
        (Issue.EFFICIENCY_DEGRADATION, Metric.EFFICIENCY, 1.49, 3.7, FINE),
        (Issue.EFFICIENCY_DEGRADATION, Metric.EFFICIENCY, 1.5, 3.75, HIT),
        (Issue.EFFICIENCY_DEGRADATION, Metric.EFFICIENCY, 3.0, 2.0, FINE),
        (Issue.EFFICIENCY_DEGRADATION, Metric.EFFICIENCY, 3.0, 2.01, HIT),
        (Issue.TEMP_ANOMALY, Metric.TEMP_MAX, 3.9, 7.8, FINE),
        (Issue.TEMP_ANOMALY, Metric.TEMP_MAX, 4.0, 8.0, HIT),
        (Issue.TEMP_ANOMALY, Metric.TEMP_MAX, 6.0, 2.5, FINE),
        (Issue.TEMP_ANOMALY, Metric.TEMP_MAX, 6.0, 2.51, HIT),
        (Issue.TEMP_ANOMALY, Metric.TEMP_LOAD, 4.0, 8.0, HIT),
        (Issue.BOARDS_DEGRADING, Metric.BOARDS_RATIO, -0.1, None, FINE),
        (Issue.BOARDS_DEGRADING, Metric.BOARDS_RATIO, -0.101, None, HIT),
    ],
)
def test_z_and_effect_must_both_pass(
    issue: Issue, metric: Metric, by: float, z: float | None, verdict: RuleVerdict
) -> None:
    assert says(shifted(metric, by, z=z), issue) is verdict


@pytest.mark.parametrize(
    ("z", "mean_rpm", "slowest_rpm", "verdict"),
    [
        (2.51, 4500.0, 3500.0, HIT),
        (2.51, 4500.0, 3501.0, FINE),
        (2.5, 4500.0, 3500.0, FINE),
        (4.0, 4500.0, 0.0, FINE),  # it stands, and that is `fan_zero`
        (4.0, np.nan, 2000.0, FINE),  # nothing is told of the others
        (4.0, np.nan, np.nan, FINE),
    ],
)
def test_a_fan_far_behind_the_others_of_a_machine_that_gets_hotter_is_found(
    z: float, mean_rpm: float, slowest_rpm: float, verdict: RuleVerdict
) -> None:
    assert says(behind(shifted(Metric.TEMP_MAX, 2.0, z=z), mean_rpm, slowest_rpm), Issue.TEMP_ANOMALY) is verdict


def test_a_fan_behind_the_others_is_nothing_without_a_past_and_is_held_with_less() -> None:
    seen = behind(shifted(Metric.TEMP_MAX, 2.0, z=4.0), 4500.0, 3500.0)
    seen.own.cold[Metric.TEMP_MAX, 0] = True
    assert says(seen, Issue.TEMP_ANOMALY) is not HIT
    seen = behind(shifted(Metric.TEMP_MAX, 1.5, z=1.8), 4500.0, 3790.0)
    assert says(seen, Issue.TEMP_ANOMALY) is FINE
    seen.shown[Issue.TEMP_ANOMALY, 0] = True
    assert says(seen, Issue.TEMP_ANOMALY) is HIT
    assert says(behind(seen, 4500.0, 3810.0), Issue.TEMP_ANOMALY) is FINE


@pytest.mark.parametrize(("sum_", "verdict"), [(11.9, FINE), (12.0, HIT)])
def test_a_fan_behind_the_others_is_found_where_heat_came_by_and_by(sum_: float, verdict: RuleVerdict) -> None:
    seen = behind(usual(), 4500.0, 3400.0)
    seen.cusum_up[Metric.TEMP_MAX, 0] = sum_
    assert says(seen, Issue.TEMP_ANOMALY) is verdict


def test_a_mean_that_is_low_after_the_values_have_come_back_is_no_reason() -> None:
    seen = shifted(Metric.HASHRATE_RATIO, -0.05)
    seen.own.residual[Metric.HASHRATE_RATIO, 0] = -0.014
    assert says(seen, Issue.HASHRATE_DEGRADATION) is FINE


def test_an_open_problem_is_held_with_a_narrower_margin() -> None:
    seen = shifted(Metric.HASHRATE_RATIO, -0.0275)
    assert says(seen, Issue.HASHRATE_DEGRADATION) is FINE
    seen.shown[Issue.HASHRATE_DEGRADATION, 0] = True
    assert says(seen, Issue.HASHRATE_DEGRADATION) is HIT


@pytest.mark.parametrize(("sum_", "apart", "verdict"), [(11.9, -0.05, FINE), (12.0, -0.05, HIT), (12.0, -0.029, FINE)])
def test_a_slow_decline_is_seen_by_its_sum_and_its_size(sum_: float, apart: float, verdict: RuleVerdict) -> None:
    seen = usual()
    seen.drift[Metric.HASHRATE_RATIO] = 0.0
    seen.drift[Metric.HASHRATE_RATIO, 0] = apart
    seen.cusum_down[Metric.HASHRATE_RATIO, 0] = sum_
    assert says(seen, Issue.HASHRATE_DEGRADATION) is verdict


@pytest.mark.parametrize(("hours", "verdict"), [(11.9, FINE), (12.0, HIT)])
def test_a_slope_must_last(hours: float, verdict: RuleVerdict) -> None:
    seen = usual()
    seen.slope_hours[0] = hours
    assert says(seen, Issue.TREND_ANOMALY) is verdict


def test_a_slope_that_a_lost_board_explains_is_not_judged() -> None:
    seen = shifted(Metric.BOARDS_RATIO, -0.33)
    seen.slope_hours[0] = 40.0
    assert says(seen, Issue.TREND_ANOMALY) is UNKNOWN


@pytest.mark.parametrize(
    ("rate", "rejected", "usual_rate", "verdict"),
    [
        (0.029, 50.0, 0.003, FINE),
        (0.03, 50.0, 0.003, HIT),
        (0.03, 7.9, 0.003, FINE),
        (0.03, 8.0, 0.003, HIT),
        (0.16, 99.0, 0.041, FINE),
        (0.165, 99.0, 0.041, HIT),
    ],
)
def test_rejects_are_many_in_number_and_against_peers(
    rate: float, rejected: float, usual_rate: float, verdict: RuleVerdict
) -> None:
    seen = usual()
    seen.features.reject_rate[0] = rate
    seen.own.residual[Metric.REJECT_RATE, 0] = rate - 0.003
    seen.features.recent_rejected[0] = rejected
    seen.features.recent_shares[0] = rejected / rate
    seen.site_reject_rate[:] = usual_rate
    assert says(seen, Issue.REJECT_RATE_HIGH) is verdict


@pytest.mark.parametrize(
    ("per_hour", "peers_per_hour", "past_per_hour", "verdict"),
    [
        (11.9, 1.0, 1.0, FINE),
        (12.1, 1.0, 1.0, HIT),
        (20.0, 5.1, 1.0, FINE),
        (20.0, 1.0, 5.1, FINE),
        (21, 5.1, 5.1, HIT),
    ],
)
def test_hardware_errors_are_many_against_peers_and_the_past(
    per_hour: float, peers_per_hour: float, past_per_hour: float, verdict: RuleVerdict
) -> None:
    seen = usual()
    seen.features.hw_error_rate[0] = per_hour / 104
    seen.own.residual[Metric.HW_ERROR_RATE, 0] = (per_hour - past_per_hour) / 104
    seen.site_error_rate[:] = peers_per_hour / 104
    assert says(seen, Issue.HW_ERROR_RATE_HIGH) is verdict


@pytest.mark.parametrize(
    ("metric", "value", "z", "verdict"),
    [
        (Metric.HASHRATE_RATIO, 0.86, -9.0, FINE),
        (Metric.HASHRATE_RATIO, 0.849, -9.0, HIT),
        (Metric.HASHRATE_RATIO, 0.5, -3.0, FINE),
        (Metric.HASHRATE_RATIO, 1.5, 30.0, FINE),
        (Metric.TEMP_MAX, 71.9, 9.0, FINE),
        (Metric.TEMP_MAX, 72.0, 9.0, HIT),
        (Metric.EFFICIENCY, 34.4, 9.0, FINE),
        (Metric.EFFICIENCY, 34.6, 9.0, HIT),
    ],
)
def test_an_outlier_is_far_in_spread_and_in_size(metric: Metric, value: float, z: float, verdict: RuleVerdict) -> None:
    seen = usual()
    seen.own.value[metric, 0] = value
    seen.peers[metric].z[0] = z
    assert says(seen, Issue.FLEET_OUTLIER) is verdict


@pytest.mark.parametrize(("by", "verdict"), [(15.0, FINE), (15.1, HIT)])
def test_a_sensor_far_from_the_mean_of_its_boards_is_broken(by: float, verdict: RuleVerdict) -> None:
    assert says(shifted(Metric.TEMP_SPREAD, by), Issue.SENSOR_FAULT) is verdict


def test_without_enough_samples_a_machine_is_not_judged_against_its_history() -> None:
    seen = shifted(Metric.HASHRATE_RATIO, -0.4)
    seen.own.cold[Metric.HASHRATE_RATIO, 0] = True
    assert says(seen, Issue.HASHRATE_DEGRADATION) is UNKNOWN


def test_a_machine_that_reboots_again_and_again_is_found_while_it_is_never_steady() -> None:
    seen = usual()
    seen.judgeable[0] = False
    seen.features.boots[0] = 2.9
    assert says(seen, Issue.HASHRATE_DEGRADATION) is UNKNOWN
    seen.features.boots[0] = 3.0
    assert says(seen, Issue.HASHRATE_DEGRADATION) is HIT
