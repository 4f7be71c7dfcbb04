"""More time for what a site's cap or rate holds in the queue; and for nothing else."""

from typing import Any

from hashinsight.commands.requests import CreatedCommand
from hashinsight.commands.service.approvals import DecisionTarget
from hashinsight.commands.service.checker import check_history
from tests.commands.command_site import CommandSite
from tests.commands.test_blast_radius import CAP, LEAVE, numbers, seen_hashing, stop, wait_reason


async def restart(fleet: CommandSite, *machines: int, **more: Any) -> tuple[CreatedCommand, ...]:
    return (await fleet.request("restart_mining", *machines, caller=fleet.rule, pre_approval=LEAVE, **more)).commands


async def test_an_approved_batch_of_100_reboots_is_done_to_its_end(fleet: CommandSite) -> None:
    """20 machines may be down and 20 reboot in 5 minutes: that takes longer than the TTL of 900 s."""
    fleet.add_machines(61, 100)
    batch_id = (await fleet.request("reboot_device", *range(1, 101))).batch_id
    await fleet.approve(DecisionTarget(batch_id=batch_id), fleet.person("olga"))
    done = 0
    for _ in range(60):
        done += len(await fleet.ack_all())
        fleet.pass_time(60)
        seen_hashing(fleet, 1, 100)
        await fleet.sweep()
    assert done == 100
    (ends,) = fleet.rows("select max(ttl_sec) as ttl_sec, count(*) from all_commands where state = 'succeeded'")
    assert (ends["ttl_sec"] > 900, ends["count"]) == (True, 100)


async def test_waiting_for_the_cap_does_not_use_up_the_ttl(fleet: CommandSite) -> None:
    restarts = await restart(fleet, *range(1, 15), ttl_sec=120)
    bounded = (await restart(fleet, 15, ttl_sec=24 * 3600))[0]
    assert len(await fleet.ack_all()) == CAP
    await stop(fleet, 30, ttl_sec=120)
    for _ in range(12):
        fleet.pass_time(60)
        assert await fleet.lease() == []
        await fleet.sweep()
    assert await wait_reason(fleet, restarts[-1].command_id) == "BLAST_RADIUS"
    assert [row["state"] for row in fleet.rows("select state from all_commands where miner_no = 30")] == ["expired"]
    assert (await fleet.story(bounded.command_id))["ttl_sec"] == 24 * 3600
    fleet.pass_time(61)
    assert numbers(await fleet.lease()) == [13, 14, 15]


async def test_commands_without_a_polling_collector_keep_their_ttl(fleet: CommandSite) -> None:
    restarts = await restart(fleet, *range(1, 15), ttl_sec=120)
    await fleet.ack_all()
    fleet.write("update collectors set status = 'disabled'")
    fleet.pass_time(119)
    await fleet.sweep()
    fleet.pass_time(2)
    await fleet.sweep()
    assert await fleet.state(restarts[-1].command_id) == "expired"


async def test_commands_expired_before_a_sweep_are_never_handed_out(fleet: CommandSite) -> None:
    restarts = await restart(fleet, *range(1, 31))
    assert len(await fleet.ack_all()) == CAP
    fleet.pass_time(900)
    assert await fleet.lease() == []
    await fleet.sweep()
    assert {await fleet.state(restart.command_id) for restart in restarts[CAP:]} == {"expired"}
    fleet.pass_time(3600)
    assert await fleet.lease() == []


async def test_a_batch_larger_than_the_cap_keeps_its_ttl_while_nobody_polls(fleet: CommandSite) -> None:
    """Heartbeats alone, and nothing is down."""
    restarts = await restart(fleet, *range(1, 31), ttl_sec=60)
    for _ in range(3):
        fleet.pass_time(30)
        await fleet.sweep()
    assert {await fleet.state(restart.command_id) for restart in restarts} == {"expired"}


async def test_commands_unseen_by_the_last_poll_keep_their_ttl(fleet: CommandSite) -> None:
    """The site was full at that poll, but these were asked for behind it: whether a poll comes, nobody knows."""
    await restart(fleet, *range(1, CAP + 1))
    await fleet.ack_all()
    fleet.pass_time(10)
    late = await restart(fleet, *range(31, 51), ttl_sec=60)
    for _ in range(3):
        fleet.pass_time(30)
        await fleet.sweep()
    assert {await fleet.state(command.command_id) for command in late} == {"expired"}


async def test_a_collector_that_stopped_polling_extends_nothing(fleet: CommandSite) -> None:
    restarts = await restart(fleet, *range(1, 31), ttl_sec=300)
    await fleet.ack_all()
    for _ in range(11):
        fleet.pass_time(30)
        await fleet.sweep()
    assert {await fleet.state(restart.command_id) for restart in restarts[CAP:]} == {"expired"}


async def test_a_site_with_room_for_all_that_wait_extends_nothing(fleet: CommandSite) -> None:
    restarts = await restart(fleet, 1, 2, ttl_sec=60)
    assert numbers(await fleet.lease(limit=1)) == [1]
    for _ in range(3):
        fleet.pass_time(30)
        await fleet.lease(fleet.zoned)
        await fleet.sweep()
    assert await fleet.state(restarts[1].command_id) == "expired"


async def test_the_first_extension_is_in_the_history_and_the_record_with_both_ends_and_its_reason(
    fleet: CommandSite,
) -> None:
    restarts = await restart(fleet, *range(1, 15), ttl_sec=120)
    await fleet.ack_all()
    for _ in range(5):
        fleet.pass_time(60)
        await fleet.lease()
        await fleet.sweep()
    story = await fleet.story(restarts[-1].command_id)
    assert [move["event"] for move in story["history"]] == ["created", "extended"]
    move = story["history"][1]
    expected = {"reason": "BLAST_RADIUS", "expired_at": "2026-03-01T12:02:00+00:00"}
    assert move["details"] == {**expected, "expires_at": "2026-03-01T12:04:00+00:00"}
    assert (move["message"], move["actor_kind"]) == ("more time: BLAST_RADIUS", "system")
    (entry,) = [entry for entry in story["audit"] if entry["action"] == "command_extended"]
    assert expected.items() <= entry["after"].items()
    assert story["ttl_sec"] > 240, "later extensions leave no second row"
    assert (await check_history(fleet.database, fleet.tenant)).findings == []


async def test_commands_held_by_the_rate_are_extended_with_that_reason(fleet: CommandSite) -> None:
    fleet.cap_at(1.0)
    reboots = await fleet.request("reboot_device", *range(1, 31), caller=fleet.rule, pre_approval=LEAVE, ttl_sec=60)
    assert len(await fleet.ack_all()) == 20
    fleet.pass_time(30)
    await fleet.sweep()
    story = await fleet.story(reboots.commands[-1].command_id)
    assert story["history"][-1]["details"]["reason"] == "RATE_LIMITED"


async def test_the_checker_names_an_extension_of_what_was_expired(fleet: CommandSite) -> None:
    restarts = await restart(fleet, *range(1, 15), ttl_sec=120)
    await fleet.ack_all()
    fleet.pass_time(60)
    await fleet.sweep()
    fleet.write(
        "update command_history set details = jsonb_set(details, '{expired_at}', to_jsonb(at - interval '1 second'))"
        " where event = 'extended' and command_id = %s",
        restarts[-1].command_id,
    )
    assert [finding.name for finding in (await check_history(fleet.database, fleet.tenant)).findings] == [
        "EXTENDED_AFTER_EXPIRY"
    ]
