"""From a person's request to a change on a machine and back; and a cloud outage in the middle of it."""

import signal
import time

from tests.edge.full_stack import EACH, FullStack
from tests.edge.server_process import ServerProcess, until

ROUNDS = 6  # of readings during the outage


async def test_a_command_goes_from_a_person_to_a_machine_and_its_result_comes_back(
    stack: FullStack, server: ServerProcess
) -> None:
    await server.start()
    stack.start_collector()
    await stack.all_read()
    ids = [
        *await stack.ask("disable_hashing", 0, EACH),
        *await stack.ask("reboot_device", 1, EACH + 1),
        *await stack.ask("set_power_mode", EACH + 2, params={"mode": "eco"}),
        *await stack.ask("fault_light", 2, params={"on": True}),
    ]
    ended = await stack.ended(ids)
    outcomes = [(row["command_type"], row["state"], row["error_code"]) for row in ended.values()]
    assert {state for _, state, _ in outcomes} == {"succeeded"}, outcomes
    stack.check_orders(ended)
    assert {stack.sim.machine(no)["state"] for no in (0, EACH)} == {"stopped"}
    story = await stack.asks.commands.get(ids[0])
    (attempt,) = story["attempts"]
    assert attempt["snapshot_before"]["state"] == "running"
    assert attempt["snapshot_after"]["state"] == "stopped"
    refused = await stack.ended(await stack.ask("set_power_mode", 3, params={"mode": "eco"}))
    assert [row["error_code"] for row in refused.values()] == ["UNSUPPORTED"]
    assert stack.orders()[stack.names[3]] == {}
    assert stack.end_collector() == 0
    assert stack.check_samples() > len(stack.names)
    assert stack.checked()["commands"] == 7


async def test_a_cloud_outage_loses_no_sample_and_no_ack_and_the_live_view_is_right_afterwards(
    stack: FullStack, server: ServerProcess
) -> None:
    await server.start()
    stack.start_collector()
    await stack.all_read()
    ids = await stack.ask("disable_hashing", *range(6))

    async def begun() -> bool:
        return bool(stack.status()["journal"]["last"])

    await until(begun, "a command that runs")
    server.stop(signal.SIGKILL)

    async def has_much_to_tell() -> bool:
        reported = stack.status()
        return bool(
            reported["spool"]["samples"] > ROUNDS * len(stack.names) and reported["journal"]["acks_waiting"] > 0
        )

    await until(has_much_to_tell, "samples and acks to wait for the cloud")
    await server.start()
    back = time.time()
    ended = await stack.ended(ids)
    assert {row["state"] for row in ended.values()} == {"succeeded"}

    async def is_live() -> bool:
        newest = stack.rows("select extract(epoch from max(ts)) as at from telemetry_raw group by miner_no")
        return len(newest) == len(stack.names) and all(float(row["at"]) > back for row in newest)

    await until(is_live, "the newest of every machine")

    async def is_drained() -> bool:
        return (stack.status()["spool"]["oldest_at"] or time.time()) > back

    await until(is_drained, "the backlog")
    assert stack.end_collector() == 0
    stack.check_orders(ended)
    stack.check_samples()
    assert stack.rows("select * from audit_log where action = 'command_ack_ignored'") == [], "each ack came once"
    assert stack.checked()["open"] == 0
    log = stack.log.read_text()
    assert log.count("cloud: not reachable") == log.count("cloud: reachable again") == 1, log


async def test_an_overheating_machine_is_stopped_during_a_cloud_outage_and_reported_later(
    stack: FullStack, server: ServerProcess
) -> None:
    """The site's limit is below the machines' normal temperature, as on a hot day."""
    stack.start_collector(protection_stop_at_c=40, miners_interval_sec=5)

    def stopped() -> int:
        return sum(machine["state"] == "stopped" for machine in stack.sim.control("machines"))

    async def all_stopped() -> bool:
        return stopped() == len(stack.names)

    await until(all_stopped, "every machine to be stopped")
    await server.start()

    stops_told = "select * from collector_events where kind = 'local_protection' and severity = 'critical'"

    async def reported() -> bool:
        return len(stack.rows(stops_told)) >= len(stack.names)

    await until(reported, "the events")
    assert stack.end_collector() == 0
    assert len(stack.rows(stops_told)) == len(stack.names)
    assert {counts["pause"] for counts in stack.orders().values()} == {1}
