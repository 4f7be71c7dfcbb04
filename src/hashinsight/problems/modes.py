"""Eco, normal, perf: what the firmware says, or which population of its like a machine belongs to.

Populations are fitted as soon as enough machines are steady, again when a group has grown, and every few hours; they
are applied every cycle to each machine's mean of the last hour. A kind of a few machines has no populations of its own:
it takes those of its site, moved to its own level. A switch needs several agreeing cycles and opens a short grace, in
which the machine is not judged against its own past. Who looks like no population for several cycles, or has too few of
its like, is told as unknown; it is compared as before, or a machine that breaks would leave those whom it is to be
compared with.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hashinsight.problems import group_stats, mixtures
from hashinsight.problems.codes import LEAST_CONFIDENCE, Metric, Mode
from hashinsight.problems.config import Config
from hashinsight.problems.features import Features
from hashinsight.problems.frame import Flags, Floats, Frame
from hashinsight.problems.mixtures import Mixture, Mixtures
from hashinsight.problems.populations import LEAST_MACHINES, Groups
from hashinsight.problems.state import State

_NO_CONFIDENCE = 0.3
_NEAR = 4.0  # standard deviations: what lies farther from every population belongs to none
_MEAN_SEC = 3600.0
_STEP = 0.05  # of the nameplate: what moves by more within a cycle is another state, not noise
_LIKE_BOARDS = 0.04  # some firmware counts a dead board as a working one: then less by a board's share tells it
SAVES = 0.98  # watts a TH/s, of the nameplate's
_MOST_DOWN, _MOST_UP = 0.55, 1.6  # of what it did before: farther no mode goes
ONCE_SEC = 86_400.0  # machines are not set anew every hour; what goes up and down is ill
_IN_ONE_STEP = 0.7  # of the way: who slides there step by step is ill
_SAVED = 0.4  # of a step in hashrate, watts follow by at least so much
_WORDS = {
    "eco": Mode.ECO, "low": Mode.ECO, "lpm": Mode.ECO, "low_power": Mode.ECO, "efficiency": Mode.ECO,
    "normal": Mode.NORMAL, "standard": Mode.NORMAL, "default": Mode.NORMAL,
    "perf": Mode.PERF, "performance": Mode.PERF, "high": Mode.PERF, "turbo": Mode.PERF, "hyper": Mode.PERF,
}  # fmt: skip


@dataclass(frozen=True)
class Moded:
    told: NDArray[np.int8]  # unknown where it is not sure
    changing: Flags  # another mode is being confirmed, or was taken a moment ago
    switched: Flags  # also a first mode: whatever was learnt before was of several


def points_of(
    state: State, seen: Features, kinds: Groups, boards_total: Floats, *, may: Flags, elapsed: Floats
) -> tuple[Floats, Floats]:
    """(machines, 2): hashrate and watts as shares of the nameplate, means of about an hour. In place in the state.

    Without a rating, watts are a share of what is usual for the kind; a machine without watts counts by its hashrate.
    And by how much of its hashrate each was set anew, else 0: all boards run, and hashrate and watts have moved
    together in one step, not by a board's share.
    """
    watts = seen.power_share
    unrated = np.isnan(watts) & ~np.isnan(seen.power_w)
    if unrated.any():
        plain = unrated & may & (state["mode"] <= Mode.NORMAL) & (state["mode"] != Mode.ECO)
        usual = group_stats.median(seen.power_w, kinds.of, plain, len(kinds.names))[kinds.of]
        watts = np.where(unrated, seen.power_w / usual, watts)
    part = 1 - np.exp(-elapsed / _MEAN_SEC)
    now = np.stack([seen.nameplate_ratio, np.where(np.isnan(watts), seen.nameplate_ratio, watts)])
    before = np.stack([state["mode_hashrate"], state["mode_power"]])
    moved = (np.abs(now - before) > _STEP).any(axis=0) | np.isnan(before).any(axis=0)
    mean = np.where(moved, now, before + part * (now - before))
    usable = may & ~np.isnan(mean).any(axis=0)
    # a mean of five minutes may hold a part of a change, or the restart that it took: the level before it stands until
    # two cycles agree on the new one
    changing = moved & (np.abs(seen.hashrate_ratio - state["last_raw"][Metric.HASHRATE_RATIO]) > _STEP)
    for name, row in zip(("mode_hashrate", "mode_power"), mean, strict=True):
        stays = changing & ~np.isnan(state[name])
        np.copyto(state[name], row, where=usable & ~stays, casting="same_kind")  # a lost sample is no other mode
    with np.errstate(divide="ignore", invalid="ignore"):
        step, saved = now[0] / before[0] - 1, now[1] / before[1] - 1
        of_boards = np.clip(np.round(-step * boards_total), 1, boards_total) / boards_total
    follows = np.where(step < 0, saved <= _SAVED * step, saved >= _SAVED * step)
    lost_board = (np.abs(step + of_boards) < _LIKE_BOARDS) & (np.abs(saved - step) < _STEP)
    is_mode = (np.abs(step) > _STEP) & (step > _MOST_DOWN - 1) & (step < _MOST_UP - 1) & follows & ~lost_board
    set_anew = usable & is_mode & (seen.boards_ratio >= 1) & ~np.isnan(watts)
    return np.where(usable, mean, np.nan).T, np.where(set_anew, step, 0.0)


def without_doubt(mode: NDArray[np.int8], points: Floats, boards_ratio: Floats) -> NDArray[np.int8]:
    """Where boards are not told, less hashrate for as many watts a TH/s may be a lost board: then nobody is in eco."""
    doubtful = (mode == Mode.ECO) & np.isnan(boards_ratio) & ~(points[:, 1] < SAVES * points[:, 0])
    return np.where(doubtful, Mode.UNKNOWN, mode).astype(np.int8)


def assign(
    points: Floats, kinds: Groups, models: Mixtures, state: State, *, stepped: Floats
) -> tuple[NDArray[np.int8], Floats]:
    """Each machine's likeliest mode and how sure that is, 0.3 to 1; unknown without a model or far from all."""
    believed = np.stack([state["mode"], state["mode_candidate"]])
    mode, confidence = np.zeros(len(points), dtype=np.int8), np.full(len(points), _NO_CONFIDENCE)
    order = np.argsort(kinds.of, kind="stable")
    count = np.bincount(kinds.of, minlength=len(kinds.names))
    start = np.cumsum(count) - count
    for number, name in enumerate(kinds.names):
        mixture = models.of.get(name)
        if mixture is None or count[number] < LEAST_MACHINES:
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
    # by its hashrate, too: more watts for the same work are no mode
    away = np.abs(points[:, 0] - mixture.normal[0])
    near &= (label == Mode.NORMAL) | (np.abs(points[:, 0] - mixture.mean[owner, 0]) < away)
    per_ths = points[:, 1] / points[:, 0]
    saves = (per_ths < SAVES * mixture.normal[1] / mixture.normal[0]) | (per_ths == 1)  # exactly 1: watts are not told
    was_so = (believed[0] == Mode.UNKNOWN) | (believed[0] == label)  # it never did more, as far as we know
    was_set = (label == Mode.ECO) & _set_to_few(points, mixture, believed, stepped)
    near &= saves | was_so | was_set | ~mixture.must_save[owner]
    told = np.where(near & (sure >= LEAST_CONFIDENCE), label, Mode.UNKNOWN).astype(np.int8)
    return told, np.where(near, np.maximum(sure, _NO_CONFIDENCE), _NO_CONFIDENCE)


