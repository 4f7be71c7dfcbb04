"""Several real connections at once: nothing is handed out, made, approved or ended twice."""

import asyncio
import itertools
import random
from collections import Counter
from typing import Any

import pytest

from hashinsight.commands.requests import PreApproval, RequestResult
from hashinsight.commands.service.approvals import DecisionTarget
from hashinsight.commands.service.leases import LeasedCommand
from hashinsight.kit.db.address import DatabaseAddress
from hashinsight.kit.errors import HashInsightError
from tests.commands.command_site import CommandSite
from tests.commands.slow_poll import SLOW, slip_in

FAN: dict[str, Any] = {"params": {"speed": 60}}
LEAVE = PreApproval("olga", "a test")


async def test_two_collectors_that_poll_at_once_share_the_work(fleet: CommandSite) -> None:
    await fleet.request("set_fan", *range(1, 61), caller=fleet.rule, pre_approval=LEAVE, **FAN)
    polls = [fleet.lease(holder, limit=10) for holder in (fleet.north, fleet.south) * 4]
    leased = [command for batch in await asyncio.gather(*polls) for command in batch]
    assert len({command.command_id for command in leased}) == len(leased)
    assert len({command.dispatch_id for command in leased}) == len(leased)
    rest = await fleet.lease(limit=60)
    assert len(leased) + len(rest) == 60
    assert not {command.command_id for command in leased} & {command.command_id for command in rest}


async def test_polls_that_race_for_one_machine_get_one_control_command(fleet: CommandSite) -> None:
    for speed in range(1, 7):
        await fleet.request("set_fan", *range(1, 11), caller=fleet.rule, params={"speed": speed})
    leased = [command for batch in await asyncio.gather(*(fleet.lease() for _ in range(8))) for command in batch]
    assert Counter(command.miner_no for command in leased) == dict.fromkeys(range(1, 11), 1)


async def test_a_command_created_between_two_polls_breaks_neither(
    fleet: CommandSite, address: DatabaseAddress, superuser_url: str
) -> None:
    """The database refuses the second lease, and the poll looks again."""
    with fleet.statements(SLOW) as sent:
        assert await slip_in(fleet, address, superuser_url) == []
    assert sum("command_attempts" in ack for ack in sent) == 2, "refused once, and looked at again"
    assert fleet.rows("select count(*) from commands where state = 'dispatched'") == [{"count": 1}]


async def test_the_rate_holds_when_many_poll_at_once(fleet: CommandSite) -> None:
    fleet.cap_at(1.0)
    await fleet.request("reboot_device", *range(1, 61), caller=fleet.rule, pre_approval=LEAVE)
    leased: list[LeasedCommand] = []
    for _ in range(4):
        polls = await asyncio.gather(*(fleet.lease(limit=9) for _ in range(8)))
        leased += [command for batch in polls for command in batch]
    assert len(leased) == 20


async def test_concurrent_requests_with_a_dedupe_key_make_one_command(fleet: CommandSite) -> None:
    asks = [
        fleet.request("set_power_mode", 1, caller=fleet.rule, params={"mode": "eco"}, dedupe_key="r") for _ in range(8)
    ]
    answers = await asyncio.gather(*asks)
    assert len({answer.commands[0].command_id for answer in answers}) == 1
    assert sum(not answer.commands[0].existing for answer in answers) == 1
    assert fleet.count("commands") == 1


async def test_concurrent_requests_with_an_idempotency_key_make_one_batch(fleet: CommandSite) -> None:
    asks = [fleet.request("set_fan", 1, 2, **FAN, idempotency_key="k") for _ in range(8)]
    answers = await asyncio.gather(*asks)
    assert len({answer.batch_id for answer in answers}) == 1
    assert sum(not answer.repeated for answer in answers) == 1
    assert fleet.count("commands") == 2


async def test_concurrent_equal_requests_without_keys_make_one_command(fleet: CommandSite) -> None:
    answers = await asyncio.gather(*(fleet.request("set_fan", 1, 2, 3, **FAN) for _ in range(6)))
    assert sum(len(answer.commands) for answer in answers) == 3
    assert {refusal.error_code for answer in answers for refusal in answer.refused} == {"DUPLICATE"}


async def test_concurrent_emergencies_leave_one(fleet: CommandSite) -> None:
    running = await fleet.make_command("set_fan", 1, **FAN)
    leased = await fleet.lease_one()
    asks = [fleet.request("disable_hashing", 1, priority="safety", emergency=True) for _ in range(6)]
    asks.append(fleet.request("restart_mining", 1, priority="safety"))
    late = fleet.ack_one(leased.dispatch_id)
    *answers, _ = await asyncio.gather(*asks, late)
    stops = [command for answer in answers[:6] if isinstance(answer, RequestResult) for command in answer.commands]
    assert len(stops) == 1
    assert await fleet.state(running) in ("superseded", "succeeded")
    assert (await fleet.lease_one()).command_id == stops[0].command_id


async def test_an_approval_and_a_rejection_at_once_are_one_decision(fleet: CommandSite) -> None:
    which = DecisionTarget(await fleet.make_command("reboot_device", 1))
    people = [fleet.person(name) for name in ("olga", "omar", "oona", "ann")]
    acts = [fleet.approve(which, person) for person in people] + [fleet.reject(which, person) for person in people[:3]]
    random.Random(7).shuffle(acts)
    results = await asyncio.gather(*acts, return_exceptions=True)
    assert sum(not isinstance(result, Exception) for result in results) == 1
    assert all(isinstance(result, HashInsightError) for result in results if isinstance(result, Exception))
    (approval,) = fleet.rows("select decision, by_id from approvals")
    assert approval["decision"] == "rejected" or approval["by_id"] != "ann"


@pytest.mark.parametrize("seed", range(3))
async def test_acks_and_sweeps_that_race_end_each_command_once(fleet: CommandSite, seed: int) -> None:
    draw = random.Random(seed)
    await fleet.request("set_fan", *range(1, 31), caller=fleet.rule, pre_approval=LEAVE, **FAN)
    leased = await fleet.lease(limit=30)
    fleet.pass_time(185)
    acks = [
        fleet.ack_one(command.dispatch_id, status, holder=fleet.north)
        for command in leased
        for status in ("succeeded", "failed", "rejected")
    ]
    acts = [*acks, *(fleet.sweep() for _ in range(4)), *(fleet.lease(fleet.south) for _ in range(4))]
    draw.shuffle(acts)
    for start in range(0, len(acts), 8):
        await asyncio.gather(*acts[start : start + 8])
    rows = fleet.rows("select command_id, state, moves from commands")
    history = fleet.rows("select command_id, n, old_state, new_state from command_history order by command_id, n")
    for row in rows:
        own = [move for move in history if move["command_id"] == row["command_id"]]
        assert [move["n"] for move in own] == list(range(1, row["moves"] + 1))
        assert all(before["new_state"] == after["old_state"] for before, after in itertools.pairwise(own))
        assert own[-1]["new_state"] == row["state"]
    finals = ("succeeded", "failed", "expired", "canceled", "superseded")
    assert all(move["old_state"] not in finals for move in history)
