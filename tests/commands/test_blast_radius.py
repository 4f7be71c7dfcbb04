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


async def stop(yard: CommandSite, *machines: int, **more: Any) -> RequestResult:
    return await yard.request("disable_hashing", *machines, asker=yard.rule, pre_approval=LEAVE, **more)


async def wait_reason(yard: CommandSite, command_id: UUID) -> str | None:
    found: str | None = (await yard.story(command_id))["wait_reason"]
    return found


def numbers(leased: list[LeasedCommand]) -> list[int]:
    return [one.miner_no for one in leased]


async def test_above_the_cap_a_command_waits_and_says_so(yard: CommandSite) -> None:
    made = (await stop(yard, *range(1, 21))).commands
    assert len(await yard.lease(limit=50)) == CAP
    assert await yard.lease(yard.south) == []
    assert await wait_reason(yard, made[CAP].command_id) == "BLAST_RADIUS"


@pytest.mark.parametrize("kind", sorted(TAKES_DOWN))
async def test_every_command_that_takes_a_machine_down_is_held(yard: CommandSite, kind: str) -> None:
    params = {
        "set_pool": {"pool_id": "main"},
        "set_frequency": {"frequency": 500},
        "set_power_limit": {"watts": 3000},
        "set_power_mode": {"mode": "eco"},
        "update_config": {"config": {"fan_speed_pct": 80}},
    }.get(kind, {})
    await stop(yard, *range(1, CAP))
    assert len(await yard.lease()) == CAP - 1
    await yard.request(kind, 21, 22, 23, params=params, asker=yard.rule, pre_approval=LEAVE)
    assert numbers(await yard.lease()) == [21]


async def test_machines_that_stay_stopped_hold_back_stops_and_nothing_else(yard: CommandSite) -> None:
    """A fifth of a site may be curtailed for days, and the rest of it is tended."""
    await stop(yard, *range(1, CAP + 1), priority="compliance")
    await yard.ack_all()
    held = (await stop(yard, 13)).commands[0].command_id
    restarts = (await yard.request("restart_mining", *range(21, 41), asker=yard.rule)).commands
    told = await yard.dry_run("set_frequency", *range(41, 61), params={"frequency": 500}, asker=yard.rule)
    assert told.blast_radius is not None
    assert (told.blast_radius.down_now, told.blast_radius.would_wait) == (0, 8)
    assert numbers(await yard.lease()) == [*range(21, 21 + CAP)]
    assert await wait_reason(yard, held) == "BLAST_RADIUS"
    assert await wait_reason(yard, restarts[-1].command_id) == "BLAST_RADIUS"


async def test_restarts_in_transition_leave_less_room_for_stops(yard: CommandSite) -> None:
    await yard.request("restart_mining", *range(1, 9), asker=yard.rule)
    await yard.ack_all()
    await stop(yard, *range(21, 31))
    assert numbers(await yard.ack_all()) == [21, 22, 23, 24]
    await yard.request("restart_mining", *range(41, 51), asker=yard.rule)
    assert numbers(await yard.lease()) == [41, 42, 43, 44]


async def test_a_restart_of_a_stopped_machine_takes_no_room_of_others(yard: CommandSite) -> None:
    await stop(yard, *range(1, CAP + 1))
    await yard.ack_all()
    await yard.request("restart_mining", *range(1, CAP + 1), asker=yard.rule)
    assert len(await yard.ack_all()) == CAP
    await yard.request("restart_mining", *range(21, 41), asker=yard.rule, pre_approval=LEAVE)
    assert len(await yard.lease()) == CAP


async def test_a_stopped_machine_counts_until_it_is_enabled_and_enabling_is_never_held(yard: CommandSite) -> None:
    await stop(yard, *range(1, 15))
    assert len(await yard.ack_all()) == CAP
    yard.pass_time(600)
    assert await yard.lease() == []
    await yard.request("enable_hashing", 1, 2, 3)
    await yard.request("set_fan", 30, params={"speed": 60})
    assert numbers(await yard.ack_all()) == [1, 2, 3, 30, 13, 14]


async def test_a_restarted_machine_counts_until_it_is_due_back(yard: CommandSite) -> None:
    await yard.request("restart_mining", *range(1, 15), asker=yard.rule, ttl_sec=3600)
    assert len(await yard.ack_all()) == CAP
    yard.pass_time(179 + 600)
    assert await yard.lease() == []
    yard.pass_time(2)
    assert numbers(await yard.lease()) == [13, 14]


