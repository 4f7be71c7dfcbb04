"""Every machine once per interval without drift; a machine that moves stays the same; errors are logged once."""

import logging
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from hashinsight.edge.cloud.remote_config import local_config
from hashinsight.edge.discovery import list_addresses
from hashinsight.edge.miner_ids import IdRule, read_asset_list
from hashinsight.edge.polling import _is_read_turn
from hashinsight.edge.roster import Machine, Roster
from hashinsight.edge.timetable import Timetable
from tests.edge.simulated_site import running_site, simulate, site_settings, until
from tests.sim.simulator_process import Sim


@pytest.fixture(scope="module")
def sim() -> Iterator[Sim]:
    with simulate("quiet", "--machines", "5", "--luxos") as running:
        yield running


async def test_a_failure_and_a_recovery_are_logged_once_and_offline_is_reported_every_interval(
    sim: Sim, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="hashinsight.edge")
    settings = site_settings(tmp_path, [f"{sim.net}.0.1-5"], identity="address", interval_sec=1)
    address = sim.address(2)
    async with running_site(settings) as (local_site, sink):
        await until(lambda: local_site.counts().online == 5, "the machines")
        (episode,) = sim.control("inject", kind="network_lost", machine="2")
        machine = local_site.find(address)
        assert machine is not None
        await until(lambda: machine.failures >= 5, "failures")
        assert (local_site.counts().online, local_site.counts().errors_by_kind) == (4, {"unreachable": 1})
        sim.control("end", episode=episode["no"] if "no" in episode else episode["number"])
        await until(lambda: machine.online is True, "it to be back")
    messages = [record.getMessage() for record in caplog.records if address in record.getMessage()]
    assert len([entry for entry in messages if "cannot be read" in entry]) == 1
    assert len([entry for entry in messages if "can be read again" in entry]) == 1
    gone = [entry for entry in sink.of(address) if not entry["online"]]
    assert len(gone) >= 5
    assert {entry["error_type"] for entry in gone} == {"unreachable"}
    assert {entry["model"] for entry in gone} == {sink.of(address)[0]["model"]}


def test_a_machine_that_moves_keeps_its_name_and_another_at_its_address_gets_its_own(tmp_path: Path) -> None:
    roster = Roster(IdRule(), tmp_path / "machines.json")
    first = roster.identify("10.0.0.1", mac="02:00:00:00:00:01", serial="SN000001")
    second = roster.identify("10.0.0.2", mac="02:00:00:00:00:02", serial=None)
    assert (first.miner_id, second.miner_id) == ("SN000001", "02:00:00:00:00:02")
    assert roster.identify("10.0.0.1", mac=None, serial=None) is first  # it reports neither this time
    assert roster.identify("10.0.0.1", mac="020000000002", serial=None) is second
    assert (first.address, second.address) == ("", "10.0.0.1")
    assert roster.find_at("10.0.0.2") is None
    assert roster.identify("10.0.0.9", mac=None, serial="SN000001") is first
    third = roster.identify("10.0.0.9", mac="02:00:00:00:00:03", serial="SN000001")  # a serial cloned with the firmware
    assert third.miner_id == "SN000001~000003"
    roster.save()
    again = Roster(IdRule(), tmp_path / "machines.json")
    assert sorted(entry.miner_id for entry in again) == ["02:00:00:00:00:02", "SN000001", "SN000001~000003"]


def test_an_asset_list_names_machines_by_serial_mac_or_address(tmp_path: Path) -> None:
    file = tmp_path / "assets.csv"
    file.write_text(
        "miner_id,model,serial,mac,address\nA1,S19,SN000001,,\nA2,S19,,02-00-00-00-00-02,\nA3,,,,10.0.0.3\n"
    )
    roster = Roster(IdRule("file", "", read_asset_list(file)))
    seated = [
        roster.identify("10.0.0.1", mac="02:00:00:00:00:01", serial="SN000001"),
        roster.identify("10.0.0.2", mac="02:00:00:00:00:02", serial=None),
        roster.identify("10.0.0.3", mac=None, serial=None),
        roster.identify("10.0.0.4", mac=None, serial="SN000004"),
    ]
    assert [entry.miner_id for entry in seated] == ["A1", "A2", "A3", "SN000004"]


def test_without_serial_and_mac_the_name_does_not_reveal_the_address() -> None:
    machine = Roster(IdRule(salt="edge-1")).identify("10.1.2.3", mac="00:00:00:00:00:00", serial="N/A")
    assert machine.miner_id.startswith("m-")
    assert "10" not in machine.miner_id.removeprefix("m-")[:2] or "10.1.2.3" not in machine.miner_id
    assert Roster(IdRule(salt="edge-2")).identify("10.1.2.3", mac=None, serial=None).miner_id != machine.miner_id


def test_ranges_are_listed_in_order_without_duplicates() -> None:
    wanted = ["10.0.0.8/30", "10.0.0.10-12", "10.0.0.1", "10.0.1.254-10.0.2.1"]
    assert list(list_addresses(wanted)) == [
        *("10.0.0.1", "10.0.0.9", "10.0.0.10", "10.0.0.11", "10.0.0.12"),
        *("10.0.1.254", "10.0.1.255", "10.0.2.0", "10.0.2.1"),
    ]


def test_read_times_do_not_drift_and_missed_ones_are_skipped() -> None:
    table, machines = Timetable(10.0), [Machine(f"m{no}", "", slot=no) for no in range(1000)]
    table.begin(100.0)
    table.plan(machines, 100.0)
    first = dict(table.take_due(110.0))
    assert len(first) == len(table) == 1000
    assert all(100.0 < due <= 110.0 for due in first.values())
    seconds = [sum(int(due) == second for due in first.values()) for second in range(100, 110)]
    assert max(seconds) - min(seconds) <= 2, "spread over the interval"
    later = dict(table.take_due(1_000_110.0))
    assert all(later[name] == pytest.approx(due + 10.0) for name, due in first.items())
    again = dict(table.take_due(1_000_120.0))
    assert all(1_000_110.0 < due <= 1_000_120.0 for due in again.values())
    assert all((again[name] - due + 5.0) % 10.0 == pytest.approx(5.0, abs=1e-6) for name, due in first.items())
    table.begin(2_000_000.0, 60.0)
    assert (len(table), table.ahead_sec(2_000_000.0), table.interval_sec) == (0, None, 60.0)


async def test_a_configuration_changes_interval_timeout_and_discovery(sim: Sim, tmp_path: Path) -> None:
    settings = site_settings(tmp_path, [f"{sim.net}.0.1-5"], identity="address", interval_sec=3600, discovery=False)
    async with running_site(settings) as (local_site, sink):
        await until(lambda: local_site.counts().online == 5, "the machines")
        wanted = local_config(settings)
        local_site.apply_config(
            msgspec.structs.replace(wanted, collection_interval_sec=1, api_timeout_sec=2.0, auto_discovery=True)
        )
        sink.samples.clear()
        await until(lambda: len(sink.samples) >= 10, "two rounds")
        assert (local_site.poller.timeout_sec, local_site.poller.discovers) == (2.0, True)


def test_a_machine_that_answers_nonsense_is_read_more_and_more_rarely() -> None:
    assert [failures for failures in range(1, 40) if _is_read_turn(failures)] == [1, 2, 4, 8, 16, 24, 32]
