"""How long ago a problem began, in the four words that lists are narrowed by. Pure."""

from datetime import datetime, timedelta
from enum import StrEnum


class Age(StrEnum):
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    OLDER = "older"

    def span(self, now: datetime) -> tuple[datetime | None, datetime | None]:
        """After the first moment, until the second; the four lie beside each other without a gap."""
        return _begins(self, now), _begins(_BEFORE[self], now) if self in _BEFORE else None


_LASTS = {Age.HOUR: timedelta(hours=1), Age.DAY: timedelta(days=1), Age.WEEK: timedelta(days=7)}
_BEFORE = {Age.DAY: Age.HOUR, Age.WEEK: Age.DAY, Age.OLDER: Age.WEEK}


def _begins(age: Age, now: datetime) -> datetime | None:
    return now - _LASTS[age] if age in _LASTS else None
