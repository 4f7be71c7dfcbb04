"""The machines of a site with their numbers and zones: remembered for half a minute by each process."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from hashinsight.inventory.fields import fold_miner_id

_REMEMBERED_SECONDS = 30.0
_FRESH_SECONDS = 5.0
UNKNOWN = 0
WHOLE_SITE = 0  # instead of a zone: a collector of the whole site reads this machine


@dataclass(frozen=True)
class SiteMachines:
    """Machine numbers by id. `zones` is the zone whose collectors may report a machine; without an entry, all may.

    `zones` is None if no collector of the site is bound to a zone. `held` machines have no zone but a collector that
    reads them; `unclaimed` ones have neither.
    """

    numbers: Mapping[str, int]
    zones: Mapping[str, int] | None = None
    held: frozenset[str] = frozenset()
    unclaimed: frozenset[str] = frozenset()
    read_at: float = field(default_factory=time.monotonic)
    _by_zone: dict[int, dict[str, int]] = field(default_factory=dict)
    _folded_ids: dict[int, set[str]] = field(default_factory=dict)

    def open_to(self, zone_id: int | None) -> Mapping[str, int]:
        """The machines that a collector may report: all of the site; with a zone, all that belong to no other zone."""
        if zone_id is None or self.zones is None:
            return self.numbers
        if zone_id not in self._by_zone:
            allowed = (None, zone_id)
            zone_of = self.zones.get
            self._by_zone[zone_id] = {
                miner_id: no for miner_id, no in self.numbers.items() if zone_of(miner_id) in allowed
            }
        return self._by_zone[zone_id]

    def confusable(self, zone_id: int | None, miner_ids: Sequence[str]) -> set[str]:
        """New ids that a person would confuse with a machine of another zone."""
        if zone_id is None or self.zones is None:
            return set()
        if zone_id not in self._folded_ids:
            others = self.numbers.keys() - self.open_to(zone_id).keys()
            self._folded_ids[zone_id] = set(map(fold_miner_id, others))
        return {miner_id for miner_id in miner_ids if fold_miner_id(miner_id) in self._folded_ids[zone_id]}

    @property
    def is_fresh(self) -> bool:
        """Whether a rejection may rely on it: a machine moved to another zone should not wait half a minute."""
        return time.monotonic() - self.read_at < _FRESH_SECONDS


class MachineCache:
    def __init__(self) -> None:
        self._sites: dict[int, SiteMachines] = {}

    def find(self, site_id: int, *, zoned: bool = False) -> SiteMachines | None:
        """The machines of a site, or None if they must be loaded (again)."""
        machines = self._sites.get(site_id)
        if (
            machines is None
            or time.monotonic() - machines.read_at >= _REMEMBERED_SECONDS
            or (zoned and machines.zones is None)
        ):
            return None
        return machines

    def has_zones(self, site_id: int) -> bool:
        """Whether a collector of a zone was seen: from then on zones are loaded with the numbers."""
        machines = self._sites.get(site_id)
        return machines is not None and machines.zones is not None

    def keep(self, site_id: int, machines: SiteMachines) -> SiteMachines:
        self._sites[site_id] = machines
        return machines

    def forget(self, site_id: int) -> None:
        self._sites.pop(site_id, None)


def machine_numbers(miner_ids: Sequence[str], known: Mapping[str, int]) -> NDArray[np.int64]:
    return np.fromiter(map(known.get, miner_ids, repeat(UNKNOWN)), np.int64, count=len(miner_ids))