def seen_hashing(yard: CommandSite, first: int, last: int, *, ths: float = 90) -> None:
    """The newest sample of these machines, of now."""
    yard.write(
        "insert into telemetry_live (miner_no, tenant_id, site_id, ts, online, status, flags, hashrate_5min_ths,"
        " updated_at) select n, %s, 1, %s, true, 1, 0, %s, %s from generate_series(%s::int, %s::int) n"
        " on conflict (miner_no) do update set ts = excluded.ts, hashrate_5min_ths = excluded.hashrate_5min_ths",
        *(yard.tenant, yard.now, ths, yard.now, first, last),
    )


async def test_a_restarted_machine_counts_no_longer_once_it_is_seen_hashing(yard: CommandSite) -> None:
    await yard.request("restart_mining", *range(1, 19), asker=yard.rule)
    assert len(await yard.ack_all()) == CAP
    yard.pass_time(55)
    seen_hashing(yard, 1, 5)  # before the restart has begun, perhaps
    assert await yard.lease() == []
    yard.pass_time(10)
    seen_hashing(yard, 1, 2)
    seen_hashing(yard, 3, 5, ths=0)
    assert numbers(await yard.ack_all()) == [13, 14]
    yard.pass_time(150)
    assert await yard.archive() > 0
    seen_hashing(yard, 3, 5)
    assert numbers(await yard.ack_all()) == [15, 16, 17]


async def test_a_reboot_with_a_delay_is_back_only_behind_its_delay(yard: CommandSite) -> None:
    reboots = [*range(1, CAP + 3)]
    await yard.request("reboot_device", *reboots, params={"delay_seconds": 300}, asker=yard.rule, pre_approval=LEAVE)
    assert len(await yard.ack_all()) == CAP
    yard.pass_time(330)
    seen_hashing(yard, 1, CAP)
    assert await yard.lease() == []
    yard.pass_time(35)
    seen_hashing(yard, 1, CAP)
    assert numbers(await yard.lease()) == [CAP + 1, CAP + 2]


SETTING: dict[str, Any] = {"params": {"watts": 3000}}


async def test_a_change_of_settings_counts_until_its_machine_is_seen_hashing_again(yard: CommandSite) -> None:
    """It is acked before the mining program is back: without that, 60 machines of 60 restart in one second."""
    await yard.request("set_power_limit", *range(1, 61), **SETTING, asker=yard.rule, pre_approval=LEAVE)
    assert len(await yard.ack_all()) == CAP
    yard.pass_time(55)
    seen_hashing(yard, 1, 60)
    assert await yard.lease() == []
    yard.pass_time(10)
    seen_hashing(yard, 1, 2)
    seen_hashing(yard, 3, 60, ths=0)
    assert numbers(await yard.ack_all()) == [13, 14]
    yard.pass_time(130)
    assert await yard.archive() == 0, "their machines are counted by these rows"
    assert await yard.lease() == []


async def test_without_samples_a_change_of_settings_counts_for_five_minutes(yard: CommandSite) -> None:
    await yard.request("set_power_limit", *range(1, 61), **SETTING, asker=yard.rule, pre_approval=LEAVE)
    assert len(await yard.ack_all()) == CAP
    yard.pass_time(299)
    assert (await yard.lease(), await yard.archive()) == ([], 0)
    yard.pass_time(1)
    assert numbers(await yard.ack_all()) == [*range(CAP + 1, 2 * CAP + 1)]
    yard.pass_time(121)
    assert await yard.archive() == CAP


async def test_a_change_of_settings_that_failed_counts_no_longer(yard: CommandSite) -> None:
    await yard.request("set_power_limit", *range(1, 15), **SETTING, asker=yard.rule, max_retries=0)
    first = await yard.lease()
    assert (len(first), await yard.lease()) == (CAP, [])
    await yard.say(first[1].dispatch_id, "failed", error_code="TIMEOUT")
    assert numbers(await yard.lease()) == [13]


async def test_a_change_of_pool_of_1000_machines_takes_five_rounds(yard: CommandSite) -> None:
    """A fifth of them at a time, each round as long as the machines need to be seen hashing."""
    yard.add_machines(61, 1000)
    pools: dict[str, Any] = {"params": {"pool_id": "main"}, "asker": yard.rule, "pre_approval": LEAVE}
    await yard.request("set_pool", *range(1, 1001), **pools)
    rounds = []
    for _ in range(10):
        rounds.append(len(await yard.ack_all()))
        yard.pass_time(61)
        seen_hashing(yard, 1, 1000)
        await yard.sweep()
    assert rounds == [200] * 5 + [0] * 5


async def test_a_lost_lease_comes_back_although_the_cap_is_reached(yard: CommandSite) -> None:
    """Its machine counts already, by the command itself."""
    await stop(yard, *range(1, 21))
    first = await yard.lease()
    yard.pass_time(181)
    await yard.sweep()
    assert sorted(numbers(await yard.lease(yard.south))) == sorted(numbers(first))


