"""Eco, normal, perf: what the firmware says, or which population of its like a machine belongs to.

Models are fitted every few hours on a sample of healthy machines and applied every cycle. A switch needs several
agreeing cycles and opens a short grace, in which the machine is not judged against its own past. Who looks like no
population for several cycles, or has too few of its like, is told as unknown; it is compared as before, or a machine
that breaks would leave those whom it is to be compared with.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hashinsight.problems import mixtures
from hashinsight.problems.codes import LEAST_CONFIDENCE, Mode
from hashinsight.problems.config import Config, Resolved, distinct
from hashinsight.problems.frame import Flags, Floats, Frame, Ints
from hashinsight.problems.mixtures import Mixture, Mixtures
from hashinsight.problems.state import State

_SAMPLE = 512
_LEAST_MACHINES = 5
_NO_CONFIDENCE = 0.3
_NEAR = 4.0  # standard deviations: what lies farther from every population belongs to none
_WORDS = {
    "eco": Mode.ECO, "low": Mode.ECO, "lpm": Mode.ECO, "low_power": Mode.ECO, "efficiency": Mode.ECO,
    "normal": Mode.NORMAL, "standard": Mode.NORMAL, "default": Mode.NORMAL,
    "perf": Mode.PERF, "performance": Mode.PERF, "high": Mode.PERF, "turbo": Mode.PERF, "hyper": Mode.PERF,
}  # fmt: skip


@dataclass(frozen=True)
class Moded:
    told: NDArray[np.int8]  # unknown where it is not sure
    changing: Flags  # another mode is being confirmed, or was taken a moment ago
    switched: Flags


def groups(frame: Frame, limits: Resolved) -> tuple[Ints, list[str]]:
    """Machines of one site, model and firmware, by names that hold from one cycle to the next."""
    found, which = distinct(frame.site.no, limits.model, frame.firmware.no)
    sites, firmwares = (*frame.site.of, ""), (*frame.firmware.of, "")  # -1, no text, is the last one
    return which, [f"{sites[s]}:{limits.models[m]}:{firmwares[f]}" for s, m, f in found.tolist()]


def points_of(ratio: Floats, power_share: Floats) -> Floats:
    """(machines, 2): hashrate and watts as shares of the nameplate. A machine without watts counts by its hashrate."""
    return np.stack([ratio, np.where(np.isnan(power_share), ratio, power_share)], axis=1)


def refit(points: Floats, group: Ints, names: list[str], healthy: Flags, *, now: float) -> Mixtures:
    """One small fit a group of model and firmware: a loop over dozens of groups, none over machines."""
    usable = healthy & ~np.isnan(points).any(axis=1)
    order = np.argsort(group[usable], kind="stable")
    rows = np.flatnonzero(usable)[order]
    count = np.bincount(group[usable], minlength=len(names))
    start = np.cumsum(count) - count
    fitted = {}
    for number in np.flatnonzero(count >= _LEAST_MACHINES).tolist():
        members = rows[start[number] : start[number] + count[number]]
        step = max(len(members) // _SAMPLE, 1)
        fitted[names[number]] = mixtures.fit(points[members[::step][:_SAMPLE]])
    return Mixtures(fitted, now)


def assign(points: Floats, group: Ints, names: list[str], models: Mixtures) -> tuple[NDArray[np.int8], Floats]:
    """Each machine's likeliest mode and how sure that is, 0.3 to 1; unknown without a model or far from all."""
    mode, confidence = np.zeros(len(points), dtype=np.int8), np.full(len(points), _NO_CONFIDENCE)
    order = np.argsort(group, kind="stable")
    count = np.bincount(group, minlength=len(names))
    start = np.cumsum(count) - count
    for number, name in enumerate(names):
        mixture = models.of.get(name)
        if mixture is None or not count[number]:
            continue
        members = order[start[number] : start[number] + count[number]]
        if len(mixture.share) == 1:
            mode[members], confidence[members] = Mode.NORMAL, 1.0
            continue
        mode[members], confidence[members] = _assigned(points[members], mixture)
    return mode, confidence


def _assigned(points: Floats, mixture: Mixture) -> tuple[NDArray[np.int8], Floats]:
    density = mixtures.log_density(np.nan_to_num(points, nan=-9.0), mixture)
    owner = density.argmax(axis=0)
    sure = 1 / np.exp(density - density.max(axis=0)).sum(axis=0)
    off = np.abs(points - mixture.mean[owner]) / mixture.sd[owner]
    near = (off < _NEAR).all(axis=1)  # NaN is not near
    known = near & (sure >= LEAST_CONFIDENCE)
    return np.where(known, labels_of(mixture)[owner], Mode.UNKNOWN).astype(np.int8), np.where(
        near, np.maximum(sure, _NO_CONFIDENCE), _NO_CONFIDENCE
    )


def labels_of(mixture: Mixture) -> NDArray[np.int8]:
    """The population nearest to the nameplate is normal; what is below is eco, above perf. One alone is normal."""
    nearest = int(np.argmin(np.abs(mixture.mean[:, 0] - 1.0)))
    place = np.arange(len(mixture.share)) - nearest
    return np.select([place < 0, place > 0], [Mode.ECO, Mode.PERF], Mode.NORMAL).astype(np.int8)


def reported(frame: Frame) -> NDArray[np.int8]:
    words = np.array([_WORDS.get(word.strip().lower(), Mode.UNKNOWN) for word in frame.mode.of] + [Mode.UNKNOWN])
    said: NDArray[np.int8] = words[frame.mode.no].astype(np.int8)
    return said


def settle(
    state: State, frame: Frame, seen: NDArray[np.int8], sure: Floats, *, may: Flags, now: float, config: Config
) -> Moded:
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
    # the first mode of a machine is not a switch
    first = differs & (current == Mode.UNKNOWN)
    taken = differs & (told | first | (agreed >= config.mode_cycles))
    switched = taken & ~first
    state["mode_candidate"][:] = np.where(taken, Mode.UNKNOWN, np.where(differs, wanted, Mode.UNKNOWN))
    state["mode_agreed"][:] = np.where(taken, 0, agreed)
    state["mode"][:] = np.where(taken, wanted, current)
    heeded = may & ((seen == state["mode"]) | (doubtful & (agreed >= config.mode_cycles)))
    kept = np.maximum(state["mode_confidence"], _NO_CONFIDENCE)
    state["mode_confidence"][:] = np.where(told, 1.0, np.where(heeded, sure, kept))
    state["mode_changed_at"][switched] = now
    in_grace = now - state["mode_changed_at"] < config.mode_grace_sec
    return Moded(sure_of(state["mode"], state["mode_confidence"]), (differs & ~taken) | in_grace, switched)


def sure_of(mode: NDArray[np.int8], confidence: NDArray[np.floating]) -> NDArray[np.int8]:
    """What is told of a mode: unknown below the least confidence."""
    return np.where(confidence < LEAST_CONFIDENCE, Mode.UNKNOWN, mode).astype(np.int8)
