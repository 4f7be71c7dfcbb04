"""A day in a yard that touches every kind of move, and its stories as the checker reads them."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import msgspec

from hashinsight.commands.checker import Move, Part, Story, Timeline
from hashinsight.commands.queries import checker as queries
from hashinsight.commands.requests import PreApproval
from hashinsight.commands.service.approvals import DecisionTarget
from hashinsight.commands.service.checker import _told
from hashinsight.kit.db.context import job_context
from tests.commands.command_site import CommandSite

FAN: dict[str, Any] = {"params": {"speed": 60}}


class Day:
    def __init__(self, yard: CommandSite) -> None:
        self.yard = yard
        self.named: dict[str, UUID] = {}

    async def live(self) -> None:
        yard, named, olga = self.yard, self.named, self.yard.person("olga")
        key = {"dedupe_key": "k", "dedupe_window_sec": 60}
        named["tried"] = await yard.made("set_fan", 1, **FAN, **key)
        first = await yard.lease_one(yard.north)
        yard.pass_time(181)
        await yard.sweep()
        await yard.lease_one(yard.south)
        await yard.say(first.dispatch_id, "failed", holder=yard.south, error_code="TIMEOUT")
        yard.pass_time(60)
        again = await yard.lease_one(yard.north)
        await yard.say(again.dispatch_id, "running")
        await yard.say(again.dispatch_id)
        await yard.say(again.dispatch_id, "failed")
        named["repeated"] = await yard.made("set_fan", 1, **FAN, **key)
        await yard.say((await yard.lease_one()).dispatch_id)

        named["canceled"] = await yard.made("reboot_device", 2)
        await yard.approve(DecisionTarget(named["canceled"]), olga)
        await yard.lease_one()
        await yard.cancel(DecisionTarget(named["canceled"]))
        yard.pass_time(181)
        await yard.sweep()

        named["displaced"] = await yard.made("set_fan", 3, **FAN, priority="convenience")
        named["interrupted"] = await yard.made("set_fan", 3, params={"speed": 70}, priority="compliance")
        await yard.lease_one()
        named["emergency"] = await yard.made("disable_hashing", 3, priority="safety", emergency=True)
        await yard.say((await yard.lease_one()).dispatch_id, "rejected")

        named["rejected"] = await yard.made("reboot_device", 4)
        await yard.reject(DecisionTarget(named["rejected"]), olga)
        named["expired"] = await yard.made("set_fan", 5, **FAN, ttl_sec=30)
        yard.pass_time(31)
        await yard.sweep()
        named["leave"] = await yard.made("reboot_device", 6, asker=yard.rule, pre_approval=PreApproval("olga", "x"))
        await yard.say((await yard.lease_one()).dispatch_id)
        yard.cap_at(0.0)  # the machine that reboots takes the only place
        named["extended"] = await yard.made("restart_mining", 8, ttl_sec=60)
        assert await yard.lease() == []
        yard.pass_time(30)
        await yard.sweep()
        named["open"] = await yard.made("set_fan", 7, **FAN)
        await yard.lease_one()

    async def part(self) -> Part:
        span = {"tenant_id": self.yard.tenant, "since": None, "until": None}
        async with self.yard.database.transaction(job_context()) as session:
            machines = await queries.list_machines(session, span)
            rows = await queries.read_stories(session, span, machines)
        return Part(_told(rows), Timeline(first=False))


class Spoiled:
    """The day's part, with one thing changed that must not be so."""

    def __init__(self, part: Part, named: dict[str, UUID]) -> None:
        self.part = part
        self.named = named

    def story(self, name: str) -> Story:
        return self.part.stories[self.named[name]]

    def put(self, name: str, story: Story) -> None:
        self.part = replace(self.part, stories={**self.part.stories, self.named[name]: story})

    def command(self, name: str, **changed: Any) -> None:
        story = self.story(name)
        self.put(name, replace(story, rows=(msgspec.structs.replace(story.command, **changed),)))

    def move(self, name: str, n: int, /, **changed: Any) -> None:
        story = self.story(name)
        moves = [msgspec.structs.replace(one, **changed) if one.n == n else one for one in story.moves]
        self.put(name, replace(story, moves=tuple(moves)))

    def details(self, name: str, n: int, **changed: Any) -> None:
        (move,) = (one for one in self.story(name).moves if one.n == n)
        self.move(name, n, details={**(move.details or {}), **changed})

    def attempt(self, name: str, **changed: Any) -> None:
        story = self.story(name)
        first, *rest = story.attempts
        self.put(name, replace(story, attempts=(msgspec.structs.replace(first, **changed), *rest)))

    def add_move(self, name: str, **changed: Any) -> None:
        story = self.story(name)
        last: Move = story.moves[-1]
        more = msgspec.structs.replace(last, **{"n": last.n + 1, "old_state": last.new_state, **changed})
        self.put(name, replace(story, moves=(*story.moves, more)))

    def without(self, name: str, **kept: Any) -> None:
        self.put(name, replace(self.story(name), **kept))
