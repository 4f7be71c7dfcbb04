"""Imports and changes of single machines take turns: nothing is lost or created by mistake."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import psycopg
import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.identity.caller import Caller, system_caller
from hashinsight.identity.queries.sessions import enter_tenant
from hashinsight.inventory.asset_diff import diff_assets
from hashinsight.inventory.asset_list import parse_asset_list, validate_lines
from hashinsight.inventory.queries import asset_lists, places
from hashinsight.inventory.schemas.miners import MinerUpdate
from hashinsight.inventory.service.asset_lists import write_asset_diff
from hashinsight.inventory.service.miners import change_miner
from hashinsight.kit.clock import system_clock
from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database
from hashinsight.kit.errors import Conflict
from tests.installation import HANG_TIMEOUT_SEC
from tests.inventory.admin_client import AdminClient
from tests.lock_waits import wait_until_blocked
from tests.people import People

LIST = b"miner_id,model,zone\nm1,S19,A"


@pytest.fixture
async def fleet(owner: AdminClient) -> AdminClient:
    await owner.load("one", "m1,S21,A,1,Aurora", "m2,S21,A,1,Aurora")
    return owner


@asynccontextmanager
async def acting(database: Database, people: People) -> AsyncIterator[tuple[AsyncSession, Caller]]:
    tenant_id = await people.tenant_id("a")
    async with database.transaction(job_context()) as session:
        await enter_tenant(session, tenant_id)
        yield session, system_caller(tenant_id)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PATCH", "/miners/m1", {"miner_id": "renamed"}),
        ("PATCH", "/miners/m1", {"site_id": "two", "miner_id": "renamed"}),
        ("POST", "/miners/m1/retire", {"reason": "sold"}),
        ("POST", "/miners", {"site_id": "one", "miner_id": "m3"}),
    ],
)
async def test_machines_of_the_site_do_not_change_during_an_import(
    *,
    fleet: AdminClient,
    database: Database,
    people: People,
    superuser_url: str,
    method: str,
    path: str,
    body: dict[str, Any],
) -> None:
    before = (await fleet.ok("GET", "/miners/m1"))["miner"]
    lines, _ = validate_lines(parse_asset_list(LIST))
    async with acting(database, people) as (session, caller):
        site = await places.get_site(session, caller.seen, "one")
        await asset_lists.lock_site(session, site.id)
        known = await asset_lists.list_known_miners(session, site.id)
        change = asyncio.create_task(fleet(method, path, json=body))
        await wait_until_blocked(superuser_url, change)
        diff = diff_assets(lines, known)
        await write_asset_diff(session, site, diff, cause="import", now=system_clock())
    answer = await change
    assert answer.is_success, answer.text
    miners = (await fleet.ok("GET", "/miners", params={"state": "any"}))["miners"]
    assert len(miners) == (3 if path == "/miners" else 2)
    (after,) = [miner for miner in miners if miner["miner_no"] == before["miner_no"]]
    assert after["model"] == "Antminer S19"
    assert after["miner_id"] == body.get("miner_id", "m1") or path == "/miners"


async def test_an_import_waits_for_a_change_and_keeps_it(
    fleet: AdminClient, database: Database, people: People, superuser_url: str
) -> None:
    async with acting(database, people) as (session, caller):
        change = MinerUpdate(owner="Bo", firmware="LUX 2")
        await change_miner(session, caller, "m1", change, now=system_clock())
        path = "/miners/import?site_id=one"
        load = asyncio.create_task(fleet.ok("POST", path, content=LIST))
        await wait_until_blocked(superuser_url, load)
    assert (await load)["changed"] == 1
    after = (await fleet.ok("GET", "/miners/m1"))["miner"]
    assert (after["owner"], after["firmware"], after["model"]) == ("Bo", "LUX 2", "Antminer S19")


async def test_changes_of_two_machines_of_a_site_do_not_block_each_other(
    fleet: AdminClient, database: Database, people: People
) -> None:
    async with acting(database, people) as (session, caller):
        await change_miner(session, caller, "m1", MinerUpdate(owner="Bo"), now=system_clock())
        async with asyncio.timeout(HANG_TIMEOUT_SEC):
            await fleet.ok("PATCH", "/miners/m2", json={"owner": "Bo"})


async def test_a_bulk_update_of_a_moved_machine_is_a_conflict(
    fleet: AdminClient, database: Database, people: People
) -> None:
    lines, _ = validate_lines(parse_asset_list(LIST))
    with pytest.raises(Conflict):
        async with acting(database, people) as (session, caller):
            site = await places.get_site(session, caller.seen, "one")
            known = await asset_lists.list_known_miners(session, site.id)
            diff = diff_assets(lines, known)
            await change_miner(session, caller, "m1", MinerUpdate(site_id="two"), now=system_clock())
            await write_asset_diff(session, site, diff, cause="import", now=system_clock())
    assert await fleet.miners() == ["m1", "m2"]


async def test_a_slow_upload_holds_no_transaction(fleet: AdminClient, superuser_url: str) -> None:
    open_transactions: list[int] = []

    async def slowly() -> AsyncIterator[bytes]:
        yield b"miner_id,model\n"
        async with await psycopg.AsyncConnection.connect(superuser_url) as connection:
            result = await connection.execute(
                "select count(*) from pg_stat_activity"
                " where datname = current_database() and state = 'idle in transaction'"
            )
            row = await result.fetchone()
            open_transactions.append(row[0] if row else -1)
        yield b"m9,S21\n"

    assert (await fleet.ok("POST", "/miners/import?site_id=one", content=slowly()))["created"] == 1
    assert open_transactions == [0]
