"""Rates of about the last hour, against fixed limits, the site's median and the machine's own baseline."""

import numpy as np

from hashinsight.problems.codes import Issue, Metric, Severity
from hashinsight.problems.frame import Flags, Floats, zeroed
from hashinsight.problems.health_rules.rule import Criterion, CriterionResult, Earlier, Observations, Rule, RuleResult

_SURPRISE = 12.0  # of a count, in nats
_POOL_REJECTS = 0.002  # a pool rejects that share of anybody's work


def _rejects(obs: Observations, _: Earlier) -> RuleResult:
    issue, features = Issue.REJECT_RATE_HIGH, obs.features
    rate, hold = features.reject_rate, obs.hold_factor(issue)
    usual = np.maximum(obs.site_reject_rate, _own_rate(obs, Metric.REJECT_RATE, rate))
    limit, times = obs.limits["reject_rate"], obs.limits["reject_times_peers"]
    enough = ~(features.recent_rejected < obs.limits["reject_least"] * hold) | np.isnan(obs.frame.rejected)
    enough |= _is_no_chance(features.recent_rejected, features.recent_shares * np.maximum(usual, _POOL_REJECTS))
    hit = (rate >= limit * hold) & (rate >= times * hold * usual) & enough
    # must pass both, so the higher of the two is the threshold
    threshold = np.maximum(limit, times * usual) * hold
    details = {"peers_median": obs.site_reject_rate}
    criterion = CriterionResult(hit, rate, threshold, Metric.REJECT_RATE, details=details)
    return RuleResult(obs.judgeable & ~np.isnan(rate), (criterion,), obs.shown[issue])


def _hw_errors(obs: Observations, _: Earlier) -> RuleResult:
    """The limit is per machine and hour, the rate per TH/s: both are given per TH/s."""
    issue, rate = Issue.HW_ERROR_RATE_HIGH, obs.features.hw_error_rate
    hold, frame = obs.hold_factor(issue), obs.frame
    size_ths = zeroed(np.where(frame.expected_ths > 0, frame.expected_ths, frame.hashrate_ths))
    usual = np.maximum(obs.site_error_rate, _own_rate(obs, Metric.HW_ERROR_RATE, rate))
    limit, times, per_hour = obs.limits["hw_errors_per_hour"], obs.limits["hw_errors_times_peers"], rate * size_ths
    hit = (per_hour >= limit * hold) & (rate >= times * hold * usual)
    with np.errstate(divide="ignore"):
        threshold = np.maximum(limit / size_ths, times * usual) * hold
    details = {"peers_median": obs.site_error_rate, "hw_errors_per_hour": per_hour}
    criterion = CriterionResult(hit, rate, threshold, Metric.HW_ERROR_RATE, details=details)
    return RuleResult(obs.judgeable & ~np.isnan(rate), (criterion,), obs.shown[issue])


def _own_rate(obs: Observations, metric: Metric, rate: Floats) -> Floats:
    return zeroed(rate - obs.own.residual[metric])


def _is_no_chance(counted: Floats, usual: Floats) -> Flags:
    """So many where so few are usual: by Chernoff's bound on a Poisson count, less than once in 160,000 looks."""
    with np.errstate(divide="ignore", invalid="ignore"):
        surprise = counted * np.log(counted / usual) - counted + usual
    no_chance: Flags = (counted > usual) & (surprise >= _SURPRISE)
    return no_chance


RULES = (
    Rule(Issue.REJECT_RATE_HIGH, Severity.P2, "Reject rate far above its peers", "reject_rate",
         ("reject_rate",), ("check_pool", "check_network"), (Criterion("rate", "reject_rate", "above"),), _rejects),
    Rule(Issue.HW_ERROR_RATE_HIGH, Severity.P2, "Hardware error rate far above its own baseline and its peers",
         "hw_error_rate", ("hw_error_rate",), ("inspect_boards", "set_power_mode"),
         (Criterion("rate", "hw_error_rate", "above"),), _hw_errors),
)  # fmt: skip
