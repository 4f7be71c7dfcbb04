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
from hashinsight.commands.requests import PreApproval, RequestResult
from hashinsight.commands.service.approvals import DecisionTarget
from hashinsight.identity.caller import Caller, automation_caller
from hashinsight.identity.permissions import Role
from hashinsight.kit.ids import new_id
from tests.commands.command_site import NOON, CommandSite

FAN: dict[str, Any] = {"params": {"speed": 60}}


def approvals(answer: RequestResult) -> set[str]:
    return {command.approval_state for command in answer.commands}


async def test_three_requests_of_20_machines_need_the_approval_that_one_of_60_needs(fleet: CommandSite) -> None:
    first = await fleet.request("set_fan", *range(1, 21), **FAN)
    assert (approvals(first), first.approval_reasons) == ({"none"}, ())
    preview = await fleet.dry_run("set_fan", *range(21, 41), **FAN)
    second = await fleet.request("set_fan", *range(21, 41), **FAN)
    reason = "40 machines by one requester in 60 min (limit 20)"
    assert (preview.needs_approval, second.approval_reasons[0]) == (True, reason)
    assert approvals(second) == {"required"}
    assert approvals(await fleet.request("set_fan", *range(41, 61), **FAN)) == {"required"}
    assert len(await fleet.lease(limit=60)) == 20


async def test_the_same_machines_again_are_counted_once(fleet: CommandSite) -> None:
    await fleet.request("set_fan", *range(1, 21), **FAN)
    await fleet.ack_all()
    again = await fleet.request("set_frequency", *range(1, 21), params={"frequency": 500})
    assert approvals(again) == {"none"}
    assert approvals(await fleet.request("set_fan", 21, **FAN)) == {"required"}


async def test_the_window_passes_and_each_requester_and_site_has_its_own(fleet: CommandSite) -> None:
    fleet.add_machines(101, 125, site_id=2)
    await fleet.request("set_fan", *range(1, 21), **FAN)
    assert approvals(await fleet.request("set_fan", 21, **FAN, caller=fleet.person("olga"))) == {"none"}
    assert approvals(await fleet.request("set_fan", 101, **FAN, site=2)) == {"none"}
    assert approvals(await fleet.request("set_fan", 22, **FAN)) == {"required"}
    fleet.pass_time(3600)
    await fleet.sweep()
    assert approvals(await fleet.request("set_fan", 23, **FAN)) == {"none"}


@pytest.mark.parametrize("canceled", ["first", "second"])
async def test_of_two_requests_for_the_same_machines_the_open_one_counts(fleet: CommandSite, canceled: str) -> None:
    """Whichever is canceled: the other still goes out when a collector comes."""
    week = 7 * 24 * 3600
    first = await fleet.request("set_fan", *range(1, 21), **FAN, ttl_sec=week)
    second = await fleet.request("set_frequency", *range(1, 21), params={"frequency": 500}, ttl_sec=week - 1)
    assert (approvals(second), second.refused) == ({"none"}, ())
    await fleet.cancel(DecisionTarget(batch_id=(first if canceled == "first" else second).batch_id))
    fleet.pass_time(3700)
    assert approvals(await fleet.request("set_fan", *range(21, 41), **FAN)) == {"required"}


async def test_open_commands_of_others_for_the_same_machines_count_for_them_alone(fleet: CommandSite) -> None:
    first = await fleet.request("set_fan", *range(1, 21), **FAN)
    await fleet.cancel(DecisionTarget(batch_id=first.batch_id))
    await fleet.request("set_fan", *range(1, 21), **FAN, ttl_sec=7 * 24 * 3600, caller=fleet.person("olga"))
    fleet.pass_time(3700)
    assert approvals(await fleet.request("set_fan", *range(21, 41), **FAN)) == {"none"}


async def test_open_commands_count_beyond_the_window(fleet: CommandSite) -> None:
    """For days nobody fetches it, and then all of it goes out at once."""
    await fleet.request("set_fan", *range(1, 21), **FAN, ttl_sec=7 * 24 * 3600)
    fleet.pass_time(2 * 24 * 3600)
    assert approvals(await fleet.request("set_fan", 21, **FAN)) == {"required"}
    await fleet.ack_all()
    assert approvals(await fleet.request("set_fan", 22, **FAN)) == {"none"}


