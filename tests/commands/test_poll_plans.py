"""Which way a poll goes to its rows, on a table that was empty when it was last analysed, as after a quiet night."""

import re
from datetime import timedelta

from sqlalchemy import text

from hashinsight.commands.asking import PreApproval
from hashinsight.commands.queries import leasing
from hashinsight.kit.db.context import Context
from hashinsight.kit.db.together import together
from hashinsight.kit.ids import new_ids
from tests.commands.yard import Yard

MACHINES = 500


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
