"""The truth of a run: what was wrong with which machine, from when to when."""

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
    end: float | None  # None: nobody has said yet when it ends
    precursor_start: float | None
    scope: str  # machine:…, switch:…, zone:…, site:…
    severity: float = 1.0
    members: tuple[int, ...] = ()

    def begun(self, now: float) -> bool:
        first = self.start if self.precursor_start is None else min(self.start, self.precursor_start)
        return first <= now


class EpisodeLog:
    """Every episode by its number, in the order in which they were written down."""

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
        """What is mended while it only warns starts and ends in that moment: it never was a fault."""
        episode = self._episodes[no]
        self._episodes[no] = replace(episode, start=min(episode.start, end), end=end)

    def list_begun(self, now: float) -> list[Episode]:
        known = tuple(self._episodes.values())  # the world may be moving in another thread
        return [episode for episode in known if episode.begun(now)]
