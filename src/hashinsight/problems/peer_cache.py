"""Peer statistics of the last cycle, for whoever asks between two cycles. Thread-safe; time is an argument."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")
KEPT_SEC = 300.0


class PeerCache(Generic[T]):
    """One value a key, for so long and no longer. Two threads that miss at once compute once."""

    def __init__(self, kept_sec: float = KEPT_SEC) -> None:
        self._kept_sec = kept_sec
        self._lock = threading.Lock()
        self._kept: dict[str, tuple[float, T]] = {}
        self._computing: dict[str, threading.Lock] = {}
        self.hits = 0
        self.misses = 0

    def get(self, key: str, *, now: float, compute: Callable[[], T]) -> T:
        with self._lock:
            turn = self._computing.setdefault(key, threading.Lock())
        with turn:
            with self._lock:
                kept = self._kept.get(key)
                if kept is not None and 0 <= now - kept[0] < self._kept_sec:
                    self.hits += 1
                    return kept[1]
                self.misses += 1
            value = compute()
            self.put(key, value, now=now)
            return value

    def put(self, key: str, value: T, *, now: float) -> None:
        with self._lock:
            self._kept[key] = (now, value)

    def invalidate(self, key: str | None = None) -> None:
        """One key, or everything."""
        with self._lock:
            if key is None:
                self._kept.clear()
            else:
                self._kept.pop(key, None)
