"""What a tick is, and which of its periods are due. Pure.

A run's period is the instant at which it became due; it covers the interval that ends there.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

WHOLE_INSTALLATION = 0
MAX_ATTEMPTS = 10
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class CatchUp(StrEnum):
    EVERY = "every"  # all missed periods are done, oldest first
    LATEST = "latest"  # only the newest is run; older ones are skipped


@dataclass(frozen=True)
class TickRun:
    """One period of one tick at one site."""

    tick: str
    site_id: int
    period: datetime  # its end: when the run became due
    now: datetime
    attempt: int


# the first argument is a SQLAlchemy session, which this pure module does not import
Work = Callable[[Any, TickRun], Awaitable[None]]
Sites = Callable[[Any], Awaitable[Sequence[int]]]


async def whole_installation(_session: Any) -> Sequence[int]:
    return (WHOLE_INSTALLATION,)


@dataclass(frozen=True)
class Tick:
    name: str
    length: timedelta
    catch_up: CatchUp
    work: Work
    sites: Sites = field(default=whole_installation)
    reach: timedelta = timedelta(days=7)  # older periods are not caught up
    timeout: timedelta = timedelta(minutes=10)

    def __post_init__(self) -> None:
        if self.length < timedelta(seconds=1):
            raise ValueError(f"tick {self.name}: a period is at least a second")


def floor_period(now: datetime, length: timedelta) -> datetime:
    """The newest due period."""
    return now - (now - _EPOCH) % length


def first_missing(last: datetime | None, now: datetime, tick: Tick) -> datetime:
    """Where catching up starts. A tick that never ran starts now."""
    newest = floor_period(now, tick.length)
    if last is None or tick.catch_up is CatchUp.LATEST:
        return newest
    earliest = floor_period(now - tick.reach, tick.length)
    return max(floor_period(last, tick.length) + tick.length, earliest)


def retry_delay(attempt: int) -> timedelta:
    return timedelta(seconds=min(300, 2**attempt))


def gives_up(attempt: int) -> bool:
    """Whether to mark the period failed after this many tries, so that it does not block later ones."""
    return attempt >= MAX_ATTEMPTS


@dataclass(frozen=True)
class TickHealth:
    """A tick over all sites, for metrics and `doctor`."""

    tick: str
    length: timedelta
    planned_at: datetime
    due: int
    failed: int
    oldest_due: datetime | None
    last_error: str | None
    last_done: datetime | None

    def complaint(self, now: datetime) -> str | None:
        """What is wrong with it, or None."""
        patience = max(2 * self.length, timedelta(minutes=1))
        if self.failed:
            return f"{self.failed} runs given up; last error: {self.last_error}"
        if self.planned_at - now > timedelta(minutes=1):
            return f"scheduled for the future, a scheduler's clock is wrong: {self.planned_at:%Y-%m-%d %H:%M:%S}Z"
        if now - self.planned_at > patience:
            return f"not scheduled by any scheduler since {self.planned_at:%Y-%m-%d %H:%M:%S}Z"
        if self.oldest_due is not None and now - self.oldest_due > patience:
            why = f" Last error: {self.last_error}" if self.last_error else ""
            since = f"{self.oldest_due:%Y-%m-%d %H:%M:%S}Z"
            return f"{self.due} runs are due, the oldest since {since}: is a worker running?{why}"
        return None
