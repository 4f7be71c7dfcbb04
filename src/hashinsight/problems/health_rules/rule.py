"""A health rule: its entry in the table, what it looks at, and the one result that verdict and evidence read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hashinsight.problems.baselines import Residuals
from hashinsight.problems.codes import Issue, Metric, RuleVerdict, Severity
from hashinsight.problems.config import Config, MachineLimits
from hashinsight.problems.data_state import DataStatus
from hashinsight.problems.features import Features
from hashinsight.problems.frame import Flags, Floats, Frame, TextColumn
from hashinsight.problems.peers import PeerPositions

HOLD = 0.7  # of its margin: an open problem holds until it is clearly over, so that it does not flap at its threshold
Column = Floats | Flags | TextColumn | Mapping[str, Floats]


@dataclass(frozen=True)
class Observations:
    """What rules look at in one cycle: one row per machine, in the order of the frame."""

    now: float
    config: Config
    frame: Frame
    data: DataStatus
    features: Features
    limits: MachineLimits
    own: Residuals
    drift: Floats  # from the anchor, by anchored metric
    cusum_up: Floats
    cusum_down: Floats
    slope: Floats  # of hashrate_ratio, per day
    slope_hours: Floats
    frozen_samples: Floats  # in a row in which no reading changed
    peers: dict[Metric, PeerPositions]
    site_reject_rate: Floats  # median of its site
    site_error_rate: Floats
    judgeable: Flags  # steady, in a settled mode, no planned outage
    unlike_mode: Flags  # in a mode of its own: compared only with machines in the same mode
    shown: Flags  # (issues, machines): has an open problem of this issue
    mode: NDArray[np.int8]  # codes.Mode in which it is compared
    expectation: NDArray[np.int8]  # codes.ExpectationSource of its expected hashrate

    @property
    def running(self) -> Flags:
        """Has new data and no planned outage."""
        return self.data.judged & ~self.data.planned_outage

    def hold_factor(self, issue: Issue) -> Floats:
        """Thresholds are multiplied by it: less where the problem is open already."""
        return np.where(self.shown[issue], HOLD, 1.0)


@dataclass(frozen=True)
class Criterion:
    """One way to meet a rule: the metric, and the side of the threshold that is a hit. None: there is no threshold."""

    name: str
    metric: str
    side: Literal["above", "below"] | None = None


@dataclass(frozen=True)
class CriterionResult:
    """One criterion by machine. Value and threshold have the same unit; `details` explain without being compared."""

    hit: Flags
    value: Floats | Flags | TextColumn
    threshold: Floats | float | None = None
    baseline: Metric | None = None  # shown with it in the evidence
    is_mean: Flags | None = None  # the value is the mean of about half an hour, not the newest reading
    details: Mapping[str, Column] = field(default_factory=dict)


@dataclass(frozen=True)
class RuleResult:
    """One rule by machine: whether it could be judged, and its criteria in the order of the table."""

    known: Flags
    criteria: tuple[CriterionResult, ...]
    held: Flags  # judged by the narrower margin of an open problem

    @cached_property
    def hit(self) -> Flags:
        hit: Flags = self.known & np.logical_or.reduce([criterion.hit for criterion in self.criteria])
        return hit

    @property
    def verdict(self) -> NDArray[np.int8]:
        """codes.RuleVerdict: unknown is 0, fine 1, hit 2."""
        verdict: NDArray[np.int8] = self.known * np.int8(RuleVerdict.FINE) + self.hit
        return verdict


Earlier = Mapping[Issue, RuleResult]  # results of the rules above in the table
Evaluate = Callable[[Observations, Earlier], RuleResult]


@dataclass(frozen=True)
class Rule:
    issue: Issue
    severity: Severity
    description: str
    metric: str
    needs: tuple[str, ...]  # features; where one is missing the rule does not judge
    actions: tuple[str, ...]
    criteria: tuple[Criterion, ...]  # where several hit, the first one gives value and threshold
    evaluate: Evaluate
    hard: bool = False  # judged from one sample, without baseline or peers

    @property
    def code(self) -> str:
        return self.issue.code
