"""The populations of each kind of machine: fitted where a kind is large enough, else borrowed from its site."""

from dataclasses import dataclass, replace

import numpy as np

from hashinsight.problems import mixtures
from hashinsight.problems.config import Config, MachineLimits
from hashinsight.problems.frame import Flags, Floats, Frame, Ints
from hashinsight.problems.group_stats import distinct_rows
from hashinsight.problems.mixtures import Mixture, Mixtures

_SAMPLE = 512
MIN_MACHINES = 5
_OWN_POPULATIONS = 20  # machines from which a kind has populations of its own
_BORROWED_SHARE = 0.02  # weight of the site's populations that the kind has not shown itself
_NAMEPLATE_MEMBERS = 5  # weight of the nameplate in a small kind's level
_GROWN = 1.25


@dataclass(frozen=True)
class Groups:
    """Machines of one site, model and firmware, by names that stay from one cycle to the next."""

    of: Ints
    names: list[str]
    site: Ints  # by group


def groups(frame: Frame, limits: MachineLimits) -> Groups:
    codes, which = distinct_rows(frame.site.no, limits.model, frame.firmware.no)
    sites, firmwares = (*frame.site.of, ""), (*frame.firmware.of, "")  # -1, no text, is the last one
    names = [f"{sites[s]}:{limits.models[m]}:{firmwares[f]}" for s, m, f in codes.tolist()]
    return Groups(which, names, codes[:, 0])


def populated(kinds: Groups, models: Mixtures) -> Flags:
    """By machine: whether its kind runs in several modes."""
    several = [name in models.of and len(models.of[name].share) > 1 for name in kinds.names]
    flags: Flags = np.array(several, dtype=np.bool_)[kinds.of]
    return flags


def is_due(points: Floats, kinds: Groups, models: Mixtures, *, now: float, config: Config) -> bool:
    """Every few hours, and as soon as a group has enough steady machines or has grown."""
    if not 0 <= now - models.fitted_at < config.mode_fit_sec:  # also after the clock was set back
        return True
    count = np.bincount(kinds.of[~np.isnan(points[:, 0])], minlength=len(kinds.names))
    fitted = np.array([models.of[name].machines if name in models.of else 0 for name in kinds.names])
    return bool(((count >= MIN_MACHINES) & (count >= _GROWN * fitted)).any())


def refit(points: Floats, kinds: Groups, *, now: float) -> Mixtures | None:
    """One small fit per group of model and firmware: a loop over dozens of groups, none over machines.

    None where no group has enough machines yet.
    """
    usable = np.flatnonzero(~np.isnan(points[:, 0]))
    rows = usable[np.argsort(kinds.of[usable], kind="stable")]
    count = np.bincount(kinds.of[usable], minlength=len(kinds.names))
    start = np.cumsum(count) - count
    members = {
        number: rows[start[number] : start[number] + count[number]]
        for number in np.flatnonzero(count >= MIN_MACHINES).tolist()
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
    """Spread evenly: machines of one mode are often installed, and numbered, side by side."""
    return points[np.linspace(0, len(points) - 1, min(len(points), _SAMPLE)).astype(np.int64)]


def _level(points: Floats) -> Floats:
    """Where a small kind's normal mode lies: its median, drawn towards the nameplate."""
    leaning: Floats = (len(points) * np.median(points, axis=0) + _NAMEPLATE_MEMBERS) / (
        len(points) + _NAMEPLATE_MEMBERS
    )
    return leaning


def _leaning(own: Mixture | None, shared: Mixture, level: Floats, machines: int) -> Mixture:
    """A kind's own populations joined with the site's; without own ones the site's, moved to its level."""
    if own is None:
        return replace(mixtures.borrowed(shared, level), machines=machines)
    both = mixtures.joined(own, mixtures.borrowed(shared, level, share=_BORROWED_SHARE))
    return replace(both, machines=machines)  # the fit used a sample of them
