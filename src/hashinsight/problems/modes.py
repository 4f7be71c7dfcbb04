"""Eco, normal, perf: what the firmware reports, or the population of its kind that a machine belongs to.

Populations are fitted as soon as enough machines are steady, again when a group has grown, and every few hours; they
are applied every cycle to each machine's mean of the last hour. A kind of a few machines has no populations of its own:
it takes those of its site, moved to its own level. A switch needs several agreeing cycles and is followed by a grace
period in which the machine is not compared with its baseline. A machine near no population for several cycles is shown
as unknown, but still compared as before: a machine that breaks must not leave its peers.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hashinsight.problems import group_stats, mixtures
from hashinsight.problems.codes import MIN_CONFIDENCE, Metric, Mode
from hashinsight.problems.config import Config
from hashinsight.problems.features import Features
from hashinsight.problems.frame import Flags, Floats, Frame
from hashinsight.problems.mixtures import Mixture, Mixtures
from hashinsight.problems.populations import MIN_MACHINES, Groups
from hashinsight.problems.state import State

_NO_CONFIDENCE = 0.3
_NEAR = 4.0  # standard deviations: a machine farther from every population belongs to none
_MEAN_SEC = 3600.0
_STEP = 0.05  # of the nameplate: a larger move within a cycle is another state, not noise
_LIKE_BOARDS = 0.04  # some firmware counts a dead board as working: then the loss of a board's share shows it
SAVES = 0.98  # watts per TH/s, of the nameplate's
_MIN_RATIO, _MAX_RATIO = 0.55, 1.6  # of its hashrate before: no mode goes farther
ONCE_SEC = 86_400.0  # modes are not changed every hour; a machine that goes up and down is faulty
_IN_ONE_STEP = 0.7  # of the way: a machine that slides there gradually is faulty
_SAVED = 0.4  # of a step in hashrate: power follows by at least that
_WORDS = {
    "eco": Mode.ECO, "low": Mode.ECO, "lpm": Mode.ECO, "low_power": Mode.ECO, "efficiency": Mode.ECO,
    "normal": Mode.NORMAL, "standard": Mode.NORMAL, "default": Mode.NORMAL,
    "perf": Mode.PERF, "performance": Mode.PERF, "high": Mode.PERF, "turbo": Mode.PERF, "hyper": Mode.PERF,
}  # fmt: skip


@dataclass(frozen=True)
class ModeUpdate:
    mode: NDArray[np.int8]  # unknown where it is not certain
    changing: Flags  # another mode is being confirmed, or began a moment ago
    switched: Flags  # also to its first mode: the baseline before was of several


def mode_points(
    state: State, features: Features, kinds: Groups, boards_total: Floats, *, may: Flags, elapsed: Floats
) -> tuple[Floats, Floats]:
    """(machines, 2): hashrate and watts as shares of the nameplate, means of about an hour. Updates the state.

    Without a rating, watts are a share of the kind's median; a machine without watts counts by its hashrate. And by how
    much of its hashrate each changed mode, else 0: all boards run, and hashrate and watts moved together in one step,
    not by a board's share.
    """
    watts = features.power_share
    unrated = np.isnan(watts) & ~np.isnan(features.power_w)
    if unrated.any():
        plain = unrated & may & (state["mode"] <= Mode.NORMAL) & (state["mode"] != Mode.ECO)
        usual = group_stats.median(features.power_w, kinds.of, plain, len(kinds.names))[kinds.of]
        watts = np.where(unrated, features.power_w / usual, watts)
    part = 1 - np.exp(-elapsed / _MEAN_SEC)
    now = np.stack([features.nameplate_ratio, np.where(np.isnan(watts), features.nameplate_ratio, watts)])
    before = np.stack([state["mode_hashrate"], state["mode_power"]])
    moved = (np.abs(now - before) > _STEP).any(axis=0) | np.isnan(before).any(axis=0)
    mean = np.where(moved, now, before + part * (now - before))
    usable = may & ~np.isnan(mean).any(axis=0)
    # a five-minute mean may contain part of a change or of its restart: the old level stays until two cycles agree
    changing = moved & (np.abs(features.hashrate_ratio - state["last_raw"][Metric.HASHRATE_RATIO]) > _STEP)
    for name, row in zip(("mode_hashrate", "mode_power"), mean, strict=True):
        stays = changing & ~np.isnan(state[name])
        np.copyto(state[name], row, where=usable & ~stays, casting="same_kind")  # a missing sample is no change
    with np.errstate(divide="ignore", invalid="ignore"):
        step, saved = now[0] / before[0] - 1, now[1] / before[1] - 1
        of_boards = np.clip(np.round(-step * boards_total), 1, boards_total) / boards_total
    follows = np.where(step < 0, saved <= _SAVED * step, saved >= _SAVED * step)
    lost_board = (np.abs(step + of_boards) < _LIKE_BOARDS) & (np.abs(saved - step) < _STEP)
    is_mode = (np.abs(step) > _STEP) & (step > _MIN_RATIO - 1) & (step < _MAX_RATIO - 1) & follows & ~lost_board
    changed_mode = usable & is_mode & (features.boards_ratio >= 1) & ~np.isnan(watts)
    return np.where(usable, mean, np.nan).T, np.where(changed_mode, step, 0.0)


def without_doubtful_eco(mode: NDArray[np.int8], points: Floats, boards_ratio: Floats) -> NDArray[np.int8]:
    """Where boards are not reported, less hashrate at the same watts per TH/s may be a lost board, not eco."""
    doubtful = (mode == Mode.ECO) & np.isnan(boards_ratio) & ~(points[:, 1] < SAVES * points[:, 0])
    return np.where(doubtful, Mode.UNKNOWN, mode).astype(np.int8)


def assign(
    points: Floats, kinds: Groups, models: Mixtures, state: State, *, stepped: Floats
) -> tuple[NDArray[np.int8], Floats]:
    """Each machine's likeliest mode and its confidence, 0.3 to 1; unknown without a model or far from all."""
    believed = np.stack([state["mode"], state["mode_candidate"]])
    mode, confidence = np.zeros(len(points), dtype=np.int8), np.full(len(points), _NO_CONFIDENCE)
    order = np.argsort(kinds.of, kind="stable")
    count = np.bincount(kinds.of, minlength=len(kinds.names))
    start = np.cumsum(count) - count
    for number, name in enumerate(kinds.names):
        mixture = models.of.get(name)
        if mixture is None or count[number] < MIN_MACHINES:
            continue
        members = order[start[number] : start[number] + count[number]]
        if len(mixture.share) == 1:
            in_eco = _set_to_few(points[members], mixture, believed[:, members], stepped[members])
            mode[members], confidence[members] = np.where(in_eco, Mode.ECO, Mode.NORMAL), 1.0
            continue
        mode[members], confidence[members] = _assigned(points[members], mixture, believed[:, members], stepped[members])
    return mode, confidence


