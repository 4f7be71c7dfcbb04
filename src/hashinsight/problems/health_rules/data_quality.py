"""Readings that cannot be right: broken sensors, frozen values, boards that contradict the total.

A machine stopped on purpose is not judged: sensors without power and values that do not change are normal then.
"""

import numpy as np

from hashinsight.facts.temperatures import BROKEN_READINGS_C
from hashinsight.problems.codes import Issue, Metric, Severity
from hashinsight.problems.features import BOARDS_OFF, MAX_RATIO
from hashinsight.problems.health_rules.rule import Criterion, CriterionResult, Earlier, Observations, Rule, RuleResult


def _sensors(obs: Observations, _: Earlier) -> RuleResult:
    """A broken reading that ingest has already removed is null in the evidence."""
    frame, features, own, spread = obs.frame, obs.features, obs.own, Metric.TEMP_SPREAD
    temp, rpm, value, limit = frame.temp_max_c, frame.fan_min_rpm, own.value[spread], obs.limits["sensor_spread_c"]
    whole = ~(features.boards_ratio < 1)  # a dead board explains its sensor's reading
    apart = (own.residual[spread] > limit) & ~own.cold[spread] & whole & features.steady
    reports = ~np.isnan(temp) | features.temp_fault | ~np.isnan(rpm) | features.fan_fault
    return RuleResult(
        obs.running & reports,
        (
            CriterionResult(features.temp_fault, np.where(np.isin(temp, BROKEN_READINGS_C), temp, np.nan)),
            CriterionResult(features.fan_fault, np.where(rpm < 0, rpm, np.nan), 0.0),
            CriterionResult(apart, value, value - own.residual[spread] + limit, spread),
        ),
        obs.shown[Issue.SENSOR_FAULT],
    )


def _plausibility(obs: Observations, _: Earlier) -> RuleResult:
    frame, features = obs.frame, obs.features
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = frame.hashrate_ths / frame.expected_ths
    implausible, too_high = features.hashrate_implausible, ratio > MAX_RATIO
    boards = {"boards_sum_ths": features.boards_sum_ths, "hashrate_ths": frame.hashrate_ths}
    any_hit = implausible | features.boards_contradict | features.frozen
    return RuleResult(
        obs.running & (~np.isnan(frame.hashrate_ths) | any_hit),
        (
            CriterionResult(implausible & too_high, ratio, MAX_RATIO),
            CriterionResult(implausible & ~too_high, np.full(frame.n, np.nan)),
            CriterionResult(features.boards_contradict, features.boards_apart, BOARDS_OFF, details=boards),
            CriterionResult(features.frozen, obs.frozen_samples, obs.limits["frozen_cycles"]),
        ),
        obs.shown[Issue.DATA_IMPLAUSIBLE],
    )


RULES = (
    Rule(Issue.SENSOR_FAULT, Severity.P3, "Impossible sensor reading", "temp_spread", (), ("inspect_sensors",),
         (Criterion("temp_sentinel", "temp_max"), Criterion("fan_sentinel", "fan_speed_min", "below"),
          Criterion("temp_spread", "temp_spread", "above")), _sensors),
    Rule(Issue.DATA_IMPLAUSIBLE, Severity.P3, "Readings are frozen or contradict each other", "hashrate_ratio",
         (), ("restart",),
         (Criterion("hashrate_too_high", "hashrate_ratio", "above"), Criterion("hashrate_refused", "hashrate_ratio"),
          Criterion("boards_contradict", "boards_apart", "above"), Criterion("stands_still", "still_samples", "above")),
         _plausibility),
)  # fmt: skip
