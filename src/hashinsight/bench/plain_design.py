"""A plain design to compare with: EWMA with alpha 0.1, z thresholds, fixed limits, KMeans into three modes.

It uses our problem lifecycle, so that only detection differs.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hashinsight.problems import group_stats
from hashinsight.problems.codes import ISSUES, Issue, Mode, RuleVerdict
from hashinsight.problems.config import LifecycleConfig
from hashinsight.problems.events import Events, LifecycleStep, SubjectVerdicts, no_events
from hashinsight.problems.frame import Floats, Frame
from hashinsight.problems.health_rules import RULES
from hashinsight.problems.lifecycle import advance
from hashinsight.telemetry.states import SampleStatus

_ALPHA = 0.1
_MIN_SAMPLES = 6
_CLUSTER_CYCLES = 12
_SEVERITY = np.array([rule.severity for rule in sorted(RULES, key=lambda rule: rule.issue)], dtype=np.int8)
_STALE_AFTER_SEC = 1500.0


@dataclass
class Plain:
    events: Events = field(default_factory=no_events)
    mean: Floats = field(default_factory=lambda: np.empty((4, 0)))
    variance: Floats = field(default_factory=lambda: np.empty((4, 0)))
    samples: Floats = field(default_factory=lambda: np.empty(0))
    mode: NDArray[np.int8] = field(default_factory=lambda: np.empty(0, dtype=np.int8))
    cycles: int = 0

    def step(self, frame: Frame, now: float) -> LifecycleStep:
        self._add_machines(frame.n)
        fresh = (now - frame.ts < _STALE_AFTER_SEC) & (frame.status != SampleStatus.OFFLINE)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = frame.hashrate_ths / frame.expected_ths
            boards = frame.boards_healthy / frame.boards_total
            efficiency = np.where(frame.hashrate_ths > 0, frame.power_w / frame.hashrate_ths, np.nan)
        values = np.where(fresh, np.stack([ratio, efficiency, frame.temp_max_c, boards]), np.nan)
        if self.cycles % _CLUSTER_CYCLES == 0:
            self.mode = three_modes(frame, ratio, fresh)
        self.cycles += 1
        with np.errstate(divide="ignore", invalid="ignore"):
            residual = values - self.mean
            z = residual / np.sqrt(self.variance)
        warm = self.samples >= _MIN_SAMPLES
        verdict = np.zeros((ISSUES, frame.n), dtype=np.int8)

        def judge(issue: Issue, known: NDArray[np.bool_], hit: NDArray[np.bool_]) -> None:
            verdict[issue] = np.where(known, np.where(hit, RuleVerdict.HIT, RuleVerdict.FINE), RuleVerdict.UNKNOWN)

        temp = values[2]
        judge(Issue.OVERHEAT_CRIT, fresh, temp >= 85)  # noqa: PLR2004 - the fixed limits of the plain design
        judge(Issue.OVERHEAT_WARN, fresh, (temp >= 75) & (temp < 85))  # noqa: PLR2004
        judge(Issue.OFFLINE, np.ones(frame.n, dtype=np.bool_), ~fresh)
        judge(Issue.HASHRATE_ZERO, fresh, ratio <= 0.01)  # noqa: PLR2004
        judge(Issue.BOARDS_DEAD, fresh, boards <= 0.5)  # noqa: PLR2004
        judge(Issue.FAN_ZERO, fresh, frame.fan_min_rpm == 0)
        judge(Issue.HASHRATE_DEGRADATION, fresh & warm, z[0] < -2)  # noqa: PLR2004
        judge(Issue.EFFICIENCY_DEGRADATION, fresh & warm, z[1] > 2)  # noqa: PLR2004
        judge(Issue.TEMP_ANOMALY, fresh & warm, z[2] > 2.5)  # noqa: PLR2004
        judge(Issue.BOARDS_DEGRADING, fresh & warm, residual[3] < -0.1)  # noqa: PLR2004
        judge(Issue.FLEET_OUTLIER, fresh, self._outliers(frame, values, fresh))
        self._learn(values)
        subject = frame.miner_no
        severity = np.broadcast_to(_SEVERITY[:, None], verdict.shape)
        advanced = advance(
            self.events, SubjectVerdicts(subject, verdict, severity, frame.suppressed), now=now, life=LifecycleConfig()
        )
        self.events = advanced.events
        return advanced

    def _outliers(self, frame: Frame, values: Floats, fresh: NDArray[np.bool_]) -> NDArray[np.bool_]:
        _, group = group_stats.distinct_rows(frame.site.no, frame.model.no, self.mode.astype(np.int64))
        groups = int(group.max(initial=-1)) + 1
        far = np.zeros(frame.n, dtype=np.bool_)
        for row, sign in ((0, -1.0), (1, 1.0), (2, 1.0)):
            use = fresh & ~np.isnan(values[row])
            middle = group_stats.median(values[row], group, use, groups)[group]
            spread = group_stats.median(np.abs(values[row] - middle), group, use, groups)[group] * 1.4826
            far |= use & (sign * (values[row] - middle) / np.maximum(spread, 0.001) > 3)  # noqa: PLR2004
        return far

    def _learn(self, values: Floats) -> None:
        known = ~np.isnan(values)
        first = known & np.isnan(self.mean)
        step = values - self.mean
        self.mean = np.where(first, values, np.where(known, self.mean + _ALPHA * step, self.mean))
        grown = (1 - _ALPHA) * (self.variance + _ALPHA * step**2)
        self.variance = np.where(first, 1e-9, np.where(known, grown, self.variance))
        self.samples = self.samples + known[0]

    def _add_machines(self, n: int) -> None:
        added = n - len(self.samples)
        if added:
            nan = np.full((4, added), np.nan)
            self.mean, self.variance = np.hstack([self.mean, nan]), np.hstack([self.variance, nan])
            self.samples = np.append(self.samples, np.zeros(added))
            self.mode = np.append(self.mode, np.zeros(added, dtype=np.int8))


def three_modes(frame: Frame, ratio: Floats, fresh: NDArray[np.bool_]) -> NDArray[np.int8]:
    """KMeans with k = 3 for each site and model, labelled by order of hashrate."""
    mode = np.full(frame.n, Mode.UNKNOWN, dtype=np.int8)
    points = np.stack([ratio, frame.power_w, frame.temp_max_c, frame.fan_min_rpm], axis=1)
    usable = fresh & ~np.isnan(points).any(axis=1)
    _, group = group_stats.distinct_rows(frame.site.no, frame.model.no)
    for number in range(int(group.max(initial=-1)) + 1):  # a handful of groups
        rows = np.flatnonzero(usable & (group == number))
        if len(rows) >= 5:  # noqa: PLR2004
            mode[rows] = _k_means(points[rows])
    return mode


def _k_means(points: Floats) -> NDArray[np.int8]:
    scaled = (points - points.mean(axis=0)) / np.maximum(points.std(axis=0), 1e-9)
    order = np.argsort(scaled[:, 0], kind="stable")
    centre = scaled[order[[len(order) // 6, len(order) // 2, 5 * len(order) // 6]]]
    owner = np.zeros(len(scaled), dtype=np.int64)
    for _ in range(30):
        owner = ((scaled[:, None] - centre[None]) ** 2).sum(axis=2).argmin(axis=1)
        moved = np.stack([scaled[owner == k].mean(axis=0) if (owner == k).any() else centre[k] for k in range(3)])
        if np.allclose(moved, centre):
            break
        centre = moved
    rank = np.argsort(np.argsort(centre[:, 0]))
    return np.array([Mode.ECO, Mode.NORMAL, Mode.PERF], dtype=np.int8)[rank[owner]]
