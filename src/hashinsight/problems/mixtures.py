"""One to three populations in a cloud of points: peaks of its density, refined as a small Gaussian mixture.

Not scikit-learn: two features, three components and a few hundred points do not justify thirty megabytes and SciPy;
starting from the peaks finds a population of two in a hundred, deterministically; and all machines of a group are
assigned by one array operation.
"""

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hashinsight.problems.codes import Mode
from hashinsight.problems.frame import Flags, Floats, Ints

MAX_POPULATIONS = 3
GAP = 0.05  # populations lie this far apart in the first feature, whatever their spread
SEPARATION = 2.5  # standard deviations
MIN_SHARE, MIN_MEMBERS = 0.02, 3
_ROUNDS = 60
_MIN_SD = 0.012  # machines are not more alike than their own noise
_POOLED_MEMBERS = 10.0  # weight of the common spread in that of a small population
_EVIDENCE = 10.0  # of BIC
_MIN_SAVING = 0.5  # watts follow hashrate: a slower population saves that part of its share, a faster one takes more
# a small population may be machines without a board and its watts: it is a mode only if it saves more than that
_FEW, _MIN_SAVING_OF_FEW = 0.10, 1.06
_WIDER, _BETWEEN_KINDS = 1.5, 0.05
_MIN_DENSITY = 0.5  # of a machine
_VALLEY = 0.7  # of the lower peak: between two populations the density is lower
_GRID = np.arange(0.30, 1.80, 0.005)
_NAMEPLATE_SCALE = 0.10  # a population far from the nameplate is hardly the normal one

_NO_FEW = np.zeros((0, 2, 2))

Parts = tuple[Floats, Floats, Floats]  # share, mean and standard deviation, as in a mixture


@dataclass(frozen=True)
class Mixture:
    """Components in order of their first feature: shares (k,), means and standard deviations (k, features), modes."""

    share: Floats
    mean: Floats
    sd: Floats
    label: NDArray[np.int8]
    must_save: Flags  # (k,): to switch to it, a machine must save watts per TH/s, or step to a `few`
    few: Floats  # (number, 2, features): mean and standard deviation of small slower populations, faulty or in eco
    machines: int  # it was fitted on

    @property
    def normal(self) -> Floats:
        """The mean of its normal population."""
        place = int(np.flatnonzero(self.label == Mode.NORMAL)[0])
        middle: Floats = self.mean[place]
        return middle


@dataclass(frozen=True)
class Mixtures:
    """The fitted mixture of every group, by its name, and when it was fitted."""

    of: dict[str, Mixture] = field(default_factory=dict)
    fitted_at: float = float("-inf")


def no_mixtures() -> Mixtures:
    return Mixtures()


def fit(points: Floats) -> Mixture:
    """As many populations as the density has peaks that BIC supports, and more where BIC asks for it.

    A second population may hide in the shoulder of the first: watts separate them where hashrate alone does not.
    """
    best = _supported(points, _refined(points, _peaks(points[:, 0])))
    while len(best[0]) < MAX_POPULATIONS:
        tried = [_refined(points, np.append(best[1][:, 0], at)) for at in _shoulders(best)]
        more = [parts for parts in tried if len(parts[0]) > len(best[0]) and _is_sized(parts, len(points))]
        if not more:
            break
        likeliest = min(more, key=lambda parts: _bic(points, parts))
        if _bic(points, likeliest) > _bic(points, best) - _EVIDENCE:
            break
        best = likeliest
    return _labelled(best, len(points))


def borrowed(mixture: Mixture, level: Floats, *, share: float = 1.0) -> Mixture:
    """The same populations around another kind's level, with less certainty: eco differs from kind to kind."""
    apart = np.where(mixture.label == Mode.NORMAL, 0.0, _BETWEEN_KINDS)[:, None]
    sd = np.sqrt((_WIDER * mixture.sd) ** 2 + apart**2)
    of_others = mixture.label == Mode.ECO  # not seen on this kind yet: a machine that loses chips is slower, too
    return Mixture(
        mixture.share * share, mixture.mean * level, sd * level, mixture.label, of_others, _NO_FEW, mixture.machines
    )


