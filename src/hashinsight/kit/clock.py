"""The clock belongs to the process; everything below it takes `now` as an argument."""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]


def system_clock() -> datetime:
    return datetime.now(UTC)


def in_utc(instant: datetime) -> datetime:
    """A time without a zone is UTC, as in everything that collectors send."""
    if instant.tzinfo is None:
        return instant.replace(tzinfo=UTC)
    try:
        return instant.astimezone(UTC)
    except OverflowError:
        raise ValueError("the time is outside the years 1 to 9999") from None
