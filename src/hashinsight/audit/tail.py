"""The unsealed end of the log: how much it is and how old; at most a minute while a worker runs."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit import queries
from hashinsight.audit.chain import Seal
from hashinsight.audit.findings import UNSEALED_AT_MOST
from hashinsight.audit.snapshot import EVERYTHING, NOTHING, Snapshot


@dataclass(frozen=True)
class Tail:
    entries: int
    oldest_at: datetime | None
    impossible: int  # entries that claim a transaction or an era that has not been yet

    def age_sec(self, now: datetime) -> float:
        return 0.0 if self.oldest_at is None else max(0.0, (now - self.oldest_at).total_seconds())

    def complaint(self, now: datetime) -> str | None:
        if self.age_sec(now) <= UNSEALED_AT_MOST.total_seconds():
            return None
        return f"{self.entries} entries wait for a seal, the oldest for {self.age_sec(now):.0f} s: is a worker running?"


def next_window(last: Seal | None) -> tuple[int, Snapshot]:
    """The era that goes on behind this seal, and how far it is sealed."""
    if last is None:
        return 1, NOTHING
    if last.snapshot == str(EVERYTHING):
        return last.era + 1, NOTHING
    return last.era, Snapshot.read(last.snapshot)


async def get_tail(session: AsyncSession) -> Tail:
    found = await queries.get_unsealed(session, *next_window(await queries.find_last_seal(session)))
    return Tail(found.entries, found.oldest_at, found.ahead + found.beyond)
