"""How much of a site may be down by commands at one time: for all sources together, and whoever polls."""

import asyncio
from typing import Any
from uuid import UUID

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashinsight.commands.catalogue import TAKES_DOWN
from hashinsight.commands.limits import OUTAGE_TURN, outage_cap
from hashinsight.commands.requests import PreApproval, RequestResult
from hashinsight.commands.service.leases import LeasedCommand
from tests.commands.command_site import CommandSite

LEAVE = PreApproval("olga", "a test")
CAP = 12  # a fifth of the 60 machines


async def stop(fleet: CommandSite, *machines: int, **more: Any) -> RequestResult:
    return await fleet.request("disable_hashing", *machines, caller=fleet.rule, pre_approval=LEAVE, **more)


async def wait_reason(fleet: CommandSite, command_id: UUID) -> str | None:
    reason: str | None = (await fleet.story(command_id))["wait_reason"]
    return reason


def numbers(leased: list[LeasedCommand]) -> list[int]:
    return [command.miner_no for command in leased]


async def test_above_the_cap_a_command_waits_with_its_reason(fleet: CommandSite) -> None:
    made = (await stop(fleet, *range(1, 21))).commands
    assert len(await fleet.lease(limit=50)) == CAP
    assert await fleet.lease(fleet.south) == []
    assert await wait_reason(fleet, made[CAP].command_id) == "BLAST_RADIUS"


@pytest.mark.parametrize("kind", sorted(TAKES_DOWN))
async def test_every_command_that_takes_a_machine_down_is_held(fleet: CommandSite, kind: str) -> None:
    params = {
        "set_pool": {"pool_id": "main"},
        "set_frequency": {"frequency": 500},
        "set_power_limit": {"watts": 3000},
        "set_power_mode": {"mode": "eco"},
        "update_config": {"config": {"fan_speed_pct": 80}},
    }.get(kind, {})
    await stop(fleet, *range(1, CAP))
    assert len(await fleet.lease()) == CAP - 1
    await fleet.request(kind, 21, 22, 23, params=params, caller=fleet.rule, pre_approval=LEAVE)
    assert numbers(await fleet.lease()) == [21]


async def test_machines_that_stay_stopped_hold_back_only_stops(fleet: CommandSite) -> None:
    """A fifth of a site may be curtailed for days, and the rest of it is tended."""
    await stop(fleet, *range(1, CAP + 1), priority="compliance")
    await fleet.ack_all()
    held = (await stop(fleet, 13)).commands[0].command_id
    restarts = (await fleet.request("restart_mining", *range(21, 41), caller=fleet.rule)).commands
    preview = await fleet.dry_run("set_frequency", *range(41, 61), params={"frequency": 500}, caller=fleet.rule)
    assert preview.blast_radius is not None
    assert (preview.blast_radius.down_now, preview.blast_radius.would_wait) == (0, 8)
    assert numbers(await fleet.lease()) == [*range(21, 21 + CAP)]
    assert await wait_reason(fleet, held) == "BLAST_RADIUS"
    assert await wait_reason(fleet, restarts[-1].command_id) == "BLAST_RADIUS"


async def test_restarts_in_transition_leave_less_room_for_stops(fleet: CommandSite) -> None:
    await fleet.request("restart_mining", *range(1, 9), caller=fleet.rule)
    await fleet.ack_all()
    await stop(fleet, *range(21, 31))
    assert numbers(await fleet.ack_all()) == [21, 22, 23, 24]
    await fleet.request("restart_mining", *range(41, 51), caller=fleet.rule)
    assert numbers(await fleet.lease()) == [41, 42, 43, 44]


async def test_a_restart_of_a_stopped_machine_does_not_count_against_the_cap(fleet: CommandSite) -> None:
    await stop(fleet, *range(1, CAP + 1))
    await fleet.ack_all()
    await fleet.request("restart_mining", *range(1, CAP + 1), caller=fleet.rule)
    assert len(await fleet.ack_all()) == CAP
    await fleet.request("restart_mining", *range(21, 41), caller=fleet.rule, pre_approval=LEAVE)
    assert len(await fleet.lease()) == CAP