async def test_cancels_still_count_and_separately_approved_requests_do_not(fleet: CommandSite) -> None:
    batch_id = (await fleet.request("set_fan", *range(1, 11), **FAN)).batch_id
    await fleet.cancel(DecisionTarget(batch_id=batch_id))
    assert approvals(await fleet.request("set_fan", *range(11, 22), **FAN)) == {"required"}
    waits = await fleet.request("set_fan", *range(31, 60), **FAN)
    await fleet.approve(DecisionTarget(batch_id=waits.batch_id), fleet.person("olga"))
    assert approvals(await fleet.request("set_fan", 60, **FAN)) == {"none"}


async def test_lights_are_not_summed(fleet: CommandSite) -> None:
    for first in (1, 21, 41):
        answer = await fleet.request("fault_light", *range(first, first + 20), params={"on": True})
        assert approvals(answer) == {"none"}
    assert approvals(await fleet.request("set_fan", 1, **FAN)) == {"none"}


async def test_emergencies_and_pre_approvals_pass_the_sum_with_a_reason(fleet: CommandSite) -> None:
    await fleet.request("set_fan", *range(1, 21), **FAN)
    urgent = await fleet.request("set_fan", 21, **FAN, priority="safety", emergency=True)
    assert (approvals(urgent), urgent.approval_reasons[0][:11]) == ({"approved"}, "21 machines")
    await fleet.request("set_fan", *range(31, 51), **FAN, caller=fleet.rule)
    assert approvals(await fleet.request("set_fan", 51, **FAN, caller=fleet.rule)) == {"required"}
    allowed = await fleet.request("set_fan", 52, **FAN, caller=fleet.rule, pre_approval=PreApproval("olga", "rule 7"))
    assert approvals(allowed) == {"approved"}


async def test_power_is_summed_as_of_the_request(fleet: CommandSite) -> None:
    """A machine that was told to stop draws nothing any more, and counts with what it drew."""
    fleet.write(
        "insert into telemetry_live (miner_no, tenant_id, site_id, ts, online, status, flags, power_w, updated_at)"
        " select n, %s, 1, %s, true, 1, 0, 40000, %s from generate_series(1, 3) n",
        *(fleet.tenant, NOON, NOON),
    )
    assert approvals(await fleet.request("restart_mining", 1, 2)) == {"none"}
    await fleet.ack_all()
    fleet.write("update telemetry_live set power_w = 15 where miner_no < 3")
    third = await fleet.request("set_fan", 3, **FAN)
    assert third.approval_reasons == ("120 kW by one requester in 60 min (limit 100 kW)",)
    assert approvals(await fleet.request("set_fan", 1, 2, **FAN)) == {"none"}
    assert approvals(await fleet.request("set_frequency", 1, 3, params={"frequency": 500})) == {"required"}


@pytest.mark.parametrize("each", [11, 20])
async def test_concurrent_requests_do_not_slip_below_the_limit(fleet: CommandSite, each: int) -> None:
    asks = [fleet.request("set_fan", *range(first, first + each), **FAN) for first in range(1, 60 - each + 2, each)]
    answers = await asyncio.gather(*asks)
    assert sorted(map(sorted, map(approvals, answers))) == [["none"], *[["required"]] * (len(asks) - 1)]
    assert len(await fleet.lease(limit=60)) == each


async def test_the_person_behind_a_key_is_the_requester(fleet: CommandSite) -> None:
    ann, keys = new_id(), [new_id() for _ in range(3)]
    fleet.write(
        "insert into users (id, tenant_id, email, name, password_hash, created_at)"
        " values (%s, %s, 'ann@example.com', 'Ann', 'x', %s)",
        *(ann, fleet.tenant, NOON),
    )
    for key, person in zip(keys, (ann, ann, None), strict=True):
        fleet.write(
            "insert into api_keys (id, tenant_id, name, key_hash, key_start, created_at, user_id)"
            " values (%s, %s, 'k', %s, 'hik_', %s, %s)",
            *(key, fleet.tenant, key.bytes, NOON, person),
        )
    actors = [Actor(ActorKind.USER, str(ann)), *(Actor(ActorKind.API_KEY, str(key)) for key in keys)]
    async with fleet.session() as session:
        requesters = [await find_requester(session, actor) for actor in actors]
        assert await find_requester(session, Actor(ActorKind.RULE, "rule-7")) == "rule:rule-7"
        assert await find_requester(session, Actor(ActorKind.SYSTEM)) == "system"
        assert await find_requester(session, Actor(ActorKind.SYSTEM, "os:alice")) == "system"
    assert requesters == [*[f"user:{ann}"] * 3, f"api_key:{keys[2]}"]
    for first, actor in zip((1, 21), (actors[1], actors[3]), strict=True):
        caller, week = automation_caller(fleet.tenant, actor), 7 * 24 * 3600
        await fleet.request("set_fan", *range(first, first + 20), **FAN, ttl_sec=week, caller=caller)
    fleet.pass_time(3700)
    for actor in (actors[0], actors[2], actors[3]):  # what is open counts for the same requester
        request = await fleet.request("set_fan", 60, **FAN, caller=automation_caller(fleet.tenant, actor), ttl_sec=5)
        assert approvals(request) == {"required"}
        await fleet.cancel(DecisionTarget(batch_id=request.batch_id), fleet.person("olga"))


