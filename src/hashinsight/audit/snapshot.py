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

    def cut(self, last: int) -> "Snapshot":
        """The same, as far as transaction `last`: a backlog is sealed in pieces."""
        return Snapshot(min(self.xmax, last + 1), tuple(one for one in self.running if one <= last))


NOTHING = Snapshot(1)
EVERYTHING = Snapshot(_END)  # closes an era: whatever of it is not sealed yet
