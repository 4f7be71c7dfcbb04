"""Ground truth of a run: what was wrong with which machine, from when to when."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

MachineNumbers = NDArray[np.int64]


@dataclass(frozen=True)
class Episode:
    """One fault of one machine, or one common cause of many (`machine_id` None, `members` are its machines)."""

    no: int
    machine_id: str | None
    site: str
    kind: str
    family: str
    start: float
    end: float | None  # None: end not known yet
    precursor_start: float | None
    scope: str  # machine:…, switch:…, zone:…, site:…
    severity: float = 1.0
    members: tuple[int, ...] = ()

    def begun(self, now: float) -> bool:
        first = self.start if self.precursor_start is None else min(self.start, self.precursor_start)
        return first <= now


class EpisodeLog:
    """All episodes by number, in order of recording."""

    def __init__(self) -> None:
        self._episodes: dict[int, Episode] = {}
        self._next = 1

    def write(self, **facts: object) -> Episode:
        episode = Episode(no=self._next, **facts)  # type: ignore[arg-type]
        self._episodes[episode.no] = episode
        self._next += 1
        return episode

    def find(self, no: int) -> Episode | None:
        return self._episodes.get(no)

    def close(self, no: int, end: float) -> None:
        """A fault repaired in its warning phase starts and ends at that moment."""
        episode = self._episodes[no]
        self._episodes[no] = replace(episode, start=min(episode.start, end), end=end)

    def list_begun(self, now: float) -> list[Episode]:
        known = tuple(self._episodes.values())  # the world may be advancing in another thread
        return [episode for episode in known if episode.begun(now)]