def _assigned(
    points: Floats, mixture: Mixture, believed: NDArray[np.int8], stepped: Floats
) -> tuple[NDArray[np.int8], Floats]:
    """`believed`, (2, points): the mode of each, and the one that is being confirmed."""
    density = mixtures.log_density(np.nan_to_num(points, nan=-9.0), mixture)
    owner = density.argmax(axis=0)
    label = mixture.label[owner]
    sure = 1 / np.exp(density - density.max(axis=0)).sum(axis=0)
    off = np.abs(points - mixture.mean[owner]) / mixture.sd[owner]
    near = (off < _NEAR).all(axis=1)  # NaN is not near
    # also by its hashrate: more watts for the same work are no mode
    away = np.abs(points[:, 0] - mixture.normal[0])
    near &= (label == Mode.NORMAL) | (np.abs(points[:, 0] - mixture.mean[owner, 0]) < away)
    per_ths = points[:, 1] / points[:, 0]
    saves = (per_ths < SAVES * mixture.normal[1] / mixture.normal[0]) | (
        per_ths == 1
    )  # exactly 1: watts are not reported
    was_so = (believed[0] == Mode.UNKNOWN) | (believed[0] == label)  # as far as known it never did more
    was_set = (label == Mode.ECO) & _set_to_few(points, mixture, believed, stepped)
    near &= saves | was_so | was_set | ~mixture.must_save[owner]
    mode = np.where(near & (sure >= MIN_CONFIDENCE), label, Mode.UNKNOWN).astype(np.int8)
    return mode, np.where(near, np.maximum(sure, _NO_CONFIDENCE), _NO_CONFIDENCE)