async def test_a_stopped_machine_counts_until_it_is_enabled_and_enabling_is_never_held(fleet: CommandSite) -> None:
    await stop(fleet, *range(1, 15))
    assert len(await fleet.ack_all()) == CAP
    fleet.pass_time(600)
    assert await fleet.lease() == []
    await fleet.request("enable_hashing", 1, 2, 3)
    await fleet.request("set_fan", 30, params={"speed": 60})
    assert numbers(await fleet.ack_all()) == [1, 2, 3, 30, 13, 14]


async def test_a_restarted_machine_counts_until_it_is_due_back(fleet: CommandSite) -> None:
    await fleet.request("restart_mining", *range(1, 15), caller=fleet.rule, ttl_sec=3600)
    assert len(await fleet.ack_all()) == CAP
    fleet.pass_time(179 + 600)
    assert await fleet.lease() == []
    fleet.pass_time(2)
    assert numbers(await fleet.lease()) == [13, 14]


def seen_hashing(fleet: CommandSite, first: int, last: int, *, ths: float = 90) -> None:
    """The newest sample of these machines, of now."""
    fleet.write(
        "insert into telemetry_live (miner_no, tenant_id, site_id, ts, online, status, flags, hashrate_5min_ths,"
        " updated_at) select n, %s, 1, %s, true, 1, 0, %s, %s from generate_series(%s::int, %s::int) n"
        " on conflict (miner_no) do update set ts = excluded.ts, hashrate_5min_ths = excluded.hashrate_5min_ths",
        *(fleet.tenant, fleet.now, ths, fleet.now, first, last),
    )


async def test_a_restarted_machine_counts_no_longer_once_it_is_seen_hashing(fleet: CommandSite) -> None:
    await fleet.request("restart_mining", *range(1, 19), caller=fleet.rule)
    assert len(await fleet.ack_all()) == CAP
    fleet.pass_time(55)
    seen_hashing(fleet, 1, 5)  # before the restart has begun, perhaps
    assert await fleet.lease() == []
    fleet.pass_time(10)
    seen_hashing(fleet, 1, 2)
    seen_hashing(fleet, 3, 5, ths=0)
    assert numbers(await fleet.ack_all()) == [13, 14]
    fleet.pass_time(150)
    assert await fleet.archive() > 0
    seen_hashing(fleet, 3, 5)
    assert numbers(await fleet.ack_all()) == [15, 16, 17]


async def test_a_delayed_reboot_counts_until_its_delay_is_over(fleet: CommandSite) -> None:
    reboots = [*range(1, CAP + 3)]
    await fleet.request("reboot_device", *reboots, params={"delay_seconds": 300}, caller=fleet.rule, pre_approval=LEAVE)
    assert len(await fleet.ack_all()) == CAP
    fleet.pass_time(330)
    seen_hashing(fleet, 1, CAP)
    assert await fleet.lease() == []
    fleet.pass_time(35)
    seen_hashing(fleet, 1, CAP)
    assert numbers(await fleet.lease()) == [CAP + 1, CAP + 2]


SETTING: dict[str, Any] = {"params": {"watts": 3000}}


async def test_a_change_of_settings_counts_until_its_machine_is_seen_hashing_again(fleet: CommandSite) -> None:
    """It is acked before the mining program is back: without that, 60 machines of 60 restart in one second."""
    await fleet.request("set_power_limit", *range(1, 61), **SETTING, caller=fleet.rule, pre_approval=LEAVE)
    assert len(await fleet.ack_all()) == CAP
    fleet.pass_time(55)
    seen_hashing(fleet, 1, 60)
    assert await fleet.lease() == []
    fleet.pass_time(10)
    seen_hashing(fleet, 1, 2)
    seen_hashing(fleet, 3, 60, ths=0)
    assert numbers(await fleet.ack_all()) == [13, 14]
    fleet.pass_time(130)
    assert await fleet.archive() == 0, "their machines are counted by these rows"
    assert await fleet.lease() == []


