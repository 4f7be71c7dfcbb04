"""Each rule hits by each of its criteria, and its evidence says so: value, threshold and what it was compared with."""

import json
from typing import Any

import numpy as np
import pytest

from hashinsight.problems.codes import Issue, RuleVerdict
from hashinsight.problems.config import Config
from hashinsight.problems.evidence import peer_metrics, rule_evidence
from hashinsight.problems.health_rules import RULES
from hashinsight.problems.health_rules.rule import Rule
from hashinsight.problems.pipeline import CycleResult
from tests.problems.fleet import Change, Fleet, both, readings_of, slower
from tests.problems.rule_cases import (
    CASE_IDS,
    CASES,
    Drive,
    after_warm_up,
    collector_without_samples,
    extra_counts,
    is_consistent,
    one_slow_fan,
    read_evidence,
    run_case,
    silent_collector,
)


def read_peers(result: CycleResult, row: int) -> dict[str, Any]:
    _, text = peer_metrics(result, np.array([3, row]))
    assert text is not None
    peers: dict[str, Any] = json.loads(text)
    return peers


@pytest.mark.parametrize(("issue", "criterion", "drive"), CASES, ids=CASE_IDS)
def test_the_evidence_names_the_criterion_that_hit(issue: Issue, criterion: str, drive: Drive) -> None:
    result = run_case(issue, drive)
    assert result.rules[issue].verdict[0] == RuleVerdict.HIT
    evidence = read_evidence(result, 0, issue)
    assert evidence["way"] == criterion
    assert is_consistent(evidence), evidence
    assert {"rule_code", "description", "threshold", "evaluated_at", evidence["metric"]} <= set(evidence)
    if issue is not Issue.COLLECTOR_DOWN:
        assert {"held", "left_out"} <= set(evidence)
        assert criterion in evidence.get("ways", [criterion])


def test_every_criterion_of_every_rule_has_a_case() -> None:
    covered = {(issue, criterion) for issue, criterion, _ in CASES}
    assert covered == {(rule.issue, criterion.name) for rule in RULES for criterion in rule.criteria}


def test_every_issue_has_one_rule_with_actions() -> None:
    assert [rule.issue for rule in sorted(RULES, key=lambda rule: rule.issue)] == list(Issue)
    assert all(rule.actions for rule in RULES)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_the_evidence_of_every_rule_is_json_also_without_a_hit(rule: Rule) -> None:
    result = Fleet(n=6).cycle(times=2)
    assert read_evidence(result, 0, rule.issue)["rule_code"] == rule.code


def test_whatever_happens_value_threshold_and_verdict_agree() -> None:
    """Forty machines that overheat, slow down, stop and reboot at random, and recover in between."""
    rng = np.random.default_rng(7)
    fleet = Fleet(n=40, config=Config(interval_sec=300.0))
    fleet.warm_up()
    factors = {"hashrate_ths": 0.8, "power_w": 1.25, "temp_max_c": 1.3, "temp_c": 1.2, "fan_min_rpm": 1.5}
    explained = 0
    for _ in range(6):
        names = rng.choice(list(factors), size=fleet.n)
        part = rng.uniform(0.0, 1.3, size=fleet.n) * (rng.random(fleet.n) < 0.6)

        def change(readings: dict[str, Any], names: Any = names, part: Any = part) -> None:
            for name, factor in factors.items():
                readings[name] = readings[name] * np.where(names == name, 1 + (factor - 1) * part, 1.0)
            readings["rejected"] = readings["rejected"] + np.where(part > 1.1, readings["accepted"] * 0.05, 0.0)
            readings["uptime_sec"] = np.where(part > 1.2, 60.0, readings["uptime_sec"])

        for _ in range(4):
            result = fleet.cycle(change)
            for issue in set(Issue) - {Issue.COLLECTOR_DOWN}:
                hits = np.flatnonzero(result.verdict[issue] == RuleVerdict.HIT)
                evidence = [json.loads(text) for text in rule_evidence(result, hits, issue)] if len(hits) else []
                assert all(is_consistent(each) for each in evidence), evidence
                explained += len(evidence)
    assert explained > 80


