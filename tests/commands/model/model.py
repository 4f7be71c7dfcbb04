"""Commands as a few dictionaries: what should happen, said a second time and without a database.

Written from the specification, not from the services: the only thing borrowed is how long a retry waits.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from hashinsight.commands.limits import retry_at

CLASSES = ("convenience", "efficiency", "compliance", "safety")
LEASE = timedelta(seconds=180)
APPROVAL_WAIT = timedelta(hours=24)
OPPOSITES = ({"enable_hashing", "disable_hashing"},)
HIGH = {"disable_hashing"}
FINAL = ("succeeded", "failed", "expired", "canceled", "superseded")


@dataclass
class One:
    id: UUID
    miner: int
    kind: str
    asks: str
    rank: int
    emergency: bool
    made_at: datetime
    ttl: timedelta
    retries: int
    waits: bool  # for approval
    state: str = "queued"
    dispatch: UUID | None = None
    tries: int = 0
    holder: tuple[UUID, str | None] | None = None
    lease_until: datetime | None = None
    not_before: datetime | None = None
    expires: datetime | None = None
    canceling: bool = False

    @property
    def is_control(self) -> bool:
        return self.kind != "fault_light"

    @property
    def is_leased(self) -> bool:
        return self.state in ("dispatched", "running")

    @property
    def interrupts(self) -> bool:
        return self.emergency and CLASSES[self.rank] == "safety"

    def is_alive(self, now: datetime) -> bool:
        """It keeps its place also while its retry waits."""
        return self.state == "queued" and not self.waits and self.expires is not None and self.expires > now

    def is_due(self, now: datetime) -> bool:
        return self.is_alive(now) and (self.not_before is None or self.not_before <= now)

    def is_over(self, now: datetime) -> bool:
        return (self.made_at + APPROVAL_WAIT if self.waits or self.expires is None else self.expires) <= now

    def outranks(self, other: "One") -> bool:
        return self.rank > other.rank or (self.interrupts and not other.interrupts)

    def go(self, state: str) -> None:
        self.state = state
        self.holder = self.lease_until = None


@dataclass
class Model:
    all: dict[UUID, One] = field(default_factory=dict)
    owners: dict[UUID, UUID] = field(default_factory=dict)  # dispatch → command
    held_by: dict[UUID, set[UUID]] = field(default_factory=dict)  # dispatch → collectors

    def on(self, miner: int) -> list[One]:
        """The open control commands of a machine, oldest first."""
        return [one for one in self.all.values() if one.miner == miner and one.is_control and one.state not in FINAL]

    def weigh(self, new: One) -> tuple[str | None, list[One]]:
        """Why it is refused, or whom it displaces."""
        displaced = []
        for old in self.on(new.miner) if new.is_control else ():
            if old.state == "queued" and old.is_over(new.made_at):
                continue  # it never goes out: the sweep ends it
            opposed = any({new.kind, old.kind} == pair for pair in OPPOSITES)
            if old.is_leased:
                if old.asks == new.asks:
                    return "DUPLICATE", []
                if new.interrupts and not old.interrupts:
                    displaced.append(old)
                elif opposed and new.rank < old.rank:
                    return "CONTRADICTS", []
            elif new.outranks(old):
                displaced.append(old)
            elif old.asks == new.asks:
                return "DUPLICATE", []
            elif opposed:
                return "CONTRADICTS", []
        return None, displaced

    def make(self, new: One, displaced: list[One]) -> None:
        for old in displaced:
            old.go("superseded")
        self.all[new.id] = new

    def next_for(self, odd_only: bool, now: datetime) -> list[One]:  # noqa: FBT001 - whether the collector is a zone's
        def goes_first(one: One) -> tuple[int, datetime, UUID]:
            return -one.rank, one.made_at, one.id

        due = [one for one in self.all.values() if one.is_due(now) and (not odd_only or one.miner % 2)]
        free = []
        for one in due:
            others = [other for other in self.on(one.miner) if other is not one] if one.is_control else []
            if not any(
                other.is_leased or (other.is_alive(now) and goes_first(other) < goes_first(one)) for other in others
            ):
                free.append(one)
        return sorted(free, key=goes_first)

    def lease(self, one: One, dispatch: UUID, holder: tuple[UUID, str | None], now: datetime) -> None:
        if one.dispatch is None:
            assert dispatch not in self.owners, "a retry, or a first try, has a new id"
        else:
            assert dispatch == one.dispatch, "a redelivery has the same id"
        one.state, one.dispatch, one.tries = "dispatched", dispatch, one.tries + 1
        one.holder, one.lease_until = holder, now + LEASE
        self.owners[dispatch] = one.id
        self.held_by.setdefault(dispatch, set()).add(holder[0])

    def ack_all(
        self, said: list[tuple[UUID, str]], holder: tuple[UUID, str | None], now: datetime
    ) -> list[tuple[bool, str, str | None]]:
        """In their order; what came back to the queue is weighed behind the last of them."""
        answers = [self.ack(dispatch, status, holder, now) for dispatch, status in said]
        ones = [self.all[self.owners[dispatch]] for dispatch, _ in said]
        for one, (applied, state, _) in zip(ones, answers, strict=True):
            if applied and state == "queued":
                self.come_back(one, now)
        return [
            (applied, one.state if state == "queued" else state, code)
            for one, (applied, state, code) in zip(ones, answers, strict=True)
        ]

    def ack(
        self, dispatch: UUID, status: str, holder: tuple[UUID, str | None], now: datetime
    ) -> tuple[bool, str, str | None]:
        """Whether it is applied, the state behind it, and the code of a refusal."""
        one = self.all[self.owners[dispatch]]
        refusal = self._refusal(one, dispatch, status, holder)
        if refusal is not None:
            return False, one.state, refusal
        if status == "running":
            if one.state == "queued":
                return False, one.state, "LEASE_ENDED"
            if one.state == "dispatched":
                one.state, one.lease_until = "running", now + LEASE
        elif status == "succeeded":
            one.go("succeeded")
        else:
            again = retry_at(one.id, one.tries, 15, now=now)
            final = status != "failed" or one.canceling or one.tries > one.retries
            if final or one.expires is None or again >= one.expires:
                one.go("failed")
            else:
                one.go("queued")
                one.dispatch, one.not_before = None, again
        return True, one.state, None

    def _refusal(self, one: One, dispatch: UUID, status: str, holder: tuple[UUID, str | None]) -> str | None:
        if one.state in FINAL:
            return {"expired": "COMMAND_EXPIRED", "superseded": "SUPERSEDED"}.get(one.state, "ALREADY_FINAL")
        if one.dispatch != dispatch:
            return "ALREADY_ACKED" if one.dispatch is None else "STALE_DISPATCH"
        if one.holder == holder:
            return None
        if holder[0] not in self.held_by[dispatch]:
            return "NOT_LEASE_OWNER"
        return "LEASE_MOVED" if one.is_leased and status != "succeeded" else None

    def come_back(self, one: One, now: datetime) -> None:
        """What was asked for behind it while it was leased may outrank it."""
        others = self.on(one.miner) if one.is_control and one.state == "queued" else []
        behind = [other for other in others if other.id > one.id and not (other.is_leased or other.is_over(now))]
        if any(other.outranks(one) for other in behind):
            one.go("superseded")

    def sweep(self, now: datetime) -> None:
        back = []
        for one in self.all.values():
            over = one.expires is not None and one.expires <= now
            if one.is_leased and one.lease_until is not None and one.lease_until <= now:
                over = over or one.tries > one.retries
                one.go("canceled" if one.canceling else "expired" if over else "queued")
                back += [one] if one.state == "queued" else []
            elif one.state == "queued" and (over or (one.waits and one.made_at + APPROVAL_WAIT <= now)):
                one.go("expired")
        for one in back:
            self.come_back(one, now)

    def active(self) -> Iterator[One]:
        return (one for one in self.all.values() if one.is_control and one.is_leased)

    def outdated(self) -> Iterator[UUID]:
        """Dispatches of open commands that have a newer one, or wait for it."""
        for dispatch, command in self.owners.items():
            one = self.all[command]
            if one.state not in FINAL and one.dispatch != dispatch:
                yield dispatch