async def test_without_samples_a_change_of_settings_counts_for_five_minutes(fleet: CommandSite) -> None:
    await fleet.request("set_power_limit", *range(1, 61), **SETTING, caller=fleet.rule, pre_approval=LEAVE)
    assert len(await fleet.ack_all()) == CAP
    fleet.pass_time(299)
    assert (await fleet.lease(), await fleet.archive()) == ([], 0)
    fleet.pass_time(1)
    assert numbers(await fleet.ack_all()) == [*range(CAP + 1, 2 * CAP + 1)]
    fleet.pass_time(121)
    assert await fleet.archive() == CAP


async def test_a_change_of_settings_that_failed_counts_no_longer(fleet: CommandSite) -> None:
    await fleet.request("set_power_limit", *range(1, 15), **SETTING, caller=fleet.rule, max_retries=0)
    first = await fleet.lease()
    assert (len(first), await fleet.lease()) == (CAP, [])
    await fleet.ack_one(first[1].dispatch_id, "failed", error_code="TIMEOUT")
    assert numbers(await fleet.lease()) == [13]


async def test_a_change_of_pool_of_1000_machines_takes_five_rounds(fleet: CommandSite) -> None:
    """A fifth of them at a time, each round as long as the machines need to be seen hashing."""
    fleet.add_machines(61, 1000)
    pools: dict[str, Any] = {"params": {"pool_id": "main"}, "caller": fleet.rule, "pre_approval": LEAVE}
    await fleet.request("set_pool", *range(1, 1001), **pools)
    rounds = []
    for _ in range(10):
        rounds.append(len(await fleet.ack_all()))
        fleet.pass_time(61)
        seen_hashing(fleet, 1, 1000)
        await fleet.sweep()
    assert rounds == [200] * 5 + [0] * 5


async def test_a_lost_lease_comes_back_although_the_cap_is_reached(fleet: CommandSite) -> None:
    """Its machine counts already, by the command itself."""
    await stop(fleet, *range(1, 21))
    first = await fleet.lease()
    fleet.pass_time(181)
    await fleet.sweep()
    assert sorted(numbers(await fleet.lease(fleet.south))) == sorted(numbers(first))


async def test_an_emergency_goes_out_above_the_cap_and_that_is_on_record(fleet: CommandSite) -> None:
    await stop(fleet, *range(1, CAP + 1))
    await fleet.ack_all()
    waits = (await stop(fleet, 40)).commands[0].command_id
    preview = await fleet.dry_run("disable_hashing", 21, 22, emergency=True, priority="safety")
    assert preview.blast_radius is not None
    assert (preview.blast_radius.would_wait, preview.blast_radius.exceeds_cap) == (0, True)
    urgent = await fleet.request("disable_hashing", 21, 22, emergency=True, priority="safety")
    assert numbers(await fleet.lease()) == [21, 22]
    for nth, command in enumerate(urgent.commands, start=1):
        story = await fleet.story(command.command_id)
        figures = {"down": CAP + nth, "cap": CAP, "site_machines": 60}
        assert story["over_cap"] == figures
        (entry,) = [entry for entry in story["audit"] if entry["action"] == "command_over_cap"]
        assert figures.items() <= entry["after"].items()
    assert await wait_reason(fleet, waits) == "BLAST_RADIUS"


async def test_a_poll_without_the_turn_hands_out_only_emergencies_and_commands_outside_the_cap(
    fleet: CommandSite, superuser_url: str
) -> None:
    await stop(fleet, 1)
    await fleet.ack_all()
    await fleet.request("restart_mining", 1, 2, caller=fleet.rule)
    (urgent,) = (await fleet.request("disable_hashing", 21, emergency=True, priority="safety")).commands
    with psycopg.connect(superuser_url) as other_poll:
        other_poll.execute("select pg_advisory_xact_lock(1, hashtext('rate of ' || %s))", (OUTAGE_TURN,))
        assert sorted(numbers(await fleet.lease())) == [1, 21]
        other_poll.rollback()
    assert (await fleet.story(urgent.command_id))["over_cap"] is None
    assert numbers(await fleet.lease()) == [2]


