"""Those who act in a race: each step is one call as the field makes it, in a transaction of its own."""

import asyncio
import random
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import text

from hashinsight.commands.requests import PreApproval
from hashinsight.commands.service import sweeps
from hashinsight.commands.service.approvals import DecisionTarget
from hashinsight.commands.service.leases import LeaseHolder
from hashinsight.commands.states import FINAL
from hashinsight.kit.db.context import job_context
from hashinsight.kit.errors import HashInsightError
from hashinsight.kit.ids import new_id
from hashinsight.wire.acks import Ack, AckStatus
from tests.commands.race.shared_clock import MACHINES, SharedClockSite

Types = tuple[tuple[str, dict[str, Any]], ...]
TYPES: Types = (
    ("set_fan", {"speed": 40}),
    ("set_fan", {"speed": 80}),
    ("restart_mining", {}),
    ("enable_hashing", {}),
    ("disable_hashing", {}),
    ("reboot_device", {}),
    ("reboot_device", {}),
    ("set_frequency", {"frequency": 500}),
    ("fault_light", {"on": True}),
)
STATUSES = ["succeeded"] * 4 + ["failed"] * 4 + ["running"] * 2 + ["rejected", "skipped"]
REBOOTS: Types = (("reboot_device", {}),)
# what takes machines down, and what brings them back
DOWN: Types = (
    ("restart_mining", {}),
    ("restart_mining", {}),
    ("set_frequency", {"frequency": 500}),
    ("set_power_mode", {"mode": "eco"}),
    ("disable_hashing", {}),
    ("enable_hashing", {}),
)
_SEEN = text("select command_id, batch_id, approval_state from commands where finished_at is null")


@dataclass
class Actors:
    fleet: SharedClockSite
    name: str
    types: Types = TYPES  # what they ask for
    given: list[tuple[UUID, LeaseHolder]] = field(default_factory=list)
    fresh: list[tuple[UUID, LeaseHolder]] = field(default_factory=list)  # those that nobody acked yet
    handed: dict[UUID, UUID] = field(default_factory=dict)  # dispatch → command
    ended: dict[UUID, list[str]] = field(default_factory=lambda: defaultdict(list))  # by acks that were applied
    did: Counter[str] = field(default_factory=Counter)

    async def act(self, step: Callable[[random.Random], Awaitable[None]], who: str, times: int) -> None:
        """A refusal with a code is an answer; anything else ends the race."""
        chance = random.Random(f"{self.name} {who}")
        for _ in range(times):
            self.fleet.pass_time(chance.expovariate(1 / 6))
            try:
                await step(chance)
            except HashInsightError as refused:
                self.did[refused.error_code] += 1

    async def ask(self, chance: random.Random) -> None:
        kind, params = chance.choice(self.types)
        machines = chance.sample(range(1, MACHINES + 1), chance.randint(1, 4))
        caller = self.fleet.person(chance.choice(["ann", "bob"]))
        more: dict[str, Any] = {
            "priority": chance.choice(["convenience", "efficiency", "efficiency", "compliance", "safety"]),
            "priority_number": chance.randint(0, 9),
            "ttl_sec": chance.choice([60, 300, 900, 3600]),
            "max_retries": chance.randint(0, 3),
            "retry_backoff_sec": chance.choice([1, 5, 15]),
        }
        if chance.random() < 0.15:
            more |= {"priority": "safety", "emergency": True}
        elif chance.random() < 0.3:
            caller, more["pre_approval"] = self.fleet.rule, PreApproval("olga", "a race")
        if chance.random() < 0.4:
            more |= {"dedupe_key": f"k{chance.randint(1, 4)}", "dedupe_window_sec": chance.choice([60, 600])}
        if chance.random() < 0.2:
            more["idempotency_key"] = f"i{chance.randint(1, 3)}"
        answer = await self.fleet.request(kind, *machines, caller=caller, params=params, **more)
        self.did["made"] += sum(not command.existing for command in answer.commands)

    async def poll(self, chance: random.Random) -> None:
        holder = chance.choice(self.fleet.holders)
        lease_for = timedelta(seconds=chance.choice([10, 60, 180]))
        for command in await self.fleet.lease(holder, limit=chance.randint(1, 10), lease_for=lease_for):
            before = self.handed.setdefault(command.dispatch_id, command.command_id)
            assert before == command.command_id, "a dispatch id of another command"
            self.given.append((command.dispatch_id, holder))
            self.fresh.append((command.dispatch_id, holder))
            self.did["leased"] += 1

    async def ack(self, chance: random.Random) -> None:
        """Some of those that wait for it, and old ones again; twice in a batch, late, and by another collector."""
        for _ in range(100):
            if self.fresh:
                break
            await asyncio.sleep(0.002)
        if not self.given:
            return
        chance.shuffle(self.fresh)
        chosen = [self.fresh.pop() for _ in range(chance.randint(0, 3)) if self.fresh]
        chosen += chance.choices(self.given, k=chance.randint(0 if chosen else 1, 2))
        holder = chosen[0][1] if chance.random() < 0.8 else chance.choice(self.fleet.holders)
        acks = [Ack(str(dispatch_id), AckStatus(chance.choice(STATUSES))) for dispatch_id, _ in chosen]
        if chance.random() < 0.05:
            acks.append(Ack(str(new_id()), AckStatus.SUCCEEDED))
        for answer in await self.fleet.ack(*acks, holder=holder):
            self.did["acked" if answer.applied else str(answer.error_code)] += 1
            if answer.applied and answer.state in FINAL and answer.command_id is not None:
                self.ended[answer.command_id].append(str(answer.state))

    async def decide(self, chance: random.Random) -> None:
        async with self.fleet.session() as session:
            seen = (await session.execute(_SEEN)).all()
        waiting = [row for row in seen if row.approval_state == "required"]
        by, word = self.fleet.person(chance.choice(["ann", "bob"])), chance.random()
        if waiting and word < 0.8:
            row = chance.choice(waiting)
            which = DecisionTarget(row.command_id) if chance.random() < 0.6 else DecisionTarget(batch_id=row.batch_id)
            await (self.fleet.approve(which, by) if word < 0.65 else self.fleet.reject(which, by))
        elif seen:
            row = chance.choice(seen)
            await self.fleet.cancel(
                DecisionTarget(row.command_id) if word < 0.95 else DecisionTarget(batch_id=row.batch_id), by
            )
        self.did["decided"] += 1

    async def sweep(self, _chance: random.Random) -> None:
        self.did["lost"] += (await self.fleet.sweep()).lost

    async def tidy(self, _chance: random.Random) -> None:
        self.did["archived"] += await self.fleet.archive()
        async with self.fleet.database.transaction(job_context()) as session:
            await sweeps.delete_old(session, now=self.fleet.now)

    async def everybody(self, times: int, *, of: str = "ask ask poll poll poll ack ack ack decide sweep tidy") -> None:
        """All at once, each on a connection of its own."""
        steps = enumerate(of.split())
        async with asyncio.TaskGroup() as group:
            for number, word in steps:
                group.create_task(self.act(getattr(self, word), f"{word} {number}", times))

    async def settle(self) -> None:
        """Nobody acts any more, and time passes: whatever is open ends by itself."""
        for hours in (1, 25, 25, 200):
            self.fleet.pass_time(hours * 3600)
            await self.fleet.sweep()
        await self.fleet.archive()