def test_a_hit_has_its_metric_its_threshold_and_its_time() -> None:
    result = Fleet().cycle(readings_of(0, temp_max_c=97.0))
    evidence = read_evidence(result, 0, Issue.OVERHEAT_CRIT)
    assert evidence["rule_code"] == "overheat_crit"
    assert (evidence["temp_max"], evidence["threshold"]) == (97.0, 95.0)
    assert evidence["evaluated_at"] == "2026-05-29T12:05:00Z"
    assert evidence["left_out"] == ["reject_rate", "hw_error_rate", "board_share_min"]


def test_an_open_problem_has_the_narrower_limit_that_holds_it() -> None:
    fleet = Fleet()
    fleet.cycle(readings_of(0, temp_max_c=96.0), times=2)
    evidence = read_evidence(fleet.cycle(readings_of(0, temp_max_c=94.0)), 0, Issue.OVERHEAT_CRIT)
    assert (evidence["temp_max"], evidence["threshold"], evidence["held"]) == (94.0, 93.0, True)


def test_a_machine_halfway_back_is_shown_by_the_mean_that_still_hits() -> None:
    fleet = Fleet()
    fleet.warm_up()
    fleet.cycle(slower(0, 0.2), times=8)
    evidence = read_evidence(fleet.cycle(readings_of(0, hashrate_ths=104 * 0.988)), 0, Issue.HASHRATE_DEGRADATION)
    assert (evidence["measured"], evidence["way"]) == ("half_hour_mean", "own_past")
    assert evidence["hashrate_ratio"] < evidence["threshold"] < evidence["baseline"]["value"]


def test_hardware_errors_are_given_per_ths_and_as_they_are_counted() -> None:
    result = after_warm_up(extra_counts("hw_errors", 40.0), times=14)(fleet := Fleet())
    evidence = read_evidence(result, 0, Issue.HW_ERROR_RATE_HIGH)
    assert evidence["threshold"] * 104 == pytest.approx(12.0 * 0.7, abs=0.01)  # held: it is open by now
    assert evidence["hw_errors_per_hour"] == pytest.approx(evidence["hw_error_rate"] * 104, rel=1e-4)
    assert fleet.problems(0) == {"hw_error_rate_high"}


def test_two_criteria_at_once_are_both_named_and_the_first_has_its_values() -> None:
    faults = both(readings_of(0, temp_max_c=255.0), readings_of(0, fan_min_rpm=-1.0))
    evidence = read_evidence(after_warm_up(faults)(Fleet()), 0, Issue.SENSOR_FAULT)
    assert (evidence["way"], evidence["ways"]) == ("temp_sentinel", ["temp_sentinel", "fan_sentinel"])


def test_a_slow_fan_is_compared_with_the_others_and_held_by_less() -> None:
    fleet = Fleet(n=12)
    result = one_slow_fan(fleet)
    assert fleet.problems(0) == {"temp_anomaly"}
    evidence, frame = read_evidence(result, 0, Issue.TEMP_ANOMALY), result.observed.frame
    assert evidence["fan_speed_min"] == pytest.approx(frame.fan_min_rpm[0])
    assert evidence["fan_speed_avg"] == pytest.approx(frame.fan_rpm[0])
    assert (evidence["held"], evidence["threshold"]) == (True, pytest.approx(frame.fan_rpm[0] - 0.7 * 1000))
    assert evidence["temp_max"] == pytest.approx(frame.temp_max_c[0])


