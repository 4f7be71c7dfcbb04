"""The conditions of the health rules, each on all machines at once: unknown, fine or hit.

What is open already is held with a narrower margin (`HELD`), so that a value at its threshold does not open and
close a problem all day.
"""

from dataclasses import dataclass

import numpy as np

from hashinsight.problems.codes import ISSUES, Issue, Metric, RuleVerdict
from hashinsight.problems.config import Config, MachineLimits
from hashinsight.problems.frame import Flags, Floats, Frame, zeroed
from hashinsight.problems.hard_conditions import judge_hard
from hashinsight.problems.seen import HELD, Observations, Verdicts, held, say
from hashinsight.problems.state import BOOTS

OUTLYING = {Metric.HASHRATE_RATIO: -1.0, Metric.TEMP_MAX: 1.0, Metric.EFFICIENCY: 1.0}  # which side is bad
_OUTLYING_BY = {
    Metric.HASHRATE_RATIO: "outlier_hashrate", Metric.TEMP_MAX: "outlier_temp_c",
    Metric.EFFICIENCY: "outlier_efficiency",
}  # fmt: skip
_OF_HASHRATE = (Issue.HASHRATE_DEGRADATION, Issue.BOARD_LOST, Issue.BOARDS_DEAD, Issue.BOARDS_DEGRADING)
_SURPRISE = 12.0  # of a count, in nats
_LEAST_REJECTED = 0.002  # a pool rejects that much of anybody's shares
_RAW = 0.5  # of the effect: a mean that is still low after the values have come back is no reason


def judge(seen: Observations, config: Config) -> Verdicts:
    verdict = np.zeros((ISSUES, seen.frame.n), dtype=np.int8)
    judge_hard(verdict, seen, config)
    if not config.only_hard:
        _against_its_past(verdict, seen)
        _by_counters(verdict, seen)
        _by_data(verdict, seen)
        _among_peers(verdict, seen)
        _settling(verdict, seen)
    return verdict


def reboots_for(seen: Observations, issue: Issue) -> Floats:
    """How many are a loop; no more than are remembered."""
    return np.minimum(seen.limits["reboots_in_6_hours"], BOOTS) * held(seen, issue)


def _against_its_past(verdict: Verdicts, seen: Observations) -> None:
    limits, shown = seen.limits, seen.shown
    degraded = Issue.HASHRATE_DEGRADATION
    known, hit = _off(seen, degraded, Metric.HASHRATE_RATIO, sign=-1.0, z=-limits["hashrate_z"])
    loops = seen.standing.judged & ~seen.standing.excused & (seen.features.boots >= reboots_for(seen, degraded))
    say(verdict, degraded, known | loops, hit | loops)
    issue = Issue.EFFICIENCY_DEGRADATION
    say(verdict, issue, *_off(seen, issue, Metric.EFFICIENCY, sign=1.0, z=limits["efficiency_z"]))
    known, hit = _off(seen, Issue.TEMP_ANOMALY, Metric.TEMP_MAX, sign=1.0, z=limits["temp_z"])
    known_too, hidden = _off(seen, Issue.TEMP_ANOMALY, Metric.TEMP_LOAD, sign=1.0, z=limits["temp_z"])
    say(verdict, Issue.TEMP_ANOMALY, known | known_too, hit | hidden | slow_fan(seen))
    boards = Metric.BOARDS_RATIO
    known = seen.standing.judged & ~seen.standing.excused & ~seen.features.booting & ~seen.own.cold[boards]
    say(verdict, Issue.BOARDS_DEGRADING, known, seen.own.residual[boards] < -limits["boards_degrading_drop"])
    # a step is somebody else's finding: only what nobody else explains is a trend
    explained = np.zeros(seen.frame.n, dtype=np.bool_)
    for issue in (degraded, Issue.BOARDS_DEGRADING, Issue.HASHRATE_ZERO, Issue.BOARDS_DEAD, Issue.BOARD_LOST):
        explained |= shown[issue] | (verdict[issue] == RuleVerdict.HIT)
    falling = seen.slope_hours >= limits["trend_hours"]
    known = seen.judgeable & ~seen.own.cold[Metric.HASHRATE_RATIO]
    say(verdict, Issue.TREND_ANOMALY, known & ~(explained & falling), falling)


@dataclass(frozen=True)
class Off:
    """How far machines are from their own past: at once by z and effect, or by and by from their anchor."""

    known: Flags
    jump: Flags
    creep: Flags
    margin: Floats  # what a difference must amount to


