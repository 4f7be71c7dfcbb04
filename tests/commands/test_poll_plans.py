"""How a poll, an ack or a sweep goes to its rows, on a table that was empty when last analysed, as after a quiet night.

As it is planned for the field: once, for any values.
"""

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from psycopg import AsyncClientCursor
from sqlalchemy import TextClause

from hashinsight.commands.ack_messages import ack_columns
from hashinsight.commands.catalogue import TAKES_DOWN
from hashinsight.commands.queries import lease_sql, sweeps
from hashinsight.commands.queries.ack_sql import LOCK_ACKED
from hashinsight.commands.queries.fragments import pack_ids, pack_rows
from hashinsight.commands.requests import PreApproval
from hashinsight.commands.service.leases import LeasedCommand
from hashinsight.kit.db.context import Context, job_context
from hashinsight.kit.db.pipeline import compile_numbered, driver_connection, execute_together
from hashinsight.kit.ids import new_ids
from hashinsight.wire.acks import Ack, AckStatus
from tests.commands.command_site import CommandSite

MACHINES = 500
POLLED = 40


@pytest.fixture(params=["never used", "emptied"])
async def crowded(request: pytest.FixtureRequest, fleet: CommandSite, superuser_url: str) -> CommandSite:
    """Something waits for each machine, and the statistics know of nothing; of a table that has pages, or none."""
    fleet.add_machines(1_001, 1_000 + MACHINES)
    if request.param == "emptied":
        await _order(fleet)
        while leased := await fleet.lease(limit=500):
            await fleet.ack(*[Ack(str(one.dispatch_id), AckStatus.SUCCEEDED) for one in leased])
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


async def test_a_poll_reads_what_it_takes_in_its_order_and_nothing_else(crowded: CommandSite) -> None:
    """Once it went by the index on `expires_at`, and once by a bitmap: each time it sorted all that waited."""
    plan = await _plan(crowded, lease_sql.LEASE, _polled(crowded))
    assert set(re.findall(r"using (\w+) on commands", plan)) == {"ix_commands_ready", "ix_commands_open"}
    assert set(_read(plan).values()) == {0, POLLED}


async def test_a_poll_with_the_cap_finds_settings_in_transition_by_its_site_alone(crowded: CommandSite) -> None:
    polled = {**_polled(crowded), "uncounted": [], "cap": 5, "site_machines": MACHINES, "fills": True}
    plan = await _plan(crowded, lease_sql.CAPPED_LEASE, polled)
    assert set(re.findall(r"using (ix_commands_(?!ready|open)\w+) on commands\b", plan)) <= {
        "ix_commands_settings",
        "ix_commands_lease_until",
    }
    assert "ix_commands_settings" in plan


async def test_an_ack_reads_what_it_names_and_nothing_once_for_each_of_the_others(crowded: CommandSite) -> None:
    """Once a join of what was locked with what was moved went through all of both, and once through all commands."""
    plan = await _plan(crowded, LOCK_ACKED, _acked(crowded, await crowded.lease(limit=POLLED)))
    assert re.search(rf"Update on commands \w+ \(actual rows={POLLED}", plan)
    assert set(re.findall(r"CTE Scan on \w+(?: \w+)? \(actual rows=\S+ loops=(\d+)\)", plan)) == {"1"}
    assert set(re.findall(r"using (\w+) on commands", plan)) == {"pk_commands"}
    assert set(_read(plan).values()) == {POLLED}


@pytest.mark.parametrize("word", ["archive", "lost", "expire"])
async def test_what_time_does_reads_what_it_moves_and_nothing_else(crowded: CommandSite, word: str) -> None:
    """Once ten thousand commands that were over took 23 seconds to leave the hot table, and half a second since."""
    statement = {"archive": sweeps._ARCHIVE, "lost": sweeps._LOST, "expire": sweeps._TTL}[word]
    if word != "expire":
        leased = await crowded.lease(limit=MACHINES)
        if word == "archive":
            await crowded.ack(*[Ack(str(one.dispatch_id), AckStatus.SUCCEEDED) for one in leased])
    crowded.pass_time(3600)
    values = {"most": POLLED, "now": crowded.now, "before": crowded.now, "code": "COMMAND_EXPIRED", "reason": "a test"}
    plan = await _plan(crowded, statement, values, job_context())
    assert set(_read(plan).values()) == {POLLED}


async def _plan(
    fleet: CommandSite, statement: TextClause, values: Mapping[str, Any], context: Context | None = None
) -> str:
    """Of the statement as it is kept prepared, for the hot calls if nothing else is said."""
    context = context or Context(tenant=str(fleet.tenant), sites=(1,), by_index=True)
    words, names = compile_numbered(statement)
    marks = ", ".join(["%s"] * len(names))
    async with fleet.database.hot() as session:
        await execute_together(session, begin_as=context)
        cursor = AsyncClientCursor(await driver_connection(session))
        await cursor.execute(b"prepare asked as " + words)
        asked = f"explain (analyze, costs off, timing off, buffers off) execute asked ({marks})"
        await cursor.execute(asked.encode(), [values[name] for name in names])
        lines = await cursor.fetchall()
        await cursor.connection.rollback()
    return "\n".join(str(line[0]) for line in lines)


def _read(plan: str) -> dict[str, int]:
    """How many commands each scan of them came to, with those that it filtered out; by their name there."""
    found: dict[str, int] = {}
    scans = "Index|Index Only|Bitmap Heap|Tid|Seq"
    for node in plan.split("->"):
        scan = re.match(rf" +(?:{scans}) Scan .*?on commands(?: (\w+))? \(actual rows=([\d.]+) loops=(\d+)\)", node)
        if scan is not None:
            removed = sum(map(float, re.findall(r"Rows Removed by Filter: ([\d.]+)", node)))
            found[scan[1] or "commands"] = round((float(scan[2]) + removed) * int(scan[3]))
    return found


def _polled(fleet: CommandSite) -> dict[str, Any]:
    return {
        "tenant_id": fleet.tenant, "site_id": 1, "zone_id": None, "collector_id": fleet.north.collector_id,
        "device": "d", "most": POLLED, "lease_until": fleet.now + timedelta(seconds=180), "without": [],
        "types": ["set_fan", "enable_hashing"], "rooms": [POLLED, POLLED], "uncounted": list(TAKES_DOWN),
        "ids": new_ids(POLLED), "entries": new_ids(POLLED), "stale": fleet.now, "now": fleet.now,
        "actor_kind": "collector", "actor_id": "x", "request_id": None, "address": None,
    }  # fmt: skip


def _acked(fleet: CommandSite, leased: list[LeasedCommand]) -> dict[str, Any]:
    said = [
        {
            "dispatch_id": one.dispatch_id,
            "entry_id": entry_id,
            **ack_columns(Ack(str(one.dispatch_id), AckStatus.SUCCEEDED)),
        }
        for one, entry_id in zip(leased, new_ids(len(leased)), strict=True)
    ]
    return {
        "tenant_id": fleet.tenant, "site_id": 1, "collector_id": fleet.north.collector_id, "device": None,
        "ids": pack_ids(one.dispatch_id for one in leased), "successes": pack_rows(said), "lease_until": None,
        "stale": fleet.now, "now": fleet.now, "actor_kind": "collector", "actor_id": "x", "request_id": None,
        "address": None,
    }  # fmt: skip
