"""The field's own library, not our parser, discovers simulated machines, reads them and commands them."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.installation import HANG_TIMEOUT_SEC, environment, wait_for
from tests.sim.simulator_process import Sim, sim_running

ANTMINER, WHATSMINER, AVALON = 0, 3, 6
MACHINES = 9


def library(sim: Sim, *which: int) -> dict[str, Any]:
    """What the library says in a process of its own: of all machines, or of what it did to one."""
    program = Path(__file__).with_name("pyasic_reader.py")
    done = subprocess.run(
        [sys.executable, str(program), sim.net, str(MACHINES), *map(str, which)],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=HANG_TIMEOUT_SEC,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    body = json.loads(done.stdout)
    assert isinstance(body, dict)
    return body


@pytest.fixture(scope="module")
def sim(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sim]:
    """Far faster than life: a machine that was resumed is warm with the next look at it."""
    with sim_running(tmp_path_factory.mktemp("sim"), "--speed", "3600") as running:
        yield running


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> dict[int, dict[str, Any]]:
    """Before anything was done to them."""
    with sim_running(tmp_path_factory.mktemp("sim")) as untouched:
        reading = library(untouched)
        return {no: reading[untouched.address(no)] for no in range(len(reading))}


def test_it_discovers_the_whole_range_with_make_model_and_firmware(read: dict[int, dict[str, Any]]) -> None:
    kinds = {no: (reading["device_info"]["make"], reading["device_info"]["firmware"]) for no, reading in read.items()}
    makes = [("Antminer", "LuxOS")] * 3 + [("Whatsminer", "WhatsMiner Stock")] * 3
    makes += [("Avalonminer", "AvalonMiner Stock")] * 3
    assert kinds == dict(enumerate(makes))
    models = [read[no]["device_info"]["model"] for no in (ANTMINER, WHATSMINER, AVALON)]
    assert models[0] == "S19jPro"
    assert models[1].startswith("M50SV")
    assert models[2] == "1366"


@pytest.mark.parametrize(("no", "fans", "ths", "watts"), [(ANTMINER, 4, 104, 3050), (WHATSMINER, 2, 126, 3280)])
def test_it_reads_hashrate_boards_fans_temperatures_power_and_pools(
    read: dict[int, dict[str, Any]], no: int, fans: int, ths: float, watts: float
) -> None:
    reading = read[no]
    assert reading["hashrate"]["value"] == pytest.approx(ths, rel=0.25)
    assert reading["expected_hashrate"]["value"] == pytest.approx(ths, rel=0.1)
    assert reading["wattage"] == pytest.approx(watts, rel=0.2)
    assert len(reading["hashboards"]) == 3
    for board in reading["hashboards"]:
        assert board["hashrate"]["value"] == pytest.approx(ths / 3, rel=0.2)
        assert 20 < board["board_temperature"] < 90
        assert board["working_chips"] == pytest.approx(board["expected_chips"], rel=0.06)
        assert board["frequency"] > 300
    assert len(reading["fans"]) == fans
    assert all(1000 < fan["rpm"] < 7500 for fan in reading["fans"])
    assert 20 < reading["average_temperature"] < 90
    (group,) = reading["pools"]
    assert [pool["url"] for pool in group["pools"]] == [
        "stratum+tcp://main.pool.example:3333",
        "stratum+tcp://backup.pool.example:3333",
    ]
    assert [(pool["active"], pool["alive"]) for pool in group["pools"]] == [(True, True), (False, True)]
    assert group["pools"][0]["accepted_shares"] > 0
    assert reading["uptime"]
    assert reading["is_mining"] is True
    assert reading["mac"].startswith("02:")


def test_it_reads_serials_hostnames_and_versions_where_it_knows_how(read: dict[int, dict[str, Any]]) -> None:
    antminer, whatsminer, avalon = (read[no] for no in (ANTMINER, WHATSMINER, AVALON))
    assert antminer["serial_number"].startswith("SN")
    assert avalon["serial_number"].startswith("SN")
    assert (antminer["hostname"], whatsminer["hostname"]) == ("north-00001", "north-00004")
    assert antminer["firmware_version"] == "2024.5.1"
    assert whatsminer["firmware_version"].startswith("2024")
    assert avalon["wattage"] == pytest.approx(3250, rel=0.2)
    assert avalon["hashrate"]["value"] == pytest.approx(130, rel=0.25)


def pauses_and_resumes(done: dict[str, Any]) -> bool:
    assert (done["pause"], done["resume"], done["light"]) == (True, True, True)
    assert 0 < done["watts_paused"] < 300
    assert done["ths_paused"] == 0
    return bool(done["watts_resumed"] > 1000)


def test_an_avalon_is_paused_with_falling_power_and_resumed(sim: Sim) -> None:
    assert pauses_and_resumes(library(sim, AVALON))


@pytest.mark.parametrize("no", [ANTMINER, WHATSMINER])
def test_it_pauses_and_resumes_the_others_sets_pools_and_light_and_restarts_them(sim: Sim, no: int) -> None:
    done = library(sim, no)
    assert pauses_and_resumes(done)
    assert done["light_seen"] is True
    assert done["pools"] is True
    assert done["pools_seen"] == ["new.example"]
    assert done["restart"] is True
    # the library has a power limit, a mode and an honest word for being stopped only for this make
    assert ("limit" in done) == (no == WHATSMINER)
    if no == WHATSMINER:
        assert (done["limit"], done["mode"]) == (True, True)
        assert done["mining_paused"] is False
    wait_for(lambda: sim.machine(no)["state"] != "unreachable", "the restart to be over")
