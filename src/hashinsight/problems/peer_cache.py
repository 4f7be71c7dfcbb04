"""Peer statistics of the last cycle, for whoever asks between two cycles. Thread-safe; time is an argument."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")
KEPT_SEC = 300.0
MOST_KEPT = 16


class PeerCache(Generic[T]):
    """One value a key, for so long and no longer. Two threads that miss at once compute once.

    Of more than `most` keys the oldest value goes.
    """

    def __init__(self, kept_sec: float = KEPT_SEC, *, most: int = MOST_KEPT) -> None:
        self._kept_sec = kept_sec
        self._most = most
        self._lock = threading.Lock()
        self._kept: dict[str, tuple[float, T]] = {}
        self._computing: dict[str, threading.Lock] = {}
        self.hits = 0
        self.misses = 0

    def get(self, key: str, *, now: float, compute: Callable[[], T], fits: Callable[[T], bool] = lambda _: True) -> T:
        """`fits`: whether what was kept is what is asked for; a newer cycle may have come."""
        with self._lock:
            turn = self._computing.setdefault(key, threading.Lock())
        with turn:
            with self._lock:
                kept = self._kept.get(key)
                if kept is not None and 0 <= now - kept[0] < self._kept_sec and fits(kept[1]):
                    self.hits += 1
                    return kept[1]
                self.misses += 1
            value = compute()
            self.put(key, value, now=now)
            return value

    def put(self, key: str, value: T, *, now: float) -> None:
        with self._lock:
            self._kept[key] = (now, value)
            if len(self._kept) > self._most:
                oldest = min(self._kept, key=lambda one: self._kept[one][0])
                del self._kept[oldest]
                self._computing.pop(oldest, None)

    def invalidate(self, key: str | None = None) -> None:
        """One key, or everything."""
        with self._lock:
            if key is None:
                self._kept.clear()
            else:
                self._kept.pop(key, None)
