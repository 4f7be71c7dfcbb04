"""Without approval a requester commands so many machines and kW of a site in a window, in however many requests."""

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashinsight.audit.actions import Actor, ActorKind
from hashinsight.commands.approval import ApprovalCode, ApprovalLimits, Impact, RecentRequests, judge_approval
from hashinsight.commands.catalogue import Risk
from hashinsight.commands.queries.requesters import find_requester
from hashinsight.commands.requests import CommandCaller, PreApproval, RequestResult, automation_caller
from hashinsight.commands.service.approvals import DecisionTarget
from hashinsight.kit.ids import new_id
from tests.commands.command_site import NOON, CommandSite

FAN: dict[str, Any] = {"params": {"speed": 60}}


def approvals(answer: RequestResult) -> set[str]:
    return {one.approval_state for one in answer.commands}


async def test_three_requests_of_20_machines_need_the_approval_that_one_of_60_needs(yard: CommandSite) -> None:
    first = await yard.request("set_fan", *range(1, 21), **FAN)
    assert (approvals(first), first.approval_reasons) == ({"none"}, ())
    told = await yard.dry_run("set_fan", *range(21, 41), **FAN)
    second = await yard.request("set_fan", *range(21, 41), **FAN)
    reason = "40 machines asked by one requester in 60 min (limit 20)"
    assert (told.needs_approval, second.approval_reasons[0]) == (True, reason)
    assert approvals(second) == {"required"}
    assert approvals(await yard.request("set_fan", *range(41, 61), **FAN)) == {"required"}
    assert len(await yard.lease(limit=60)) == 20


async def test_the_same_machines_again_are_counted_once(yard: CommandSite) -> None:
    await yard.request("set_fan", *range(1, 21), **FAN)
    await yard.ack_all()
    again = await yard.request("set_frequency", *range(1, 21), params={"frequency": 500})
    assert approvals(again) == {"none"}
    assert approvals(await yard.request("set_fan", 21, **FAN)) == {"required"}


async def test_the_window_passes_and_each_requester_and_site_has_its_own(yard: CommandSite) -> None:
    yard.add_machines(101, 125, site_id=2)
    await yard.request("set_fan", *range(1, 21), **FAN)
    assert approvals(await yard.request("set_fan", 21, **FAN, asker=yard.person("olga"))) == {"none"}
    assert approvals(await yard.request("set_fan", 101, **FAN, site=2)) == {"none"}
    assert approvals(await yard.request("set_fan", 22, **FAN)) == {"required"}
    yard.pass_time(3600)
    await yard.sweep()
    assert approvals(await yard.request("set_fan", 23, **FAN)) == {"none"}


@pytest.mark.parametrize("canceled", ["first", "second"])
async def test_of_two_that_were_asked_for_the_same_machines_the_open_one_counts(
    yard: CommandSite, canceled: str
) -> None:
    """Whichever is canceled: the other still goes out when a collector comes."""
    week = 7 * 24 * 3600
    first = await yard.request("set_fan", *range(1, 21), **FAN, ttl_sec=week)
    second = await yard.request("set_frequency", *range(1, 21), params={"frequency": 500}, ttl_sec=week - 1)
    assert (approvals(second), second.refused) == ({"none"}, ())
    await yard.cancel(DecisionTarget(batch_id=(first if canceled == "first" else second).batch_id))
    yard.pass_time(3700)
    assert approvals(await yard.request("set_fan", *range(21, 41), **FAN)) == {"required"}


async def test_open_commands_of_others_for_the_same_machines_count_for_them_alone(yard: CommandSite) -> None:
    first = await yard.request("set_fan", *range(1, 21), **FAN)
    await yard.cancel(DecisionTarget(batch_id=first.batch_id))
    await yard.request("set_fan", *range(1, 21), **FAN, ttl_sec=7 * 24 * 3600, asker=yard.person("olga"))
    yard.pass_time(3700)
    assert approvals(await yard.request("set_fan", *range(21, 41), **FAN)) == {"none"}


async def test_what_is_still_open_counts_beyond_the_window(yard: CommandSite) -> None:
    """For days nobody fetches it, and then all of it goes out at once."""
    await yard.request("set_fan", *range(1, 21), **FAN, ttl_sec=7 * 24 * 3600)
    yard.pass_time(2 * 24 * 3600)
    assert approvals(await yard.request("set_fan", 21, **FAN)) == {"required"}
    await yard.ack_all()
    assert approvals(await yard.request("set_fan", 22, **FAN)) == {"none"}


