"""Interleavings that were once wrong, each forced to happen: what a race hits by chance, these hit every time."""

import asyncio
from pathlib import Path
from threading import Thread
from typing import Any

import psycopg
import pytest
from sqlalchemy.exc import IntegrityError

from hashinsight.commands import service
from hashinsight.commands.requests import PreApproval
from hashinsight.commands.service import sweeps
from hashinsight.commands.service.approvals import DecisionTarget
from hashinsight.commands.service.leases import LeasedCommand
from hashinsight.kit.db.address import DatabaseAddress
from hashinsight.kit.db.context import Context, job_context
from hashinsight.kit.db.database import Database
from hashinsight.wire.acks import Ack, AckStatus
from tests.commands.command_site import SITE, VAULT
from tests.commands.race.shared_clock import REBOOTS, Plan, SharedClockSite, joined
from tests.commands.race.statements import every_statement
from tests.commands.slow_poll import PAUSE
from tests.lock_waits import wait_until_blocked

LEAVE = PreApproval("olga", "a race")
# a poll of whoever is called `slow` stops with its picture taken; and a lease takes long enough for two polls to meet
MEETING = f"""{PAUSE}
create function slowly() returns trigger language plpgsql as $$ begin perform pg_sleep(0.03); return new; end $$;
create trigger slowly before update on commands for each row when (new.state = 'dispatched') execute function slowly();
"""


async def test_reboots_that_come_at_any_instant_of_a_poll_are_held_by_the_rate_limit(
    fleet: SharedClockSite, address: DatabaseAddress, tmp_path: Path
) -> None:
    """Approved behind its first statement, its second, …: what a poll saw before it counted must not be handed out."""
    plan = fleet.plan(tmp_path / "clock", seed=0, deaths=0)
    polling = Database(address, application="slow")
    position = sent = 0

    def slip_in(_statement: str) -> None:
        nonlocal sent
        sent += 1
        if sent == position:
            other = Thread(target=lambda: asyncio.run(_approve_all(plan)))
            other.start()
            other.join()

    try:
        while position <= sent:
            position, sent = position + 1, 0
            await fleet.request("reboot_device", *range(1, 9))
            with every_statement(slip_in, of="slow"):
                leased = await _poll(polling, fleet)
            assert len(leased) <= REBOOTS, f"behind statement {position} of {sent}"
            fleet.pass_time(48 * 3600)
            await fleet.sweep()
    finally:
        await polling.dispose()
    assert position > 3


async def _poll(database: Database, fleet: SharedClockSite) -> list[LeasedCommand]:
    async with database.transaction(Context(tenant=str(fleet.tenant), sites=(SITE,))) as session:
        return await service.lease(session, VAULT, fleet.north, now=fleet.now)


async def _approve_all(plan: Plan) -> None:
    fleet = joined(plan)
    (waiting,) = fleet.rows("select distinct batch_id from commands where approval_state = 'required'")
    await fleet.approve(DecisionTarget(batch_id=waiting["batch_id"]), fleet.person("olga"))
    await fleet.database.dispose()


async def test_reboots_that_come_while_a_poll_looks_are_held_by_the_rate_limit(
    fleet: SharedClockSite, address: DatabaseAddress, superuser_url: str
) -> None:
    """The poll's picture has none waiting, so it counts nothing; before it leases, seven are there."""
    await fleet.request("set_fan", 8, params={"speed": 10})
    fleet.write(MEETING)
    slow = Database(address, application="slow")

    async with await psycopg.AsyncConnection.connect(superuser_url, autocommit=True) as edge_site:
        await edge_site.execute("select pg_advisory_lock(4711)")
        first = asyncio.create_task(_poll(slow, fleet))
        await _waiting_for_lock(fleet)
        await fleet.request("reboot_device", *range(1, 8), caller=fleet.rule, pre_approval=LEAVE)
        await edge_site.execute("select pg_advisory_unlock(4711)")
        leased = await first
    await slow.dispose()
    assert [command.command_type for command in leased] == ["set_fan"]
    assert len(await fleet.lease()) == REBOOTS


