"""What page 04 promises about order, time, rates, cancels, approvals and silence."""

from datetime import timedelta
from typing import Any

import pytest

from hashinsight.commands.queries.commands import CommandFilter
from hashinsight.commands.requests import PreApproval
from hashinsight.commands.service import list_commands
from hashinsight.commands.service.approvals import DecisionTarget
from hashinsight.commands.service.expectations import BACK_WITHIN
from hashinsight.commands.service.leases import LeaseHolder
from hashinsight.identity.permissions import Role
from hashinsight.identity.scope import Reach
from hashinsight.kit.errors import Conflict, Forbidden, NotFound
from tests.commands.command_site import NOON, CommandSite

FAN: dict[str, Any] = {"params": {"speed": 60}}
LEAVE = PreApproval("olga", "a test")


async def test_class_goes_first_then_the_number_then_age(fleet: CommandSite) -> None:
    wanted = []
    for miner, (priority, number) in enumerate(
        [("convenience", 9), ("efficiency", 0), ("efficiency", 3), ("safety", 0), ("compliance", 9)], start=1
    ):
        await fleet.make_command("set_fan", miner, **FAN, priority=priority, priority_number=number)
        fleet.pass_time(1)
    await fleet.make_command("fault_light", 6, params={"on": True}, priority="efficiency", priority_number=3)
    wanted = [int(command.miner_id[1:]) for command in await fleet.lease()]
    assert wanted == [4, 5, 3, 6, 2, 1]


async def test_a_machine_gets_one_control_command_at_a_time(fleet: CommandSite) -> None:
    await fleet.make_command("set_fan", 1, **FAN)
    await fleet.make_command("set_frequency", 1, params={"frequency": 500})
    first = await fleet.lease_one()
    assert (first.command_type, await fleet.lease(fleet.south)) == ("set_fan", [])
    await fleet.ack_one(first.dispatch_id)
    assert (await fleet.lease_one()).command_type == "set_frequency"


async def test_expired_commands_end_and_are_never_handed_out(fleet: CommandSite) -> None:
    command_id = await fleet.make_command("set_fan", 1, **FAN, ttl_sec=5)
    fleet.pass_time(5)
    assert await fleet.lease() == []
    assert (await fleet.sweep()).expired == 1
    story = await fleet.story(command_id)
    assert (story["state"], story["error_code"]) == ("expired", "COMMAND_EXPIRED")
    assert (await fleet.sweep()).expired == 0


async def test_a_lost_lease_comes_back_while_ttl_and_retries_last(fleet: CommandSite) -> None:
    by_ttl = await fleet.make_command("set_fan", 1, **FAN, ttl_sec=150)
    by_retries = await fleet.make_command("set_fan", 2, **FAN, max_retries=1, ttl_sec=3600)
    for _ in range(2):
        await fleet.lease()
        fleet.pass_time(181)
        await fleet.sweep()
    assert await fleet.state(by_ttl) == "expired"
    story = await fleet.story(by_retries)
    assert (story["state"], story["error_code"], story["attempt"]) == ("expired", "NO_ACK", 2)
    assert [move["event"] for move in story["history"]] == ["created", "leased", "lease_lost", "leased", "expired"]


async def test_only_machines_of_the_tokens_site_and_zone_are_handed_out(fleet: CommandSite) -> None:
    await fleet.request("set_fan", 1, 2, 3, **FAN)
    fleet.write("update miners set site_id = 2 where miner_no = 3")
    assert [command.miner_id for command in await fleet.lease(fleet.zoned)] == ["m1"]
    assert [command.miner_id for command in await fleet.lease(fleet.north)] == ["m2"]
    assert await fleet.lease(fleet.collector("elsewhere", site_id=2)) == []


async def test_reboots_are_limited_per_site_and_the_rest_waits_in_order(fleet: CommandSite) -> None:
    fleet.cap_at(1.0)
    ids = [
        command.command_id
        for command in (
            await fleet.request("reboot_device", *range(1, 31), caller=fleet.rule, pre_approval=LEAVE)
        ).commands
    ]
    await fleet.make_command("set_fan", 40, **FAN, priority="convenience")
    first = await fleet.lease(limit=15)
    assert len(first) == 15
    second = await fleet.lease(fleet.south, limit=50)
    assert [command.command_type for command in second] == ["reboot_device"] * 5 + ["set_fan"]
    assert [command.command_id for command in first] + [command.command_id for command in second[:5]] == ids[:20]
    assert await fleet.lease() == []
    assert (await fleet.story(ids[20]))["wait_reason"] == "RATE_LIMITED"
    fleet.pass_time(299)
    assert await fleet.lease() == []
    fleet.pass_time(2)
    assert [command.command_id for command in await fleet.lease()] == ids[20:]


