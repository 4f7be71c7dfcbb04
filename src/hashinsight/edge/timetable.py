"""When each machine is read: start + its own offset + n intervals. Errors do not add up, so nothing drifts. Pure."""

import heapq
from collections.abc import Iterable, Iterator

from hashinsight.edge.roster import Machine

_GOLDEN = 0.6180339887498949  # golden ratio: each new machine lands in the widest gap between the others


class Timetable:
    def __init__(self, interval_sec: float) -> None:
        self.interval_sec = interval_sec
        self._start = 0.0
        self._due: list[tuple[float, int, str]] = []
        self._planned: set[str] = set()

    def begin(self, now: float, interval_sec: float | None = None) -> None:
        """Start a new timetable from now."""
        self.interval_sec = interval_sec or self.interval_sec
        self._start = now
        self._due.clear()
        self._planned.clear()

    def plan(self, machines: Iterable[Machine], now: float) -> None:
        for machine in machines:
            if machine.miner_id not in self._planned:
                self._planned.add(machine.miner_id)
                heapq.heappush(self._due, (self._next(machine.slot, now), machine.slot, machine.miner_id))

    def take_due(self, now: float) -> Iterator[tuple[str, float]]:
        """Machines that are due, and since when; the next time of each is planned."""
        while self._due and self._due[0][0] <= now:
            due, slot, miner_id = self._due[0]
            heapq.heapreplace(self._due, (self._next(slot, now), slot, miner_id))
            yield miner_id, due

    def ahead_sec(self, now: float) -> float | None:
        return self._due[0][0] - now if self._due else None

    def __len__(self) -> int:
        return len(self._planned)

    def _next(self, slot: int, now: float) -> float:
        """Its first time after now; missed times are skipped."""
        first = self._start + (slot * _GOLDEN % 1.0) * self.interval_sec
        turns = int((now - first) // self.interval_sec) + 1 if now >= first else 0
        return first + turns * self.interval_sec