def joined(own: Mixture, more: Mixture) -> Mixture:
    """`own`, and of `more` the modes that it has none of."""
    new = ~np.isin(more.label, own.label)
    parts = [
        np.concatenate([getattr(own, name), getattr(more, name)[new]])
        for name in ("share", "mean", "sd", "label", "must_save")
    ]
    order = np.argsort(parts[1][:, 0], kind="stable")
    share, mean, sd, label, must_save = (part[order] for part in parts)
    return Mixture(share, mean, sd, label, must_save, own.few, own.machines)


def log_density(points: Floats, mixture: Mixture) -> Floats:
    """(components, points): how well each point fits each component, its share included."""
    return _log_density(points, mixture.share, mixture.mean, mixture.sd)


def _log_density(points: Floats, share: Floats, mean: Floats, sd: Floats) -> Floats:
    off = (points[None] - mean[:, None]) / sd[:, None]
    log_norm = np.log(sd).sum(axis=1) + 0.5 * np.log(2 * np.pi) * points.shape[1]
    density: Floats = np.log(share)[:, None] - log_norm[:, None] - 0.5 * (off**2).sum(axis=2)
    return density


def _peaks(values: Floats) -> Floats:
    """Peaks of the smoothed density, each with enough members and a valley before the next."""
    middle = np.abs(values - np.median(values))
    near = middle[middle <= np.quantile(middle, 0.7)]
    width = max(_MIN_SD, 1.5 * float(near.std()) * len(values) ** -0.2) if len(near) else _MIN_SD
    density = np.exp(-0.5 * ((_GRID[:, None] - values[None]) / width) ** 2).sum(axis=1)
    rises = np.diff(density, prepend=-1.0, append=-1.0)
    tops = np.flatnonzero((rises[:-1] > 0) & (rises[1:] <= 0))
    tops = tops[density[tops] > _MIN_DENSITY]
    while len(tops) > 1:
        valley = np.array([density[a : b + 1].min() for a, b in pairwise(tops.tolist())])
        lower = np.minimum(density[tops[:-1]], density[tops[1:]])
        shallow = (valley > _VALLEY * lower) | (np.diff(_GRID[tops]) < GAP)
        if not shallow.any():
            break
        at = int(np.flatnonzero(shallow)[np.argmin((lower / valley)[shallow])])
        tops = np.delete(tops, at if density[tops[at]] < density[tops[at + 1]] else at + 1)
    least = max(MIN_MEMBERS, MIN_SHARE * len(values))
    owner = np.abs(values[:, None] - _GRID[tops][None]).argmin(axis=1) if len(tops) else np.zeros(0, dtype=np.int64)
    count = np.bincount(owner, minlength=len(tops))
    tops = tops[count >= least] if (count >= least).any() else tops[[int(count.argmax())]] if len(tops) else tops
    if len(tops) > MAX_POPULATIONS:
        largest = np.argsort(-count[count >= least], kind="stable")[:MAX_POPULATIONS]
        tops = np.sort(tops[largest])
    return _GRID[tops] if len(tops) else np.array([float(np.median(values))])


def _supported(points: Floats, parts: Parts) -> Parts:
    """Without peaks that may be chance: a few machines of one population cluster, too."""
    while len(parts[0]) > 1:
        fewer = [_refined(points, np.delete(parts[1][:, 0], place)) for place in range(len(parts[0]))]
        likeliest = min(fewer, key=lambda parts: _bic(points, parts))
        if _bic(points, parts) <= _bic(points, likeliest) - _EVIDENCE:
            break
        parts = likeliest
    return parts


def _shoulders(parts: Parts) -> Floats:
    """Where one more population may hide: next to the largest one."""
    share, mean, _ = parts
    main = float(mean[int(share.argmax()), 0])
    return np.array([main + step for step in (-0.20, -0.13, -0.08, 0.08, 0.13)])