async def test_a_cancel_frees_nothing_and_what_somebody_else_decides_about_is_not_counted(yard: CommandSite) -> None:
    batch_id = (await yard.request("set_fan", *range(1, 11), **FAN)).batch_id
    await yard.cancel(DecisionTarget(batch_id=batch_id))
    assert approvals(await yard.request("set_fan", *range(11, 22), **FAN)) == {"required"}
    waits = await yard.request("set_fan", *range(31, 60), **FAN)
    await yard.approve(DecisionTarget(batch_id=waits.batch_id), yard.person("olga"))
    assert approvals(await yard.request("set_fan", 60, **FAN)) == {"none"}


async def test_lights_are_not_summed(yard: CommandSite) -> None:
    for first in (1, 21, 41):
        answer = await yard.request("fault_light", *range(first, first + 20), params={"on": True})
        assert approvals(answer) == {"none"}
    assert approvals(await yard.request("set_fan", 1, **FAN)) == {"none"}


async def test_emergencies_and_leave_given_before_pass_the_sum_and_say_so(yard: CommandSite) -> None:
    await yard.request("set_fan", *range(1, 21), **FAN)
    urgent = await yard.request("set_fan", 21, **FAN, priority="safety", emergency=True)
    assert (approvals(urgent), urgent.approval_reasons[0][:11]) == ({"approved"}, "21 machines")
    await yard.request("set_fan", *range(31, 51), **FAN, asker=yard.rule)
    assert approvals(await yard.request("set_fan", 51, **FAN, asker=yard.rule)) == {"required"}
    allowed = await yard.request("set_fan", 52, **FAN, asker=yard.rule, pre_approval=PreApproval("olga", "rule 7"))
    assert approvals(allowed) == {"approved"}


async def test_power_is_summed_as_it_was_when_it_was_asked(yard: CommandSite) -> None:
    """A machine that was told to stop draws nothing any more, and counts with what it drew."""
    yard.write(
        "insert into telemetry_live (miner_no, tenant_id, site_id, ts, online, status, flags, power_w, updated_at)"
        " select n, %s, 1, %s, true, 1, 0, 40000, %s from generate_series(1, 3) n",
        *(yard.tenant, NOON, NOON),
    )
    assert approvals(await yard.request("restart_mining", 1, 2)) == {"none"}
    await yard.ack_all()
    yard.write("update telemetry_live set power_w = 15 where miner_no < 3")
    third = await yard.request("set_fan", 3, **FAN)
    assert third.approval_reasons == ("120 kW asked by one requester in 60 min (limit 100 kW)",)
    assert approvals(await yard.request("set_fan", 1, 2, **FAN)) == {"none"}
    assert approvals(await yard.request("set_frequency", 1, 3, params={"frequency": 500})) == {"required"}


@pytest.mark.parametrize("each", [11, 20])
async def test_requests_at_once_do_not_slip_below_the_limit_side_by_side(yard: CommandSite, each: int) -> None:
    asks = [yard.request("set_fan", *range(first, first + each), **FAN) for first in range(1, 60 - each + 2, each)]
    answers = await asyncio.gather(*asks)
    assert sorted(map(sorted, map(approvals, answers))) == [["none"], *[["required"]] * (len(asks) - 1)]
    assert len(await yard.lease(limit=60)) == each


async def test_the_person_behind_a_key_is_the_requester(yard: CommandSite) -> None:
    ann, keys = new_id(), [new_id() for _ in range(3)]
    yard.write(
        "insert into users (id, tenant_id, email, name, password_hash, created_at)"
        " values (%s, %s, 'ann@example.com', 'Ann', 'x', %s)",
        *(ann, yard.tenant, NOON),
    )
    for key, person in zip(keys, (ann, ann, None), strict=True):
        yard.write(
            "insert into api_keys (id, tenant_id, name, key_hash, key_start, created_at, user_id)"
            " values (%s, %s, 'k', %s, 'hik_', %s, %s)",
            *(key, yard.tenant, key.bytes, NOON, person),
        )
    actors = [Actor(ActorKind.USER, str(ann)), *(Actor(ActorKind.API_KEY, str(key)) for key in keys)]
    async with yard.session() as session:
        requesters = [await find_requester(session, actor) for actor in actors]
        assert await find_requester(session, Actor(ActorKind.RULE, "rule-7")) == "rule:rule-7"
        assert await find_requester(session, Actor(ActorKind.SYSTEM)) == "system"
        assert await find_requester(session, Actor(ActorKind.SYSTEM, "os:alice")) == "system"
    assert requesters == [*[f"user:{ann}"] * 3, f"api_key:{keys[2]}"]
    for first, actor in zip((1, 21), (actors[1], actors[3]), strict=True):
        asker, week = automation_caller(yard.tenant, actor), 7 * 24 * 3600
        await yard.request("set_fan", *range(first, first + 20), **FAN, ttl_sec=week, asker=asker)
    yard.pass_time(3700)
    for actor in (actors[0], actors[2], actors[3]):  # what is open counts for the same requester
        asked = await yard.request("set_fan", 60, **FAN, asker=automation_caller(yard.tenant, actor), ttl_sec=5)
        assert approvals(asked) == {"required"}
        await yard.cancel(DecisionTarget(batch_id=asked.batch_id), yard.person("olga"))


