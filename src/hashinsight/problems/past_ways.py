"""The ways by which a machine is off its own past: at once from its baseline, or by and by from its first days."""

from dataclasses import replace

import numpy as np

from hashinsight.problems import conditions
from hashinsight.problems.codes import Issue, Metric
from hashinsight.problems.frame import Flags, Floats, Ints
from hashinsight.problems.peer_stats import numbers
from hashinsight.problems.pipeline import CycleResult
from hashinsight.problems.told import Told

_Z = {Metric.EFFICIENCY: "efficiency_z", Metric.TEMP_MAX: "temp_z", Metric.TEMP_LOAD: "temp_z"}


def _past(found: CycleResult, rows: Ints, issue: Issue, metric: Metric, *, sign: float) -> tuple[Told, Told]:
    """Against the baseline both z and effect must pass: the wider of the two is the threshold."""
    seen, own = found.seen, found.seen.own
    z = -seen.limits["hashrate_z"] if metric is Metric.HASHRATE_RATIO else seen.limits[_Z[metric]]
    away = conditions.off(seen, issue, metric, sign=sign, z=z)
    value, margin = own.value[metric, rows], away.margin[rows]
    expected = value - own.residual[metric, rows]
    mean = expected + own.smooth[metric, rows]
    from_past = expected + sign * np.maximum(margin, z[rows] * own.sigma[metric, rows])
    from_first_days = mean - seen.drift[metric, rows] + sign * margin
    return (
        _now_or_mean(away.jump[rows], value, mean, from_past, metric, sign=sign),
        _now_or_mean(away.creep[rows], value, mean, from_first_days, metric, sign=sign),
    )


def _now_or_mean(hit: Flags, value: Floats, mean: Floats, threshold: Floats, metric: Metric, *, sign: float) -> Told:
    """It is the mean that is judged. People look at the reading, so that is told wherever it has passed as well."""
    passed = sign * (value - threshold) >= 0
    return Told(hit, np.where(passed, value, mean), threshold, metric, is_mean=~passed)


def hashrate(found: CycleResult, rows: Ints, issue: Issue) -> tuple[Told, ...]:
    seen, boots = found.seen, found.features.boots[rows]
    often = conditions.reboots_for(seen, issue)[rows]
    aside = {"hashrate_ratio": numbers(found.features.hashrate_ratio[rows])}
    loops = Told((seen.standing.judged & ~seen.standing.excused)[rows] & (boots >= often), boots, often, aside=aside)
    return (*_past(found, rows, issue, Metric.HASHRATE_RATIO, sign=-1.0), loops)


def efficiency(found: CycleResult, rows: Ints, issue: Issue) -> tuple[Told, ...]:
    return _past(found, rows, issue, Metric.EFFICIENCY, sign=1.0)


def temperature(found: CycleResult, rows: Ints, issue: Issue) -> tuple[Told, ...]:
    """Fans that work harder hide heat: what it would be at equal fan speed is looked at, too."""
    hidden = _past(found, rows, issue, Metric.TEMP_LOAD, sign=1.0)
    aside = {"temp_max": numbers(found.features.temp_max[rows])}
    return (
        *_past(found, rows, issue, Metric.TEMP_MAX, sign=1.0),
        *(replace(one, aside=one.aside | aside) for one in (*hidden, _slow_fan(found, rows))),
    )


def _slow_fan(found: CycleResult, rows: Ints) -> Told:
    """The slowest fan against the others; the baseline that is told with it is that of heat."""
    seen, slowest, mean = found.seen, found.features.fan_speed_min[rows], found.seen.frame.fan_rpm[rows]
    hit, most = conditions.slow_fan(seen)[rows], mean - conditions.fan_behind(seen)[rows]
    return Told(hit, slowest, most, Metric.TEMP_MAX, aside={"fan_speed_avg": numbers(mean)})
