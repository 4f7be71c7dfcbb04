"""By which way each rule hit: the number that passed its threshold, and that threshold in the number's own unit.

Conditions ask whether; this says what, for the rows that are to be explained. Where a threshold was narrower because
the problem is open already, it is the narrower one that is told.
"""

from collections.abc import Callable

import numpy as np
import polars as pl

from hashinsight.facts.temperatures import BROKEN_READINGS_C
from hashinsight.problems import conditions, hard_conditions, past_ways
from hashinsight.problems.codes import Issue, Metric, RuleVerdict
from hashinsight.problems.conditions import OUTLYING
from hashinsight.problems.features import BOARDS_OFF, MOST_RATIO, boards_apart
from hashinsight.problems.frame import Flags, Floats, Ints, TextColumn, zeroed
from hashinsight.problems.hottest import CRIT, WARN, hottest, told_limits
from hashinsight.problems.peer_stats import numbers
from hashinsight.problems.pipeline import CycleResult
from hashinsight.problems.seen import HELD
from hashinsight.problems.told import Told

_Tells = Callable[[CycleResult, Ints, Issue], tuple[Told, ...]]


def told_of(found: CycleResult, rows: Ints, issue: Issue) -> tuple[Told, ...]:
    """As many as the rule has ways, in their order."""
    return _TOLD[issue](found, rows, issue)


def _only(found: CycleResult, rows: Ints, issue: Issue) -> Flags:
    """A rule with one way in hit by that."""
    hit: Flags = found.verdict[issue, rows] == RuleVerdict.HIT
    return hit


def _held(found: CycleResult, rows: Ints, issue: Issue) -> Floats:
    return np.where(found.seen.shown[issue, rows], HELD, 1.0)


def _hot(level: str) -> _Tells:
    def told(found: CycleResult, rows: Ints, issue: Issue) -> tuple[Told, ...]:
        seen = found.seen
        nearest = hottest(seen.frame, seen.features, seen.limits, level, seen.shown[issue])
        aside = told_limits(seen.limits, nearest, level, rows)
        return (Told(_only(found, rows, issue), nearest.temp_c[rows], nearest.limit_c[rows], aside=aside),)

    return told


def _offline(found: CycleResult, rows: Ints, _: Issue) -> tuple[Told, ...]:
    standing, online = found.standing, pl.Series(found.features.is_online[rows])
    silent = standing.without_samples[rows]
    age, most = found.now - found.seen.frame.ts[rows], np.full(len(rows), found.config.offline_sec)
    return (
        Told(silent, age, most, aside={"is_online": online}),
        Told(standing.offline[rows] & standing.is_new[rows] & ~silent, online),
    )


def _plain(feature: str, limit: str | None) -> _Tells:
    def told(found: CycleResult, rows: Ints, issue: Issue) -> tuple[Told, ...]:
        threshold = np.zeros(len(rows)) if limit is None else found.seen.limits[limit][rows]
        return (Told(_only(found, rows, issue), getattr(found.features, feature)[rows], threshold),)

    return told


def _trend(found: CycleResult, rows: Ints, issue: Issue) -> tuple[Told, ...]:
    seen = found.seen
    lasting = {
        "steep_hours": numbers(seen.slope_hours[rows]),
        "steep_hours_threshold": numbers(seen.limits["trend_hours"][rows]),
    }
    steep = -seen.limits["trend_per_day"][rows]
    return (Told(_only(found, rows, issue), seen.slope[rows], steep, Metric.HASHRATE_RATIO, aside=lasting),)


def _rejects(found: CycleResult, rows: Ints, issue: Issue) -> tuple[Told, ...]:
    return (_rate(found, rows, issue, Metric.REJECT_RATE, found.seen.limits["reject_rate"][rows]),)


def _errors(found: CycleResult, rows: Ints, issue: Issue) -> tuple[Told, ...]:
    """The limit is one of a machine and an hour, the rate one of a TH/s: it is told per TH/s, as the rate is."""
    ths = conditions.size_ths(found.seen.frame)[rows]
    return (_rate(found, rows, issue, Metric.HW_ERROR_RATE, found.seen.limits["hw_errors_per_hour"][rows] / ths),)


def _rate(found: CycleResult, rows: Ints, issue: Issue, metric: Metric, limit: Floats) -> Told:
    """Both a limit and several times what is usual, for its site or itself: the higher of the two."""
    seen, is_rejects = found.seen, metric is Metric.REJECT_RATE
    among = (seen.usual_reject if is_rejects else seen.usual_errors)[rows]
    times = seen.limits["reject_times_peers" if is_rejects else "hw_errors_times_peers"][rows]
    value = getattr(found.features, metric.name.lower())[rows]
    past = zeroed(value - seen.own.residual[metric, rows])
    threshold = np.maximum(limit, times * np.maximum(among, past)) * _held(found, rows, issue)
    aside = {"peers_median": numbers(among)}
    if not is_rejects:
        aside["hw_errors_per_hour"] = numbers(value * conditions.size_ths(seen.frame)[rows])
    return Told(_only(found, rows, issue), value, threshold, metric, aside=aside)


def _pool(found: CycleResult, rows: Ints, _: Issue) -> tuple[Told, ...]:
    frame = found.seen.frame
    pool, worker = _words(frame.pool, rows), _words(frame.worker, rows)
    return (
        Told(hard_conditions.wrong_pool(frame, found.config)[rows], pool, aside={"worker": worker}),
        Told(hard_conditions.wrong_worker(frame, found.config)[rows], worker, aside={"pool": pool}),
    )


