"""Rules against a machine's own baseline: a jump away from it, a slow drift from its first days, a lasting decline."""

import numpy as np

from hashinsight.problems.codes import Issue, Metric, Severity
from hashinsight.problems.frame import Flags, Floats
from hashinsight.problems.health_rules.rule import (
    HOLD,
    Criterion,
    CriterionResult,
    Earlier,
    Observations,
    Rule,
    RuleResult,
)
from hashinsight.problems.state import BOOTS

_STILL_OFF = 0.5  # of the margin: a mean that is low only from earlier readings is no hit
_Z = {Metric.EFFICIENCY: "efficiency_z", Metric.TEMP_MAX: "temp_z", Metric.TEMP_LOAD: "temp_z"}
_EXPLAIN_A_DECLINE = (
    Issue.HASHRATE_DEGRADATION,
    Issue.BOARDS_DEGRADING,
    Issue.HASHRATE_ZERO,
    Issue.BOARDS_DEAD,
    Issue.BOARD_LOST,
)


def _hashrate(obs: Observations, _: Earlier) -> RuleResult:
    issue, boots, ratio = Issue.HASHRATE_DEGRADATION, obs.features.boots, obs.features.hashrate_ratio
    known, off_baseline = _off_baseline(obs, issue, Metric.HASHRATE_RATIO, sign=-1.0)
    limit = np.minimum(obs.limits["reboots_in_6_hours"], BOOTS) * obs.hold_factor(issue)
    reboots = obs.running & (boots >= limit)
    known, recovered = known | reboots, _recovered(obs) & (boots < limit)
    by_reboots = CriterionResult(reboots, boots, limit, details={"hashrate_ratio": ratio})
    return RuleResult(known | recovered, (*off_baseline, by_reboots), obs.shown[issue])


def _recovered(obs: Observations) -> Flags:
    """Back at its baseline after a restart: an open problem need not wait half an hour until the machine is steady."""
    own, hashrate, features = obs.own, Metric.HASHRATE_RATIO, obs.features
    back = obs.running & features.hashing & ~features.booting & ~features.steady
    back &= obs.shown[Issue.HASHRATE_DEGRADATION]
    margin = _margin(obs, hashrate) * HOLD
    from_anchor = own.residual[hashrate] - own.smooth[hashrate] + obs.drift[hashrate]
    recovered: Flags = back & ~own.cold[hashrate] & (own.residual[hashrate] > -margin) & ~(from_anchor < -margin)
    return recovered


def _efficiency(obs: Observations, _: Earlier) -> RuleResult:
    issue = Issue.EFFICIENCY_DEGRADATION
    known, criteria = _off_baseline(obs, issue, Metric.EFFICIENCY, sign=1.0)
    return RuleResult(known, criteria, obs.shown[issue])


def _temperature(obs: Observations, _: Earlier) -> RuleResult:
    """Fans that run faster hide heat, so the temperature at equal fan speed is judged as well."""
    issue, details = Issue.TEMP_ANOMALY, {"temp_max": obs.features.temp_max}
    known, measured = _off_baseline(obs, issue, Metric.TEMP_MAX, sign=1.0)
    known_at_equal_fans, at_equal_fans = _off_baseline(obs, issue, Metric.TEMP_LOAD, sign=1.0, details=details)
    criteria = (*measured, *at_equal_fans, _slow_fan(obs))
    return RuleResult(known | known_at_equal_fans, criteria, obs.shown[issue])


def _slow_fan(obs: Observations) -> CriterionResult:
    """Hotter than usual, and one fan well behind the others, which get the same signal. Stopped is another rule."""
    own, limits, temp, hold = obs.own, obs.limits, Metric.TEMP_MAX, obs.hold_factor(Issue.TEMP_ANOMALY)
    slowest, mean = obs.features.fan_speed_min, obs.frame.fan_rpm
    limit = mean - limits["fan_behind_rpm"] * hold
    hotter = ((own.z[temp] > limits["temp_z"] * hold) & ~own.cold[temp]) | (
        obs.cusum_up[temp] >= limits["cusum_sigma_hours"]
    )
    hit = obs.judgeable & (slowest > 0) & (slowest <= limit) & hotter
    details = {"fan_speed_avg": mean, "temp_max": obs.features.temp_max}
    return CriterionResult(hit, slowest, limit, temp, details=details)


def _boards(obs: Observations, _: Earlier) -> RuleResult:
    own, boards = obs.own, Metric.BOARDS_RATIO
    known = obs.running & ~obs.features.booting & ~own.cold[boards]
    drop = obs.limits["boards_degrading_drop"]
    value, limit = own.value[boards], own.value[boards] - own.residual[boards] - drop
    criterion = CriterionResult(own.residual[boards] < -drop, value, limit, boards)
    return RuleResult(known, (criterion,), obs.shown[Issue.BOARDS_DEGRADING])


