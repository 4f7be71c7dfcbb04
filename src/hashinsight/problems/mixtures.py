"""How many populations are in a cloud of points, one, two or three: a small Gaussian mixture chosen by BIC.

Our own forty lines and not scikit-learn's: two features, three components and a few hundred points need no package of
thirty megabytes with SciPy behind it, the start from quantiles makes it deterministic, and all of a group's machines
are assigned by one array operation.
"""

from dataclasses import dataclass

import numpy as np

from hashinsight.problems.frame import Floats, Ints

MOST = 3
_ROUNDS = 60
_LEAST_SD = 0.012  # no group of machines is more alike than their own noise


@dataclass(frozen=True)
class Mixture:
    """Components in order of their first feature: shares (k,), means and standard deviations (k, features)."""

    share: Floats
    mean: Floats
    sd: Floats


@dataclass(frozen=True)
class Mixtures:
    """The fitted mixture of every group, by its name, and when it was fitted."""

    of: dict[str, Mixture]
    fitted_at: float = float("-inf")


def no_mixtures() -> Mixtures:
    return Mixtures({})


def fit(points: Floats, *, separation: float = 3.0, gap: float = 0.06, least_share: float = 0.10) -> Mixture:
    """The best of one to three components: more only where BIC wants it and they are apart and of some size.

    `gap` is how far means must lie apart in the first feature, whatever their spread.
    """
    best = _expected(points, 1)
    best_bic = _bic(points, best)
    for count in range(2, MOST + 1):
        if len(points) < 5 * count:
            break
        tried = _expected(points, count)
        bic = _bic(points, tried)
        if bic < best_bic - 10 and _is_apart(tried, separation, gap) and tried.share.min() >= least_share:
            best, best_bic = tried, bic
    return best


def log_density(points: Floats, mixture: Mixture) -> Floats:
    """(components, points): how well each point fits each component, its share included."""
    scaled = (points[None] - mixture.mean[:, None]) / mixture.sd[:, None]
    log_norm = np.log(mixture.sd).sum(axis=1) + 0.5 * np.log(2 * np.pi) * points.shape[1]
    density: Floats = np.log(mixture.share)[:, None] - log_norm[:, None] - 0.5 * (scaled**2).sum(axis=2)
    return density


def _expected(points: Floats, count: int) -> Mixture:
    """Expectation and maximisation from equal slices of the first feature."""
    order = np.argsort(points[:, 0], kind="stable")
    owner = np.empty(len(points), dtype=np.int64)
    owner[order] = np.arange(len(points)) * count // len(points)
    weight = (owner[None] == np.arange(count)[:, None]).astype(np.float64)
    mixture = _maximised(points, weight)
    before = -np.inf
    for _ in range(_ROUNDS if count > 1 else 1):
        density = log_density(points, mixture)
        top = density.max(axis=0)
        likelihood = float((top + np.log(np.exp(density - top).sum(axis=0))).sum())
        if likelihood - before < 1e-4 * len(points):
            break
        before = likelihood
        weight = np.exp(density - top)
        mixture = _maximised(points, weight / weight.sum(axis=0))
    return _in_order(mixture)


def _maximised(points: Floats, weight: Floats) -> Mixture:
    total = np.maximum(weight.sum(axis=1), 1e-9)
    mean = weight @ points / total[:, None]
    variance = weight @ points**2 / total[:, None] - mean**2
    return Mixture(total / total.sum(), mean, np.sqrt(np.maximum(variance, _LEAST_SD**2)))


def _bic(points: Floats, mixture: Mixture) -> float:
    density = log_density(points, mixture)
    top = density.max(axis=0)
    likelihood = float((top + np.log(np.exp(density - top).sum(axis=0))).sum())
    free: int = len(mixture.share) * (2 * points.shape[1] + 1) - 1
    return free * float(np.log(len(points))) - 2 * likelihood


def _is_apart(mixture: Mixture, separation: float, gap: float) -> bool:
    step = np.diff(mixture.mean[:, 0])
    pooled = np.sqrt((mixture.sd[1:, 0] ** 2 + mixture.sd[:-1, 0] ** 2) / 2)
    return bool(((step >= gap) & (step >= separation * pooled)).all())


def _in_order(mixture: Mixture) -> Mixture:
    order: Ints = np.argsort(mixture.mean[:, 0], kind="stable")
    return Mixture(mixture.share[order], mixture.mean[order], mixture.sd[order])