async def test_emergencies_leave_less_room_for_the_others_of_the_same_poll(fleet: CommandSite) -> None:
    await stop(fleet, *range(1, 21))
    urgent = await fleet.request("disable_hashing", *range(31, 36), emergency=True, priority="convenience")
    leased = numbers(await fleet.lease())
    assert sorted(leased) == [*range(1, CAP - 4), *range(31, 36)]
    assert {story["over_cap"] for story in [await fleet.story(each.command_id) for each in urgent.commands]} == {None}


async def test_a_small_site_takes_down_one_machine_at_a_time(fleet: CommandSite) -> None:
    fleet.cap_at(0.0)
    await fleet.request("restart_mining", 1, 2, caller=fleet.rule, ttl_sec=3600)
    assert numbers(await fleet.ack_all()) == [1]
    fleet.pass_time(1000)
    assert numbers(await fleet.ack_all()) == [2]


async def test_retired_and_manually_started_machines_are_not_down(fleet: CommandSite) -> None:
    await stop(fleet, *range(1, CAP + 1))
    await fleet.ack_all()
    await stop(fleet, *range(21, 31), ttl_sec=24 * 3600)
    fleet.write("update miners set state = 'retired' where miner_no = 1")
    assert numbers(await fleet.ack_all()) == []  # of 59 machines a fifth is 11
    fleet.pass_time(3600)
    seen_hashing(fleet, 2, 4)
    assert numbers(await fleet.ack_all()) == [21, 22, 23]


@pytest.mark.parametrize("end", ["failed", "silent"])
async def test_a_machine_that_failed_to_start_holds_back_no_stop(fleet: CommandSite, end: str) -> None:
    """It broke while it stood: else it would take a place below the cap for ever."""
    await stop(fleet, *range(1, CAP + 1))
    await fleet.ack_all()
    fleet.pass_time(7 * 24 * 3600)
    await fleet.request("enable_hashing", *range(1, CAP + 1), caller=fleet.rule, max_retries=0)
    for command in await fleet.lease():
        if end == "failed":
            await fleet.ack_one(command.dispatch_id, "failed", error_code="UNREACHABLE")
    fleet.pass_time(181)
    await fleet.sweep()
    await stop(fleet, 40, priority="safety")
    assert numbers(await fleet.ack_all()) == [40]
    stands = fleet.rows("select count(*) from expected_states where until_at is null and state = 'stopped'")
    assert stands == [{"count": CAP + 1}], "they are still expected to stand"
    await fleet.request("enable_hashing", *range(1, CAP + 1), caller=fleet.rule)
    await fleet.ack_all()
    assert fleet.rows("select miner_no from expected_states where until_at is null") == [{"miner_no": 40}]


async def test_an_unfetched_or_retrying_start_frees_no_room(fleet: CommandSite) -> None:
    """Otherwise a start with a TTL of seconds, asked for between two polls, would lift the cap."""
    await stop(fleet, *range(1, CAP + 1))
    await fleet.ack_all()
    await fleet.request("enable_hashing", 1, 2, caller=fleet.rule, ttl_sec=5)
    fleet.pass_time(6)
    assert (await fleet.sweep()).expired == 2
    await fleet.request("enable_hashing", 3, caller=fleet.rule)
    await fleet.ack_one((await fleet.lease_one()).dispatch_id, "failed", error_code="TIMEOUT")
    await stop(fleet, *range(21, 41))
    assert await fleet.lease() == []


async def test_a_dry_run_counts_the_commands_that_would_wait(fleet: CommandSite) -> None:
    await stop(fleet, *range(1, 6))
    await fleet.ack_all()
    preview = await fleet.dry_run("disable_hashing", *range(5, 21))
    assert preview.blast_radius is not None
    assert vars(preview.blast_radius) == {"down_now": 5, "cap": CAP, "would_wait": 15 - 7, "exceeds_cap": False}
    assert (await fleet.dry_run("set_fan", 1, params={"speed": 60})).blast_radius is None