async def test_keys_without_an_owner_are_one_requester_at_a_site(fleet: CommandSite) -> None:
    """Whoever holds the command line makes ten of them; together they have the limits of one."""
    fleet.add_machines(101, 125, site_id=2)
    first, two = (key_of_nobody(fleet) for _ in range(2))
    assert approvals(await fleet.request("set_fan", *range(1, 21), **FAN, caller=first)) == {"none"}
    other = await fleet.request("set_fan", 21, **FAN, caller=two)
    assert (approvals(other), other.approval_reasons[0][:11]) == ({"required"}, "21 machines")
    assert (await fleet.dry_run("set_fan", 22, **FAN, caller=two)).needs_approval
    assert approvals(await fleet.request("set_fan", 101, **FAN, caller=two, site=2)) == {"none"}
    assert approvals(await fleet.request("set_fan", 23, **FAN)) == {"none"}


async def test_concurrent_keys_without_an_owner_do_not_slip_below_the_limit(fleet: CommandSite) -> None:
    keys = [key_of_nobody(fleet) for _ in range(3)]
    asks = [fleet.request("set_fan", *range(20 * n + 1, 20 * n + 21), **FAN, caller=key) for n, key in enumerate(keys)]
    answers = await asyncio.gather(*asks)
    assert sorted(map(sorted, map(approvals, answers))) == [["none"], ["required"], ["required"]]


async def test_a_dedupe_key_of_an_ownerless_key_blocks_no_other_key(fleet: CommandSite) -> None:
    key = {"dedupe_key": "fan m1", "dedupe_window_sec": 3600}
    first, two = (key_of_nobody(fleet) for _ in range(2))
    await fleet.request("fault_light", 1, params={"on": True}, **key, caller=first)
    (made,) = (await fleet.request("fault_light", 1, params={"on": False}, **key, caller=two)).commands
    assert not made.existing


def key_of_nobody(fleet: CommandSite) -> Caller:
    key = new_id()
    fleet.write(
        "insert into api_keys (id, tenant_id, name, key_hash, key_start, created_at)"
        " values (%s, %s, %s, %s, 'hik_', %s)",
        *(key, fleet.tenant, f"k {key}", key.bytes, NOON),
    )
    return automation_caller(fleet.tenant, Actor(ActorKind.API_KEY, str(key)))


async def test_dedupe_keys_are_separate_by_requester(fleet: CommandSite) -> None:
    """A key that somebody guesses must not keep a rule from acting."""
    key = {"dedupe_key": "rule-7 m1", "dedupe_window_sec": 31 * 24 * 3600}
    await fleet.request("fault_light", 1, params={"on": True}, **key, caller=fleet.person("tom", role=Role.TECHNICIAN))
    (made,) = (await fleet.request("set_power_mode", 1, params={"mode": "eco"}, **key, caller=fleet.rule)).commands
    assert not made.existing
    (again,) = (await fleet.request("set_power_mode", 1, params={"mode": "eco"}, **key, caller=fleet.rule)).commands
    assert (again.existing, again.command_id) == (True, made.command_id)


LIMITS = ApprovalLimits(20, 100.0, 60)
SMALL = st.integers(0, 50)


@given(SMALL, SMALL, st.floats(0, 300), st.floats(0, 300))
def test_approval_is_needed_exactly_when_the_sum_exceeds_a_limit(
    n: int, before: int, kw: float, kw_before: float
) -> None:
    need = judge_approval(
        Risk.MEDIUM, Impact(n, kw, 0), LIMITS, is_control=True, recent=RecentRequests(before, kw_before)
    )
    passes = n > 0 and (n + before > LIMITS.machines or kw + kw_before > LIMITS.power_kw)
    assert need.is_needed is (passes or kw > LIMITS.power_kw)
    codes = [reason.code for reason in need.reasons]
    assert len(codes) == len(set(codes))
    assert (ApprovalCode.MANY_MACHINES in codes) is (n > LIMITS.machines)
