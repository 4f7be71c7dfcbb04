"""A clock that tests set by hand."""

from datetime import datetime


class VirtualClock:
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
