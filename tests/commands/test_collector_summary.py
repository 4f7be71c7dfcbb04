"""Collectors and their commands on one page: what each has to do, and what became of the day's."""

from typing import Any

from tests.commands.edge_site import EdgeSite

DAY = 24 * 3600
COUNTS = {"dispatched": 0, "succeeded": 0, "failed": 0, "expired": 0, "canceled": 0, "superseded": 0}
NOTHING = {**COUNTS, "mean_execution_sec": None}


async def summary(edge_site: EdgeSite) -> dict[str, dict[str, Any]]:
    rows = (await edge_site.collector_site.get("collectors/summary")).json()["collectors"]
    return {row["name"]: row for row in rows}


async def test_the_summary_counts_what_waits_for_a_collector_and_how_the_days_commands_ended(
    edge_site: EdgeSite,
) -> None:
    rows = await summary(edge_site)
    assert {(row["pending_commands"], row["commands_24h"]["dispatched"]) for row in rows.values()} == {(0, 0)}
    assert rows["north"]["commands_24h"] == NOTHING
    hall = await edge_site.collector("hall one", zone_id="hall")
    await edge_site.make_commands("set_fan", 1, 2, 3)
    rows = await summary(edge_site)
    assert {name: row["pending_commands"] for name, row in rows.items()} == {"north": 3, "south": 3, "hall one": 2}
    first, second, *_ = await edge_site.poll_commands(hall)  # both machines of the hall
    await edge_site.ack(first["command_id"], headers=hall)
    await edge_site.ack(second["command_id"], "rejected", body={"error_code": "MINER_REFUSED"}, headers=hall)
    rows = await summary(edge_site)
    assert {name: row["pending_commands"] for name, row in rows.items()} == {"north": 1, "south": 1, "hall one": 0}
    assert rows["hall one"]["commands_24h"] == NOTHING | {"dispatched": 2, "succeeded": 1, "failed": 1}
    assert rows["north"]["commands_24h"] == NOTHING
    (last,) = await edge_site.poll_commands()
    rows = await summary(edge_site)
    assert (rows["north"]["pending_commands"], rows["south"]["pending_commands"]) == (1, 0)  # leased
    assert rows["north"]["commands_24h"]["dispatched"] == 1
    await edge_site.ack(last["command_id"])
    edge_site.collector_site.at(DAY + 60)
    edge_site.collector_site.people.clock = lambda: edge_site.collector_site.now
    edge_site.collector_site.owner = await edge_site.collector_site.people.headers("Owner")
    assert {row["commands_24h"]["dispatched"] for row in (await summary(edge_site)).values()} == {0}


async def test_the_summary_tells_the_mean_execution_time_of_the_days_finished_attempts(edge_site: EdgeSite) -> None:
    async def mean_sec() -> float | None:
        value: float | None = (await summary(edge_site))["north"]["commands_24h"]["mean_execution_sec"]
        return value

    await edge_site.make_commands("set_fan", 1, 2, 3, 4, 5)
    first, second, third, fourth, fifth = [command["command_id"] for command in await edge_site.poll_commands()]
    began = "2026-03-01T12:00:00Z"
    await edge_site.ack(first, body={})  # tells no time
    await edge_site.ack(
        second, "skipped", body={"started_at": began, "finished_at": "2026-03-01T13:00:00Z"}
    )  # ran nothing
    assert await mean_sec() is None
    await edge_site.ack(third, body={"executed_at": began, "duration_ms": 2500})
    assert await mean_sec() == 2.5
    await edge_site.ack(fourth, "running", body={"started_at": began})
    assert await mean_sec() == 2.5
    await edge_site.ack(fourth, body={"finished_at": "2026-03-01T12:00:10Z"})  # started as the ack before said
    assert await mean_sec() == 6.25
    # an attempt that failed and is tried again took its time, too
    applied, state, _ = await edge_site.ack(
        fifth, "failed", body={"error_code": "TIMEOUT", "started_at": began, "finished_at": "2026-03-01T12:00:04Z"}
    )
    assert (applied, state) == (True, "queued")
    assert await mean_sec() == 5.5
    counts = (await summary(edge_site))["north"]["commands_24h"]
    assert (counts["dispatched"], counts["succeeded"]) == (4, 3)  # the skipped one is none
