"""Every machine once an interval, without drift; who moves is the same machine; what goes wrong is said once."""

import asyncio
import logging
from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import psutil
import pytest

from hashinsight.edge.discovery import addresses, credential_for
from hashinsight.edge.miners import Roster
from hashinsight.edge.miners_identity import IdRule, read_list
from hashinsight.edge.polling import _is_turn
from hashinsight.edge.settings import Credential
from tests.edge.on_site import on_site, settings, simulating, until
from tests.sim.running import Sim

MACHINES = 500
INTERVAL = 10
SECONDS = 60


@pytest.fixture(scope="module")
def sim() -> Iterator[Sim]:
    with simulating("quiet", "--machines", str(MACHINES), "--luxos") as running:
        yield running


@pytest.mark.timeout(240)
async def test_five_hundred_machines_are_read_for_a_minute_without_drift_and_without_growth(
    sim: Sim, tmp_path: Path
) -> None:
    chosen = settings(tmp_path, [f"{sim.net}.0.1-250", f"{sim.net}.1.1-250"], identity="address", interval_sec=INTERVAL)
    async with on_site(chosen) as (side, heard):
        await until(lambda: side.counts().online == MACHINES, "all machines", seconds=90)
        await asyncio.sleep(INTERVAL)
        heard.samples.clear()
        before = _memory_mb(side.poller.reader.pids)
        await asyncio.sleep(SECONDS)
        after = _memory_mb(side.poller.reader.pids)
        samples = list(heard.samples)
    assert len(samples) == pytest.approx(MACHINES * SECONDS / INTERVAL, rel=0.05)
    by_machine: dict[str, list[float]] = {}
    for one in samples:
        assert one["online"]
        by_machine.setdefault(one["miner_id"], []).append(datetime.fromisoformat(one["timestamp"]).timestamp())
    assert len(by_machine) == MACHINES
    for times in by_machine.values():
        assert len(times) in (5, 6, 7)
        turns = len(times) - 1
        assert abs(times[-1] - times[0] - turns * INTERVAL) < 3.0  # a drift of 1 % would be 0.6 s a turn
        assert all(after > before for before, after in pairwise(times))
    seconds = [0] * INTERVAL
    for times in by_machine.values():
        seconds[int(times[0]) % INTERVAL] += 1
    assert max(seconds) < 3 * MACHINES / INTERVAL  # spread over the interval
    assert after < before + 15


def _memory_mb(pids: list[int]) -> float:
    return sum(psutil.Process(pid).memory_info().rss for pid in pids) / 1e6


async def test_a_failure_is_logged_once_a_recovery_once_and_told_every_interval(
    sim: Sim, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="hashinsight.edge")
    chosen = settings(tmp_path, [f"{sim.net}.0.1-5"], identity="address", interval_sec=1, timeout_sec=2.0)
    address = sim.address(2)
    async with on_site(chosen) as (side, heard):
        await until(lambda: side.counts().online == 5, "the machines")
        (episode,) = sim.control("inject", kind="network_lost", machine="2")
        machine = side.find(address)
        assert machine is not None
        await until(lambda: machine.failures >= 5, "failures")
        assert side.counts().online == 4
        sim.control("end", episode=episode["no"] if "no" in episode else episode["number"])
        await until(lambda: machine.online is True, "it to be back")
    told = [record.getMessage() for record in caplog.records if address in record.getMessage()]
    assert len([one for one in told if "does not answer" in one]) == 1
    assert len([one for one in told if "answers again" in one]) == 1
    gone = [one for one in heard.of(address) if not one["online"]]
    assert len(gone) >= 5
    assert {one["error_type"] for one in gone} == {"unreachable"}
    assert {one["model"] for one in gone} == {heard.of(address)[0]["model"]}


def test_a_machine_that_moves_keeps_its_name_and_another_at_its_address_gets_its_own(tmp_path: Path) -> None:
    roster = Roster(IdRule(), tmp_path / "machines.json")
    first = roster.seat("10.0.0.1", mac="02:00:00:00:00:01", serial="SN000001")
    second = roster.seat("10.0.0.2", mac="02:00:00:00:00:02", serial=None)
    assert (first.miner_id, second.miner_id) == ("SN000001", "02:00:00:00:00:02")
    assert roster.seat("10.0.0.1", mac=None, serial=None) is first  # it did not say this time
    assert roster.seat("10.0.0.1", mac="020000000002", serial=None) is second
    assert (first.address, second.address) == ("", "10.0.0.1")
    assert roster.at("10.0.0.2") is None
    assert roster.seat("10.0.0.9", mac=None, serial="SN000001") is first
    third = roster.seat("10.0.0.9", mac="02:00:00:00:00:03", serial="SN000001")  # a serial cloned with the firmware
    assert third.miner_id == "SN000001~000003"
    roster.save()
    again = Roster(IdRule(), tmp_path / "machines.json")
    assert sorted(one.miner_id for one in again) == ["02:00:00:00:00:02", "SN000001", "SN000001~000003"]


def test_an_asset_list_names_machines_by_serial_mac_or_address(tmp_path: Path) -> None:
    file = tmp_path / "assets.csv"
    file.write_text(
        "miner_id,model,serial,mac,address\nA1,S19,SN000001,,\nA2,S19,,02-00-00-00-00-02,\nA3,,,,10.0.0.3\n"
    )
    roster = Roster(IdRule("file", "", read_list(file)))
    seated = [
        roster.seat("10.0.0.1", mac="02:00:00:00:00:01", serial="SN000001"),
        roster.seat("10.0.0.2", mac="02:00:00:00:00:02", serial=None),
        roster.seat("10.0.0.3", mac=None, serial=None),
        roster.seat("10.0.0.4", mac=None, serial="SN000004"),
    ]
    assert [one.miner_id for one in seated] == ["A1", "A2", "A3", "SN000004"]


def test_without_serial_and_mac_the_name_does_not_tell_the_address() -> None:
    machine = Roster(IdRule(salt="edge-1")).seat("10.1.2.3", mac="00:00:00:00:00:00", serial="N/A")
    assert machine.miner_id.startswith("m-")
    assert "10" not in machine.miner_id.removeprefix("m-")[:2] or "10.1.2.3" not in machine.miner_id
    assert Roster(IdRule(salt="edge-2")).seat("10.1.2.3", mac=None, serial=None).miner_id != machine.miner_id


def test_ranges_are_walked_once_each_in_order() -> None:
    wanted = ["10.0.0.8/30", "10.0.0.10-12", "10.0.0.1", "10.0.1.254-10.0.2.1"]
    assert list(addresses(wanted)) == [
        *("10.0.0.1", "10.0.0.9", "10.0.0.10", "10.0.0.11", "10.0.0.12"),
        *("10.0.1.254", "10.0.1.255", "10.0.2.0", "10.0.2.1"),
    ]


def test_the_credential_of_a_make_comes_before_that_of_any() -> None:
    listed = (Credential(username="a", password="1"), Credential(make="whatsminer", username="b", password="2"))
    assert credential_for("Whatsminer", listed) == ("b", "2")
    assert credential_for("Antminer", listed) == ("a", "1")
    assert credential_for("Antminer", listed[1:]) is None


def test_a_machine_that_makes_no_sense_is_tried_more_and_more_rarely() -> None:
    assert [failures for failures in range(1, 40) if _is_turn(failures)] == [1, 2, 4, 8, 16, 24, 32]