async def test_a_cancel_ends_a_queued_command_and_leaves_a_leased_one_to_its_ack(fleet: CommandSite) -> None:
    queued = await fleet.make_command("set_fan", 1, **FAN)
    assert (await fleet.cancel(DecisionTarget(queued))).commands == ((queued, "canceled"),)
    acked, lost, failed = [await fleet.make_command("set_fan", miner, **FAN) for miner in (2, 3, 4)]
    leased = {command.command_id: command.dispatch_id for command in await fleet.lease()}
    for command_id in (acked, lost, failed):
        assert (await fleet.cancel(DecisionTarget(command_id))).commands == ((command_id, "dispatched"),)
    with pytest.raises(Conflict) as error:
        await fleet.cancel(DecisionTarget(lost))
    assert error.value.error_code == "CANCEL_REQUESTED"
    assert (await fleet.ack_one(leased[acked])).state == "succeeded"
    assert (await fleet.ack_one(leased[failed], "failed")).state == "failed"
    fleet.pass_time(181)
    await fleet.sweep()
    assert [await fleet.state(command) for command in (queued, acked, lost, failed)] == [
        *("canceled", "succeeded", "canceled", "failed")
    ]
    with pytest.raises(Conflict) as error:
        await fleet.cancel(DecisionTarget(acked))
    assert error.value.error_code == "ALREADY_FINAL"


async def test_nothing_unapproved_goes_out_and_the_ttl_starts_with_the_approval(fleet: CommandSite) -> None:
    command_id = await fleet.make_command("reboot_device", 1, ttl_sec=60)
    fleet.pass_time(3600)
    await fleet.sweep()
    assert await fleet.lease() == []
    assert (await fleet.story(command_id))["wait_reason"] == "NOT_APPROVED"
    await fleet.approve(DecisionTarget(command_id), fleet.person("olga"))
    story = await fleet.story(command_id)
    assert (story["approval_state"], story["expires_at"]) == ("approved", fleet.now + timedelta(seconds=60))
    (approval,) = story["approvals"]
    assert (approval["decision"], approval["by_id"], approval["commands"]) == ("approved", "olga", 1)
    assert (await fleet.lease_one()).command_id == command_id


async def test_the_requester_cannot_approve(fleet: CommandSite) -> None:
    ann, which = fleet.person("ann"), DecisionTarget(await fleet.make_command("reboot_device", 1))
    with pytest.raises(Forbidden) as error:
        await fleet.approve(which, ann)
    assert error.value.error_code == "OWN_REQUEST"
    with pytest.raises(Forbidden):
        await fleet.approve(which, fleet.person("noc", role=Role.NOC))
    fleet.write(
        "insert into tenant_settings (tenant_id, version, data, updated_at) values (%s, 1, %s, %s)",
        *(fleet.tenant, '{"approval": {"by_requester": true}}', NOON),
    )
    assert (await fleet.approve(which, ann)).commands


async def test_a_rejection_is_final_and_decisions_are_taken_once(fleet: CommandSite) -> None:
    command_id = await fleet.make_command("reboot_device", 1)
    olga = fleet.person("olga")
    await fleet.reject(DecisionTarget(command_id), olga)
    story = await fleet.story(command_id)
    assert (story["state"], story["approval_state"], story["error_code"]) == ("canceled", "rejected", "REJECTED")
    with pytest.raises(Conflict) as error:
        await fleet.approve(DecisionTarget(command_id), olga)
    assert error.value.error_code == "ALREADY_FINAL"
    other = DecisionTarget(await fleet.make_command("reboot_device", 2))
    await fleet.approve(other, olga)
    with pytest.raises(Conflict) as error:
        await fleet.approve(other, olga)
    assert error.value.error_code == "ALREADY_DECIDED"


async def test_a_batch_is_decided_within_the_callers_scope(fleet: CommandSite) -> None:
    answer = await fleet.request("reboot_device", 1, 2, 3)
    which = DecisionTarget(batch_id=answer.batch_id)
    assert len((await fleet.approve(which, fleet.person("zoe", Reach(zones=(1,))))).commands) == 2
    assert fleet.rows("select approval_state from command_batches") == [{"approval_state": "required"}]
    assert len((await fleet.approve(which, fleet.person("olga"))).commands) == 1
    assert fleet.rows("select approval_state from command_batches") == [{"approval_state": "approved"}]
    assert len((await fleet.cancel(which)).commands) == 3


async def test_a_command_waiting_too_long_for_approval_expires(fleet: CommandSite) -> None:
    command_id = await fleet.make_command("reboot_device", 1)
    fleet.pass_time(24 * 3600)
    with pytest.raises(Conflict):
        await fleet.approve(DecisionTarget(command_id), fleet.person("olga"))
    assert (await fleet.sweep()).unapproved == 1
    story = await fleet.story(command_id)
    assert (story["state"], story["error_code"]) == ("expired", "NOT_APPROVED")


