"""One cycle, as a recipe: what we know → what it means → what changes in the registry. Pure; state in, state out."""

import zlib
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hashinsight.problems import anchors, baselines, conditions, features, grouping, lifecycle, modes, peers, trends
from hashinsight.problems.codes import (
    ISSUES,
    REFERRED,
    DataState,
    EventStatus,
    Issue,
    Metric,
    Mode,
    Severity,
    ThawReason,
    Verdict,
)
from hashinsight.problems.conditions import Seen
from hashinsight.problems.config import Config, Resolved, resolve
from hashinsight.problems.data_state import Standing, stand
from hashinsight.problems.events import Events
from hashinsight.problems.features import Features
from hashinsight.problems.frame import Flags, Floats, Frame, Ints, zeroed
from hashinsight.problems.health_rules import RULES
from hashinsight.problems.moves import Judged, Lived
from hashinsight.problems.state import State, aligned
from hashinsight.telemetry.states import Flags as Said

_REFERRED = tuple(Metric)[:REFERRED]
_NAMED_SENSOR = 1 << 33  # above the 32 bits of a firmware's number
_SEVERITY = np.array([rule.severity for rule in sorted(RULES, key=lambda rule: rule.issue)], dtype=np.int8)


@dataclass(frozen=True)
class Verdicts:
    """Everything that a cycle found, in the order of the frame's machines."""

    now: float
    config: Config
    seen: Seen
    verdict: NDArray[np.int8]  # (issues, machines), codes.Verdict
    lived: Lived
    left_out: NDArray[np.int32]  # bits of features.LEFT_OUT
    mode: NDArray[np.int8]  # as it is told: unknown where that is not sure
    thawed: Flags  # whose freeze ended in this cycle; why is in the state

    @property
    def standing(self) -> Standing:
        return self.seen.standing

    @property
    def features(self) -> Features:
        return self.seen.features


def step(state: State, frame: Frame, now: float, config: Config) -> tuple[State, Verdicts]:
    """The state after this cycle, and what was found. Nothing that was passed in is changed."""
    state = aligned(state, frame.miner_no)
    limits = resolve(config, frame)
    standing = stand(frame, state["seen_ts"], now=now, config=config)
    shown, troubled, acknowledged, ailing, others = _open_problems(state.events, frame)

    seen = features.observe(frame, state, standing, limits, now=now, config=config)
    _begin_anew(state, frame, standing, now)
    values = baselines.values_of(seen)
    elapsed = _elapsed(state, standing, now, config)

    levels = peers.levels_of(frame.site.no, limits.model, frame.firmware.no, state["mode"])
    healthy = seen.steady & ~ailing & ~standing.excused
    known = _usual_by_metric(values, levels, healthy, config)
    reference = _refer(
        state, values, levels, known, steady=seen.steady, healthy=healthy, elapsed=elapsed, now=now, config=config
    )  # fmt: skip
    floor = baselines.pooled_floor(state, levels[0], values)

    moded = _modes(state, frame, seen, limits, may=healthy & ~troubled, now=now, config=config)
    judgeable = seen.steady & ~moded.changing & ~standing.excused & ~np.isnan(reference[0])
    own = baselines.compare(state, values, reference, floor, judged=judgeable, elapsed=elapsed, config=config)
    most = limits["cusum_sigma_hours"]
    apart = anchors.drift(state, own, may=judgeable, elapsed=elapsed, most=most)
    slope = trends.follow(state, own, limits, may=judgeable, explained=others, elapsed=elapsed, config=config)

    thawed_before = state["thawed_at"].copy()
    frozen = baselines.freeze(state, troubled=troubled, acknowledged=acknowledged, now=now, config=config)
    may = judgeable & ~frozen
    boards_may = (may & ~troubled & ~acknowledged) | (judgeable & (seen.boards_ratio >= 1))
    baselines.learn(state, own, floor, may=may, boards_may=boards_may, elapsed=elapsed, config=config)
    anchors.gather(state, own, may=judgeable & ~troubled & ~acknowledged, now=now)

    plain = (state["mode"] == Mode.NORMAL) | (state["mode"] == Mode.UNKNOWN)
    among = {
        metric: peers.stand_among(values[metric], levels, known[metric], least=config.least_peers, plain=plain)
        for metric in peers.COMPARED
    }
    everything = Seen(
        frame=frame, standing=standing, features=seen, limits=limits, own=own, drift=apart,
        cusum_up=state["cusum_up"], cusum_down=state["cusum_down"], slope=slope,
        slope_hours=state["slope_hours"], still_samples=state["still_cycles"], peers=among,
        usual_reject=_usual(seen.reject_rate, levels, healthy),
        usual_errors=_usual(seen.hw_error_rate, levels, healthy), judgeable=judgeable, shown=shown,
    )  # fmt: skip
    verdict = conditions.judge(everything, config)
    lived = lifecycle.live(state.events, _judged(verdict, frame, standing), now=now, life=config.life)
    state["seen_ts"][:] = np.fmax(state["seen_ts"], np.where(standing.state == DataState.UNKNOWN, np.nan, frame.ts))
    state["updated_at"][judgeable] = now
    state = replace(state, events=lived.events, cycled_at=now)
    thawed = state["thawed_at"] != thawed_before
    thawed &= ~np.isnan(state["thawed_at"])
    return state, Verdicts(now, config, everything, verdict, lived, features.left_out(seen), moded.told, thawed)


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
    troubled[at[~in_hand]] = True
    grave[at[(active.severity <= Severity.P1) | (active.issue == Issue.BOARDS_DEGRADING)]] = True
    others[at[active.issue != Issue.TREND_ANOMALY]] = True
    return shown, troubled, taken, grave, others


