"""How doors slow down and lock after failures. Pure.

A stranger who guesses must not lock out whoever the account belongs to: what locks is the pair of account and network.
Over all networks an account only slows down, and not at all for a network that its owner signed in from before.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True)
class ThrottlePolicy:
    """So many failures are free, then the wait doubles, and from `lock_at` on the door is locked."""

    free: int
    longest_wait: timedelta
    forget_after: timedelta
    lock_at: int | None = None
    lock_for: timedelta = timedelta(0)
    longest_lock: timedelta = timedelta(0)


# passwords for one account from one network
FROM_NETWORK = ThrottlePolicy(
    free=3,
    longest_wait=timedelta(minutes=1),
    forget_after=timedelta(hours=1),
    lock_at=10,
    lock_for=timedelta(minutes=15),
    longest_lock=timedelta(minutes=15),
)
# passwords for one account from all networks that are new to it: about 120 guesses an hour, from however many
FROM_EVERYWHERE = ThrottlePolicy(free=20, longest_wait=timedelta(seconds=30), forget_after=timedelta(hours=1))
# codes at the login: each lock is twice as long as the last. In a session the second one ends it
PROOFS = ThrottlePolicy(
    free=5,
    longest_wait=timedelta(0),
    forget_after=timedelta(days=2),
    lock_at=5,
    lock_for=timedelta(minutes=15),
    longest_lock=timedelta(days=1),
)
# codes, and passwords, in all sessions of a user: whoever holds one of them must not lock the others
PROOFS_OF_USER = ThrottlePolicy(free=10, longest_wait=timedelta(seconds=30), forget_after=timedelta(hours=1))
SESSION_ENDS_AT = 6  # wrong ones in one session: that of the second lock
LONGEST_MEMORY = max(pace.forget_after for pace in (FROM_NETWORK, FROM_EVERYWHERE, PROOFS, PROOFS_OF_USER))


@dataclass(frozen=True)
class Failures:
    count: int = 0
    last_at: datetime | None = None
    blocked_until: datetime | None = None

    def is_blocked(self, now: datetime) -> bool:
        return self.blocked_until is not None and now < self.blocked_until

    def is_locked(self, now: datetime, pace: ThrottlePolicy) -> bool:
        """Locked, not only slowed down: worth telling by another code, because waiting a moment will not do."""
        return pace.lock_at is not None and self.count >= pace.lock_at and self.is_blocked(now)

    def wait_sec(self, now: datetime) -> int:
        return int((self.blocked_until - now).total_seconds()) + 1 if self.blocked_until else 1

    def one_more(self, now: datetime, pace: ThrottlePolicy) -> "Failures":
        is_stale = self.last_at is None or now - self.last_at > pace.forget_after
        count = 1 if is_stale else self.count + 1
        return Failures(count, now, _blocked_until(count, now, pace))


def _blocked_until(count: int, now: datetime, pace: ThrottlePolicy) -> datetime | None:
    if pace.lock_at is not None and count >= pace.lock_at:
        return now + min(pace.lock_for * _doubled(count - pace.lock_at), pace.longest_lock)
    if count > pace.free:
        return now + min(timedelta(seconds=_doubled(count - pace.free - 1)), pace.longest_wait)
    return None


def _doubled(times: int) -> int:
    return 1 << min(times, 30)  # far beyond the longest, and no number that overflows
