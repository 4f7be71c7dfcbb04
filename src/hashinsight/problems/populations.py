"""Which populations of machines each kind has: fitted where a kind is large enough, else borrowed from its site."""

from dataclasses import dataclass, replace

import numpy as np

from hashinsight.problems import mixtures
from hashinsight.problems.config import Config, MachineLimits, distinct
from hashinsight.problems.frame import Flags, Floats, Frame, Ints
from hashinsight.problems.mixtures import Mixture, Mixtures

_SAMPLE = 512
LEAST_MACHINES = 5
_OWN_POPULATIONS = 20  # machines from which on a kind has populations of its own
_BORROWED_SHARE = 0.02  # of the site's populations that a kind has not shown itself
_NAMEPLATE_MEMBERS = 5  # a small kind's level leans on its nameplate as if it had so many members more
_GROWN = 1.25


@dataclass(frozen=True)
class Groups:
    """Machines of one site, model and firmware, by names that hold from one cycle to the next."""

    of: Ints
    names: list[str]
    site: Ints  # by group


def groups(frame: Frame, limits: MachineLimits) -> Groups:
    found, which = distinct(frame.site.no, limits.model, frame.firmware.no)
    sites, firmwares = (*frame.site.of, ""), (*frame.firmware.of, "")  # -1, no text, is the last one
    names = [f"{sites[s]}:{limits.models[m]}:{firmwares[f]}" for s, m, f in found.tolist()]
    return Groups(which, names, found[:, 0])


def populated(kinds: Groups, models: Mixtures) -> Flags:
    """By machine: whether its kind is known to run in several modes."""
    several = [name in models.of and len(models.of[name].share) > 1 for name in kinds.names]
    flags: Flags = np.array(several, dtype=np.bool_)[kinds.of]
    return flags


def is_due(points: Floats, kinds: Groups, models: Mixtures, *, now: float, config: Config) -> bool:
    """Every few hours, and as soon as a group has enough machines or has grown: at first nobody is steady."""
    if not 0 <= now - models.fitted_at < config.mode_fit_sec:  # a clock that was ahead fits again
        return True
    count = np.bincount(kinds.of[~np.isnan(points[:, 0])], minlength=len(kinds.names))
    fitted = np.array([models.of[name].machines if name in models.of else 0 for name in kinds.names])
    return bool(((count >= LEAST_MACHINES) & (count >= _GROWN * fitted)).any())


def refit(points: Floats, kinds: Groups, *, now: float) -> Mixtures | None:
    """One small fit a group of model and firmware: a loop over dozens of groups, none over machines.

    None where nobody can be fitted yet.
    """
    usable = np.flatnonzero(~np.isnan(points[:, 0]))
    rows = usable[np.argsort(kinds.of[usable], kind="stable")]
    count = np.bincount(kinds.of[usable], minlength=len(kinds.names))
    start = np.cumsum(count) - count
    members = {
        number: rows[start[number] : start[number] + count[number]]
        for number in np.flatnonzero(count >= LEAST_MACHINES).tolist()
    }
    if not members:
        return None
    own = {no: mixtures.fit(_sample(points[at])) for no, at in members.items() if len(at) >= _OWN_POPULATIONS}
    level = {no: own[no].normal if no in own else _level(points[at]) for no, at in members.items()}
    fitted = {}
    for site in np.unique(kinds.site[list(members)]).tolist():
        here = [no for no in members if kinds.site[no] == site]
        shared = mixtures.fit(_sample(np.concatenate([points[members[no]] / level[no] for no in here])))
        for no in here:
            fitted[kinds.names[no]] = _leaning(own.get(no), shared, level[no], len(members[no]))
    return Mixtures(fitted, now)


def _sample(points: Floats) -> Floats:
    """Spread over all of them: machines of one mode often stand, and are numbered, side by side."""
    return points[np.linspace(0, len(points) - 1, min(len(points), _SAMPLE)).astype(np.int64)]


def _level(points: Floats) -> Floats:
    """Where a small kind's normal mode lies: its middle, near the nameplate as long as it is not plainly elsewhere."""
    leaning: Floats = (len(points) * np.median(points, axis=0) + _NAMEPLATE_MEMBERS) / (
        len(points) + _NAMEPLATE_MEMBERS
    )
    return leaning


def _leaning(own: Mixture | None, shared: Mixture, level: Floats, machines: int) -> Mixture:
    """A kind's own populations and the site's; without own ones the site's, moved to its level."""
    if own is None:
        return replace(mixtures.borrowed(shared, level), machines=machines)
    both = mixtures.joined(own, mixtures.borrowed(shared, level, share=_BORROWED_SHARE))
    return replace(both, machines=machines)  # it was fitted on a sample of them
