"""One cycle as a recipe: readings, features, baselines, peers, rules, events. Pure: state in, state and result out."""

import zlib
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hashinsight.problems import (
    baselines,
    drift,
    features,
    group_stats,
    health_rules,
    lifecycle,
    modes,
    peers,
    populations,
    reference_hashrate,
    references,
)
from hashinsight.problems.codes import (
    ISSUES,
    DataState,
    EventStatus,
    ExpectationSource,
    Issue,
    Metric,
    Mode,
    Severity,
    ThawReason,
)
from hashinsight.problems.config import Config, resolve_limits
from hashinsight.problems.data_state import DataStatus, data_status
from hashinsight.problems.events import Events, LifecycleStep, SubjectVerdicts
from hashinsight.problems.features import Features
from hashinsight.problems.frame import Flags, Floats, Frame, Ints, zeroed
from hashinsight.problems.health_rules.rule import Observations, RuleResult
from hashinsight.problems.state import State, aligned
from hashinsight.telemetry.states import SampleFlags

_SENSOR_BIT = 1 << 33  # above the 32 bits of a firmware's checksum
_SEVERITY = np.array([health_rules.BY_ISSUE[issue].severity for issue in Issue], dtype=np.int8)


@dataclass(frozen=True)
class CycleResult:
    """Everything that a cycle found, in the order of the frame's machines."""

    observed: Observations
    rules: dict[Issue, RuleResult]
    verdict: NDArray[np.int8]  # (issues, machines), codes.RuleVerdict
    lifecycle: LifecycleStep
    left_out: NDArray[np.int32]  # bits of features.LEFT_OUT
    mode: NDArray[np.int8]  # codes.Mode; unknown where it is not certain
    thawed: Flags  # whose baseline learns again since this cycle; the reason is in the state