async def test_keys_that_stand_for_nobody_are_one_requester_at_a_site(yard: CommandSite) -> None:
    """Whoever holds the command line makes ten of them; together they have the limits of one."""
    yard.add_machines(101, 125, site_id=2)
    one, two = (key_of_nobody(yard) for _ in range(2))
    assert approvals(await yard.request("set_fan", *range(1, 21), **FAN, asker=one)) == {"none"}
    other = await yard.request("set_fan", 21, **FAN, asker=two)
    assert (approvals(other), other.approval_reasons[0][:11]) == ({"required"}, "21 machines")
    assert (await yard.dry_run("set_fan", 22, **FAN, asker=two)).needs_approval
    assert approvals(await yard.request("set_fan", 101, **FAN, asker=two, site=2)) == {"none"}
    assert approvals(await yard.request("set_fan", 23, **FAN)) == {"none"}


async def test_keys_that_stand_for_nobody_do_not_slip_below_the_limit_side_by_side(yard: CommandSite) -> None:
    keys = [key_of_nobody(yard) for _ in range(3)]
    asks = [yard.request("set_fan", *range(20 * n + 1, 20 * n + 21), **FAN, asker=key) for n, key in enumerate(keys)]
    answers = await asyncio.gather(*asks)
    assert sorted(map(sorted, map(approvals, answers))) == [["none"], ["required"], ["required"]]


async def test_a_dedupe_key_of_one_key_of_nobody_keeps_no_other_from_acting(yard: CommandSite) -> None:
    key = {"dedupe_key": "fan m1", "dedupe_window_sec": 3600}
    one, two = (key_of_nobody(yard) for _ in range(2))
    await yard.request("fault_light", 1, params={"on": True}, **key, asker=one)
    (made,) = (await yard.request("fault_light", 1, params={"on": False}, **key, asker=two)).commands
    assert not made.existing


def key_of_nobody(yard: CommandSite) -> CommandCaller:
    key = new_id()
    yard.write(
        "insert into api_keys (id, tenant_id, name, key_hash, key_start, created_at)"
        " values (%s, %s, %s, %s, 'hik_', %s)",
        *(key, yard.tenant, f"k {key}", key.bytes, NOON),
    )
    return automation_caller(yard.tenant, Actor(ActorKind.API_KEY, str(key)))


async def test_a_dedupe_key_is_its_requesters_own(yard: CommandSite) -> None:
    """A key that somebody guesses must not keep a rule from acting."""
    key = {"dedupe_key": "rule-7 m1", "dedupe_window_sec": 31 * 24 * 3600}
    await yard.request("fault_light", 1, params={"on": True}, **key, asker=yard.person("tom", may="low"))
    (made,) = (await yard.request("set_power_mode", 1, params={"mode": "eco"}, **key, asker=yard.rule)).commands
    assert not made.existing
    (again,) = (await yard.request("set_power_mode", 1, params={"mode": "eco"}, **key, asker=yard.rule)).commands
    assert (again.existing, again.command_id) == (True, made.command_id)


LIMITS = ApprovalLimits(20, 100.0, 60)
SMALL = st.integers(0, 50)


@given(SMALL, SMALL, st.floats(0, 300), st.floats(0, 300))
def test_it_needs_approval_just_when_the_sum_passes_a_limit(n: int, before: int, kw: float, kw_before: float) -> None:
    need = judge_approval(
        Risk.MEDIUM, Impact(n, kw, 0), LIMITS, is_control=True, before=RecentRequests(before, kw_before)
    )
    passes = n > 0 and (n + before > LIMITS.machines or kw + kw_before > LIMITS.power_kw)
    assert need.is_needed is (passes or kw > LIMITS.power_kw)
    codes = [one.code for one in need.causes]
    assert len(codes) == len(set(codes))
    assert (ApprovalCode.MANY_MACHINES in codes) is (n > LIMITS.machines)