async def test_polls_locking_the_same_machines_both_get_an_answer(
    fleet: SharedClockSite, address: DatabaseAddress, superuser_url: str
) -> None:
    """One has the old commands in its picture, the other newer ones that go before them, in the other order."""
    for machine in range(1, 9):
        await fleet.request("set_fan", machine, params={"speed": 10})
    fleet.write(MEETING)
    slow, other = Database(address, application="slow"), Database(address, application="other")

    async with await psycopg.AsyncConnection.connect(superuser_url, autocommit=True) as edge_site:
        await edge_site.execute("select pg_advisory_lock(4711)")
        first = asyncio.create_task(_poll(slow, fleet))
        await _waiting_for_lock(fleet)
        for machine in range(8, 0, -1):
            await fleet.request("restart_mining", machine, priority_number=9)
        second = asyncio.create_task(_poll(other, fleet))
        await edge_site.execute("select pg_advisory_unlock(4711)")
        leased = [*await first, *await second]
        again = [*await _poll(slow, fleet), *await _poll(other, fleet), *await _poll(slow, fleet)]
    await slow.dispose()
    await other.dispose()
    assert again == [], "and who was overtaken goes on polling on the same connection"
    assert sorted(command.miner_no for command in leased) == list(range(1, 9)), "each machine has one, whoever got it"


async def test_a_fault_in_the_tables_is_an_error_and_not_an_empty_poll(fleet: SharedClockSite) -> None:
    """Only who was overtaken looks again: else one broken row would silence a whole site."""
    command_id = await fleet.make_command("set_fan", 1, params={"speed": 10})
    fleet.write("update command_history set n = 2 where command_id = %s", command_id)
    with pytest.raises((IntegrityError, psycopg.IntegrityError)):
        await fleet.lease()


async def test_an_ack_that_waited_for_its_duplicate_is_already_acked(fleet: SharedClockSite) -> None:
    await fleet.make_command("set_fan", 1, params={"speed": 10})
    leased = await fleet.lease_one()
    acks = [Ack(str(leased.dispatch_id), AckStatus.FAILED, error_code="TIMEOUT")]
    async with fleet.session((SITE,)) as first:
        await service.ack(first, fleet.north, acks, now=fleet.now)
        twin = asyncio.create_task(fleet.ack(*acks))
        await _waiting_for_lock(fleet)
    (answer,) = await twin
    assert (answer.applied, answer.error_code) == (False, "ALREADY_ACKED")


async def test_two_halves_of_a_batch_that_are_approved_at_once_are_the_whole_batch(
    fleet: SharedClockSite, superuser_url: str
) -> None:
    answer = await fleet.request("reboot_device", 1, 2)
    half, other_half = (made.command_id for made in answer.commands)
    olga = fleet.person("olga")
    async with fleet.session() as first:
        await service.approve(first, olga, DecisionTarget(half), reason="fine", now=fleet.now)
        other = asyncio.create_task(fleet.approve(DecisionTarget(other_half), olga))
        await wait_until_blocked(superuser_url, other)
    await other
    assert fleet.rows("select approval_state from command_batches") == [{"approval_state": "approved"}]


async def test_a_dedupe_key_is_kept_for_a_request_that_began_inside_its_window(fleet: SharedClockSite) -> None:
    """The tick's clock is ahead of the request's by what the request had to wait."""
    key: dict[str, Any] = {"dedupe_key": "jitter", "dedupe_window_sec": 60, "params": {"speed": 10}}
    first = await fleet.request("set_fan", 1, **key)
    await fleet.ack_one((await fleet.lease_one()).dispatch_id)
    began = fleet.now
    fleet.pass_time(61)
    async with fleet.database.transaction(job_context()) as session:
        await sweeps.delete_old(session, now=fleet.now)
    fleet.now = began
    again = await fleet.request("set_fan", 1, **key)
    assert [made.existing for made in again.commands] == [True]
    assert again.commands[0].command_id == first.commands[0].command_id


async def _waiting_for_lock(fleet: SharedClockSite) -> None:
    while not fleet.rows(  # noqa: ASYNC110 - the database has no signal for it
        "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
    ):
        await asyncio.sleep(0.02)