def step(state: State, frame: Frame, now: float, config: Config) -> tuple[State, CycleResult]:
    """The state after this cycle, and its result. Nothing that was passed in is changed."""
    state = aligned(state, frame.miner_no)
    limits, reported = resolve_limits(config, frame), frame
    frame = replace(frame, expected_ths=reference_hashrate.expected_of(frame, state))
    data = data_status(frame, state["seen_ts"], now=now, config=config)
    problems = _open_problems(state.events, frame)

    feats = features.extract_features(frame, state, data, limits, now=now, config=config)
    _restart_changed(state, frame, data, now)
    values = baselines.metric_values(feats)
    elapsed = _elapsed(state, data, now, config)

    levels = peers.levels_of(frame.site.no, limits.model, frame.firmware.no, state["mode"])
    healthy = feats.steady & ~problems.unfit_as_reference & ~data.planned_outage
    peer_stats = references.peer_statistics(values, levels, healthy, config)
    reference = references.update_references(
        state, values, peers.with_cooling_level(levels, frame.site.no, frame.is_air),
        healthy=healthy, elapsed=elapsed, config=config,
    )  # fmt: skip
    floor = baselines.sigma_floor(state, levels[0], values)

    kinds = populations.groups(frame, limits)
    has_model = np.array([bool(name) for name in limits.models], dtype=np.bool_)[limits.model]
    whole = healthy & ~(feats.boards_ratio < 1)
    moded = _update_modes(state, frame, feats, kinds, may=whole, elapsed=elapsed, now=now, config=config)
    judgeable = feats.steady & ~moded.changing & ~data.planned_outage
    _forget_board_loss(state, feats)
    own = baselines.compare(state, values, reference, floor, judged=judgeable, elapsed=elapsed, config=config)
    from_anchor = drift.update_drift(state, own, limits, may=judgeable, elapsed=elapsed)
    slope = drift.update_slope(
        state, own, limits, may=judgeable, explained=problems.other_than_trend, elapsed=elapsed, config=config
    )

    thawed_before = state["thawed_at"].copy()
    frozen = baselines.freeze(
        state, unacknowledged=problems.unacknowledged, acknowledged=problems.acknowledged, now=now, config=config
    )
    may, has_none = judgeable & ~frozen, ~problems.unacknowledged & ~problems.acknowledged
    board_lost = own.residual[Metric.BOARDS_RATIO] < -limits["boards_degrading_drop"]
    boards_may = (may & has_none & ~board_lost) | (judgeable & (feats.boards_ratio >= 1))
    baselines.learn(
        state, own, floor, may=may, boards_may=boards_may, board_lost=problems.shown[Issue.BOARD_LOST],
        overheated=problems.shown[Issue.OVERHEAT_CRIT] | problems.shown[Issue.OVERHEAT_WARN],
        elapsed=elapsed, config=config,
    )  # fmt: skip
    drift.learn_anchors(state, own, may=judgeable & has_none, now=now)
    expectation = state["expectation"].copy()
    reference_hashrate.infer(
        state, reported, kinds.of, len(kinds.names), has_model, may=healthy & ~board_lost, elapsed=elapsed
    )

    # in no known mode, and with fewer watts per TH/s than its nameplate: not faulty, but in a mode of its own
    saves = state["mode_power"] < modes.SAVES * state["mode_hashrate"]
    plain = (state["mode"] == Mode.NORMAL) | ((state["mode"] == Mode.UNKNOWN) & ~saves)
    has_rating = expectation != ExpectationSource.OWN_PAST  # otherwise other rules compare it with its own past
    positions = {
        metric: peers.peer_positions(
            np.where(has_rating if metric is Metric.HASHRATE_RATIO else has_model, values[metric], np.nan),
            levels, peer_stats[metric], min_members=config.min_peers, plain=plain,
        )
        for metric in peers.COMPARED
    }  # fmt: skip
    observed = Observations(
        now=now, config=config, frame=frame, data=data, features=feats, limits=limits, own=own, drift=from_anchor,
        cusum_up=state["cusum_up"], cusum_down=state["cusum_down"], slope=slope,
        slope_hours=state["slope_hours"], frozen_samples=state["still_cycles"], peers=positions,
        site_reject_rate=_site_median(feats.reject_rate, levels, healthy),
        site_error_rate=_site_median(feats.hw_error_rate, levels, healthy), judgeable=judgeable, unlike_mode=~plain,
        shown=problems.shown, mode=state["mode"].copy(), expectation=expectation,
    )  # fmt: skip
    rules = health_rules.evaluate(observed)
    verdicts = _subject_verdicts(rules, frame, data)
    moved = lifecycle.advance(state.events, verdicts, now=now, life=config.life)
    state["seen_ts"][:] = np.fmax(state["seen_ts"], np.where(data.state == DataState.UNKNOWN, np.nan, frame.ts))
    state["updated_at"][judgeable] = now
    thawed = (state["thawed_at"] != thawed_before) & ~np.isnan(state["thawed_at"])
    result = CycleResult(
        observed, rules, verdicts.verdict[:, len(data.collectors) :], moved, features.left_out_bits(feats), moded.mode,
        thawed,
    )  # fmt: skip
    return replace(state, events=moved.events, cycled_at=now), result


@dataclass(frozen=True)
class _OpenProblems:
    """By machine; `shown` by issue and machine. A pending problem is not shown."""

    shown: Flags
    unacknowledged: Flags
    acknowledged: Flags
    unfit_as_reference: Flags
    other_than_trend: Flags


def _open_problems(events: Events, frame: Frame) -> _OpenProblems:
    shown = np.zeros((ISSUES, frame.n), dtype=np.bool_)
    unacknowledged, acknowledged, unfit_as_reference, other_than_trend = np.zeros((4, frame.n), dtype=np.bool_)
    active = events.take(events.active & (events.subject >= 0))
    at = np.minimum(np.searchsorted(frame.miner_no, active.subject), max(frame.n - 1, 0))
    here = frame.miner_no[at] == active.subject if frame.n else np.zeros(active.n, dtype=np.bool_)
    at, active = at[here], active.take(here)
    pending = active.status == EventStatus.PENDING
    shown[active.issue[~pending], at[~pending]] = True
    taken = (active.status == EventStatus.ACK) | (active.status == EventStatus.IN_PROGRESS)
    acknowledged[at[taken]] = True
    unacknowledged[at[~taken & ~pending]] = True
    unfit_as_reference[at[(active.severity <= Severity.P1) | (active.issue == Issue.BOARDS_DEGRADING)]] = True
    other_than_trend[at[active.issue != Issue.TREND_ANOMALY]] = True
    return _OpenProblems(shown, unacknowledged, acknowledged, unfit_as_reference, other_than_trend)