def _is_sized(parts: Parts, machines: int) -> bool:
    return bool((parts[0] * machines >= max(MIN_MEMBERS, MIN_SHARE * machines)).all())


def _bic(points: Floats, parts: Parts) -> float:
    density = _log_density(points, *parts)
    top = density.max(axis=0)
    likelihood = float((top + np.log(np.exp(density - top).sum(axis=0))).sum())
    free: int = len(parts[0]) * (2 * points.shape[1] + 1) - 1
    return free * float(np.log(len(points))) - 2 * likelihood


def _refined(points: Floats, peaks: Floats) -> Parts:
    """Expectation maximisation from the peaks; populations that turn out to be one are merged."""
    owner: Ints = np.abs(points[:, :1] - peaks[None]).argmin(axis=1)
    weight = (owner[None] == np.arange(len(peaks))[:, None]).astype(np.float64)
    share, mean, sd = _maximised(points, weight)
    before = -np.inf
    for _ in range(_ROUNDS if len(peaks) > 1 else 0):
        density = _log_density(points, share, mean, sd)
        top = density.max(axis=0)
        likelihood = float((top + np.log(np.exp(density - top).sum(axis=0))).sum())
        if likelihood - before < 1e-4 * len(points):
            break
        before = likelihood
        weight = np.exp(density - top)
        share, mean, sd = _maximised(points, weight / weight.sum(axis=0))
    order = np.argsort(mean[:, 0], kind="stable")
    share, mean, sd = share[order], mean[order], sd[order]
    step = np.diff(mean, axis=0)
    pooled = (sd[1:] ** 2 + sd[:-1] ** 2) / 2
    close = (step[:, 0] < GAP) | (np.sqrt((step**2 / pooled).sum(axis=1)) < SEPARATION)
    if close.any():
        smaller = int(np.flatnonzero(close)[0])
        smaller += int(share[smaller] > share[smaller + 1])
        return _refined(points, np.delete(mean[:, 0], smaller))
    return share, mean, sd


def _maximised(points: Floats, weight: Floats) -> Parts:
    total = np.maximum(weight.sum(axis=1), 1e-9)
    mean = weight @ points / total[:, None]
    variance = np.maximum(weight @ points**2 / total[:, None] - mean**2, 0.0)
    common = (total[:, None] * variance).sum(axis=0) / total.sum()
    variance = (total[:, None] * variance + _POOLED_MEMBERS * common) / (total[:, None] + _POOLED_MEMBERS)
    return total / total.sum(), mean, np.sqrt(np.maximum(variance, _MIN_SD**2))


def _labelled(parts: Parts, machines: int) -> Mixture:
    """Normal is the large population near the nameplate; below it is eco, above it perf.

    Machines that are slower at the same watts are in no mode: they are faulty, however many. Machines that seem faster
    at the same watts are noise.
    """
    share, mean, sd = parts
    claim = share * np.exp(-np.abs(mean[:, 0] - 1.0) / _NAMEPLATE_SCALE)
    normal = int(np.argmax(claim))
    relative = mean / mean[normal]
    least = np.where(share < _FEW, _MIN_SAVING_OF_FEW, _MIN_SAVING)
    less_ths, less_w = (1 - relative).T
    few = (share < _FEW) & (less_ths > 0) & (less_w >= _MIN_SAVING * less_ths)
    of_few = np.stack([mean[few], sd[few]], axis=1)
    faulty = np.where(less_ths > 0, less_w < least * less_ths, less_w > _MIN_SAVING * less_ths)
    normal -= int(faulty[:normal].sum())
    share, mean, sd = share[~faulty], mean[~faulty], sd[~faulty]
    place = np.arange(len(share)) - normal
    label = np.select([place < 0, place > 0], [Mode.ECO, Mode.PERF], Mode.NORMAL).astype(np.int8)
    return Mixture(share, mean, sd, label, (label == Mode.ECO) & (share < _FEW), of_few, machines)