def change_fans(machines: slice, rpm: float, rise_c: float) -> Change:
    def change(readings: dict[str, Any]) -> None:
        readings["fan_min_rpm"][machines] += rpm
        readings["fan_rpm"][machines] += rpm
        readings["temp_max_c"][machines] += rise_c

    return change


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (both(change_fans(slice(1, None), -800, 0), change_fans(slice(1), 1200, 2)),
         both(change_fans(slice(1, None), 1500, 6), change_fans(slice(1), 1550, 10.5))),
        (both(), change_fans(slice(16, None), 2200, -3)),
        (both(), change_fans(slice(1), -1900, 2.5)),
    ],
    ids=["a hot spot on the first hot day", "most were set to a higher speed", "one was set to a lower speed"],
)  # fmt: skip
def test_fans_that_all_change_together_are_no_slow_fan(before: Change, after: Change) -> None:
    fleet = Fleet(n=40)
    fleet.cycle(before, times=144)
    fleet.cycle(after, times=24)
    assert fleet.everything_open() == set()


def test_a_silent_collector_is_shown_with_duration_and_last_contact() -> None:
    evidence = read_evidence(silent_collector(fleet := Fleet()), 0, Issue.COLLECTOR_DOWN)
    assert (evidence["metric"], evidence["silent_sec"], evidence["threshold"]) == ("silent_sec", 612.0, 300.0)
    assert evidence["heard_at"] == "2026-05-29T12:44:48Z", fleet.now


def test_a_collector_without_samples_is_shown_by_the_age_of_its_newest_one() -> None:
    evidence = read_evidence(collector_without_samples(Fleet()), 0, Issue.COLLECTOR_DOWN)
    assert evidence["metric"] == "sample_age_sec"
    assert (evidence["sample_age_sec"], evidence["threshold"]) == (420.0, 300.0)


def test_a_degradation_has_its_own_baseline_and_an_outlier_its_peers() -> None:
    fleet = Fleet(n=40)
    fleet.warm_up()
    result = fleet.cycle(slower(0, 0.3), times=5)
    baseline = read_evidence(result, 0, Issue.HASHRATE_DEGRADATION)["baseline"]
    assert baseline["expected"] == pytest.approx(1.0, abs=0.03)
    assert baseline["residual"] == pytest.approx(-0.3, abs=0.06)
    assert baseline["z"] < -2
    peers = read_evidence(result, 0, Issue.FLEET_OUTLIER)["peers"]["hashrate_ratio"]
    assert peers["level"] == "site:model:firmware:mode"
    assert peers["robust_z"] < -3
    assert peers["percentile"] == pytest.approx(1 / 40)
    assert peers["count"] >= 39
    assert peers == read_peers(result, 0)["hashrate_ratio"]


def test_the_quantiles_of_the_peers_are_those_of_their_values() -> None:
    result = Fleet(n=41).cycle(times=2)
    peers = read_peers(result, 7)["temp_max"]
    values = result.observed.features.temp_max.astype(np.float32).astype(np.float64)
    for name, part in {"p10": 0.1, "p25": 0.25, "median": 0.5, "p75": 0.75, "p90": 0.9, "min": 0, "max": 1}.items():
        assert peers[name] == pytest.approx(np.quantile(values, part), abs=1e-5)
    assert (peers["count"], peers["value"]) == (41, pytest.approx(values[7], abs=1e-5))


def test_a_machine_that_does_not_report_a_metric_has_no_position_in_it() -> None:
    result = Fleet(n=40).cycle(readings_of(7, temp_c=np.nan, temp_max_c=np.nan), times=2)
    peers = read_peers(result, 7)
    assert peers["temp_max"] is None
    assert peers["hashrate_ratio"]["percentile"] is not None


def test_an_offline_machine_has_no_peers() -> None:
    result = Fleet(n=40).cycle(readings_of(7, status=0.0), times=2)
    online, offline = peer_metrics(result, np.array([3, 7]))
    assert online is not None
    assert offline is None


def test_a_machine_without_enough_peers_has_none() -> None:
    assert peer_metrics(Fleet(n=6).cycle(times=2), np.array([0])) == [None]
