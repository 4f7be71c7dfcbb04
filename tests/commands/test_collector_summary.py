"""Collectors and their commands on one page: what each has to do, and what became of the day's."""

from typing import Any

from tests.commands.gate import Gate

DAY = 24 * 3600
NOTHING = {"dispatched": 0, "succeeded": 0, "failed": 0, "expired": 0, "canceled": 0, "superseded": 0}


async def summary(gate: Gate) -> dict[str, dict[str, Any]]:
    rows = (await gate.scene.get("collectors/summary")).json()["collectors"]
    return {row["name"]: row for row in rows}


async def test_the_summary_counts_what_waits_for_a_collector_and_how_the_days_commands_ended(gate: Gate) -> None:
    rows = await summary(gate)
    assert {(row["pending_commands"], row["commands_24h"]["dispatched"]) for row in rows.values()} == {(0, 0)}
    assert rows["north"]["commands_24h"] == NOTHING
    hall = await gate.collector("hall one", zone_id="hall")
    await gate.order("set_fan", 1, 2, 3)
    rows = await summary(gate)
    assert {name: row["pending_commands"] for name, row in rows.items()} == {"north": 3, "south": 3, "hall one": 2}
    first, second, *_ = await gate.polled(hall)  # both machines of the hall
    await gate.said(first["command_id"], headers=hall)
    await gate.said(second["command_id"], "rejected", body={"error_code": "MINER_REFUSED"}, headers=hall)
    rows = await summary(gate)
    assert {name: row["pending_commands"] for name, row in rows.items()} == {"north": 1, "south": 1, "hall one": 0}
    assert rows["hall one"]["commands_24h"] == NOTHING | {"dispatched": 2, "succeeded": 1, "failed": 1}
    assert rows["north"]["commands_24h"] == NOTHING
    (last,) = await gate.polled()
    rows = await summary(gate)
    assert (rows["north"]["pending_commands"], rows["south"]["pending_commands"]) == (1, 0)  # leased
    assert rows["north"]["commands_24h"]["dispatched"] == 1
    await gate.said(last["command_id"])
    gate.scene.at(DAY + 60)
    gate.scene.people.clock = lambda: gate.scene.now
    gate.scene.owner = await gate.scene.people.headers("Owner")
    assert {row["commands_24h"]["dispatched"] for row in (await summary(gate)).values()} == {0}
