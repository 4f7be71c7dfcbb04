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
class ModelCommand:
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

    def outranks(self, other: "ModelCommand") -> bool:
        return self.rank > other.rank or (self.interrupts and not other.interrupts)

    def go(self, state: str) -> None:
        self.state = state
        self.holder = self.lease_until = None


@dataclass
class Model:
    all: dict[UUID, ModelCommand] = field(default_factory=dict)
    owners: dict[UUID, UUID] = field(default_factory=dict)  # dispatch → command
    held_by: dict[UUID, set[UUID]] = field(default_factory=dict)  # dispatch → collectors

    def on(self, miner: int) -> list[ModelCommand]:
        """The open control commands of a machine, oldest first."""
        return [
            command
            for command in self.all.values()
            if command.miner == miner and command.is_control and command.state not in FINAL
        ]

    def weigh(self, new: ModelCommand) -> tuple[str | None, list[ModelCommand]]:
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

    def make(self, new: ModelCommand, displaced: list[ModelCommand]) -> None:
        for old in displaced:
            old.go("superseded")
        self.all[new.id] = new

    def next_for(self, odd_only: bool, now: datetime) -> list[ModelCommand]:  # noqa: FBT001 - whether the collector is a zone's
        def goes_first(command: ModelCommand) -> tuple[int, datetime, UUID]:
            return -command.rank, command.made_at, command.id

        due = [command for command in self.all.values() if command.is_due(now) and (not odd_only or command.miner % 2)]
        free = []
        for command in due:
            others = [other for other in self.on(command.miner) if other is not command] if command.is_control else []
            if not any(
                other.is_leased or (other.is_alive(now) and goes_first(other) < goes_first(command)) for other in others
            ):
                free.append(command)
        return sorted(free, key=goes_first)

    def lease(self, command: ModelCommand, dispatch: UUID, holder: tuple[UUID, str | None], now: datetime) -> None:
        if command.dispatch is None:
            assert dispatch not in self.owners, "a retry, or a first try, has a new id"
        else:
            assert dispatch == command.dispatch, "a redelivery has the same id"
        command.state, command.dispatch, command.tries = "dispatched", dispatch, command.tries + 1
        command.holder, command.lease_until = holder, now + LEASE
        self.owners[dispatch] = command.id
        self.held_by.setdefault(dispatch, set()).add(holder[0])

    def ack_all(
        self, acks: list[tuple[UUID, str]], holder: tuple[UUID, str | None], now: datetime
    ) -> list[tuple[bool, str, str | None]]:
        """In their order; what came back to the queue is weighed behind the last of them."""
        answers = [self.ack(dispatch, status, holder, now) for dispatch, status in acks]
        commands = [self.all[self.owners[dispatch]] for dispatch, _ in acks]
        for command, (applied, state, _) in zip(commands, answers, strict=True):
            if applied and state == "queued":
                self.come_back(command, now)
        return [
            (applied, command.state if state == "queued" else state, code)
            for command, (applied, state, code) in zip(commands, answers, strict=True)
        ]

    def ack(
        self, dispatch: UUID, status: str, holder: tuple[UUID, str | None], now: datetime
    ) -> tuple[bool, str, str | None]:
        """Whether it is applied, the state behind it, and the code of a refusal."""
        command = self.all[self.owners[dispatch]]
        refusal = self._refusal(command, dispatch, status, holder)
        if refusal is not None:
            return False, command.state, refusal
        if status == "running":
            if command.state == "queued":
                return False, command.state, "LEASE_ENDED"
            if command.state == "dispatched":
                command.state, command.lease_until = "running", now + LEASE
        elif status == "succeeded":
            command.go("succeeded")
        else:
            again = retry_at(command.id, command.tries, 15, now=now)
            final = status != "failed" or command.canceling or command.tries > command.retries
            if final or command.expires is None or again >= command.expires:
                command.go("failed")
            else:
                command.go("queued")
                command.dispatch, command.not_before = None, again
        return True, command.state, None

    def _refusal(
        self, command: ModelCommand, dispatch: UUID, status: str, holder: tuple[UUID, str | None]
    ) -> str | None:
        if command.state in FINAL:
            return {"expired": "COMMAND_EXPIRED", "superseded": "SUPERSEDED"}.get(command.state, "ALREADY_FINAL")
        if command.dispatch != dispatch:
            return "ALREADY_ACKED" if command.dispatch is None else "STALE_DISPATCH"
        if command.holder == holder:
            return None
        if holder[0] not in self.held_by[dispatch]:
            return "NOT_LEASE_OWNER"
        return "LEASE_MOVED" if command.is_leased and status != "succeeded" else None

    def come_back(self, command: ModelCommand, now: datetime) -> None:
        """What was asked for behind it while it was leased may outrank it."""
        others = self.on(command.miner) if command.is_control and command.state == "queued" else []
        behind = [other for other in others if other.id > command.id and not (other.is_leased or other.is_over(now))]
        if any(other.outranks(command) for other in behind):
            command.go("superseded")

    def sweep(self, now: datetime) -> None:
        back = []
        for command in self.all.values():
            over = command.expires is not None and command.expires <= now
            if command.is_leased and command.lease_until is not None and command.lease_until <= now:
                over = over or command.tries > command.retries
                command.go("canceled" if command.canceling else "expired" if over else "queued")
                back += [command] if command.state == "queued" else []
            elif command.state == "queued" and (over or (command.waits and command.made_at + APPROVAL_WAIT <= now)):
                command.go("expired")
        for command in back:
            self.come_back(command, now)

    def active(self) -> Iterator[ModelCommand]:
        return (command for command in self.all.values() if command.is_control and command.is_leased)

    def outdated(self) -> Iterator[UUID]:
        """Dispatches of open commands that have a newer command, or wait for it."""
        for dispatch, command_id in self.owners.items():
            command = self.all[command_id]
            if command.state not in FINAL and command.dispatch != dispatch:
                yield dispatch
