"""Overheating: the sensor nearest to its limit, chip or board, against warning and critical limit."""

from dataclasses import dataclass

import numpy as np

from hashinsight.problems.codes import Issue, Metric, Severity
from hashinsight.problems.config import MachineLimits
from hashinsight.problems.frame import Flags, Floats, TextColumn
from hashinsight.problems.health_rules.rule import Criterion, CriterionResult, Earlier, Observations, Rule, RuleResult
from hashinsight.problems.state import BOOTS

WARN, CRIT = "warn", "crit"
_ISSUES = {WARN: Issue.OVERHEAT_WARN, CRIT: Issue.OVERHEAT_CRIT}
_WEATHER_C = 10.0  # by so much a hot day makes all machines of a kind hotter
_ASSUMED_MARGIN_C = 10.0  # a machine this far beyond an assumed critical limit is too hot, whatever its past


@dataclass(frozen=True)
class HottestSensor:
    """Of each machine the sensor nearest to its limit: a cool chip does not hide a hot board, nor the reverse."""

    temp_c: Floats
    limit_c: Floats
    is_other: Flags  # not the kind of sensor that `temp_max` comes from

    @property
    def is_over(self) -> Flags:
        over: Flags = self.temp_c >= self.limit_c
        return over


def _critical(obs: Observations, _: Earlier) -> RuleResult:
    hottest = _hottest(obs, CRIT)
    is_usual = _runs_this_hot(obs, hottest, CRIT) & (hottest.temp_c < hottest.limit_c + _ASSUMED_MARGIN_C)
    known = obs.data.judged & ~np.isnan(hottest.temp_c)
    return _result(obs, known, hottest.is_over & ~is_usual, hottest, CRIT)


def _warning(obs: Observations, earlier: Earlier) -> RuleResult:
    hottest, critical = _hottest(obs, WARN), earlier[Issue.OVERHEAT_CRIT]
    # at first nobody knows whether it always runs this hot: wait, unless something keeps its baseline from learning
    learns = ~obs.shown.any(axis=0) & (obs.features.boots < np.minimum(obs.limits["reboots_in_6_hours"], BOOTS))
    unsure = hottest.is_over & _is_assumed(obs.limits, WARN) & obs.own.cold[Metric.TEMP_MAX] & learns
    hit = hottest.is_over & ~_runs_this_hot(obs, hottest, WARN) & ~critical.hit
    return _result(obs, critical.known & ~unsure, hit, hottest, WARN)


def _result(obs: Observations, known: Flags, hit: Flags, hottest: HottestSensor, level: str) -> RuleResult:
    """With the kind of sensor, and where its limit is from: `machine`, `catalogue`, `settings` or `assumed`."""
    limits = [limit for kind in obs.limits.heat for limit in (kind.main, kind.other)]
    which = 2 * obs.limits.kind + hottest.is_other
    details = {
        "sensor": TextColumn(tuple(limit.sensor.value for limit in limits), which),
        "limit_source": TextColumn(tuple(str(getattr(limit, f"{level}_source")) for limit in limits), which),
    }
    criterion = CriterionResult(hit, hottest.temp_c, hottest.limit_c, details=details)
    return RuleResult(known, (criterion,), obs.shown[_ISSUES[level]])


def _hottest(obs: Observations, level: str) -> HottestSensor:
    """An open problem has a lower limit: a machine just below it is not cool yet."""
    hold = obs.limits["overheat_hold_c"] * obs.shown[_ISSUES[level]]
    temp, limit = obs.features.temp_max, obs.limits[f"overheat_{level}_c"] - hold
    other = _other_sensor(obs)
    if other is None:
        return HottestSensor(temp, limit, np.zeros(obs.frame.n, dtype=np.bool_))
    other_limit = np.array([getattr(heat.other, f"{level}_c") for heat in obs.limits.heat])[obs.limits.kind] - hold
    nearer = (other - other_limit > temp - limit) | (np.isnan(temp) & ~np.isnan(other))
    return HottestSensor(np.where(nearer, other, temp), np.where(nearer, other_limit, limit), nearer)


def _other_sensor(obs: Observations) -> Floats | None:
    """The hottest of the kind that `temp_max` is not of; None where no machine reports one."""
    frame = obs.frame
    if np.isnan(frame.temp_chip_c).all() and np.isnan(frame.temp_board_c).all():
        return None
    is_chip = np.array([heat.main.sensor == "chip" for heat in obs.limits.heat])[obs.limits.kind]
    other = np.where(is_chip, frame.temp_board_c, frame.temp_chip_c)
    return np.where(obs.features.is_online, other, np.nan)


def _is_assumed(limits: MachineLimits, level: str) -> Flags:
    """Neither the machine nor the catalogue nor the settings give its limit."""
    by_kind = np.array([getattr(heat.main, f"{level}_source") == "assumed" for heat in limits.heat], dtype=np.bool_)
    flags: Flags = by_kind[limits.kind] if len(by_kind) else np.zeros(len(limits.kind), dtype=np.bool_)
    return flags


def _runs_this_hot(obs: Observations, hottest: HottestSensor, level: str) -> Flags:
    """Over a limit that is only assumed, and hardly hotter than this machine usually is.

    Many models run at 80 °C all their life: an assumed limit alone says nothing about them. A warning allows for the
    weather that all machines of the kind feel, within bounds; a critical temperature does not.
    """
    temp, own = Metric.TEMP_MAX, obs.own
    weather = np.clip(own.value[temp] - own.level[temp], 0.0, _WEATHER_C if level == WARN else 0.0)
    usual = own.level[temp] - own.residual[temp] + weather
    rise = obs.limits["assumed_rise_c"] * obs.hold_factor(_ISSUES[level])
    is_near_usual = hottest.temp_c < usual + rise
    flags: Flags = _is_assumed(obs.limits, level) & ~own.cold[temp] & ~hottest.is_other & is_near_usual
    return flags


RULES = (
    Rule(Issue.OVERHEAT_CRIT, Severity.P0, "Hottest sensor at or above the critical limit", "temp_max",
         ("temp_max",), ("stop_mining", "check_cooling"),
         (Criterion("limit", "temp_max", "above"),), _critical, hard=True),
    Rule(Issue.OVERHEAT_WARN, Severity.P1, "Hottest sensor at or above the warning limit", "temp_max",
         ("temp_max",), ("check_cooling", "set_power_mode"),
         (Criterion("limit", "temp_max", "above"),), _warning, hard=True),
)  # fmt: skip
