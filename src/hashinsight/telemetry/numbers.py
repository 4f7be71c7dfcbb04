"""Which number a machine has: a site's machines by their ids, remembered for half a minute by each process."""

import time
from collections.abc import Sequence
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

_KEEP_SECONDS = 30.0
UNKNOWN = 0


class Numbers:
    def __init__(self) -> None:
        self._sites: dict[int, tuple[float, dict[str, int]]] = {}

    def find(self, site_id: int) -> dict[str, int] | None:
        """The site's machines, or None when they have to be read (again)."""
        kept = self._sites.get(site_id)
        return kept[1] if kept is not None and time.monotonic() - kept[0] < _KEEP_SECONDS else None

    def keep(self, site_id: int, numbers: dict[str, int]) -> dict[str, int]:
        self._sites[site_id] = (time.monotonic(), numbers)
        return numbers

    def forget(self, site_id: int) -> None:
        self._sites.pop(site_id, None)


def numbers_of(miner_ids: Sequence[str], known: dict[str, int]) -> NDArray[np.int64]:
    return np.fromiter(map(known.get, miner_ids, repeat(UNKNOWN)), np.int64, count=len(miner_ids))
