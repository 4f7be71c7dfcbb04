"""A day in a fleet that touches every kind of move, and its stories as the checker reads them."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import msgspec

from hashinsight.commands.checker import Move, Story, StoryGroup, Timeline
from hashinsight.commands.queries import checker as queries
from hashinsight.commands.requests import PreApproval
from hashinsight.commands.service.approvals import DecisionTarget
from hashinsight.commands.service.checker import build_stories
from hashinsight.kit.db.context import job_context
from tests.commands.command_site import CommandSite

FAN: dict[str, Any] = {"params": {"speed": 60}}


class Day:
    def __init__(self, fleet: CommandSite) -> None:
        self.fleet = fleet
        self.named: dict[str, UUID] = {}

    async def live(self) -> None:
        fleet, named, olga = self.fleet, self.named, self.fleet.person("olga")
        key = {"dedupe_key": "k", "dedupe_window_sec": 60}
        named["tried"] = await fleet.make_command("set_fan", 1, **FAN, **key)
        first = await fleet.lease_one(fleet.north)
        fleet.pass_time(181)
        await fleet.sweep()
        await fleet.lease_one(fleet.south)
        await fleet.ack_one(first.dispatch_id, "failed", holder=fleet.south, error_code="TIMEOUT")
        fleet.pass_time(60)
        again = await fleet.lease_one(fleet.north)
        await fleet.ack_one(again.dispatch_id, "running")
        await fleet.ack_one(again.dispatch_id)
        await fleet.ack_one(again.dispatch_id, "failed")
        named["repeated"] = await fleet.make_command("set_fan", 1, **FAN, **key)
        await fleet.ack_one((await fleet.lease_one()).dispatch_id)

        named["canceled"] = await fleet.make_command("reboot_device", 2)
        await fleet.approve(DecisionTarget(named["canceled"]), olga)
        await fleet.lease_one()
        await fleet.cancel(DecisionTarget(named["canceled"]))
        fleet.pass_time(181)
        await fleet.sweep()

        named["displaced"] = await fleet.make_command("set_fan", 3, **FAN, priority="convenience")
        named["interrupted"] = await fleet.make_command("set_fan", 3, params={"speed": 70}, priority="compliance")
        await fleet.lease_one()
        named["emergency"] = await fleet.make_command("disable_hashing", 3, priority="safety", emergency=True)
        await fleet.ack_one((await fleet.lease_one()).dispatch_id, "rejected")

        named["rejected"] = await fleet.make_command("reboot_device", 4)
        await fleet.reject(DecisionTarget(named["rejected"]), olga)
        named["expired"] = await fleet.make_command("set_fan", 5, **FAN, ttl_sec=30)
        fleet.pass_time(31)
        await fleet.sweep()
        named["leave"] = await fleet.make_command(
            "reboot_device", 6, caller=fleet.rule, pre_approval=PreApproval("olga", "x")
        )
        await fleet.ack_one((await fleet.lease_one()).dispatch_id)
        fleet.cap_at(0.0)  # the machine that reboots takes the only place
        named["extended"] = await fleet.make_command("restart_mining", 8, ttl_sec=60)
        assert await fleet.lease() == []
        fleet.pass_time(30)
        await fleet.sweep()
        named["open"] = await fleet.make_command("set_fan", 7, **FAN)
        await fleet.lease_one()

    async def part(self) -> StoryGroup:
        span = {"tenant_id": self.fleet.tenant, "since": None, "until": None}
        async with self.fleet.database.transaction(job_context()) as session:
            machines = await queries.list_machines(session, span)
            rows = await queries.list_story_rows(session, span, machines)
        return StoryGroup(build_stories(rows), Timeline(first=False))


class Spoiled:
    """The day's part, with one thing changed that must not be so."""

    def __init__(self, part: StoryGroup, named: dict[str, UUID]) -> None:
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
        moves = [msgspec.structs.replace(move, **changed) if move.n == n else move for move in story.moves]
        self.put(name, replace(story, moves=tuple(moves)))

    def details(self, name: str, n: int, **changed: Any) -> None:
        (move,) = (move for move in self.story(name).moves if move.n == n)
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
