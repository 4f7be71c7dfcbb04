"""Every rule can say why: its code, its number, its threshold, and what it was compared with."""

import json

import pytest

from hashinsight.problems.codes import Issue
from hashinsight.problems.evidence import evidence_of, peer_metrics
from hashinsight.problems.health_rules import RULES
from tests.problems.yard import Yard, of, slower


def test_a_hit_carries_its_metric_its_threshold_and_its_time() -> None:
    yard = Yard()
    found = yard.cycle(of(0, temp_max_c=91.0))
    told = evidence_of(found, 0, Issue.OVERHEAT_CRIT)
    assert told["rule_code"] == "overheat_crit"
    assert (told["temp_max"], told["threshold"]) == (91.0, 85.0)
    assert told["evaluated_at"] == "2026-05-29T12:05:00+00:00"
    assert told["left_out"] == ["reject_rate", "hw_error_rate", "board_share_min"]


def test_a_degradation_carries_the_machines_own_past_and_an_outlier_its_peers() -> None:
    yard = Yard(n=40)
    yard.warm_up()
    found = yard.cycle(slower(0, 0.3), times=5)
    past = evidence_of(found, 0, Issue.HASHRATE_DEGRADATION)["baseline"]
    assert past["expected"] == pytest.approx(1.0, abs=0.03)
    assert past["residual"] == pytest.approx(-0.3, abs=0.06)
    assert past["z"] < -2
    peers = evidence_of(found, 0, Issue.FLEET_OUTLIER)["peers"]["hashrate_ratio"]
    assert peers["level"] == "site:model:firmware:mode"
    assert peers["robust_z"] < -3
    assert peers["percentile"] == pytest.approx(1 / 40)
    assert peers["count"] >= 39
    assert peers == peer_metrics(found, 0)["hashrate_ratio"]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_the_evidence_of_every_rule_is_json(rule: object) -> None:
    yard = Yard(n=6)
    found = yard.cycle(times=2)
    issue = rule.issue  # type: ignore[attr-defined]
    if issue is not Issue.COLLECTOR_DOWN:
        assert json.loads(json.dumps(evidence_of(found, 0, issue)))["rule_code"] == issue.code


def test_every_issue_has_one_rule_with_actions() -> None:
    assert [rule.issue for rule in sorted(RULES, key=lambda rule: rule.issue)] == list(Issue)
    assert all(rule.actions for rule in RULES)
