"""Every rule can say why: its code, its number, its threshold, and what it was compared with."""

import json
from typing import Any

import numpy as np
import pytest

from hashinsight.problems.codes import Issue
from hashinsight.problems.evidence import collector_evidence, peer_metrics, rule_evidence
from hashinsight.problems.health_rules import RULES
from hashinsight.problems.pipeline import CycleResult
from tests.problems.fleet import Fleet, readings_of, slower


def told_of(found: CycleResult, row: int, issue: Issue) -> dict[str, Any]:
    (text,) = rule_evidence(found, np.array([row]), issue)
    told: dict[str, Any] = json.loads(text)
    return told


def peers_of(found: CycleResult, row: int) -> dict[str, Any]:
    _, text = peer_metrics(found, np.array([3, row]))
    assert text is not None
    told: dict[str, Any] = json.loads(text)
    return told


def test_a_hit_carries_its_metric_its_threshold_and_its_time() -> None:
    yard = Fleet()
    found = yard.cycle(readings_of(0, temp_max_c=97.0))
    told = told_of(found, 0, Issue.OVERHEAT_CRIT)
    assert told["rule_code"] == "overheat_crit"
    assert (told["temp_max"], told["threshold"]) == (97.0, 95.0)
    assert told["evaluated_at"] == "2026-05-29T12:05:00+00:00"
    assert told["left_out"] == ["reject_rate", "hw_error_rate", "board_share_min"]


def test_a_degradation_carries_the_machines_own_past_and_an_outlier_its_peers() -> None:
    yard = Fleet(n=40)
    yard.warm_up()
    found = yard.cycle(slower(0, 0.3), times=5)
    past = told_of(found, 0, Issue.HASHRATE_DEGRADATION)["baseline"]
    assert past["expected"] == pytest.approx(1.0, abs=0.03)
    assert past["residual"] == pytest.approx(-0.3, abs=0.06)
    assert past["z"] < -2
    peers = told_of(found, 0, Issue.FLEET_OUTLIER)["peers"]["hashrate_ratio"]
    assert peers["level"] == "site:model:firmware:mode"
    assert peers["robust_z"] < -3
    assert peers["percentile"] == pytest.approx(1 / 40)
    assert peers["count"] >= 39
    assert peers == peers_of(found, 0)["hashrate_ratio"]


def test_the_quantiles_of_the_peers_are_those_of_their_values() -> None:
    yard = Fleet(n=41)
    found = yard.cycle(times=2)
    told = peers_of(found, 7)["temp_max"]
    values = found.features.temp_max.astype(np.float32).astype(np.float64)
    for name, part in {"p10": 0.1, "p25": 0.25, "median": 0.5, "p75": 0.75, "p90": 0.9, "min": 0, "max": 1}.items():
        assert told[name] == pytest.approx(np.quantile(values, part), abs=1e-5)
    assert (told["count"], told["value"]) == (41, pytest.approx(values[7], abs=1e-5))


def test_a_machine_that_does_not_tell_a_metric_stands_nowhere_in_it() -> None:
    found = Fleet(n=40).cycle(readings_of(7, temp_c=np.nan, temp_max_c=np.nan), times=2)
    told = peers_of(found, 7)
    assert told["temp_max"] is None
    assert told["hashrate_ratio"]["percentile"] is not None


def test_a_machine_that_does_not_answer_is_compared_with_nobody() -> None:
    found = Fleet(n=40).cycle(readings_of(7, status=0.0), times=2)
    answering, dark = peer_metrics(found, np.array([3, 7]))
    assert answering is not None
    assert dark is None


def test_a_machine_without_enough_peers_has_none_and_a_collector_says_when_it_was_heard() -> None:
    found = Fleet(n=6).cycle(times=2)
    assert peer_metrics(found, np.array([0])) == [None]
    told = [
        json.loads(one)
        for one in collector_evidence(
            found.now, np.array([1_780_000_000.5, np.nan]), np.full(2, np.nan), silent_sec=300.0
        )
    ]
    assert told[0]["heard_at"].startswith("2026-05-28T20:26:40.5")
    assert (told[1]["heard_at"], told[1]["rule_code"]) == (None, "collector_down")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_the_evidence_of_every_rule_is_json(rule: object) -> None:
    yard = Fleet(n=6)
    found = yard.cycle(times=2)
    issue = rule.issue  # type: ignore[attr-defined]
    if issue is not Issue.COLLECTOR_DOWN:
        assert told_of(found, 0, issue)["rule_code"] == issue.code


def test_every_issue_has_one_rule_with_actions() -> None:
    assert [rule.issue for rule in sorted(RULES, key=lambda rule: rule.issue)] == list(Issue)
    assert all(rule.actions for rule in RULES)
