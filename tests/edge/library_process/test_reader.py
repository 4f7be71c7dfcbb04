"""Two hundred simulated machines, read with asic-rs in the child process, compared with the simulator's figures."""

import asyncio
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from hashinsight.edge.library_process.messages import MachineError
from hashinsight.edge.library_process.reader import Reader
from hashinsight.edge.readings.record import make_record
from tests.edge.simulated_site import LUXOS, RecordingSink, running_site, simulate_site, site_settings, until
from tests.installation import HANG_TIMEOUT_SEC
from tests.sim.simulator_process import Sim

MACHINES = 200
STOCK = range(180, 200)  # stock Antminers: the library needs a web page that is not simulated


@pytest.fixture(scope="module")
def sim(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sim]:
    makes = (("Antminer S19j Pro", 80, LUXOS), ("Whatsminer M50S", 60), ("Avalon A1366", 40), ("Antminer S21", 20))
    with simulate_site(tmp_path_factory.mktemp("sim"), *makes) as running:
        yield running


@pytest.fixture(scope="module")
def truth(sim: Sim) -> list[dict[str, Any]]:
    result = sim.control("machines")
    assert isinstance(result, list)
    return result


# each is a separate query on some make
QUERIED_APART = {"pool_url", "fan_speeds", "hw_errors", "uptime_seconds", "boards", "temp_max"}
FIELDS = {
    "pyasic_rs": QUERIED_APART | {"power_w", "mac_address"},
    "cgminer": QUERIED_APART,
}  # stock firmware reports no watts


def newest_whole(sink: RecordingSink, readers: Mapping[str, str]) -> dict[str, Mapping[str, Any]]:
    """On a busy machine one of several queries may time out: that reading is incomplete, a later one is not."""
    return {
        sample["miner_id"]: sample
        for sample in sink.samples
        if sample.get("raw_data", {}).get("reader") == (reader := readers[sample["miner_id"]])
        and FIELDS[reader] <= sample.keys()
        and all(board.get("hashrate_ths") is not None for board in sample.get("boards", ()))
    }


async def test_two_hundred_machines_are_read_correctly_and_each_sample_names_its_reader(
    sim: Sim, truth: list[dict[str, Any]], tmp_path: Path
) -> None:
    readers = {machine["address"]: "cgminer" if machine["no"] in STOCK else "pyasic_rs" for machine in truth}
    settings = site_settings(tmp_path, [f"{sim.net}.0.1-{MACHINES}"], identity="address")
    async with running_site(settings) as (local_site, sink):
        await until(lambda: local_site.counts().online == MACHINES, "all machines")
        await until(lambda: len(sink.samples) >= 2 * MACHINES, "a second round")
        await until(lambda: len(newest_whole(sink, readers)) == MACHINES, "each of them to have said everything")
    newest = newest_whole(sink, readers)
    for machine in truth:
        sample = newest[machine["address"]]
        assert sample["online"] is True
        assert sample["model"] == machine["model"]
        assert sample["hashrate_ths"] == pytest.approx(machine["hashrate_ths"], rel=0.25)
        assert sum(board["hashrate_ths"] for board in sample["boards"]) == pytest.approx(
            machine["hashrate_ths"], rel=0.1
        )
        assert sample["state"] == "running"
        assert 25 < sample["temp_max"] < 95
        assert len(sample["fan_speeds"]) in (2, 4)
        assert all(rpm > 1000 for rpm in sample["fan_speeds"])
        assert sample["pool_url"] == "stratum+tcp://main.pool.example:3333"
        assert sample["worker_name"] == "farm.worker"
        assert sample["accepted_shares"] > 0
        assert sample["hw_errors"] >= 0
        assert sample["uptime_seconds"] > 0
        if machine["no"] not in STOCK:
            assert sample["power_w"] == pytest.approx(machine["power_w"], rel=0.15)
            assert sample["mac_address"].startswith("02:")
        assert "flags" not in sample["raw_data"]
        assert not {"ip", "hostname", "address"} & set(sample)


async def test_a_machine_keeps_its_name_between_runs_and_is_named_by_serial_then_mac(sim: Sim, tmp_path: Path) -> None:
    settings = site_settings(tmp_path, [f"{sim.net}.0.1", f"{sim.net}.0.81", f"{sim.net}.0.181"])
    names = []
    for _ in range(2):
        async with running_site(settings) as (local_site, _):
            await until(lambda local_site=local_site: local_site.counts().online == 3, "three machines")  # type: ignore[misc]
            names.append(sorted(machine.miner_id for machine in local_site.poller.roster))
    assert names[0] == names[1]
    by_mac, by_serial, by_address = names[0]
    assert by_mac.startswith("02:")
    assert by_serial.startswith("SN")
    assert by_address.startswith("m-")


async def test_one_child_reads_many_machines_in_parallel(sim: Sim) -> None:
    async with Reader() as reader:
        addresses = [f"{sim.net}.0.{no}" for no in range(1, 101)]
        result = await asyncio.gather(*(reader.read(address, timeout_sec=60) for address in addresses))
        assert {machine["reader"] for machine in result} == {"pyasic_rs"}
        assert len(reader.pids) == 1
        assert reader.restarts == 0


async def test_an_absent_machine_fails_quickly_and_with_its_kind(sim: Sim) -> None:
    async with Reader() as reader:
        await reader.read(f"{sim.net}.0.1", timeout_sec=60)
        began = asyncio.get_running_loop().time()
        with pytest.raises(MachineError) as refused:
            await reader.read("127.250.250.250", timeout_sec=HANG_TIMEOUT_SEC)
        assert refused.value.kind == "refused"
        sim.control("inject", kind="network_lost", machine="150", for_sec=600)
        await until(lambda: sim.machine(150)["state"] == "unreachable", "it to be gone")
        with pytest.raises(MachineError) as lost:
            await reader.read(sim.address(150), timeout_sec=HANG_TIMEOUT_SEC)
        assert lost.value.kind == "unreachable"
        assert asyncio.get_running_loop().time() - began < HANG_TIMEOUT_SEC, "long before the time that it is given"


def test_a_record_leaves_out_what_a_machine_did_not_report() -> None:
    from datetime import UTC, datetime

    result = {"reader": "pyasic_rs", "data": {"device_info": {"model": "S19jPro", "firmware": "LuxOS"}, "uptime": 5.0}}
    record = make_record(result, miner_id="m", at=datetime(2026, 1, 1, tzinfo=UTC))
    assert record == {
        "miner_id": "m",
        "timestamp": "2026-01-01T00:00:00Z",
        "online": True,
        "uptime_seconds": 5,
        "model": "Antminer S19j Pro",
        "firmware": "LuxOS",
        "raw_data": {"reader": "pyasic_rs"},
    }
