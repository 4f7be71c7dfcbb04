"""Which number a machine has, and which collectors may report it: remembered for half a minute by each process."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from hashinsight.inventory.fields import fold_miner_id

_KEEP_SECONDS = 30.0
_LOOK_AGAIN_SECONDS = 5.0
UNKNOWN = 0
WHOLE_SITE = 0  # in place of a zone: a collector of the whole site reads this machine


@dataclass(frozen=True)
class SiteMachines:
    """A site's machines by their ids. `zones` says for which zone's collectors each is; one that it lacks is for all.

    `zones` is None where no collector of the site is bound to a zone: then nobody has to be asked. `held` have no zone,
    and a collector that reads them; `unclaimed` have neither.
    """

    numbers: Mapping[str, int]
    zones: Mapping[str, int] | None = None
    held: frozenset[str] = frozenset()
    unclaimed: frozenset[str] = frozenset()
    read_at: float = field(default_factory=time.monotonic)
    _by_zone: dict[int, dict[str, int]] = field(default_factory=dict)
    _alike: dict[int, set[str]] = field(default_factory=dict)

    def open_to(self, zone_id: int | None) -> Mapping[str, int]:
        """The machines that a collector may report: all of the site, or for a zone's those that are not another's."""
        if zone_id is None or self.zones is None:
            return self.numbers
        if zone_id not in self._by_zone:
            allowed = (None, zone_id)
            zone_of = self.zones.get
            self._by_zone[zone_id] = {one: no for one, no in self.numbers.items() if zone_of(one) in allowed}
        return self._by_zone[zone_id]

    def read_alike(self, zone_id: int | None, miner_ids: Sequence[str]) -> set[str]:
        """Which of these new ids a person would take for a machine that is not open to this zone."""
        if zone_id is None or self.zones is None:
            return set()
        if zone_id not in self._alike:
            others = self.numbers.keys() - self.open_to(zone_id).keys()
            self._alike[zone_id] = set(map(fold_miner_id, others))
        return {one for one in miner_ids if fold_miner_id(one) in self._alike[zone_id]}

    @property
    def is_fresh(self) -> bool:
        """Whether a refusal may rest on it: who moved a machine to another zone should not wait for half a minute."""
        return time.monotonic() - self.read_at < _LOOK_AGAIN_SECONDS


class MachineCache:
    def __init__(self) -> None:
        self._sites: dict[int, SiteMachines] = {}

    def find(self, site_id: int, *, zoned: bool = False) -> SiteMachines | None:
        """The site's machines, or None when they have to be read (again)."""
        kept = self._sites.get(site_id)
        if kept is None or time.monotonic() - kept.read_at >= _KEEP_SECONDS or (zoned and kept.zones is None):
            return None
        return kept

    def has_zones(self, site_id: int) -> bool:
        """Whether a zone's collector has been heard: from then on zones are read with the numbers."""
        kept = self._sites.get(site_id)
        return kept is not None and kept.zones is not None

    def keep(self, site_id: int, machines: SiteMachines) -> SiteMachines:
        self._sites[site_id] = machines
        return machines

    def forget(self, site_id: int) -> None:
        self._sites.pop(site_id, None)


def machine_numbers(miner_ids: Sequence[str], known: Mapping[str, int]) -> NDArray[np.int64]:
    return np.fromiter(map(known.get, miner_ids, repeat(UNKNOWN)), np.int64, count=len(miner_ids))