def _elapsed(state: State, standing: Standing, now: float, config: Config) -> Floats:
    """Since the machine was last judged, a cycle for the first time; a long silence is no long time of anything."""
    since = now - state["updated_at"]
    return np.where(np.isnan(since), config.cycle_sec, np.clip(since, 0.0, 6 * config.cycle_sec)) * standing.judged


def _begin_anew(state: State, frame: Frame, standing: Standing, now: float) -> None:
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


def _usual_by_metric(
    values: Floats, levels: tuple[peers.Level, ...], healthy: Flags, config: Config
) -> dict[Metric, tuple[peers.Known, ...]]:
    found = {}
    for metric in _REFERRED:
        compared = metric in peers.COMPARED
        least = config.least_peers if compared else config.least_reference
        found[metric] = peers.usual(
            values[metric], levels[: peers.reach(metric)], healthy, least=least, scaled=compared
        )
    return found


def _refer(
    state: State, values: Floats, levels: tuple[peers.Level, ...], known: dict[Metric, tuple[peers.Known, ...]],
    *, steady: Flags, healthy: Flags, elapsed: Floats, now: float, config: Config,
) -> Floats:  # fmt: skip
    """What is common to each machine's kind. A group that had a reference and lost it leaves its members unjudged.

    For a while: who has run for half a day without enough of its kind beside it is judged by itself.
    """
    least, depth = config.least_reference, peers.OF_ONE_MODEL
    found = [peers.reference(levels[:depth], known[metric][:depth], least=least) for metric in _REFERRED]
    level = found[0][1]
    reference = np.stack([middle for middle, _ in found])
    untold = np.stack([own_level for _, own_level in found]) < 0
    reference[untold & (level >= 0)] = 0.0  # too few of its kind tell this metric: by itself
    baselines.refer_anew(state, reference, untold & (level >= 0), elapsed=elapsed)
    lost = (level < 0) & (state["reference_level"] >= 0)
    waits_since = np.fmax(state["updated_at"], state["hashing_since"] + config.settle_sec)
    alone = lost & steady & (now - waits_since >= config.alone_sec)
    lost &= ~alone
    reference = np.where(lost, np.nan, reference)

    def at(number: int) -> Floats:
        rows = [_middle(values[metric], levels[number], known[metric], number, healthy) for metric in _REFERRED]
        return np.stack(rows)

    if alone.any():
        baselines.stand_alone(state, alone, at)
    keep = np.where(lost, state["reference_level"], level).astype(np.int8)
    baselines.recentre(state, reference, keep, at)
    return reference


def _middle(
    values: Floats, level: peers.Level, known: tuple[peers.Known, ...], number: int, healthy: Flags
) -> Floats:  # fmt: skip
    """The median of each machine's group on a level, also on one that nobody else has looked at."""
    if number < len(known):
        return known[number].median[level.group]
    return grouping.median(values, level.group, healthy & ~np.isnan(values), level.groups)[level.group]


def _modes(
    state: State, frame: Frame, seen: Features, limits: Resolved, *, may: Flags, now: float, config: Config
) -> modes.Moded:
    group, names = modes.groups(frame, limits)
    points = modes.points_of(seen.nameplate_ratio, seen.power_share)
    if not 0 <= now - state.mixtures.fitted_at < config.mode_fit_sec:  # a clock that was ahead fits again
        state.mixtures = modes.refit(points, group, names, may, now=now)
    told, sure = modes.assign(points, group, names, state.mixtures)
    moded = modes.settle(state, frame, told, sure, may=may & ~(seen.boards_ratio < 1), now=now, config=config)
    if moded.switched.any():
        baselines.forget(state, moded.switched)
    return moded


def _usual(values: Floats, levels: tuple[peers.Level, ...], healthy: Flags) -> Floats:
    """The median of its site: rates of shares and errors are alike on all models."""
    site = levels[-1]
    use = healthy & ~np.isnan(values)
    return zeroed(grouping.median(values, site.group, use, site.groups)[site.group])


def _judged(verdict: NDArray[np.int8], frame: Frame, standing: Standing) -> Judged:
    """Machines' verdicts, and before them those of collectors: -1 less their number."""
    whose = standing.collectors[::-1]
    subject: Ints = np.concatenate([-1 - whose, frame.miner_no])
    of_collectors = np.zeros((ISSUES, len(whose)), dtype=np.int8)
    said = np.where(standing.collector_down[::-1], Verdict.HIT, Verdict.FINE)
    of_collectors[Issue.COLLECTOR_DOWN] = np.where(standing.collector_known[::-1], said, Verdict.UNKNOWN)
    return Judged(
        subject=subject,
        verdict=np.concatenate([of_collectors, verdict], axis=1),
        severity=np.broadcast_to(_SEVERITY[:, None], (ISSUES, len(subject))),
        suppressed=np.concatenate([standing.collector_suppressed[::-1], frame.suppressed]),
    )