async def test_an_emergency_goes_out_above_the_cap_and_that_is_on_record(yard: CommandSite) -> None:
    await stop(yard, *range(1, CAP + 1))
    await yard.ack_all()
    waits = (await stop(yard, 40)).commands[0].command_id
    told = await yard.dry_run("disable_hashing", 21, 22, emergency=True, priority="safety")
    assert told.blast_radius is not None
    assert (told.blast_radius.would_wait, told.blast_radius.exceeds_cap) == (0, True)
    urgent = await yard.request("disable_hashing", 21, 22, emergency=True, priority="safety")
    assert numbers(await yard.lease()) == [21, 22]
    for nth, command in enumerate(urgent.commands, start=1):
        story = await yard.story(command.command_id)
        figures = {"down": CAP + nth, "cap": CAP, "site_machines": 60}
        assert story["over_cap"] == figures
        (entry,) = [one for one in story["audit"] if one["action"] == "command_over_cap"]
        assert figures.items() <= entry["after"].items()
    assert await wait_reason(yard, waits) == "BLAST_RADIUS"


async def test_a_poll_without_the_turn_hands_out_emergencies_and_what_takes_no_room(
    yard: CommandSite, superuser_url: str
) -> None:
    await stop(yard, 1)
    await yard.ack_all()
    await yard.request("restart_mining", 1, 2, asker=yard.rule)
    (urgent,) = (await yard.request("disable_hashing", 21, emergency=True, priority="safety")).commands
    with psycopg.connect(superuser_url) as other_poll:
        other_poll.execute("select pg_advisory_xact_lock(1, hashtext('rate of ' || %s))", (OUTAGE_TURN,))
        assert sorted(numbers(await yard.lease())) == [1, 21]
        other_poll.rollback()
    assert (await yard.story(urgent.command_id))["over_cap"] is None
    assert numbers(await yard.lease()) == [2]


async def test_emergencies_leave_less_room_for_the_others_of_the_same_poll(yard: CommandSite) -> None:
    await stop(yard, *range(1, 21))
    urgent = await yard.request("disable_hashing", *range(31, 36), emergency=True, priority="convenience")
    leased = numbers(await yard.lease())
    assert sorted(leased) == [*range(1, CAP - 4), *range(31, 36)]
    assert {one["over_cap"] for one in [await yard.story(each.command_id) for each in urgent.commands]} == {None}


async def test_a_small_site_lets_one_machine_go_at_a_time(yard: CommandSite) -> None:
    yard.cap_at(0.0)
    await yard.request("restart_mining", 1, 2, asker=yard.rule, ttl_sec=3600)
    assert numbers(await yard.ack_all()) == [1]
    yard.pass_time(1000)
    assert numbers(await yard.ack_all()) == [2]


async def test_what_is_retired_or_started_by_hand_is_not_down(yard: CommandSite) -> None:
    await stop(yard, *range(1, CAP + 1))
    await yard.ack_all()
    await stop(yard, *range(21, 31), ttl_sec=24 * 3600)
    yard.write("update miners set state = 'retired' where miner_no = 1")
    assert numbers(await yard.ack_all()) == []  # of 59 machines a fifth is 11
    yard.pass_time(3600)
    seen_hashing(yard, 2, 4)
    assert numbers(await yard.ack_all()) == [21, 22, 23]


@pytest.mark.parametrize("end", ["failed", "silent"])
async def test_a_stopped_machine_that_did_not_start_again_holds_back_no_stop(yard: CommandSite, end: str) -> None:
    """It broke while it stood: else it would take a place below the cap for ever."""
    await stop(yard, *range(1, CAP + 1))
    await yard.ack_all()
    yard.pass_time(7 * 24 * 3600)
    await yard.request("enable_hashing", *range(1, CAP + 1), asker=yard.rule, max_retries=0)
    for one in await yard.lease():
        if end == "failed":
            await yard.say(one.dispatch_id, "failed", error_code="UNREACHABLE")
    yard.pass_time(181)
    await yard.sweep()
    await stop(yard, 40, priority="safety")
    assert numbers(await yard.ack_all()) == [40]
    stands = yard.rows("select count(*) from expected_states where until_at is null and state = 'stopped'")
    assert stands == [{"count": CAP + 1}], "they are still expected to stand"
    await yard.request("enable_hashing", *range(1, CAP + 1), asker=yard.rule)
    await yard.ack_all()
    assert yard.rows("select miner_no from expected_states where until_at is null") == [{"miner_no": 40}]


