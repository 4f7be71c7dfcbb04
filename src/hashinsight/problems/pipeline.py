"""One cycle, as a recipe: what we know → what it means → what changes in the registry. Pure; state in, state out."""

import zlib
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hashinsight.problems import (
    anchors,
    baselines,
    expected_hashrate,
    features,
    group_stats,
    health_rules,
    lifecycle,
    modes,
    peers,
    populations,
    references,
    trends,
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
from hashinsight.problems.health_rules import RULES
from hashinsight.problems.health_rules.rule import Observations, RuleResult
from hashinsight.problems.state import State, aligned
from hashinsight.telemetry.states import SampleFlags as Said

_NAMED_SENSOR = 1 << 33  # above the 32 bits of a firmware's number
_SEVERITY = np.array([rule.severity for rule in sorted(RULES, key=lambda rule: rule.issue)], dtype=np.int8)


@dataclass(frozen=True)
class CycleResult:
    """Everything that a cycle found, in the order of the frame's machines."""

    observed: Observations
    rules: dict[Issue, RuleResult]
    verdict: NDArray[np.int8]  # (issues, machines), codes.RuleVerdict
    lived: LifecycleStep
    left_out: NDArray[np.int32]  # bits of features.LEFT_OUT
    mode: NDArray[np.int8]  # as it is told: unknown where that is not sure
    thawed: Flags  # whose freeze ended in this cycle; why is in the state


def step(state: State, frame: Frame, now: float, config: Config) -> tuple[State, CycleResult]:
    """The state after this cycle, and what was found. Nothing that was passed in is changed."""
    state = aligned(state, frame.miner_no)
    limits, given = resolve_limits(config, frame), frame
    frame = replace(frame, expected_ths=expected_hashrate.expected_of(frame, state))
    standing = data_status(frame, state["seen_ts"], now=now, config=config)
    shown, troubled, acknowledged, ailing, others = _open_problems(state.events, frame)

    seen = features.extract_features(frame, state, standing, limits, now=now, config=config)
    _begin_anew(state, frame, standing, now)
    values = baselines.values_of(seen)
    elapsed = _elapsed(state, standing, now, config)

    levels = peers.levels_of(frame.site.no, limits.model, frame.firmware.no, state["mode"])
    healthy = seen.steady & ~ailing & ~standing.planned_outage
    known = references.compared(values, levels, healthy, config)
    among_all = peers.of_one_cooling(levels, frame.site.no, frame.is_air)
    reference = references.refer(state, values, among_all, healthy=healthy, elapsed=elapsed, config=config)
    floor = baselines.pooled_floor(state, levels[0], values)

    whole = healthy & ~(seen.boards_ratio < 1)
    kinds = populations.groups(frame, limits)
    named = np.array([bool(name) for name in limits.models])[limits.model] if frame.n else np.zeros(0, dtype=np.bool_)
    moded = _modes(state, frame, seen, kinds, may=whole, elapsed=elapsed, now=now, config=config)
    judgeable = seen.steady & ~moded.changing & ~standing.planned_outage
    _forget_the_loss(state, seen)
    own = baselines.compare(state, values, reference, floor, judged=judgeable, elapsed=elapsed, config=config)
    most = limits["cusum_sigma_hours"]
    apart = anchors.drift(state, own, may=judgeable, elapsed=elapsed, most=most)
    slope = trends.follow(state, own, limits, may=judgeable, explained=others, elapsed=elapsed, config=config)

    thawed_before = state["thawed_at"].copy()
    frozen = baselines.freeze(state, troubled=troubled, acknowledged=acknowledged, now=now, config=config)
    may = judgeable & ~frozen
    lost = own.residual[Metric.BOARDS_RATIO] < -limits["boards_degrading_drop"]
    boards_may = (may & ~troubled & ~acknowledged & ~lost) | (judgeable & (seen.boards_ratio >= 1))
    baselines.learn(
        state, own, floor, may=may, boards_may=boards_may, maimed=shown[Issue.BOARD_LOST],
        heated=shown[Issue.OVERHEAT_CRIT] | shown[Issue.OVERHEAT_WARN], elapsed=elapsed, config=config,
    )  # fmt: skip
    anchors.gather(state, own, may=judgeable & ~troubled & ~acknowledged, now=now)
    expectation = state["expectation"].copy()
    expected_hashrate.infer(state, given, kinds.of, len(kinds.names), named, may=healthy & ~lost, elapsed=elapsed)

    # in no mode that we know, and for fewer watts a TH/s than its nameplate: not ill, but in a mode of its own
    saves = state["mode_power"] < modes.SAVES * state["mode_hashrate"]
    plain = (state["mode"] == Mode.NORMAL) | ((state["mode"] == Mode.UNKNOWN) & ~saves)
    comparable = expectation != ExpectationSource.OWN_PAST  # its own past is judged by other rules
    among = {
        metric: peers.stand_among(
            np.where(comparable if metric is Metric.HASHRATE_RATIO else named, values[metric], np.nan),
            levels, known[metric], least=config.least_peers, plain=plain,
        )
        for metric in peers.COMPARED
    }  # fmt: skip
    observed = Observations(
        now=now, config=config, frame=frame, data=standing, features=seen, limits=limits, own=own, drift=apart,
        cusum_up=state["cusum_up"], cusum_down=state["cusum_down"], slope=slope,
        slope_hours=state["slope_hours"], frozen_samples=state["still_cycles"], peers=among,
        site_reject_rate=_usual(seen.reject_rate, levels, healthy),
        site_error_rate=_usual(seen.hw_error_rate, levels, healthy), judgeable=judgeable, unlike_mode=~plain,
        shown=shown, mode=state["mode"].copy(), expectation=expectation,
    )  # fmt: skip
    rules = health_rules.evaluate(observed)
    judged = _judged(rules, frame, standing)
    lived = lifecycle.advance(state.events, judged, now=now, life=config.life)
    state["seen_ts"][:] = np.fmax(state["seen_ts"], np.where(standing.state == DataState.UNKNOWN, np.nan, frame.ts))
    state["updated_at"][judgeable] = now
    state = replace(state, events=lived.events, cycled_at=now)
    thawed = state["thawed_at"] != thawed_before
    thawed &= ~np.isnan(state["thawed_at"])
    verdict = judged.verdict[:, len(standing.collectors) :]
    return state, CycleResult(observed, rules, verdict, lived, features.left_out_bits(seen), moded.told, thawed)


def _open_problems(events: Events, frame: Frame) -> tuple[Flags, Flags, Flags, Flags, Flags]:
    """By issue and machine what is shown; by machine: one nobody has taken, one taken, a grave one, one but a trend."""
    shown = np.zeros((ISSUES, frame.n), dtype=np.bool_)
    troubled, taken, grave, others = np.zeros((4, frame.n), dtype=np.bool_)
    active = events.take(events.active & (events.subject >= 0))
    at = np.minimum(np.searchsorted(frame.miner_no, active.subject), max(frame.n - 1, 0))
    here = frame.miner_no[at] == active.subject if frame.n else np.zeros(active.n, dtype=np.bool_)
    at, active = at[here], active.take(here)
    pending = active.status == EventStatus.PENDING
    shown[active.issue[~pending], at[~pending]] = True
    in_hand = (active.status == EventStatus.ACK) | (active.status == EventStatus.IN_PROGRESS)
    taken[at[in_hand]] = True
    troubled[at[~in_hand & ~pending]] = True  # what is only suspected stops nobody from learning
    grave[at[(active.severity <= Severity.P1) | (active.issue == Issue.BOARDS_DEGRADING)]] = True
    others[at[active.issue != Issue.TREND_ANOMALY]] = True
    return shown, troubled, taken, grave, others


def _forget_the_loss(state: State, seen: Features) -> None:
    """Of a machine whose boards are all back, what it hashed without them is no part of its last half hour."""
    back = (seen.boards_ratio >= 1) & (state["last_raw"][Metric.BOARDS_RATIO] < 1)
    state["smooth"][Metric.HASHRATE_RATIO, back] = 0.0


def _elapsed(state: State, standing: DataStatus, now: float, config: Config) -> Floats:
    """Since the machine was last judged, a cycle for the first time; a long silence is no long time of anything."""
    since = now - state["updated_at"]
    return np.where(np.isnan(since), config.cycle_sec, np.clip(since, 0.0, 6 * config.cycle_sec)) * standing.judged


def _begin_anew(state: State, frame: Frame, standing: DataStatus, now: float) -> None:
    """Another firmware is another machine as far as its past goes; so is one whose sensor was not named before."""
    numbers = np.array([zlib.crc32(text.encode()) for text in frame.firmware.of] + [-1], dtype=np.int64)
    told = numbers[frame.firmware.no]
    named = (frame.flags & (Said.CHIP_SENSOR | Said.BOARD_SENSOR)) != 0
    if named.any() or (state["firmware_key"] >= _NAMED_SENSOR).any():
        before = np.maximum(state["firmware_key"], 0) & _NAMED_SENSOR
        told = np.where(told >= 0, told + np.where(np.isnan(frame.temp_max_c), before, named * _NAMED_SENSOR), told)
    changed = standing.judged & (told >= 0) & (state["firmware_key"] >= 0) & (told != state["firmware_key"])
    state["firmware_key"][:] = np.where(standing.judged & (told >= 0), told, state["firmware_key"])
    if changed.any():
        baselines.begin_anew(state, changed, now=now, reason=ThawReason.NONE)


def _modes(
    state: State, frame: Frame, seen: Features, kinds: populations.Groups, *, may: Flags, elapsed: Floats, now: float,
    config: Config,
) -> modes.Moded:  # fmt: skip
    points, stepped = modes.points_of(state, seen, kinds, frame.boards_total, may=may, elapsed=elapsed)
    if populations.is_due(points, kinds, state.mixtures, now=now, config=config):
        state.mixtures = populations.refit(points, kinds, now=now) or state.mixtures
    stepped = np.where(now - state["mode_changed_at"] < modes.ONCE_SEC, 0.0, stepped)
    told, sure = modes.assign(points, kinds, state.mixtures, state, stepped=stepped)
    told = modes.without_doubt(told, points, seen.boards_ratio)
    # who does less than its nameplate and is near to no mode is ill, unless its own past is all that is known
    set_anew = (
        (stepped != 0)
        & (state["expectation"] == ExpectationSource.OWN_PAST)
        & ~populations.populated(kinds, state.mixtures)
    )
    moded = modes.settle(state, frame, told, sure, set_anew=set_anew, may=may, now=now, config=config)
    if moded.switched.any():
        baselines.forget(state, moded.switched)
        expected_hashrate.begin_anew(state, moded.switched)
    return moded


def _usual(values: Floats, levels: tuple[peers.PeerLevel, ...], healthy: Flags) -> Floats:
    """The median of its site: rates of shares and errors are alike on all models."""
    site = levels[-1]
    use = healthy & ~np.isnan(values)
    return zeroed(group_stats.median(values, site.group, use, site.groups)[site.group])


def _judged(rules: dict[Issue, RuleResult], frame: Frame, standing: DataStatus) -> SubjectVerdicts:
    """Machines' verdicts, and before them those of collectors: -1 less their number."""
    collectors = standing.collectors[::-1]
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
        suppressed=np.concatenate([standing.collector_suppressed[::-1], frame.suppressed]),
    )
