"""Acks that the locking statement moves at once: only successes by the holder of the lease."""

from itertools import product
from typing import Any

from sqlalchemy import text

from hashinsight.commands.acks import DispatchFacts, check_fence
from hashinsight.commands.queries.ack_sql import HOLDS_LEASE
from hashinsight.commands.queries.fragments import pack_rows, unpack_rows
from hashinsight.commands.states import LEASED, State
from hashinsight.kit.ids import new_id
from hashinsight.wire.acks import Ack, AckStatus
from tests.commands.command_site import CommandSite

FAN: dict[str, Any] = {"params": {"speed": 60}}
_COLUMNS = {"dispatch_id": "uuid", "state": "text", "lease_owner": "uuid", "lease_device": "text"}


async def test_the_lease_is_held_by_the_owner_of_the_newest_dispatch_on_its_device(fleet: CommandSite) -> None:
    caller, dispatch_id = new_id(), new_id()
    commands = [
        {"dispatch_id": newest, "state": state, "lease_owner": owner, "lease_device": lease_device}
        for state, newest, owner, lease_device in product(
            State, (dispatch_id, new_id(), None), (caller, new_id(), None), ("north", "south", None)
        )
    ]
    rows = unpack_rows("rows", **_COLUMNS).replace("as given", "as c")
    statement = text(f"select {HOLDS_LEASE} from {rows} cross join (select cast(:named as uuid) as dispatch_id) a")
    for device in ("north", None):
        async with fleet.session() as session:
            values = {"rows": pack_rows(commands), "named": dispatch_id, "collector_id": caller, "device": device}
            holds = list((await session.execute(statement, values)).scalars())
        assert holds == [
            command["dispatch_id"] == dispatch_id
            and command["state"] in LEASED
            and command["lease_owner"] == caller
            and (device is None or command["lease_device"] in (None, device))
            for command in commands
        ]


def test_the_fence_passes_every_ack_of_the_lease_holder() -> None:
    for status in AckStatus:
        facts = DispatchFacts(
            new_id(),
            State.DISPATCHED,
            is_newest=True,
            waits_for_retry=False,
            holds_lease=True,
            has_held=True,
            result=None,
            attempt=1,
            max_retries=3,
            backoff_sec=15,
            expires_at=None,
            is_canceling=False,
        )
        assert check_fence(facts, status) is None


async def test_two_dispatches_of_a_command_are_applied_in_the_order_sent(
    fleet: CommandSite,
) -> None:
    command_id = await fleet.make_command("set_fan", 1, **FAN)
    old = await fleet.lease_one()
    await fleet.ack_one(old.dispatch_id, "failed", error_code="TIMEOUT")
    fleet.pass_time(60)
    new = await fleet.lease_one()
    acks = [Ack(str(command.dispatch_id), AckStatus.SUCCEEDED) for command in (old, new)]
    answers = await fleet.ack(*acks)
    assert [(answer.applied, answer.state, answer.error_code) for answer in answers] == [
        (False, "dispatched", "STALE_DISPATCH"),
        (True, "succeeded", None),
    ]
    assert [move["event"] for move in (await fleet.story(command_id))["history"]][-2:] == ["leased", "succeeded"]


async def test_a_mixed_batch_applies_each_ack_as_if_sent_alone(fleet: CommandSite) -> None:
    """A success, one that is said twice, a failure, one that somebody else holds, and one that nobody knows."""
    made = [await fleet.make_command("set_fan", miner, **FAN) for miner in (1, 2, 3)]
    by_command = {command.command_id: command.dispatch_id for command in await fleet.lease()}
    plain, twice, failed = (by_command[command] for command in made)
    words = [
        (plain, "succeeded"),
        (twice, "succeeded"),
        (failed, "failed"),
        (twice, "succeeded"),
        (new_id(), "succeeded"),
    ]
    foreign = await fleet.ack(
        *(Ack(str(command_id), AckStatus(word)) for command_id, word in words), holder=fleet.south
    )
    assert [command_id.error_code for command_id in foreign] == ["NOT_LEASE_OWNER"] * 4 + ["NOT_FOUND"]
    answers = await fleet.ack(*(Ack(str(command_id), AckStatus(word)) for command_id, word in words))
    assert [(answer.applied, answer.state, answer.error_code) for answer in answers] == [
        (True, "succeeded", None),
        (True, "succeeded", None),
        (True, "queued", None),
        (False, "succeeded", "ALREADY_FINAL"),
        (False, None, "NOT_FOUND"),
    ]
    for command_id, event in zip(made, ("succeeded", "succeeded", "retried"), strict=True):
        story = await fleet.story(command_id)
        assert [move["event"] for move in story["history"]] == ["created", "leased", event]
        assert [entry["action"] for entry in story["audit"]].count("command_acked") == 1