async def test_machines_that_collectors_registered_today_at_most_double_the_cap(fleet: CommandSite) -> None:
    fleet.add_machines(1001, 3000)
    fleet.write("update miners set registered_by = 1 where miner_no > 1000")
    radius = (await fleet.dry_run("disable_hashing", 1)).blast_radius
    assert radius is not None
    assert radius.cap == 2 * CAP
    await stop(fleet, *range(1, 51))
    assert len(await fleet.lease(limit=100)) == 2 * CAP
    fleet.pass_time(86_400)
    of_old = (await fleet.dry_run("disable_hashing", 1)).blast_radius
    assert of_old is not None
    assert of_old.cap > 2 * CAP


async def test_a_site_has_its_own_cap(fleet: CommandSite) -> None:
    fleet.add_machines(101, 110, site_id=2)
    await stop(fleet, *range(1, 21))
    await fleet.ack_all()
    await stop(fleet, *range(101, 106), site=2)
    assert len(await fleet.lease(fleet.collector("east", site_id=2))) == 2


async def test_many_pollers_at_once_never_take_down_more_than_the_cap(fleet: CommandSite) -> None:
    """Stops, restarts and settings at once, acked and failed while others poll: at every commit the cap holds.

    Who fails is by the machine and not by the turn: in whatever order the pollers come, some stops stay.
    """
    fleet.pass_time(1)
    for kind, first, params in (
        ("disable_hashing", 1, {}),
        ("restart_mining", 16, {}),
        ("set_frequency", 31, {"frequency": 500}),
        ("reboot_device", 46, {}),
    ):
        await fleet.request(kind, *range(first, first + 15), params=params, caller=fleet.rule, pre_approval=LEAVE)
    holders = (fleet.north, fleet.south, fleet.zoned)
    seen: list[tuple[int, int]] = []

    async def poll(turn: int) -> None:
        holder = holders[turn % 3]
        for _ in range(6):
            leased = await fleet.lease(holder, limit=5)
            seen.append(_down(fleet))
            for command in leased[::2]:
                status = "failed" if command.miner_no % 3 == 0 else "succeeded"
                await fleet.ack_one(command.dispatch_id, status, holder=holder)
            seen.append(_down(fleet))

    await asyncio.gather(*(poll(turn) for turn in range(6)))
    assert max(in_transition for in_transition, _ in seen) == CAP
    assert 0 < max(stopped for _, stopped in seen) <= CAP


def _down(fleet: CommandSite) -> tuple[int, int]:
    """In transition, and stopped. As people would count, not by the statement that holds the cap."""
    (counts,) = fleet.rows(
        "with stopped as (select miner_no from expected_states where cause like 'command %%' and until_at is null),"
        " busy as (select miner_no from expected_states where cause like 'command %%' and until_at > %s"
        " union select miner_no from commands where state in ('dispatched', 'running') and command_type = any (%s)"
        " except select miner_no from stopped)"
        " select (select count(*) from busy) as busy, (select count(distinct miner_no) from stopped) as stopped",
        *(fleet.now, list(TAKES_DOWN)),
    )
    return counts["busy"], counts["stopped"]


@given(st.floats(0, 1), st.integers(0, 100_000))
def test_the_cap_is_a_share_of_the_machines_and_at_least_one(share: float, machines: int) -> None:
    cap = outage_cap(share, machines)
    assert cap >= 1
    assert cap == 1 or cap <= share * machines + 1e-6
    assert cap + 1 > share * machines


def test_a_share_without_an_exact_binary_form_is_rounded_correctly() -> None:
    assert [outage_cap(0.29, 100), outage_cap(0.07, 100), outage_cap(0.2, 60), outage_cap(0.2, 4)] == [29, 7, 12, 1]
