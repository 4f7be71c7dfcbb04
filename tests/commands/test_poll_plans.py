"""How a poll, or an ack, goes to its rows, on a table that was empty when last analysed, as after a quiet night."""

import re
from datetime import timedelta
from typing import Any

from sqlalchemy import text

from hashinsight.commands.asking import PreApproval
from hashinsight.commands.evidence import kept
from hashinsight.commands.queries import acking, leasing
from hashinsight.commands.queries.packing import listed_ids, packed
from hashinsight.kit.db.context import Context
from hashinsight.kit.db.together import together
from hashinsight.kit.ids import new_ids
from hashinsight.wire.acks import Ack, AckStatus
from tests.commands.yard import Yard

MACHINES = 500
ACKED = 40


async def test_a_poll_finds_its_commands_in_their_order_and_not_by_their_end(yard: Yard) -> None:
    """Once it went by the index on `expires_at`, read every waiting command and sorted them: 100 ms instead of 3."""
    yard.write("analyze commands")
    yard.add_machines(1_001, 1_000 + MACHINES)
    machines = range(1_001, 1_001 + MACHINES)
    allowed = PreApproval("rule-7", "a test of plans")
    await yard.request("set_fan", *machines, params={"speed": 60}, asker=yard.rule, pre_approval=allowed)
    values = {
        "tenant_id": yard.tenant, "site_id": 1, "zone_id": None, "collector_id": yard.north.collector_id,
        "device": "d", "most": 50, "lease_until": yard.now + timedelta(seconds=180), "without": [],
        "types": ["set_fan", "set_frequency"], "rooms": [50, 50], "unsettled": ["reboot_device"],
        "ids": new_ids(50), "entries": new_ids(50), "stale": yard.now, "now": yard.now,
        "actor_kind": "collector", "actor_id": "x", "request_id": None, "address": None,
    }  # fmt: skip
    entering = Context(tenant=str(yard.tenant), sites=(1,), by_index=True)
    async with yard.database.unentered() as session:
        explained = text("explain (analyze, costs off, timing off) " + leasing._LEASE.text)
        (lines,) = await together(session, (explained, values), entering=entering)
        await session.rollback()
    plan = "\n".join(str(line[0]) for line in lines)
    used = set(re.findall(r"using (\w+) on commands", plan))
    assert used == {"ix_commands_ready", "ix_commands_open", "pk_commands"}
    read = re.findall(r"ix_commands_ready on commands .*?rows=([\d.]+) loops=(\d+)", plan)
    assert sum(float(rows) * int(loops) for rows, loops in read) == 50


async def test_an_ack_reads_nothing_once_for_each_of_the_others(yard: Yard) -> None:
    """Once a join of what was locked with what was moved went through all of both: 100 ms for 500 acks."""
    yard.add_machines(1_001, 1_000 + MACHINES)
    allowed = PreApproval("rule-7", "a test of plans")
    fan: dict[str, Any] = {"params": {"speed": 60}, "asker": yard.rule, "pre_approval": allowed}
    await yard.request("set_fan", *range(1_001, 1_001 + MACHINES), **fan)
    leased = await yard.lease(limit=ACKED)
    said = [
        {"dispatch_id": one.dispatch_id, "entry_id": entry_id, **kept(Ack(str(one.dispatch_id), AckStatus.SUCCEEDED))}
        for one, entry_id in zip(leased, new_ids(ACKED), strict=True)
    ]
    values = {
        "tenant_id": yard.tenant, "site_id": 1, "collector_id": yard.north.collector_id, "device": None,
        "ids": listed_ids(one.dispatch_id for one in leased), "rows": packed(said), "lease_until": None,
        "stale": yard.now, "now": yard.now, "actor_kind": "collector", "actor_id": "x", "request_id": None,
        "address": None,
    }  # fmt: skip
    entering = Context(tenant=str(yard.tenant), sites=(1,), by_index=True)
    async with yard.database.unentered() as session:
        explained = text("explain (analyze, costs off, timing off) " + acking._TAKE.text)
        (lines,) = await together(session, (explained, values), entering=entering)
        await session.rollback()
    plan = "\n".join(str(line[0]) for line in lines)
    assert f"Update on commands c_1 (actual rows={ACKED}" in plan
    assert set(re.findall(r"CTE Scan on \w+(?: \w+)? \(actual rows=\S+ loops=(\d+)\)", plan)) == {"1"}
    assert set(re.findall(r"using (\w+) on commands", plan)) == {"pk_commands"}
