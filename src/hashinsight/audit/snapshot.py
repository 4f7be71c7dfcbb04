"""Which transactions had ended at a moment: what decides which seal an entry belongs to. Pure.

Sealing in the order of commits would need a lock among the writers. A snapshot needs none: a seal holds the entries of
every transaction that had ended by its snapshot and not by the one before, however long that transaction ran.
"""

from dataclasses import dataclass

_END = 2**63 - 1


@dataclass(frozen=True)
class Snapshot:
    """All transactions below `xmax` had ended, but for those in `running`; as PostgreSQL writes it: xmin:xmax:list."""

    xmax: int
    running: tuple[int, ...] = ()

    @classmethod
    def read(cls, text: str) -> "Snapshot":
        _, xmax, running = text.split(":")
        return cls(int(xmax), tuple(int(one) for one in running.split(",") if one))

    def __str__(self) -> str:
        return f"{self.xmin}:{self.xmax}:{','.join(map(str, self.running))}"

    @property
    def xmin(self) -> int:
        return min((*self.running, self.xmax))

    def covers(self, xid: int) -> bool:
        return xid < self.xmax and xid not in self.running

    def cut(self, last: int, before: "Snapshot") -> "Snapshot":
        """What `before` covers and, beyond it, this one as far as transaction `last`: a backlog is sealed in pieces.

        A late transaction lies below what is sealed already, so a cut there must not take the rest back.
        """
        xmax = max(before.xmax, min(self.xmax, last + 1))
        late = (one for one in before.running if one > last or one in self.running)
        return Snapshot(xmax, (*late, *(one for one in self.running if before.xmax <= one < xmax)))

    def without(self, xid: int | None) -> "Snapshot":
        """The same, with this transaction still running."""
        if xid is None or not self.covers(xid):
            return self
        return Snapshot(self.xmax, tuple(sorted((*self.running, xid))))


NOTHING = Snapshot(1)
EVERYTHING = Snapshot(_END)  # closes an era: whatever of it is not sealed yet
