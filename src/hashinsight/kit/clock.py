"""The clock belongs to the process; everything below it takes `now` as an argument."""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]


def system_clock() -> datetime:
    return datetime.now(UTC)


class VirtualClock:
    """A clock set by hand, for fast-forward, replay and tests."""

    def __init__(self, start: datetime) -> None:
        if start.tzinfo is None:
            raise ValueError("a clock needs a time with a zone")
        self._now = start

    def __call__(self) -> datetime:
        return self._now

    def move_to(self, instant: datetime) -> None:
        if instant < self._now:
            raise ValueError(f"time does not run backwards: {instant} is before {self._now}")
        self._now = instant


def iso_z(instant: datetime) -> str:
    """ISO 8601 in UTC with `Z`, as on the wire."""
    return instant.astimezone(UTC).isoformat().replace("+00:00", "Z")