def off(seen: Observations, issue: Issue, metric: Metric, *, sign: float, z: Floats) -> Off:
    own, limits = seen.own, seen.limits
    margin = _effect(limits, metric, own.value[metric]) * held(seen, issue)
    away, raw = sign * own.smooth[metric], sign * own.residual[metric]
    jump = (sign * own.z[metric] > z) & (away >= margin) & (raw >= _RAW * margin) & ~own.cold[metric]
    apart = sign * seen.drift[metric]
    cusum = seen.cusum_up if sign > 0 else seen.cusum_down
    creep = (cusum[metric] >= limits["cusum_sigma_hours"]) & (apart >= margin)
    known = seen.judgeable & ~np.isnan(own.level[metric]) & (~own.cold[metric] | ~np.isnan(apart))
    return Off(known, known & jump, known & creep, margin)


def slow_fan(seen: Observations) -> Flags:
    """Hotter than it was, and one of its fans does not turn as the others do, which are told the same."""
    own, limits, hot = seen.own, seen.limits, Metric.TEMP_MAX
    slowest = seen.features.fan_speed_min  # one that stands is another finding
    behind = seen.judgeable & (slowest > 0) & (slowest <= seen.frame.fan_rpm - fan_behind(seen))
    jumped = (own.z[hot] > limits["temp_z"] * held(seen, Issue.TEMP_ANOMALY)) & ~own.cold[hot]
    found: Flags = behind & (jumped | (seen.cusum_up[hot] >= limits["cusum_sigma_hours"]))
    return found


def fan_behind(seen: Observations) -> Floats:
    """By how much the slowest fan must be behind the mean of all."""
    return seen.limits["fan_behind_rpm"] * held(seen, Issue.TEMP_ANOMALY)


def _off(seen: Observations, issue: Issue, metric: Metric, *, sign: float, z: Floats) -> tuple[Flags, Flags]:
    """Who can be judged, and who is off."""
    found = off(seen, issue, metric, sign=sign, z=z)
    return found.known, found.jump | found.creep


def _effect(limits: MachineLimits, metric: Metric, value: Floats) -> Floats:
    if metric is Metric.HASHRATE_RATIO:
        return limits["hashrate_effect"]
    return limits["efficiency_effect"] * value if metric is Metric.EFFICIENCY else limits["temp_effect_c"]


def _by_counters(verdict: Verdicts, seen: Observations) -> None:
    """Rates of about the last hour, against its peers and its own past."""
    features, limits, own = seen.features, seen.limits, seen.own
    less = held(seen, Issue.REJECT_RATE_HIGH)
    rate = features.reject_rate
    past = zeroed(rate - own.residual[Metric.REJECT_RATE])
    usual = np.maximum(seen.usual_reject, past)
    counted = ~(features.recent_rejected < limits["reject_least"] * less) | np.isnan(seen.frame.rejected)
    counted |= _is_no_chance(features.recent_rejected, features.recent_shares * np.maximum(usual, _LEAST_REJECTED))
    hit = (rate >= limits["reject_rate"] * less) & (rate >= limits["reject_times_peers"] * less * usual) & counted
    say(verdict, Issue.REJECT_RATE_HIGH, seen.judgeable & ~np.isnan(rate), hit)
    less = held(seen, Issue.HW_ERROR_RATE_HIGH)
    errors = features.hw_error_rate
    past = zeroed(errors - own.residual[Metric.HW_ERROR_RATE])
    usual = np.maximum(seen.usual_errors, past)
    hit = errors * size_ths(seen.frame) >= limits["hw_errors_per_hour"] * less
    hit &= errors >= limits["hw_errors_times_peers"] * less * usual
    say(verdict, Issue.HW_ERROR_RATE_HIGH, seen.judgeable & ~np.isnan(errors), hit)


def size_ths(frame: Frame) -> Floats:
    """How large a machine is: errors are counted by it."""
    return zeroed(np.where(frame.expected_ths > 0, frame.expected_ths, frame.hashrate_ths))


def _is_no_chance(counted: Floats, usual: Floats) -> Flags:
    """So many where so few are usual: by Chernoff's bound on a Poisson count, less than once in 160,000 looks."""
    with np.errstate(divide="ignore", invalid="ignore"):
        surprise = counted * np.log(counted / usual) - counted + usual
    far: Flags = (counted > usual) & (surprise >= _SURPRISE)
    return far


