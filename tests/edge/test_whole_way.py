"""From a person's request to a machine that changes, and back; and a cloud that goes away in the middle of it."""

import signal
import time

from tests.edge.server import Server, until
from tests.edge.whole import EACH, Whole

ROUNDS = 6  # of readings that nobody takes


async def test_a_command_goes_from_a_person_to_a_machine_that_changes_and_back(whole: Whole, server: Server) -> None:
    await server.start()
    whole.start_edge()
    await whole.all_read()
    ids = [
        *await whole.ask("disable_hashing", 0, EACH),
        *await whole.ask("reboot_device", 1, EACH + 1),
        *await whole.ask("set_power_mode", EACH + 2, params={"mode": "eco"}),
        *await whole.ask("fault_light", 2, params={"on": True}),
    ]
    ended = await whole.ended(ids)
    assert {row["state"] for row in ended.values()} == {"succeeded"}, ended
    whole.check_orders(ended)
    assert {whole.sim.machine(no)["state"] for no in (0, EACH)} == {"stopped"}
    story = await whole.asks.commands.get(ids[0])
    (attempt,) = story["attempts"]
    assert attempt["snapshot_before"]["state"] == "running"
    assert attempt["snapshot_after"]["state"] == "stopped"
    refused = await whole.ended(await whole.ask("set_power_mode", 3, params={"mode": "eco"}))
    assert [row["error_code"] for row in refused.values()] == ["UNSUPPORTED"]
    assert whole.orders()[whole.names[3]] == {}
    assert whole.end_edge() == 0
    assert whole.check_samples() > len(whole.names)
    assert whole.checked()["commands"] == 7


async def test_a_cloud_that_goes_away_costs_no_sample_and_no_ack_and_its_view_is_right_when_it_is_back(
    whole: Whole, server: Server
) -> None:
    await server.start()
    whole.start_edge()
    await whole.all_read()
    ids = await whole.ask("disable_hashing", *range(6))

    async def begun() -> bool:
        return bool(whole.status()["journal"]["last"])

    await until(begun, "a command that runs")
    server.stop(signal.SIGKILL)

    async def has_much_to_tell() -> bool:
        told = whole.status()
        return bool(told["spool"]["samples"] > ROUNDS * len(whole.names) and told["journal"]["acks_waiting"] > 0)

    await until(has_much_to_tell, "samples and acks to wait for the cloud")
    await server.start()
    back = time.time()
    ended = await whole.ended(ids)
    assert {row["state"] for row in ended.values()} == {"succeeded"}

    async def is_live() -> bool:
        newest = whole.rows("select extract(epoch from max(ts)) as at from telemetry_raw group by miner_no")
        return len(newest) == len(whole.names) and all(float(row["at"]) > back for row in newest)

    await until(is_live, "the newest of every machine")

    async def is_drained() -> bool:
        return (whole.status()["spool"]["oldest_at"] or time.time()) > back

    await until(is_drained, "the backlog")
    assert whole.end_edge() == 0
    whole.check_orders(ended)
    whole.check_samples()
    assert whole.rows("select * from audit_log where action = 'command_ack_ignored'") == [], "each ack came once"
    assert whole.checked()["open"] == 0
    log = whole.log.read_text()
    assert log.count("cloud: not reachable") == log.count("cloud: reachable again") == 1, log


async def test_an_over_hot_machine_is_stopped_while_the_cloud_is_away_and_that_is_reported_later(
    whole: Whole, server: Server
) -> None:
    """The site's limit is below what the machines have: for them that is a hot day."""
    whole.start_edge(protection_stop_at_c=40, miners_interval_sec=5)

    def stopped() -> int:
        return sum(one["state"] == "stopped" for one in whole.sim.control("machines"))

    async def all_stopped() -> bool:
        return stopped() == len(whole.names)

    await until(all_stopped, "every machine to be stopped")
    await server.start()

    stops_told = "select * from collector_events where kind = 'local_protection' and severity = 'critical'"

    async def told() -> bool:
        return len(whole.rows(stops_told)) >= len(whole.names)

    await until(told, "the events")
    assert whole.end_edge() == 0
    assert len(whole.rows(stops_told)) == len(whole.names)
    assert {counts["pause"] for counts in whole.orders().values()} == {1}