async def test_a_silent_device_gives_its_leases_back(fleet: CommandSite) -> None:
    loud, silent = (LeaseHolder(**{**vars(fleet.north), "device_id": name}) for name in ("loud", "silent"))
    await fleet.request("set_fan", 1, 2, **FAN, ttl_sec=3600)
    await fleet.lease(silent, limit=1, lease_for=timedelta(hours=1))
    kept = await fleet.lease(loud, limit=1, lease_for=timedelta(hours=1))
    fleet.pass_time(150)
    await fleet.lease(loud)
    fleet.pass_time(31)
    assert (await fleet.sweep()).returned == 1
    taken = await fleet.lease_one(loud)
    (attempt,) = (await fleet.story(taken.command_id))["attempts"]
    assert attempt["deliveries"] == 2
    assert taken.command_id != kept[0].command_id


async def test_a_command_waits_for_an_online_collector(fleet: CommandSite) -> None:
    command_id = await fleet.make_command("set_fan", 2, **FAN)
    assert (await fleet.story(command_id))["wait_reason"] is None
    fleet.write("update collectors set status = 'offline' where name <> 'zoned'")
    assert (await fleet.story(command_id))["wait_reason"] == "COLLECTOR_OFFLINE"


def expected(fleet: CommandSite) -> list[tuple[int, str, bool]]:
    rows = fleet.rows(
        "select miner_no, state, until_at is null as is_open from expected_states"
        " where until_at is null or until_at > %s order by created_at, miner_no",
        fleet.now,
    )
    return [(row["miner_no"], row["state"], row["is_open"]) for row in rows]


async def test_expected_states_follow_the_commands(fleet: CommandSite) -> None:
    for command_type, miner, priority in (
        ("disable_hashing", 1, "efficiency"),
        ("disable_hashing", 2, "compliance"),
        ("reboot_device", 3, "efficiency"),
        ("set_fan", 4, "efficiency"),
    ):
        more = FAN if command_type == "set_fan" else {}
        await fleet.request(command_type, miner, caller=fleet.rule, pre_approval=LEAVE, priority=priority, **more)
    leased = {command.miner_no: command.dispatch_id for command in await fleet.lease()}
    assert sorted(expected(fleet)) == [(1, "stopped", False), (2, "curtailed", False), (3, "rebooting", False)]
    fleet.pass_time(10)
    await fleet.ack_one(leased[1])
    await fleet.ack_one(leased[2])
    await fleet.ack_one(leased[3], "failed")
    assert sorted(expected(fleet)) == [(1, "stopped", True), (2, "curtailed", True)]
    fleet.pass_time(10)
    await fleet.make_command("enable_hashing", 1)
    await fleet.ack_one((await fleet.lease_one()).dispatch_id)
    assert expected(fleet) == [(2, "curtailed", True), (1, "rebooting", False)], "a start boots before it hashes"
    await fleet.make_command("enable_hashing", 5)
    await fleet.ack_one((await fleet.lease_one()).dispatch_id)
    assert len(expected(fleet)) == 2, "one that ran does not"
    fleet.pass_time(BACK_WITHIN.total_seconds())
    assert expected(fleet) == [(2, "curtailed", True)]


async def test_lists_page_over_open_and_finished_commands_within_the_scope(fleet: CommandSite) -> None:
    await fleet.request("set_fan", *range(1, 7), **FAN)
    for command in await fleet.lease(limit=3):
        await fleet.ack_one(command.dispatch_id)
    fleet.pass_time(600)
    assert await fleet.archive() == 3
    await fleet.request("fault_light", 8, params={"on": True})

    async def listed(wanted: CommandFilter, reach: Reach | None = None) -> list[tuple[str, str]]:
        scope = fleet.person("ann", reach or Reach()).seen
        items: list[tuple[str, str]] = []
        cursor = None
        async with fleet.session() as session:
            while True:
                page = await list_commands(session, scope, wanted, limit=2, cursor=cursor, now=fleet.now)
                items += [(row["miner_id"], row["state"]) for row in page.rows]
                cursor = page.next_cursor
                if cursor is None:
                    return items

    everything = await listed(CommandFilter())
    assert [command_id for command_id, _ in everything] == ["m8", "m6", "m5", "m4", "m3", "m2", "m1"]
    assert await listed(CommandFilter(state=("succeeded",))) == [
        ("m3", "succeeded"),
        ("m2", "succeeded"),
        ("m1", "succeeded"),
    ]
    assert await listed(CommandFilter(miner_id="m5")) == [("m5", "queued")]
    assert await listed(CommandFilter(command_type="fault_light", site_id=1)) == [("m8", "queued")]
    assert {command_id for command_id, _ in await listed(CommandFilter(), Reach(zones=(1,)))} == {"m1", "m3", "m5"}
    assert await listed(CommandFilter(), Reach(sites=(2,))) == []


async def test_a_command_outside_the_scope_does_not_exist(fleet: CommandSite) -> None:
    command_id = await fleet.make_command("reboot_device", 1)
    for reach in (Reach(sites=(2,)), Reach(zones=(2,)), Reach(groups=(1,))):
        stranger = fleet.person("olga", reach)
        with pytest.raises(NotFound):
            await fleet.story(command_id, stranger)
        for act in (fleet.approve, fleet.reject, fleet.cancel):
            with pytest.raises(NotFound):
                await act(DecisionTarget(command_id), stranger)