def _set_to_few(points: Floats, mixture: Mixture, believed: NDArray[np.int8], stepped: Floats) -> Flags:
    """Who went in one step to where a few of its kind run slower, too: now, or it is in eco since then."""
    off = np.abs(points[:, None] - mixture.few[None, :, 0]) / mixture.few[None, :, 1]
    way = mixture.few[:, 0, 0] / mixture.normal[0] - 1
    is_eco = (believed == Mode.ECO).any(axis=0)[:, None] | (stepped[:, None] / way > _IN_ONE_STEP)
    flags: Flags = ((off < _NEAR).all(axis=2) & is_eco).any(axis=1)
    return flags


def reported(frame: Frame) -> NDArray[np.int8]:
    words = np.array([_WORDS.get(word.strip().lower(), Mode.UNKNOWN) for word in frame.mode.of] + [Mode.UNKNOWN])
    said: NDArray[np.int8] = words[frame.mode.no].astype(np.int8)
    return said


def settle(
    state: State, frame: Frame, seen: NDArray[np.int8], sure: Floats, *, set_anew: Flags, may: Flags, now: float,
    config: Config,
) -> Moded:  # fmt: skip
    """Moves each machine's mode on, in place. The firmware's word is taken at once; ours needs agreeing cycles.

    `may`: machines that are judged, steady and whole: a machine with a dead board does not look like eco for long.
    """
    current, said = state["mode"], reported(frame)
    told = said != Mode.UNKNOWN
    wanted = np.where(told, said, np.where(may, seen, Mode.UNKNOWN)).astype(np.int8)
    differs = (wanted != Mode.UNKNOWN) & (wanted != current)
    doubtful = may & ~told & (seen == Mode.UNKNOWN) & (current != Mode.UNKNOWN)
    same = (differs | doubtful) & (state["mode_candidate"] == wanted)
    agreed = np.where(differs | doubtful, np.where(same, np.minimum(state["mode_agreed"], 99) + 1, 1), 0)
    first = differs & (current == Mode.UNKNOWN)
    taken = differs & (told | first | (agreed >= config.mode_cycles))
    state["mode_candidate"][:] = np.where(taken, Mode.UNKNOWN, np.where(differs, wanted, Mode.UNKNOWN))
    state["mode_agreed"][:] = np.where(taken, 0, agreed)
    state["mode"][:] = np.where(taken, wanted, current)
    heeded = may & ((seen == state["mode"]) | (doubtful & (agreed >= config.mode_cycles)))
    kept = np.maximum(state["mode_confidence"], _NO_CONFIDENCE)
    state["mode_confidence"][:] = np.where(told, 1.0, np.where(heeded, sure, kept))
    state["mode_changed_at"][(taken & ~first) | set_anew] = now  # the first mode of a machine is no change of it
    in_grace = now - state["mode_changed_at"] < config.mode_grace_sec
    return Moded(sure_of(state["mode"], state["mode_confidence"]), (differs & ~taken) | in_grace, taken | set_anew)


def sure_of(mode: NDArray[np.int8], confidence: NDArray[np.floating]) -> NDArray[np.int8]:
    """What is told of a mode: unknown below the least confidence."""
    return np.where(confidence < LEAST_CONFIDENCE, Mode.UNKNOWN, mode).astype(np.int8)
