"""Acks that are moved by the statement that locks them, without the judge: only what he would say as well."""

from datetime import timedelta
from itertools import product
from typing import Any
from uuid import UUID

from sqlalchemy import text

from hashinsight.commands.acks import AckVerdict, DispatchFacts, judge_ack
from hashinsight.commands.queries.acks import PLAIN
from hashinsight.commands.queries.fragments import packed, rows_of
from hashinsight.commands.states import Event, State
from hashinsight.kit.ids import new_id
from hashinsight.wire.acks import Ack, AckStatus
from tests.commands.command_site import NOON, CommandSite

FAN: dict[str, Any] = {"params": {"speed": 60}}
_TYPES = {"dispatch_id": "uuid", "newest": "uuid", "state": "text", "lease_owner": "uuid", "lease_device": "text"}
_HELD = rows_of("rows", **_TYPES).replace("as given", "as held")


async def test_what_needs_no_judge_is_what_he_calls_a_success_whatever_the_command_is_like(yard: CommandSite) -> None:
    mine, other, dispatch_id = new_id(), new_id(), new_id()
    kinds = list(product(State, (dispatch_id, new_id(), None), (mine, other, None), ("north", "south", None)))
    for device in ("north", None):
        rows = [
            {"dispatch_id": dispatch_id, "newest": newest, "state": state, "lease_owner": owner, "lease_device": at}
            for state, newest, owner, at in kinds
        ]
        async with yard.session() as session:
            asked = text(f"select ({PLAIN}) is true as plain from {_HELD}")
            values = {"rows": packed(rows), "collector_id": mine, "device": device}
            plain = list((await session.execute(asked, values)).scalars())
        said = [_judged(row, mine, device) == AckVerdict(applied=True, event=Event.SUCCEEDED) for row in rows]
        assert len(plain) == len(kinds)
        assert sum(plain) == 2 * (2 if device else 3), "dispatched or running, by the device or one that is not named"
        assert all(success for success, is_plain in zip(said, plain, strict=True) if is_plain)


def _judged(row: dict[str, Any], collector_id: UUID, device: str | None) -> AckVerdict:
    facts = DispatchFacts(
        new_id(), row["state"], row["newest"], None, [], row["lease_owner"], row["lease_device"], 1, 3, 15,
        NOON + timedelta(hours=1), is_canceling=False,
    )  # fmt: skip
    ack = Ack(str(row["dispatch_id"]), AckStatus.SUCCEEDED)
    return judge_ack(facts, ack, row["dispatch_id"], collector_id, device, now=NOON)


async def test_two_dispatches_of_one_command_are_judged_in_the_order_in_which_they_were_said(yard: CommandSite) -> None:
    command_id = await yard.made("set_fan", 1, **FAN)
    old = await yard.lease_one()
    await yard.say(old.dispatch_id, "failed", error_code="TIMEOUT")
    yard.pass_time(60)
    new = await yard.lease_one()
    said = [Ack(str(one.dispatch_id), AckStatus.SUCCEEDED) for one in (old, new)]
    answers = await yard.ack(*said)
    assert [(one.applied, one.state, one.error_code) for one in answers] == [
        (False, "dispatched", "STALE_DISPATCH"),
        (True, "succeeded", None),
    ]
    assert [one["event"] for one in (await yard.story(command_id))["history"]][-2:] == ["leased", "succeeded"]


async def test_a_batch_of_every_kind_moves_each_as_if_it_came_alone(yard: CommandSite) -> None:
    """A success, one that is said twice, a failure, one that somebody else holds, and one that nobody knows."""
    made = [await yard.made("set_fan", miner, **FAN) for miner in (1, 2, 3)]
    by_command = {one.command_id: one.dispatch_id for one in await yard.lease()}
    plain, twice, failed = (by_command[one] for one in made)
    words = [
        (plain, "succeeded"),
        (twice, "succeeded"),
        (failed, "failed"),
        (twice, "succeeded"),
        (new_id(), "succeeded"),
    ]
    foreign = await yard.ack(*(Ack(str(one), AckStatus(word)) for one, word in words), holder=yard.south)
    assert [one.error_code for one in foreign] == ["NOT_LEASE_OWNER"] * 4 + ["NOT_FOUND"]
    answers = await yard.ack(*(Ack(str(one), AckStatus(word)) for one, word in words))
    assert [(one.applied, one.state, one.error_code) for one in answers] == [
        (True, "succeeded", None),
        (True, "succeeded", None),
        (True, "queued", None),
        (False, "succeeded", "ALREADY_FINAL"),
        (False, None, "NOT_FOUND"),
    ]
    for command_id, event in zip(made, ("succeeded", "succeeded", "retried"), strict=True):
        story = await yard.story(command_id)
        assert [one["event"] for one in story["history"]] == ["created", "leased", event]
        assert [one["action"] for one in story["audit"]].count("command_acked") == 1