def _forget_board_loss(state: State, feats: Features) -> None:
    """When all boards are back, the hashrate without them is no part of the half-hour mean."""
    back = (feats.boards_ratio >= 1) & (state["last_raw"][Metric.BOARDS_RATIO] < 1)
    state["smooth"][Metric.HASHRATE_RATIO, back] = 0.0


def _elapsed(state: State, data: DataStatus, now: float, config: Config) -> Floats:
    """Since the machine was last judged; one cycle at first, and a long silence counts as six."""
    since = now - state["updated_at"]
    return np.where(np.isnan(since), config.cycle_sec, np.clip(since, 0.0, 6 * config.cycle_sec)) * data.judged


def _restart_changed(state: State, frame: Frame, data: DataStatus, now: float) -> None:
    """A firmware change starts the baseline again; so does a sensor that was not reported before."""
    checksums = np.array([zlib.crc32(text.encode()) for text in frame.firmware.of] + [-1], dtype=np.int64)
    key, before = checksums[frame.firmware.no], state["firmware_key"]
    reports_sensor = (frame.flags & (SampleFlags.CHIP_SENSOR | SampleFlags.BOARD_SENSOR)) != 0
    if reports_sensor.any() or (before >= _SENSOR_BIT).any():
        sensor_before = np.maximum(before, 0) & _SENSOR_BIT
        sensor = np.where(np.isnan(frame.temp_max_c), sensor_before, reports_sensor * _SENSOR_BIT)
        key = np.where(key >= 0, key + sensor, key)
    known = data.judged & (key >= 0)
    changed = known & (before >= 0) & (key != before)
    before[:] = np.where(known, key, before)
    if changed.any():
        baselines.start_over(state, changed, now=now, reason=ThawReason.NONE)


def _update_modes(
    state: State, frame: Frame, feats: Features, kinds: populations.Groups, *, may: Flags, elapsed: Floats,
    now: float, config: Config,
) -> modes.ModeUpdate:  # fmt: skip
    points, stepped = modes.mode_points(state, feats, kinds, frame.boards_total, may=may, elapsed=elapsed)
    if populations.is_due(points, kinds, state.mixtures, now=now, config=config):
        state.mixtures = populations.refit(points, kinds, now=now) or state.mixtures
    stepped = np.where(now - state["mode_changed_at"] < modes.ONCE_SEC, 0.0, stepped)
    mode, confidence = modes.assign(points, kinds, state.mixtures, state, stepped=stepped)
    mode = modes.without_doubtful_eco(mode, points, feats.boards_ratio)
    # below its nameplate and near to no mode is a fault, unless its own past is all that is known of it
    reset = (
        (stepped != 0)
        & (state["expectation"] == ExpectationSource.OWN_PAST)
        & ~populations.populated(kinds, state.mixtures)
    )
    moded = modes.settle(state, frame, mode, confidence, reset=reset, may=may, now=now, config=config)
    if moded.switched.any():
        baselines.forget(state, moded.switched)
        reference_hashrate.start_over(state, moded.switched)
    return moded


def _site_median(values: Floats, levels: tuple[peers.PeerLevel, ...], healthy: Flags) -> Floats:
    """Reject and error rates are alike on all models of a site."""
    site = levels[-1]
    use = healthy & ~np.isnan(values)
    return zeroed(group_stats.median(values, site.group, use, site.groups)[site.group])


def _subject_verdicts(rules: dict[Issue, RuleResult], frame: Frame, data: DataStatus) -> SubjectVerdicts:
    """Collectors first, as -1 less their number, then machines: subjects are in order."""
    collectors = data.collectors[::-1]
    subject: Ints = np.concatenate([-1 - collectors, frame.miner_no])
    verdict = np.zeros((ISSUES, len(subject)), dtype=np.int8)
    for issue, result in rules.items():
        if issue is Issue.COLLECTOR_DOWN:
            verdict[issue, : len(collectors)] = result.verdict[::-1]
        else:
            verdict[issue, len(collectors) :] = result.verdict
    return SubjectVerdicts(
        subject=subject,
        verdict=verdict,
        severity=np.broadcast_to(_SEVERITY[:, None], verdict.shape),
        suppressed=np.concatenate([data.collector_suppressed[::-1], frame.suppressed]),
    )