def _by_data(verdict: Verdicts, seen: Observations) -> None:
    """Sensors without power and values that do not move are as they should be of who was told to stand still."""
    features = seen.features
    judged = seen.standing.judged & ~seen.standing.excused
    hit = features.temp_fault | features.fan_fault | sensor_apart(seen)
    told = ~np.isnan(seen.frame.temp_max_c) | features.temp_fault | ~np.isnan(seen.frame.fan_min_rpm)
    say(verdict, Issue.SENSOR_FAULT, judged & (told | features.fan_fault), hit)
    wrong = features.hashrate_implausible | features.boards_contradict | features.still
    say(verdict, Issue.DATA_IMPLAUSIBLE, judged & (~np.isnan(seen.frame.hashrate_ths) | wrong), wrong)


def sensor_apart(seen: Observations) -> Flags:
    """The hottest sensor is much farther from the mean than it used to be."""
    spread = Metric.TEMP_SPREAD
    whole = ~(seen.features.boards_ratio < 1)  # a dead board's sensor says something else, and that is its problem
    apart = (seen.own.residual[spread] > seen.limits["sensor_spread_c"]) & ~seen.own.cold[spread]
    off_its_usual: Flags = apart & whole & seen.features.steady
    return off_its_usual


def _among_peers(verdict: Verdicts, seen: Observations) -> None:
    hit, known = np.zeros((2, seen.frame.n), dtype=np.bool_)
    for metric in OUTLYING:
        has, far = outlying(seen, metric)
        known |= has
        hit |= far
    say(verdict, Issue.FLEET_OUTLIER, known, hit)


def _settling(verdict: Verdicts, seen: Observations) -> None:
    """A machine that came back with its problem mended need not run for half an hour before it counts as well.

    Only of what is open, and only for hashrate, or where hashrate is what made it unlike its peers: heat and watts take
    their time.
    """
    features, own, hashrate = seen.features, seen.own, Metric.HASHRATE_RATIO
    back = seen.standing.judged & ~seen.standing.excused & features.hashing & ~features.booting & ~features.steady
    if not back.any():
        return
    degraded, outlier = Issue.HASHRATE_DEGRADATION, Issue.FLEET_OUTLIER
    margin = _effect(seen.limits, hashrate, own.value[hashrate]) * HELD
    from_first_days = own.residual[hashrate] - own.smooth[hashrate] + seen.drift[hashrate]
    fine = ~own.cold[hashrate] & (own.residual[hashrate] > -margin) & ~(from_first_days < -margin)
    fine &= features.boots < reboots_for(seen, degraded)
    among = np.zeros(seen.frame.n, dtype=np.bool_)
    far = np.zeros(seen.frame.n, dtype=np.bool_)
    for metric, sign in OUTLYING.items():
        z, effect = outlier_limits(seen, metric)
        stands, value = seen.peers[metric], own.value[metric]
        among |= (stands.level >= 0) & ~np.isnan(value)
        far |= (sign * stands.z > z) & (sign * (value - stands.median) >= effect)
    by_hashrate = seen.shown[list(_OF_HASHRATE)].any(axis=0)
    for issue, is_fine in ((degraded, fine), (outlier, among & ~far & by_hashrate)):
        rows = back & seen.shown[issue] & is_fine & (verdict[issue] == RuleVerdict.UNKNOWN)
        verdict[issue, rows] = RuleVerdict.FINE


def outlying(seen: Observations, metric: Metric) -> tuple[Flags, Flags]:
    """Who has peers to be compared with in this, and who is far from them in spread and in size."""
    among, value, sign = seen.peers[metric], seen.own.value[metric], OUTLYING[metric]
    z, effect = outlier_limits(seen, metric)
    has = seen.judgeable & (among.level >= 0) & ~np.isnan(value)
    # with no peers in its mode there is nothing to differ from, and what it differed from before was of another mode
    settled = has | (seen.judgeable & seen.apart & ~np.isnan(value))
    return settled, has & (sign * among.z > z) & (sign * (value - among.median) >= effect)


def outlier_limits(seen: Observations, metric: Metric) -> tuple[Floats, Floats]:
    limits, less = seen.limits, held(seen, Issue.FLEET_OUTLIER)
    effect = limits[_OUTLYING_BY[metric]]
    if metric is Metric.EFFICIENCY:
        effect = effect * seen.peers[metric].median
    return limits["outlier_z"] * less, effect * less
