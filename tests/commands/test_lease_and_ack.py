"""Leases and acks: the fence, the repeated, late and foreign ack, retries, and what each leaves behind."""

from datetime import timedelta
from typing import Any

import pytest

from hashinsight.commands.service.approvals import DecisionTarget
from hashinsight.kit.ids import new_id
from hashinsight.wire.acks import Ack, AckStatus
from tests.commands.command_site import NOON, CommandSite

FAN: dict[str, Any] = {"params": {"speed": 60}}


async def test_a_command_goes_out_once_and_ends_once(fleet: CommandSite) -> None:
    command_id = await fleet.make_command("set_fan", 1, **FAN)
    leased = await fleet.lease_one()
    assert (leased.command_id, leased.miner_id, leased.command_type) == (command_id, "m1", "set_fan")
    assert (leased.params, leased.attempt, leased.urgency) == ({"speed": 60}, 1, 15)
    assert leased.lease_until == NOON + timedelta(seconds=180)
    assert leased.dispatch_id != command_id
    assert await fleet.lease(fleet.south) == []
    first = await fleet.ack_one(leased.dispatch_id, after={"fan": 60})
    assert (first.applied, first.state, first.error_code) == (True, "succeeded", None)
    again = await fleet.ack_one(leased.dispatch_id, "failed")
    assert (again.applied, again.state, again.error_code) == (False, "succeeded", "ALREADY_FINAL")
    story = await fleet.story(command_id)
    assert (story["state"], story["verification"], story["lease_until"]) == ("succeeded", "pending", None)
    assert [move["event"] for move in story["history"]] == ["created", "leased", "succeeded"]
    (attempt,) = story["attempts"]
    assert (attempt["result"], attempt["snapshot_after"], attempt["late_count"]) == ("succeeded", {"fan": 60}, 1)
    assert attempt["late_acks"][0]["answered"] == "ALREADY_FINAL"
    actions = [entry["action"] for entry in story["audit"]]
    assert actions == ["command_created", "command_dispatched", "command_acked", "command_ack_ignored"]


async def test_a_lost_lease_is_redelivered_under_the_same_id(fleet: CommandSite) -> None:
    command_id = await fleet.make_command("set_fan", 1, **FAN)
    first = await fleet.lease_one()
    fleet.pass_time(181)
    assert (await fleet.sweep()).lost == 1
    second = await fleet.lease_one()
    assert second.dispatch_id == first.dispatch_id
    assert second.attempt == 2
    (attempt,) = (await fleet.story(command_id))["attempts"]
    assert (attempt["deliveries"], attempt["result"]) == (2, None)
    assert (await fleet.ack_one(second.dispatch_id)).applied


async def test_a_reported_failure_is_retried_under_a_new_id_after_its_backoff(fleet: CommandSite) -> None:
    command_id = await fleet.make_command("set_fan", 1, **FAN)
    first = await fleet.lease_one()
    answer = await fleet.ack_one(first.dispatch_id, "failed", error_code="TIMEOUT", message="no answer from 10.1.2.3")
    assert (answer.applied, answer.state) == (True, "queued")
    story = await fleet.story(command_id)
    assert story["wait_reason"] == "BACKOFF"
    assert timedelta(seconds=12) <= story["next_attempt_at"] - fleet.now <= timedelta(seconds=18)
    assert story["error_message"] == "no answer from [hidden]"
    assert await fleet.lease() == []
    repeated = await fleet.ack_one(first.dispatch_id, "failed")
    assert (repeated.applied, repeated.error_code) == (False, "ALREADY_ACKED")
    fleet.pass_time(20)
    second = await fleet.lease_one()
    assert second.dispatch_id != first.dispatch_id
    stale = await fleet.ack_one(first.dispatch_id)
    assert (stale.applied, stale.error_code, stale.state) == (False, "STALE_DISPATCH", "dispatched")
    assert (await fleet.ack_one(second.dispatch_id)).state == "succeeded"
    assert len((await fleet.story(command_id))["attempts"]) == 2


async def test_retries_end_and_the_last_failure_stays(fleet: CommandSite) -> None:
    command_id = await fleet.make_command("set_fan", 1, **FAN, max_retries=1, ttl_sec=3600)
    for _ in range(2):
        fleet.pass_time(40)
        await fleet.ack_one((await fleet.lease_one()).dispatch_id, "failed", error_code="TIMEOUT")
    story = await fleet.story(command_id)
    assert (story["state"], story["error_code"], story["attempt"]) == ("failed", "TIMEOUT", 2)


