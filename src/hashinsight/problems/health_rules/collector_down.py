"""A collector that is silent, or is up but delivers no samples. Judged by collector, not by machine."""

import numpy as np

from hashinsight.problems.codes import Issue, Severity
from hashinsight.problems.frame import Flags, Floats, Ints
from hashinsight.problems.health_rules.rule import Criterion, CriterionResult, Earlier, Observations, Rule, RuleResult


def _collector_down(obs: Observations, _: Earlier) -> RuleResult:
    """One row per collector of `data.collectors`. One that was never heard has not started yet: unknown, not down."""
    frame, collectors, limits = obs.frame, obs.data.collectors, obs.data.collector_age_limits
    named = frame.collector.no >= 0
    machines, size = frame.collector.no[named], len(frame.collector.of)

    def count(which: Flags) -> Ints:
        return np.bincount(machines[which[named]], minlength=size)[collectors]

    def newest(times: Floats) -> Floats:
        by_collector = np.full(size, np.nan)
        np.fmax.at(by_collector, machines, times[named])
        return by_collector[collectors]

    heard_at, sampled_at = newest(frame.heard_at), newest(frame.ts)
    silent = ~(obs.now - heard_at < limits.offline_sec)
    awaited = ~np.isnan(frame.ts) & ~obs.data.planned_outage
    mute = (count(awaited) > 0) & ~(obs.now - sampled_at < limits.offline_sec)
    # between up and silent nobody knows
    no_samples = ~silent & mute & (obs.now - heard_at < limits.stale_sec)
    known = ~np.isnan(heard_at) & (silent | no_samples | ~mute)
    details = {"heard_at": heard_at}
    return RuleResult(
        known,
        (
            CriterionResult(silent, obs.now - heard_at, limits.offline_sec, details=details),
            CriterionResult(no_samples, obs.now - sampled_at, limits.offline_sec, details=details),
        ),
        np.zeros(len(collectors), dtype=np.bool_),
    )


RULES = (
    Rule(Issue.COLLECTOR_DOWN, Severity.P1, "Collector is silent, or delivers no samples", "heard_at",
         (), ("check_collector", "check_network"),
         (Criterion("silent", "silent_sec", "above"), Criterion("no_samples", "sample_age_sec", "above")),
         _collector_down, hard=True),
)  # fmt: skip