async def test_a_start_that_nobody_fetched_or_that_will_be_tried_again_frees_no_place(yard: CommandSite) -> None:
    """Otherwise a start with a TTL of seconds, asked for between two polls, would lift the cap."""
    await stop(yard, *range(1, CAP + 1))
    await yard.ack_all()
    await yard.request("enable_hashing", 1, 2, asker=yard.rule, ttl_sec=5)
    yard.pass_time(6)
    assert (await yard.sweep()).expired == 2
    await yard.request("enable_hashing", 3, asker=yard.rule)
    await yard.say((await yard.lease_one()).dispatch_id, "failed", error_code="TIMEOUT")
    await stop(yard, *range(21, 41))
    assert await yard.lease() == []


async def test_a_dry_run_says_how_many_would_wait(yard: CommandSite) -> None:
    await stop(yard, *range(1, 6))
    await yard.ack_all()
    told = await yard.dry_run("disable_hashing", *range(5, 21))
    assert told.blast_radius is not None
    assert vars(told.blast_radius) == {"down_now": 5, "cap": CAP, "would_wait": 15 - 7, "exceeds_cap": False}
    assert (await yard.dry_run("set_fan", 1, params={"speed": 60})).blast_radius is None


async def test_machines_that_collectors_registered_today_at_most_double_the_cap(yard: CommandSite) -> None:
    yard.add_machines(1001, 3000)
    yard.write("update miners set registered_by = 1 where miner_no > 1000")
    radius = (await yard.dry_run("disable_hashing", 1)).blast_radius
    assert radius is not None
    assert radius.cap == 2 * CAP
    await stop(yard, *range(1, 51))
    assert len(await yard.lease(limit=100)) == 2 * CAP
    yard.pass_time(86_400)
    of_old = (await yard.dry_run("disable_hashing", 1)).blast_radius
    assert of_old is not None
    assert of_old.cap > 2 * CAP


async def test_a_site_has_its_own_cap(yard: CommandSite) -> None:
    yard.add_machines(101, 110, site_id=2)
    await stop(yard, *range(1, 21))
    await yard.ack_all()
    await stop(yard, *range(101, 106), site=2)
    assert len(await yard.lease(yard.collector("east", site_id=2))) == 2


async def test_many_pollers_at_once_never_take_down_more_than_the_cap(yard: CommandSite) -> None:
    """Stops, restarts and settings at once, acked and failed while others poll: at every commit the cap holds.

    Who fails is by the machine and not by the turn: in whatever order the pollers come, some stops stay.
    """
    yard.pass_time(1)
    for kind, first, params in (
        ("disable_hashing", 1, {}),
        ("restart_mining", 16, {}),
        ("set_frequency", 31, {"frequency": 500}),
        ("reboot_device", 46, {}),
    ):
        await yard.request(kind, *range(first, first + 15), params=params, asker=yard.rule, pre_approval=LEAVE)
    holders = (yard.north, yard.south, yard.zoned)
    seen: list[tuple[int, int]] = []

    async def poll(turn: int) -> None:
        holder = holders[turn % 3]
        for _ in range(6):
            leased = await yard.lease(holder, limit=5)
            seen.append(_down(yard))
            for one in leased[::2]:
                status = "failed" if one.miner_no % 3 == 0 else "succeeded"
                await yard.say(one.dispatch_id, status, holder=holder)
            seen.append(_down(yard))

    await asyncio.gather(*(poll(turn) for turn in range(6)))
    assert max(in_transition for in_transition, _ in seen) == CAP
    assert 0 < max(stopped for _, stopped in seen) <= CAP


def _down(yard: CommandSite) -> tuple[int, int]:
    """In transition, and stopped. As people would count, not by the statement that holds the cap."""
    (counts,) = yard.rows(
        "with stopped as (select miner_no from expected_states where cause like 'command %%' and until_at is null),"
        " busy as (select miner_no from expected_states where cause like 'command %%' and until_at > %s"
        " union select miner_no from commands where state in ('dispatched', 'running') and command_type = any (%s)"
        " except select miner_no from stopped)"
        " select (select count(*) from busy) as busy, (select count(distinct miner_no) from stopped) as stopped",
        *(yard.now, list(TAKES_DOWN)),
    )
    return counts["busy"], counts["stopped"]


@given(st.floats(0, 1), st.integers(0, 100_000))
def test_the_cap_is_a_share_of_the_machines_and_at_least_one(share: float, machines: int) -> None:
    cap = outage_cap(share, machines)
    assert cap >= 1
    assert cap == 1 or cap <= share * machines + 1e-6
    assert cap + 1 > share * machines


def test_a_share_that_is_no_round_number_of_bits_is_still_whole() -> None:
    assert [outage_cap(0.29, 100), outage_cap(0.07, 100), outage_cap(0.2, 60), outage_cap(0.2, 4)] == [29, 7, 12, 1]
