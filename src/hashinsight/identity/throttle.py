"""How the door slows down and locks after failed logins. Pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta

FREE_TRIES = 3
LOCK_AT = 10
LOCK_FOR = timedelta(minutes=15)
FORGET_AFTER = timedelta(hours=1)


@dataclass(frozen=True)
class Failures:
    count: int = 0
    last_at: datetime | None = None
    blocked_until: datetime | None = None

    def is_blocked(self, now: datetime) -> bool:
        return self.blocked_until is not None and now < self.blocked_until

    def is_locked(self, now: datetime) -> bool:
        """Locked, not only slowed down: worth telling by another code, because waiting a moment will not do."""
        return self.count >= LOCK_AT and self.is_blocked(now)

    def one_more(self, now: datetime) -> "Failures":
        """After one more failure: three are free, then the wait doubles, at ten the door is locked for a while."""
        stale = self.last_at is None or now - self.last_at > FORGET_AFTER
        count = 1 if stale else self.count + 1
        if count >= LOCK_AT:
            until = now + LOCK_FOR
        elif count > FREE_TRIES:
            until = now + timedelta(seconds=2 ** (count - FREE_TRIES - 1))
        else:
            until = None
        return Failures(count, now, until)
