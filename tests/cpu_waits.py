"""How long processes stood in line for a processor: what other work took from them, as the kernel counts it."""

import time
from collections.abc import Iterable
from pathlib import Path


class CpuWaits:
    """Counts from here on. What is late by no more than this is late by the machine, not by us."""

    def __init__(self, pids: Iterable[int]) -> None:
        self._pids = tuple(pids)
        self._before = _stood_sec(self._pids)

    def stood_sec(self, *now: int) -> float:
        """`now`: those that run now; who was started since counts from its start."""
        return max(_stood_sec(self._pids) - self._before, 0.0) + _stood_sec(set(now) - set(self._pids))


def share(seconds: float = 2.0) -> float:
    """Of a processor, what a process gets that wants all of one."""
    began, worked = time.monotonic(), time.thread_time()
    while time.monotonic() - began < seconds:
        pass
    return (time.thread_time() - worked) / seconds


def _stood_sec(pids: Iterable[int]) -> float:
    """Of all threads that live. Nothing where the system does not count it: then the machine excuses nothing."""
    stood_ns = 0
    for pid in pids:
        for file in Path(f"/proc/{pid}/task").glob("*/schedstat"):
            try:
                stood_ns += int(file.read_text().split()[1])
            except (OSError, IndexError):  # it has just ended
                continue
    return stood_ns / 1e9