@pytest.mark.parametrize(
    ("status", "code", "stored"),
    [
        ("rejected", None, "REJECTED"),
        ("skipped", "DUPLICATE_IGNORED", "OUTCOME_UNKNOWN"),
        ("failed", "unsupported_command", "unsupported_command"),
        ("failed", "AUTH_FAILED", "AUTH_FAILED"),
    ],
)
async def test_permanent_failures_are_not_retried(
    fleet: CommandSite, status: str, code: str | None, stored: str
) -> None:
    command_id = await fleet.make_command("set_fan", 1, **FAN)
    answer = await fleet.ack_one((await fleet.lease_one()).dispatch_id, status, error_code=code)
    assert (answer.applied, answer.state) == (True, "failed")
    story = await fleet.story(command_id)
    assert story["error_code"] == stored
    assert story["verification"] == ("pending" if status == "skipped" else None)


async def test_a_failure_that_would_expire_before_its_retry_is_final(fleet: CommandSite) -> None:
    await fleet.make_command("set_fan", 1, **FAN, ttl_sec=10)
    assert (await fleet.ack_one((await fleet.lease_one()).dispatch_id, "failed")).state == "failed"


async def test_skipped_never_overwrites_a_success(fleet: CommandSite) -> None:
    await fleet.make_command("set_fan", 1, **FAN)
    leased = await fleet.lease_one()
    await fleet.ack_one(leased.dispatch_id)
    skipped = await fleet.ack_one(leased.dispatch_id, "skipped")
    assert (skipped.applied, skipped.state, skipped.error_code) == (False, "succeeded", "ALREADY_FINAL")


async def test_the_ack_of_a_lease_that_ran_out_still_finishes_the_command(fleet: CommandSite) -> None:
    command_id = await fleet.make_command("set_fan", 1, **FAN)
    leased = await fleet.lease_one()
    fleet.pass_time(200)
    await fleet.sweep()
    assert await fleet.state(command_id) == "queued"
    assert (await fleet.ack_one(leased.dispatch_id, "running")).error_code == "LEASE_ENDED"
    assert (await fleet.ack_one(leased.dispatch_id)).state == "succeeded"


async def test_a_former_holder_may_succeed_but_not_fail_a_dispatch(fleet: CommandSite) -> None:
    command_id = await fleet.make_command("set_fan", 1, **FAN)
    leased = await fleet.lease_one(fleet.north)
    fleet.pass_time(200)
    await fleet.sweep()
    assert (await fleet.lease_one(fleet.south)).dispatch_id == leased.dispatch_id
    moved = await fleet.ack_one(leased.dispatch_id, "failed", holder=fleet.north)
    assert (moved.applied, moved.error_code, moved.state) == (False, "LEASE_MOVED", "dispatched")
    assert (await fleet.ack_one(leased.dispatch_id, holder=fleet.north)).state == "succeeded"
    assert (await fleet.ack_one(leased.dispatch_id, holder=fleet.south)).error_code == "ALREADY_FINAL"
    assert await fleet.state(command_id) == "succeeded"


async def test_a_collector_that_never_held_it_changes_nothing(fleet: CommandSite) -> None:
    command_id = await fleet.make_command("set_fan", 1, **FAN)
    leased = await fleet.lease_one(fleet.north)
    answer = await fleet.ack_one(leased.dispatch_id, holder=fleet.south)
    assert (answer.found, answer.applied, answer.error_code) == (True, False, "NOT_LEASE_OWNER")
    assert await fleet.state(command_id) == "dispatched"


async def test_unknown_ids_and_ids_of_another_site_are_not_found(fleet: CommandSite) -> None:
    await fleet.make_command("set_fan", 1, **FAN)
    leased = await fleet.lease_one()
    elsewhere = fleet.collector("elsewhere", site_id=2)
    for dispatch_id, holder in ((new_id(), fleet.north), ("7", fleet.north), (leased.dispatch_id, elsewhere)):
        answer = await fleet.ack_one(dispatch_id, holder=holder)
        assert (answer.found, answer.error_code) == (False, "NOT_FOUND")
    own_id = await fleet.ack_one(leased.command_id)
    assert own_id.found is False


