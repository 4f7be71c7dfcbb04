"""What comes back to the queue is weighed again: something may have been asked for while it was leased."""

import asyncio
from typing import Any
from uuid import UUID

import pytest

from hashinsight.commands import service
from hashinsight.commands.requests import PreApproval
from hashinsight.commands.service.checker import check_history
from tests.commands.command_site import VAULT, CommandSite, command_request
from tests.lock_waits import wait_until_blocked

LEAVE = PreApproval("olga", "a test")


async def _meet(fleet: CommandSite, **more: Any) -> tuple[UUID, UUID]:
    """A start is under way; then a stop of a higher class is asked for, which does not interrupt it and waits."""
    start = await fleet.make_command("enable_hashing", 1)
    leased = await fleet.lease_one()
    assert leased.command_id == start
    fleet.pass_time(1)
    stop = await fleet.make_command(
        "disable_hashing", 1, caller=fleet.rule, **{"priority": "safety", "pre_approval": LEAVE, **more}
    )
    return start, stop


async def _everything_runs(fleet: CommandSite) -> list[UUID]:
    """Whoever polls for the next half hour, and what is handed out in that time."""
    ran = []
    for _ in range(30):
        for command in await fleet.lease():
            ran.append(command.command_id)
            await fleet.ack_one(command.dispatch_id)
        fleet.pass_time(60)
        await fleet.sweep()
    return ran


@pytest.mark.parametrize("how", ["failed", "lost"])
async def test_a_returned_start_does_not_run_after_a_higher_ranked_stop(fleet: CommandSite, how: str) -> None:
    start, stop = await _meet(fleet, ttl_sec=3600)
    if how == "failed":
        dispatch = (await fleet.story(start))["dispatch_id"]
        answer = await fleet.ack_one(dispatch, "failed", error_code="TIMEOUT")
        assert (answer.applied, answer.state) == (True, "superseded")
    else:
        fleet.pass_time(181)
        await fleet.sweep()
    story = await fleet.story(start)
    assert (story["state"], story["superseded_by"]) == ("superseded", stop)
    came_back = "retried" if how == "failed" else "lease_lost"
    assert [move["event"] for move in story["history"]][-2:] == [came_back, "superseded"]
    assert [entry["action"] for entry in story["audit"]][-1] == "command_superseded"
    assert await _everything_runs(fleet) == [stop]
    examined = await check_history(fleet.database, fleet.tenant)
    assert examined.ok, examined.findings


async def test_a_start_whose_ack_was_read_before_the_stop_was_requested_is_superseded_by_it(
    fleet: CommandSite,
) -> None:
    """The ack waited for the lock. By the application's clock the stop came later, by the database's it was there."""
    start, stop = await _meet(fleet, ttl_sec=3600)
    fleet.pass_time(-0.5)
    await fleet.ack_one((await fleet.story(start))["dispatch_id"], "failed", error_code="TIMEOUT")
    story = await fleet.story(start)
    assert (story["state"], story["superseded_by"]) == ("superseded", stop)
    examined = await check_history(fleet.database, fleet.tenant)
    assert examined.ok, examined.findings
    fleet.write(
        "update command_history set recorded_at = recorded_at + interval '1 hour' where command_id = %s and n = 1", stop
    )
    examined = await check_history(fleet.database, fleet.tenant)
    assert [finding.name for finding in examined.findings if finding.command_id == start] == ["SUPERSESSION_BROKEN"]


async def test_a_command_that_returned_is_superseded_by_a_request_of_the_same_moment(fleet: CommandSite) -> None:
    start = await fleet.make_command("enable_hashing", 1)
    await fleet.ack_one((await fleet.lease_one()).dispatch_id, "failed", error_code="TIMEOUT")
    stop = await fleet.make_command("disable_hashing", 1, caller=fleet.rule, priority="safety", pre_approval=LEAVE)
    story = await fleet.story(start)
    assert (story["state"], story["superseded_by"]) == ("superseded", stop)
    assert len({move["at"] for move in story["history"][-2:]}) == 1
    examined = await check_history(fleet.database, fleet.tenant)
    assert examined.ok, examined.findings


async def test_a_stop_waiting_for_its_retry_goes_before_a_later_start(
    fleet: CommandSite,
) -> None:
    """The older goes first, also while its backoff lasts: else the machine would end as nobody wants it."""
    stop = await fleet.make_command("disable_hashing", 1, caller=fleet.rule, pre_approval=LEAVE)
    leased = await fleet.lease_one()
    fleet.pass_time(1)
    start = await fleet.make_command("enable_hashing", 1, ttl_sec=3600)
    await fleet.ack_one(leased.dispatch_id, "failed", error_code="TIMEOUT")
    assert await fleet.lease() == []
    assert (await fleet.story(start))["wait_reason"] == "MINER_LOCKED"
    assert (await fleet.story(stop))["wait_reason"] == "BACKOFF"
    assert await _everything_runs(fleet) == [stop, start]


async def test_a_retry_is_not_superseded_by_an_older_command(fleet: CommandSite) -> None:
    """It was weighed against that when it was made, and was let through beside it."""
    reboot = await fleet.make_command("reboot_device", 1, priority="safety")
    fleet.pass_time(1)
    fan = await fleet.make_command("set_fan", 1, params={"speed": 60})
    await fleet.ack_one((await fleet.lease_one()).dispatch_id, "failed", error_code="TIMEOUT")
    assert [await fleet.state(command_id) for command_id in (reboot, fan)] == ["queued", "queued"]
    fleet.pass_time(60)
    assert (await fleet.lease_one()).command_id == fan


async def test_a_stop_requested_during_a_failing_ack_is_seen(fleet: CommandSite, superuser_url: str) -> None:
    """The ack's picture is older than the stop: it is weighed by a second look, under the lock."""
    start = await fleet.make_command("enable_hashing", 1)
    leased = await fleet.lease_one()
    wish = command_request("disable_hashing", 1, priority="safety", pre_approval=LEAVE)
    async with fleet.session() as asking:
        answer = await service.request(asking, VAULT, fleet.rule, wish, now=fleet.now)
        failing = asyncio.create_task(fleet.ack_one(leased.dispatch_id, "failed", error_code="TIMEOUT"))
        await wait_until_blocked(superuser_url, failing)
    assert (await failing).state == "superseded"
    assert (await fleet.story(start))["superseded_by"] == answer.commands[0].command_id
