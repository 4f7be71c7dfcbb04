"""How logins slow down and lock after failures. Pure.

A stranger who guesses must not lock the owner out: the pair of account and network is what locks. Over all networks an
account only slows down, and not at all for a network that its owner signed in from before.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True)
class ThrottlePolicy:
    """`free` failures cost nothing, then the wait doubles, and from `lock_at` on it is locked."""

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
# passwords for one account from all networks that are new to it: about 120 guesses an hour in all
FROM_EVERYWHERE = ThrottlePolicy(free=20, longest_wait=timedelta(seconds=30), forget_after=timedelta(hours=1))
# codes at the login: each lock is twice as long as the last; in a session the second lock ends the session
PROOFS = ThrottlePolicy(
    free=5,
    longest_wait=timedelta(0),
    forget_after=timedelta(days=2),
    lock_at=5,
    lock_for=timedelta(minutes=15),
    longest_lock=timedelta(days=1),
)
# codes and passwords in all sessions of a user: one stolen session must not lock the others
PROOFS_OF_USER = ThrottlePolicy(free=10, longest_wait=timedelta(seconds=30), forget_after=timedelta(hours=1))
SESSION_ENDS_AT = 6  # wrong attempts in one session: the one of the second lock
LONGEST_MEMORY = max(policy.forget_after for policy in (FROM_NETWORK, FROM_EVERYWHERE, PROOFS, PROOFS_OF_USER))


@dataclass(frozen=True)
class Failures:
    count: int = 0
    last_at: datetime | None = None
    blocked_until: datetime | None = None

    def is_blocked(self, now: datetime) -> bool:
        return self.blocked_until is not None and now < self.blocked_until

    def is_locked(self, now: datetime, policy: ThrottlePolicy) -> bool:
        """Locked, not only slowed down: another error code, because a short wait does not help."""
        return policy.lock_at is not None and self.count >= policy.lock_at and self.is_blocked(now)

    def wait_sec(self, now: datetime) -> int:
        return int((self.blocked_until - now).total_seconds()) + 1 if self.blocked_until else 1

    def one_more(self, now: datetime, policy: ThrottlePolicy) -> "Failures":
        is_stale = self.last_at is None or now - self.last_at > policy.forget_after
        count = 1 if is_stale else self.count + 1
        return Failures(count, now, _blocked_until(count, now, policy))


def _blocked_until(count: int, now: datetime, policy: ThrottlePolicy) -> datetime | None:
    if policy.lock_at is not None and count >= policy.lock_at:
        return now + min(policy.lock_for * _doubled(count - policy.lock_at), policy.longest_lock)
    if count > policy.free:
        return now + min(timedelta(seconds=_doubled(count - policy.free - 1)), policy.longest_wait)
    return None


def _doubled(times: int) -> int:
    return 1 << min(times, 30)  # far above every limit, without overflow
