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


async def _meet(yard: CommandSite, **more: Any) -> tuple[UUID, UUID]:
    """A start is under way; then a stop of a higher class is asked for, which does not interrupt it and waits."""
    start = await yard.made("enable_hashing", 1)
    leased = await yard.lease_one()
    assert leased.command_id == start
    yard.pass_time(1)
    stop = await yard.made(
        "disable_hashing", 1, asker=yard.rule, **{"priority": "safety", "pre_approval": LEAVE, **more}
    )
    return start, stop


async def _everything_runs(yard: CommandSite) -> list[UUID]:
    """Whoever polls for the next half hour, and what is handed out in that time."""
    ran = []
    for _ in range(30):
        for one in await yard.lease():
            ran.append(one.command_id)
            await yard.say(one.dispatch_id)
        yard.pass_time(60)
        await yard.sweep()
    return ran


@pytest.mark.parametrize("how", ["failed", "lost"])
async def test_a_start_that_comes_back_does_not_run_behind_the_stop_that_outranks_it(
    yard: CommandSite, how: str
) -> None:
    start, stop = await _meet(yard, ttl_sec=3600)
    if how == "failed":
        dispatch = (await yard.story(start))["dispatch_id"]
        answer = await yard.say(dispatch, "failed", error_code="TIMEOUT")
        assert (answer.applied, answer.state) == (True, "superseded")
    else:
        yard.pass_time(181)
        await yard.sweep()
    story = await yard.story(start)
    assert (story["state"], story["superseded_by"]) == ("superseded", stop)
    came_back = "retried" if how == "failed" else "lease_lost"
    assert [one["event"] for one in story["history"]][-2:] == [came_back, "superseded"]
    assert [entry["action"] for entry in story["audit"]][-1] == "command_superseded"
    assert await _everything_runs(yard) == [stop]
    examined = await check_history(yard.database, yard.tenant)
    assert examined.ok, examined.findings


async def test_a_stop_that_waits_for_its_retry_goes_before_the_start_that_was_asked_for_behind_it(
    yard: CommandSite,
) -> None:
    """The older goes first, also while its backoff lasts: else the machine would end as nobody wants it."""
    stop = await yard.made("disable_hashing", 1, asker=yard.rule, pre_approval=LEAVE)
    leased = await yard.lease_one()
    yard.pass_time(1)
    start = await yard.made("enable_hashing", 1, ttl_sec=3600)
    await yard.say(leased.dispatch_id, "failed", error_code="TIMEOUT")
    assert await yard.lease() == []
    assert (await yard.story(start))["wait_reason"] == "MINER_LOCKED"
    assert (await yard.story(stop))["wait_reason"] == "BACKOFF"
    assert await _everything_runs(yard) == [stop, start]


async def test_a_retry_is_not_displaced_by_what_was_there_before_it(yard: CommandSite) -> None:
    """It was weighed against that when it was made, and was let through beside it."""
    reboot = await yard.made("reboot_device", 1, priority="safety")
    yard.pass_time(1)
    fan = await yard.made("set_fan", 1, params={"speed": 60})
    await yard.say((await yard.lease_one()).dispatch_id, "failed", error_code="TIMEOUT")
    assert [await yard.state(one) for one in (reboot, fan)] == ["queued", "queued"]
    yard.pass_time(60)
    assert (await yard.lease_one()).command_id == fan


async def test_a_stop_that_is_asked_for_while_the_failure_waits_for_it_is_seen(
    yard: CommandSite, superuser_url: str
) -> None:
    """The ack's picture is older than the stop: it is weighed by a second look, under the lock."""
    start = await yard.made("enable_hashing", 1)
    leased = await yard.lease_one()
    wish = command_request("disable_hashing", 1, priority="safety", pre_approval=LEAVE)
    async with yard.session() as asking:
        answer = await service.request(asking, VAULT, yard.rule, wish, now=yard.now)
        failing = asyncio.create_task(yard.say(leased.dispatch_id, "failed", error_code="TIMEOUT"))
        await wait_until_blocked(superuser_url, failing)
    assert (await failing).state == "superseded"
    assert (await yard.story(start))["superseded_by"] == answer.commands[0].command_id
