"""How far collectors' clocks are ahead of ours, from when they say that they sent something. Pure.

The way here, and the time in a spool, only ever make a clock look later than it is. So the largest value of the last
minutes is the best one, and a backlog that was wrapped hours ago does not make a good clock look bad.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

_REMEMBERED = timedelta(minutes=10)
_TELL_EVERY = timedelta(seconds=30)
_TELL_FROM_SEC = 1.0
_MOST = 10_000

Who = tuple[UUID, str | None]  # collector and device: shards of one token have a clock each


@dataclass
class Skews:
    _best: dict[Who, tuple[datetime, float]] = field(default_factory=dict)
    _told: dict[UUID, tuple[datetime, float]] = field(default_factory=dict)

    def note(self, who: Who, skew_sec: float, *, now: datetime) -> float:
        """One more observation; gives the estimate."""
        kept = self._best.get(who)
        if kept is None or skew_sec >= kept[1] or now - kept[0] > _REMEMBERED:
            if len(self._best) >= _MOST:
                self._best.clear()
            self._best[who] = kept = (now, skew_sec)
        return kept[1]

    def find(self, who: Who) -> float | None:
        kept = self._best.get(who)
        return None if kept is None else kept[1]

    def is_news(self, collector_id: UUID, skew_sec: float, stored: float | None, *, now: datetime) -> bool:
        """Whether to store it: changed by more than a second, and not said half a minute ago."""
        at, told = self._told.get(collector_id, (None, stored))
        if told is not None and abs(skew_sec - told) <= _TELL_FROM_SEC:
            return False
        if at is not None and now - at < _TELL_EVERY:
            return False
        self._told[collector_id] = (now, skew_sec)
        return True
