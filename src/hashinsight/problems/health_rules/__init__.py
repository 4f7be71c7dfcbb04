"""The health rules by family. A rule is one entry in its family's table and the function that evaluates it.

`evaluate` gives each rule's result on all machines at once; the verdict and the evidence of a problem both read it.
"""

from hashinsight.problems.codes import Issue
from hashinsight.problems.health_rules import (
    collector_down,
    data_quality,
    fleet_outlier,
    overheating,
    own_baseline,
    rates,
    sample,
)
from hashinsight.problems.health_rules.rule import Observations, Rule, RuleResult

_FAMILIES = (overheating, sample, own_baseline, rates, data_quality, fleet_outlier, collector_down)
RULES: tuple[Rule, ...] = tuple(rule for family in _FAMILIES for rule in family.RULES)
BY_ISSUE = {rule.issue: rule for rule in RULES}
HARD = tuple(rule.issue for rule in RULES if rule.hard)


def evaluate(obs: Observations) -> dict[Issue, RuleResult]:
    """In the order of the tables: a rule may read the results of those above it."""
    results: dict[Issue, RuleResult] = {}
    for rule in RULES:
        if rule.hard or not obs.config.only_hard:
            results[rule.issue] = rule.evaluate(obs, results)
    return results