def _sensor(found: CycleResult, rows: Ints, _: Issue) -> tuple[Told, ...]:
    """A broken reading that ingest has taken out already is not known any more."""
    seen, frame, spread = found.seen, found.seen.frame, Metric.TEMP_SPREAD
    temp, rpm = frame.temp_max_c[rows], frame.fan_min_rpm[rows]
    value = seen.own.value[spread, rows]
    return (
        Told(found.features.temp_fault[rows], np.where(np.isin(temp, BROKEN_READINGS_C), temp, np.nan)),
        Told(found.features.fan_fault[rows], np.where(rpm < 0, rpm, np.nan), np.zeros(len(rows))),
        Told(
            conditions.sensor_apart(seen)[rows],
            value,
            value - seen.own.residual[spread, rows] + seen.limits["sensor_spread_c"][rows],
            spread,
        ),
    )


def _implausible(found: CycleResult, rows: Ints, _: Issue) -> tuple[Told, ...]:
    seen, frame, features = found.seen, found.seen.frame, found.features
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = frame.hashrate_ths[rows] / frame.expected_ths[rows]
    wrong, high = features.hashrate_implausible[rows], ratio > MOST_RATIO
    sum_ths = np.nansum(frame.board_ths[:, rows], axis=0)
    boards = {"boards_sum_ths": numbers(sum_ths), "hashrate_ths": numbers(frame.hashrate_ths[rows])}
    apart, most = boards_apart(frame)[rows], np.full(len(rows), BOARDS_OFF)
    return (
        Told(wrong & high, ratio, np.full(len(rows), MOST_RATIO)),
        Told(wrong & ~high, np.full(len(rows), np.nan)),
        Told(features.boards_contradict[rows], apart, most, aside=boards),
        Told(features.still[rows], seen.still_samples[rows], seen.limits["frozen_cycles"][rows]),
    )


def _outlier(found: CycleResult, rows: Ints, _: Issue) -> tuple[Told, ...]:
    """In the metric's own unit: as far from the median as both the spread and the size ask for."""
    seen = found.seen
    z_of = pl.DataFrame({metric.name.lower(): numbers(one.z[rows]) for metric, one in seen.peers.items()})
    z_of_all = z_of.to_struct("robust_z")
    told = []
    for metric, sign in OUTLYING.items():
        among = seen.peers[metric]
        z, effect = (limit[rows] for limit in conditions.outlier_limits(seen, metric))
        threshold = among.median[rows] + sign * np.maximum(effect, z * among.scale[rows])
        aside = {"robust_z": z_of_all, "robust_z_threshold": numbers(z)}
        hit = conditions.outlying(seen, metric)[1][rows]
        told.append(Told(hit, seen.own.value[metric, rows], threshold, aside=aside))
    return tuple(told)


def _boards(found: CycleResult, rows: Ints, issue: Issue) -> tuple[Told, ...]:
    boards, own = Metric.BOARDS_RATIO, found.seen.own
    value = own.value[boards, rows]
    threshold = value - own.residual[boards, rows] - found.seen.limits["boards_degrading_drop"][rows]
    return (Told(_only(found, rows, issue), value, threshold, boards),)


def _lost_board(found: CycleResult, rows: Ints, _: Issue) -> tuple[Told, ...]:
    features, lost = found.features, hard_conditions.lost_board(found.seen)
    aside = {"boards_ratio": numbers(features.boards_ratio[rows])}
    share = np.full(len(rows), lost.most_share)
    return (
        Told(lost.by_hashrate[rows], features.hashrate_ratio[rows], lost.most[rows], aside=aside),
        Told(lost.by_board[rows], features.board_share_min[rows], share, aside=aside),
    )


def _words(texts: TextColumn, rows: Ints) -> pl.Series:
    no = texts.no[rows]
    return pl.Series([*texts.of, None], dtype=pl.String).gather(np.where(no < 0, len(texts.of), no))


_TOLD: dict[Issue, _Tells] = {
    Issue.OVERHEAT_CRIT: _hot(CRIT),
    Issue.OFFLINE: _offline,
    Issue.HASHRATE_ZERO: _plain("hashrate_ratio", "hashrate_zero_ratio"),
    Issue.BOARDS_DEAD: _plain("boards_ratio", "boards_dead_ratio"),
    Issue.BOARD_LOST: _lost_board,
    Issue.FAN_ZERO: _plain("fan_speed_min", None),
    Issue.OVERHEAT_WARN: _hot(WARN),
    Issue.HASHRATE_DEGRADATION: past_ways.hashrate,
    Issue.EFFICIENCY_DEGRADATION: past_ways.efficiency,
    Issue.TEMP_ANOMALY: past_ways.temperature,
    Issue.TREND_ANOMALY: _trend,
    Issue.REJECT_RATE_HIGH: _rejects,
    Issue.HW_ERROR_RATE_HIGH: _errors,
    Issue.WRONG_POOL: _pool,
    Issue.SENSOR_FAULT: _sensor,
    Issue.DATA_IMPLAUSIBLE: _implausible,
    Issue.FLEET_OUTLIER: _outlier,
    Issue.BOARDS_DEGRADING: _boards,
}