async def test_running_is_a_state_change_and_keeps_the_lease(fleet: CommandSite) -> None:
    command_id = await fleet.make_command("set_fan", 1, **FAN)
    leased = await fleet.lease_one()
    fleet.pass_time(100)
    assert (await fleet.ack_one(leased.dispatch_id, "running")).state == "running"
    assert (await fleet.ack_one(leased.dispatch_id, "running")).applied
    fleet.pass_time(100)
    await fleet.sweep()
    assert await fleet.state(command_id) == "running"
    assert (await fleet.ack_one(leased.dispatch_id)).state == "succeeded"
    history = [move["event"] for move in (await fleet.story(command_id))["history"]]
    assert history == ["created", "leased", "started", "succeeded"]


async def test_a_batch_applies_each_ack_separately_and_in_order(fleet: CommandSite) -> None:
    await fleet.request("set_fan", 1, 2, 3, **FAN)
    first, two, three = (row.dispatch_id for row in await fleet.lease())
    acks = [
        Ack(str(first), AckStatus.RUNNING),
        Ack(str(two), AckStatus.FAILED, error_code="TIMEOUT"),
        Ack(str(first), AckStatus.SUCCEEDED),
        Ack(str(new_id()), AckStatus.SUCCEEDED),
        Ack(str(first), AckStatus.FAILED),
        Ack(str(two), AckStatus.SUCCEEDED),
        Ack(str(three), AckStatus.REJECTED),
    ]
    answers = await fleet.ack(*acks)
    results = [(answer.applied, answer.state, answer.error_code) for answer in answers]
    assert results == [
        (True, "running", None),
        (True, "queued", None),
        (True, "succeeded", None),
        (False, None, "NOT_FOUND"),
        (False, "succeeded", "ALREADY_FINAL"),
        (False, "queued", "ALREADY_ACKED"),
        (True, "failed", None),
    ]


async def test_a_late_ack_finds_its_command_among_the_finished(fleet: CommandSite) -> None:
    command_id = await fleet.make_command("set_fan", 1, **FAN)
    leased = await fleet.lease_one()
    await fleet.ack_one(leased.dispatch_id)
    fleet.pass_time(600)
    assert await fleet.archive() == 1
    assert fleet.count("commands") == 0
    late = await fleet.ack_one(leased.dispatch_id, "failed")
    assert (late.found, late.applied, late.state, late.error_code) == (True, False, "succeeded", "ALREADY_FINAL")
    for _ in range(25):
        await fleet.ack_one(leased.dispatch_id, "failed")
    (attempt,) = (await fleet.story(command_id))["attempts"]
    assert attempt["late_count"] == 26
    assert len(attempt["late_acks"]) == 20


@pytest.mark.parametrize(("how", "code"), [("expire", "COMMAND_EXPIRED"), ("cancel", "ALREADY_FINAL")])
async def test_acks_of_ended_commands_are_answered_with_their_state(fleet: CommandSite, how: str, code: str) -> None:
    command_id = await fleet.make_command("set_fan", 1, **FAN, ttl_sec=60)
    leased = await fleet.lease_one()
    if how == "cancel":
        await fleet.cancel(DecisionTarget(command_id))
    fleet.pass_time(200)
    await fleet.sweep()
    answer = await fleet.ack_one(leased.dispatch_id)
    assert (answer.applied, answer.error_code) == (False, code)


async def test_fifty_are_leased_and_acked_in_as_many_statements_as_one(fleet: CommandSite) -> None:
    counts = []
    for machines in ([1], list(range(2, 52))):
        await fleet.request("set_fan", *machines, caller=fleet.rule, **FAN, pre_approval=_leave())
        with fleet.statements() as leasing:
            leased = await fleet.lease(limit=50)
        with fleet.statements() as acking:
            answers = await fleet.ack(*(Ack(str(command.dispatch_id), AckStatus.SUCCEEDED) for command in leased))
        assert len(leased) == len(machines)
        assert all(answer.applied for answer in answers)
        counts.append((len(leasing), len(acking)))
    assert counts[0] == counts[1]
    assert counts[0] <= (8, 6)


def _leave() -> object:
    from hashinsight.commands.requests import PreApproval

    return PreApproval("olga", "a test")