def _set_to_few(points: Floats, mixture: Mixture, believed: NDArray[np.int8], stepped: Floats) -> Flags:
    """Went in one step to where a few slower machines of its kind run: now, or in eco since then."""
    off = np.abs(points[:, None] - mixture.few[None, :, 0]) / mixture.few[None, :, 1]
    way = mixture.few[:, 0, 0] / mixture.normal[0] - 1
    is_eco = (believed == Mode.ECO).any(axis=0)[:, None] | (stepped[:, None] / way > _IN_ONE_STEP)
    flags: Flags = ((off < _NEAR).all(axis=2) & is_eco).any(axis=1)
    return flags


def reported_mode(frame: Frame) -> NDArray[np.int8]:
    words = np.array([_WORDS.get(word.strip().lower(), Mode.UNKNOWN) for word in frame.mode.of] + [Mode.UNKNOWN])
    mode: NDArray[np.int8] = words[frame.mode.no].astype(np.int8)
    return mode


def settle(
    state: State, frame: Frame, assigned: NDArray[np.int8], confidence: Floats, *, reset: Flags, may: Flags,
    now: float, config: Config,
) -> ModeUpdate:  # fmt: skip
    """Updates each machine's mode, in place. A reported mode applies at once; an assigned one needs agreeing cycles.

    `may`: steady machines with all boards: one with a dead board only looks like eco.
    """
    current, reported = state["mode"], reported_mode(frame)
    is_reported = reported != Mode.UNKNOWN
    candidate = np.where(is_reported, reported, np.where(may, assigned, Mode.UNKNOWN)).astype(np.int8)
    differs = (candidate != Mode.UNKNOWN) & (candidate != current)
    doubtful = may & ~is_reported & (assigned == Mode.UNKNOWN) & (current != Mode.UNKNOWN)
    same = (differs | doubtful) & (state["mode_candidate"] == candidate)
    agreed = np.where(differs | doubtful, np.where(same, np.minimum(state["mode_agreed"], 99) + 1, 1), 0)
    first = differs & (current == Mode.UNKNOWN)
    taken = differs & (is_reported | first | (agreed >= config.mode_cycles))
    state["mode_candidate"][:] = np.where(taken, Mode.UNKNOWN, np.where(differs, candidate, Mode.UNKNOWN))
    state["mode_agreed"][:] = np.where(taken, 0, agreed)
    state["mode"][:] = np.where(taken, candidate, current)
    updated = may & ((assigned == state["mode"]) | (doubtful & (agreed >= config.mode_cycles)))
    before = np.maximum(state["mode_confidence"], _NO_CONFIDENCE)
    state["mode_confidence"][:] = np.where(is_reported, 1.0, np.where(updated, confidence, before))
    state["mode_changed_at"][(taken & ~first) | reset] = now  # the first mode of a machine is no change
    in_grace = now - state["mode_changed_at"] < config.mode_grace_sec
    mode = certain_mode(state["mode"], state["mode_confidence"])
    return ModeUpdate(mode, (differs & ~taken) | in_grace, taken | reset)


def certain_mode(mode: NDArray[np.int8], confidence: NDArray[np.floating]) -> NDArray[np.int8]:
    """Unknown below the least confidence."""
    return np.where(confidence < MIN_CONFIDENCE, Mode.UNKNOWN, mode).astype(np.int8)
