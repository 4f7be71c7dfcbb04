"""Polls, acks and sweeps read few rows, also of a table that was empty when last analysed, as after a quiet night."""

from collections.abc import Awaitable, Callable
from typing import Any

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.commands import service
from hashinsight.commands.queries import sweeps
from hashinsight.commands.requests import PreApproval
from hashinsight.kit.db.context import Context, job_context
from hashinsight.wire.acks import Ack, AckStatus
from tests.commands.command_site import VAULT, CommandSite

MACHINES = 500
POLLED = 40


@pytest.fixture(params=["never used", "emptied"])
async def busy(request: pytest.FixtureRequest, fleet: CommandSite, superuser_url: str) -> CommandSite:
    """Something waits for each machine, and the statistics know of nothing; of a table that has pages, or none."""
    fleet.add_machines(1_001, 1_000 + MACHINES)
    if request.param == "emptied":
        await _order(fleet)
        while leased := await fleet.lease(limit=500):
            await fleet.ack(*[Ack(str(command.dispatch_id), AckStatus.SUCCEEDED) for command in leased])
        fleet.pass_time(24 * 3600)
        while await fleet.archive():
            pass
    with psycopg.connect(superuser_url, autocommit=True) as connection:
        connection.execute("vacuum (analyze, truncate false) commands")
    (known,) = fleet.rows("select reltuples, relpages > 0 as has_pages from pg_class where relname = 'commands'")
    assert known == {"reltuples": 0, "has_pages": request.param == "emptied"}
    await _order(fleet)
    return fleet


async def _order(fleet: CommandSite) -> None:
    allowed = PreApproval("rule-7", "a test of plans")
    machines = range(1_001, 1_001 + MACHINES)
    await fleet.request("set_fan", *machines, params={"speed": 60}, caller=fleet.rule, pre_approval=allowed)


async def _rows_read(fleet: CommandSite, context: Context, act: Callable[[AsyncSession], Awaitable[Any]]) -> int:
    """Rows of `commands` that all statements of one transaction read, by the counters of PostgreSQL."""
    counters = text(
        "select coalesce(sum(seq_tup_read + idx_tup_fetch), 0)::int from pg_stat_xact_user_tables"
        " where relname = 'commands'"
    )
    async with fleet.database.transaction(context) as session:
        before = (await session.execute(counters)).scalar_one()  # earlier transactions of the connection may be in it
        await act(session)
        return int((await session.execute(counters)).scalar_one()) - int(before)


def _site_context(fleet: CommandSite) -> Context:
    return Context(tenant=str(fleet.tenant), sites=(1,), by_index=True)


async def test_a_poll_reads_few_rows_more_than_it_takes(busy: CommandSite) -> None:
    """Once it went by the index on `expires_at`, and once by a bitmap: each time it sorted all that waited."""

    async def poll(session: AsyncSession) -> None:
        assert len(await service.lease(session, VAULT, busy.north, limit=POLLED, now=busy.now)) == POLLED

    assert POLLED <= await _rows_read(busy, _site_context(busy), poll) <= 4 * POLLED


async def test_a_poll_that_counts_machines_for_the_cap_reads_few_rows_too(busy: CommandSite) -> None:
    """Restarts are held by the cap, which counts stops, restarts and settings in transition at the site."""
    allowed = PreApproval("rule-7", "a test of plans")
    await busy.request("reboot_device", 1, 2, caller=busy.rule, pre_approval=allowed, priority="safety")

    async def poll(session: AsyncSession) -> None:
        leased = await service.lease(session, VAULT, busy.north, limit=POLLED, now=busy.now)
        assert [command.command_type for command in leased[:3]] == ["reboot_device", "reboot_device", "set_fan"]

    assert POLLED <= await _rows_read(busy, _site_context(busy), poll) <= 4 * POLLED


async def test_an_ack_reads_few_rows_more_than_it_names(busy: CommandSite) -> None:
    """Once a join of what was locked with what was moved went through all of both, and once through all commands."""
    leased = await busy.lease(limit=POLLED)
    acks = [Ack(str(command.dispatch_id), AckStatus.SUCCEEDED) for command in leased]

    async def ack(session: AsyncSession) -> None:
        assert all(result.applied for result in await service.ack(session, busy.north, acks, now=busy.now))

    assert POLLED <= await _rows_read(busy, _site_context(busy), ack) <= 4 * POLLED


@pytest.mark.parametrize("step", ["archive", "lost", "expire"])
async def test_a_sweep_reads_few_rows_more_than_it_moves(busy: CommandSite, step: str) -> None:
    """Once ten thousand commands that were over took 23 seconds to leave the hot table, and half a second since."""
    if step != "expire":
        leased = await busy.lease(limit=MACHINES)
        if step == "archive":
            await busy.ack(*[Ack(str(command.dispatch_id), AckStatus.SUCCEEDED) for command in leased])
    busy.pass_time(3600)

    async def sweep(session: AsyncSession) -> None:
        if step == "archive":
            assert await sweeps.archive(session, before=busy.now, most=POLLED) == POLLED
        else:
            move = sweeps.move_lost if step == "lost" else sweeps.move_expired
            assert len(await move(session, most=POLLED, now=busy.now)) == POLLED

    assert POLLED <= await _rows_read(busy, job_context(), sweep) <= 4 * POLLED
