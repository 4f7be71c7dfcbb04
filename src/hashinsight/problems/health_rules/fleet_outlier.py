"""Far from its peers: machines of the same site, model, firmware and mode, or of a coarser group."""

import numpy as np

from hashinsight.problems.codes import Issue, Metric, Severity
from hashinsight.problems.frame import Floats
from hashinsight.problems.health_rules.rule import (
    Column,
    Criterion,
    CriterionResult,
    Earlier,
    Observations,
    Rule,
    RuleResult,
)

_BAD_SIDE = {Metric.HASHRATE_RATIO: -1.0, Metric.TEMP_MAX: 1.0, Metric.EFFICIENCY: 1.0}
_MARGINS = {
    Metric.HASHRATE_RATIO: "outlier_hashrate", Metric.TEMP_MAX: "outlier_temp_c",
    Metric.EFFICIENCY: "outlier_efficiency",
}  # fmt: skip
_OF_HASHRATE = [Issue.HASHRATE_DEGRADATION, Issue.BOARD_LOST, Issue.BOARDS_DEAD, Issue.BOARDS_DEGRADING]


def _outlier(obs: Observations, _: Earlier) -> RuleResult:
    """Must differ both by z and by a margin, so the wider of the two is the threshold, in the metric's own unit."""
    issue, features = Issue.FLEET_OUTLIER, obs.features
    hold = obs.hold_factor(issue)
    z_limit = obs.limits["outlier_z"] * hold
    details: dict[str, Column] = {
        "robust_z": {metric.name.lower(): position.z for metric, position in obs.peers.items()},
        "robust_z_threshold": z_limit,
    }
    known, has_peers, is_far = np.zeros((3, obs.frame.n), dtype=np.bool_)
    criteria = []
    for metric, sign in _BAD_SIDE.items():
        peers, value = obs.peers[metric], obs.own.value[metric]
        margin = _margin(obs, metric) * hold
        far = (sign * peers.z > z_limit) & (sign * (value - peers.median) >= margin)
        has_value = ~np.isnan(value)
        compared = obs.judgeable & (peers.level >= 0) & has_value
        # without peers in its mode there is nothing to differ from any more
        known |= compared | (obs.judgeable & obs.unlike_mode & has_value)
        has_peers |= (peers.level >= 0) & has_value
        is_far |= far
        threshold = peers.median + sign * np.maximum(margin, z_limit * peers.scale)
        criteria.append(CriterionResult(compared & far, value, threshold, details=details))
    # back after a restart: not steady yet, but as its peers in what made it an outlier, which is hashrate
    back = obs.running & features.hashing & ~features.booting & ~features.steady & obs.shown[issue]
    recovered = back & has_peers & ~is_far & obs.shown[_OF_HASHRATE].any(axis=0)
    return RuleResult(known | recovered, tuple(criteria), obs.shown[issue])


def _margin(obs: Observations, metric: Metric) -> Floats:
    margin = obs.limits[_MARGINS[metric]]
    return margin * obs.peers[metric].median if metric is Metric.EFFICIENCY else margin


RULES = (
    Rule(Issue.FLEET_OUTLIER, Severity.P3, "Hashrate, temperature or efficiency far from its peers", "robust_z",
         (), ("inspect_boards", "check_cooling"),
         (Criterion("hashrate", "hashrate_ratio", "below"), Criterion("temperature", "temp_max", "above"),
          Criterion("efficiency", "efficiency", "above")), _outlier),
)  # fmt: skip
