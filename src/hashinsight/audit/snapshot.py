"""Which transactions had ended at a time: this decides which seal an entry belongs to. Pure.

Sealing in commit order would need a lock among the writers. A snapshot needs none: a seal has the entries of every
transaction that had ended by its snapshot and not by the one before, however long that transaction ran.
"""

from dataclasses import dataclass

_END = 2**63 - 1


@dataclass(frozen=True)
class Snapshot:
    """Transactions below `xmax` had ended, except those in `running`. PostgreSQL writes it as xmin:xmax:list."""

    xmax: int
    running: tuple[int, ...] = ()

    @classmethod
    def read(cls, text: str) -> "Snapshot":
        _, xmax, running = text.split(":")
        return cls(int(xmax), tuple(int(xid) for xid in running.split(",") if xid))

    def __str__(self) -> str:
        return f"{self.xmin}:{self.xmax}:{','.join(map(str, self.running))}"

    @property
    def xmin(self) -> int:
        return min((*self.running, self.xmax))

    def covers(self, xid: int) -> bool:
        return xid < self.xmax and xid not in self.running

    def cut(self, last: int, before: "Snapshot") -> "Snapshot":
        """What `before` covers, and this snapshot up to transaction `last`: a backlog is sealed in pieces.

        A late transaction is below what is sealed already, so a cut there must not give up the rest.
        """
        xmax = max(before.xmax, min(self.xmax, last + 1))
        late = (xid for xid in before.running if xid > last or xid in self.running)
        return Snapshot(xmax, (*late, *(xid for xid in self.running if before.xmax <= xid < xmax)))

    def without(self, xid: int | None) -> "Snapshot":
        """The same, with this transaction still running."""
        if xid is None or not self.covers(xid):
            return self
        return Snapshot(self.xmax, tuple(sorted((*self.running, xid))))


NOTHING = Snapshot(1)
EVERYTHING = Snapshot(_END)  # closes an era: everything in it that is not sealed yet