def _trend(obs: Observations, earlier: Earlier) -> RuleResult:
    """A decline that another problem explains is no trend."""
    explained = np.zeros(obs.frame.n, dtype=np.bool_)
    for issue in _EXPLAIN_A_DECLINE:
        explained |= obs.shown[issue] | earlier[issue].hit
    hours = obs.limits["trend_hours"]
    falling = obs.slope_hours >= hours
    known = obs.judgeable & ~obs.own.cold[Metric.HASHRATE_RATIO] & ~(explained & falling)
    details = {"steep_hours": obs.slope_hours, "steep_hours_threshold": hours}
    criterion = CriterionResult(
        falling, obs.slope, -obs.limits["trend_per_day"], Metric.HASHRATE_RATIO, details=details
    )
    return RuleResult(known, (criterion,), obs.shown[Issue.TREND_ANOMALY])


def _off_baseline(
    obs: Observations, issue: Issue, metric: Metric, *, sign: float, details: dict[str, Floats] | None = None
) -> tuple[Flags, tuple[CriterionResult, CriterionResult]]:
    """Who can be judged, and who is off: at once from its baseline, or by and by from its anchor.

    A jump must pass both z and margin, so the wider of the two is its threshold. The half-hour mean is judged; people
    look at the newest reading, so that one is given wherever it has passed as well.
    """
    own, limits = obs.own, obs.limits
    value, residual, smooth = own.value[metric], own.residual[metric], own.smooth[metric]
    z = -limits["hashrate_z"] if metric is Metric.HASHRATE_RATIO else limits[_Z[metric]]
    margin = _margin(obs, metric) * obs.hold_factor(issue)
    jump = (sign * own.z[metric] > z) & (sign * smooth >= margin) & (sign * residual >= _STILL_OFF * margin)
    from_anchor = sign * obs.drift[metric]
    cusum = (obs.cusum_up if sign > 0 else obs.cusum_down)[metric]
    drifted = (cusum >= limits["cusum_sigma_hours"]) & (from_anchor >= margin)
    known = obs.judgeable & ~np.isnan(own.level[metric]) & (~own.cold[metric] | ~np.isnan(from_anchor))

    expected = value - residual
    mean = expected + smooth

    def criterion(hit: Flags, threshold: Floats) -> CriterionResult:
        passed = sign * (value - threshold) >= 0
        shown = np.where(passed, value, mean)
        return CriterionResult(known & hit, shown, threshold, metric, is_mean=~passed, details=details or {})

    return known, (
        criterion(jump & ~own.cold[metric], expected + sign * np.maximum(margin, z * own.sigma[metric])),
        criterion(drifted, mean - obs.drift[metric] + sign * margin),
    )


def _margin(obs: Observations, metric: Metric) -> Floats:
    """What a difference must amount to before anybody walks to a machine."""
    if metric is Metric.HASHRATE_RATIO:
        return obs.limits["hashrate_effect"]
    if metric is Metric.EFFICIENCY:
        margin: Floats = obs.limits["efficiency_effect"] * obs.own.value[metric]
        return margin
    return obs.limits["temp_effect_c"]


RULES = (
    Rule(Issue.HASHRATE_DEGRADATION, Severity.P2, "Hashrate below its own baseline, or repeated reboots",
         "hashrate_ratio", ("hashrate_ratio",), ("restart", "inspect_boards"),
         (Criterion("own_past", "hashrate_ratio", "below"), Criterion("first_days", "hashrate_ratio", "below"),
          Criterion("reboots", "boots", "above")), _hashrate),
    Rule(Issue.EFFICIENCY_DEGRADATION, Severity.P2, "More watts per TH/s than its own baseline", "efficiency",
         ("efficiency",), ("inspect_psu", "inspect_boards", "clean"),
         (Criterion("own_past", "efficiency", "above"), Criterion("first_days", "efficiency", "above")), _efficiency),
    Rule(Issue.TEMP_ANOMALY, Severity.P2, "Hotter than its own baseline in the same weather", "temp_max",
         ("temp_max",), ("clean", "check_cooling", "swap_fan"),
         (Criterion("own_past", "temp_max", "above"), Criterion("first_days", "temp_max", "above"),
          Criterion("own_past_at_equal_fans", "temp_load", "above"),
          Criterion("first_days_at_equal_fans", "temp_load", "above"),
          Criterion("fan_behind_others", "fan_speed_min", "below")), _temperature),
    Rule(Issue.BOARDS_DEGRADING, Severity.P3, "Fewer hashboards working than before", "boards_ratio",
         ("boards_ratio",), ("inspect_boards",), (Criterion("own_past", "boards_ratio", "below"),), _boards),
    Rule(Issue.TREND_ANOMALY, Severity.P2, "Hashrate declining day by day", "trend_slope",
         ("hashrate_ratio",), ("inspect_boards",), (Criterion("slope", "trend_slope", "below"),), _trend),
)  # fmt: skip
