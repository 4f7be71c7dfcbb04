"""When a machine is too hot: by its own limit, the catalogue's, or far above what any machine tolerates."""

from pathlib import Path
from typing import Any

import pytest

from hashinsight.edge.local_site import LocalSite
from hashinsight.edge.protection import protector
from hashinsight.edge.protection.heat import HeatCase, find_heat, must_stop
from hashinsight.edge.readings.temperatures import MEAN
from hashinsight.edge.settings import Protection, Settings
from tests.edge.makes.catalogue import NAMES, machines_of
from tests.edge.makes.unit import Unit
from tests.edge.protection.protected_machine import COOL, NOT_STOPPED, STOPPED
from tests.edge.protection.protected_machine import STOCK as STOCK_S19  # one chip corner at 105 °C is a mean of 76
from tests.edge.simulated_site import running_site, site_settings, until

STOCK, LUXOS = "AntMiner Stock 2024", "LuxOS 2024.5.1"


def record(model: str | None = "Antminer S19j Pro", firmware: str | None = STOCK, **more: Any) -> dict[str, Any]:
    return {"online": True, "state": "running", "model": model, "firmware": firmware, **more}


def chip(temp_c: float, **more: Any) -> dict[str, Any]:
    return {"temp_max": temp_c, "temp_chip_max": temp_c, "temp_sensor": "chip", **more}


def board(temp_c: float, **more: Any) -> dict[str, Any]:
    return {"temp_max": temp_c, "temp_board_max": temp_c, "temp_sensor": "board", **more}


@pytest.mark.parametrize(
    ("reading", "is_hot"),
    [
        (record(**chip(94.9)), False),
        (record(**chip(95.0)), True),
        (record(firmware=LUXOS, **board(69.9)), False),
        (record(firmware=LUXOS, **board(70.0)), True),
        (record(model="Antminer S21", **chip(97.0)), False),
        (record(model="Antminer S21", **chip(100.0)), True),
        (record(temp_max=94.0), False),  # from a collector that does not report the sensor kind
        (record(temp_max=95.0), True),
        (record(**chip(99.0) | {"state": "stopped"}), False),
        (record(), False),
        (record(**chip(99.0) | {"online": False}), False),
    ],
)
def test_the_limit_depends_on_model_and_sensor_kind(reading: dict[str, Any], is_hot: bool) -> None:  # noqa: FBT001
    assert (must_stop(reading, Protection()) is not None) is is_hot


def test_each_sensor_kind_has_its_own_limit() -> None:
    """90 °C is fine for a chip and too much for a board, even if the chip is the hottest."""
    reading = record(**chip(92.0), temp_board_max=91.0)
    heat = must_stop(reading, Protection())
    assert heat is not None
    assert (heat.sensor, heat.temp_c, heat.limit_c, heat.source) == ("board", 91.0, 90.0, "catalogue")
    assert must_stop({**reading, "temp_board_max": 89.0}, Protection()) is None


def test_the_machines_own_limit_goes_before_the_catalogues() -> None:
    own: dict[str, Any] = {"temp_limits": {"chip": {"warn_c": 100.0, "stop_c": 105.0}}}
    assert must_stop(record(**chip(100.0), **own), Protection()) is None
    heat = must_stop(record(**chip(105.0), **own), Protection())
    assert heat is not None
    assert (heat.limit_c, heat.source) == (105.0, "machine")
    assert must_stop(record(**chip(98.0), temp_limit_c=97.0), Protection()) is not None


@pytest.mark.parametrize("model", [None, "nobody's"])
@pytest.mark.parametrize(
    ("temps", "is_hot"), [(chip(105.0), False), (chip(105.1), True), (board(95.0), False), (board(95.1), True)]
)
def test_a_machine_with_unknown_limits_is_stopped_only_far_above_what_any_machine_tolerates(
    model: str | None,
    temps: dict[str, Any],
    is_hot: bool,  # noqa: FBT001
) -> None:
    heat = must_stop(record(model, None, **temps), Protection())
    assert (heat is not None) is is_hot
    assert heat is None or heat.source == "assumed"


@pytest.mark.parametrize(
    "reading",
    [
        record("Antminer S9", **chip(89.0), temp_board_max=72.0),  # 7.16 of 7.24 TH/s
        record("Whatsminer M20S", "WhatsMiner Stock", **chip(92.5), temp_board_max=71.5),  # 67.4 of 68.8 TH/s
        record("Antminer S21", **chip(96.0), temp_board_max=76.0),
        record("Avalon 1047", "AvalonMiner Stock", **chip(90.0)),
    ],
)
def test_a_machine_that_runs_as_rated_is_not_stopped(reading: dict[str, Any]) -> None:
    assert must_stop(reading, Protection()) is None


def test_a_site_may_set_its_own_limit() -> None:
    heat = find_heat(record(**chip(60.0)), Protection(stop_at_c=55.0))
    assert heat is not None
    assert (heat.limit_c, heat.source, heat.is_too_much) == (55.0, "site", True)


needs_port_80 = pytest.mark.skipif(STOCK_S19 not in NAMES, reason="this user may not listen on port 80")


def read_once(folder: Path, unit: Unit, protection: Protection) -> Settings:
    """Polled once; afterwards read only by protection."""
    return site_settings(folder, [unit.address], identity="address", interval_sec=3600, protection=protection)


async def evaluate_hot(local_site: LocalSite, unit: Unit) -> None:
    machine = local_site.find(unit.address)
    assert machine is not None
    assert machine.record is not None
    local_site.protector.evaluate(machine, {**machine.record, "temp_max": 105.0, "temp_chip_max": 105.0})
    await until(lambda: not local_site.protector._acting, "the evaluation")


@needs_port_80
@pytest.mark.parametrize("lost", [{"stats": 2}, {"stats": 4}, {}])
async def test_a_reading_of_means_does_not_call_off_the_stop_of_an_overheating_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: dict[str, int]
) -> None:
    monkeypatch.setattr(protector, "CONFIRM_SEC", 0.05)
    with machines_of(STOCK_S19) as (unit,):
        async with running_site(read_once(tmp_path, unit, Protection())) as (local_site, sink):
            await until(lambda: local_site.counts().online == 1, "the machine")
            unit.heat(105.0)
            unit.memory["lost"] = lost
            await evaluate_hot(local_site, unit)
        assert (unit.is_stopped, sink.titles()) == (True, [STOPPED])


def s19_record(temp_c: float, state: str = "running", *flags: str) -> dict[str, Any]:
    heat = {"temp_max": temp_c, "temp_chip_max": temp_c, "temp_sensor": "chip"}
    machine = {"online": True, "state": state, "model": "Antminer S19", "firmware": "AntMiner Stock"}
    return {**machine, **heat, "raw_data": {"flags": list(flags)}}


@needs_port_80
async def test_only_a_reading_of_every_corner_closes_the_case_of_a_running_machine(tmp_path: Path) -> None:
    with machines_of(STOCK_S19) as (unit,):
        async with running_site(read_once(tmp_path, unit, Protection())) as (local_site, sink):
            await until(lambda: local_site.counts().online == 1, "the machine")
            machine = local_site.find(unit.address)
            assert machine is not None
            local_site.protector._cases[machine.miner_id] = HeatCase()
            for _ in range(5):
                local_site.protector.evaluate(machine, s19_record(76.0, "running", MEAN))
            assert sink.titles() == []
            local_site.protector.evaluate(machine, s19_record(76.0))
        assert sink.titles() == [COOL]


def test_means_of_a_stopped_machine_are_trusted_after_several() -> None:
    """Nothing heats one corner of a stopped machine; otherwise it would never be started again."""
    case = HeatCase()
    for is_trusted in (False, False, True):
        case.watch(s19_record(50.0, "stopped", MEAN))
        assert case.trusts(s19_record(50.0, "stopped", MEAN)) is is_trusted


def test_a_machine_that_was_too_hot_by_a_mean_may_be_cool_by_one() -> None:
    heat = must_stop(s19_record(99.0, "running", MEAN), Protection())
    assert heat is not None
    case = HeatCase()
    case.note_attempt(heat, 0.0, is_stopped=True, is_mean=True)
    assert case.trusts(s19_record(50.0, "running", MEAN))


# stock firmware that accepts no stop, or none without its web page
CANNOT_STOP = {"Antminer S19, stock, web page locked", "Whatsminer M20S, API 1"}


async def test_on_every_make_a_healthy_machine_runs_on_and_one_at_its_limit_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protector, "CONFIRM_SEC", 0.05)
    with machines_of(*NAMES) as units:
        ranges = [unit.address for unit in units]
        settings = site_settings(tmp_path, ranges, identity="address", interval_sec=2, protection=Protection())
        async with running_site(settings) as (local_site, sink):
            await until(lambda: local_site.counts().online == len(units), "the machines")
            await until(lambda: all(len(sink.of(address)) > 1 for address in ranges), "two readings of each")
            assert sink.events == []
            assert not any(unit.actions for unit in units)
            for name, unit in zip(NAMES, units, strict=True):
                machine = local_site.find(unit.address)
                heat = find_heat(machine.record, Protection()) if machine and machine.record else None
                assert heat is not None, name
                assert heat.source in ("machine", "catalogue"), name
                unit.sensor = heat.sensor
                unit.heat(heat.limit_c + 1)
            await until(lambda: len(sink.events) >= len(units), "every one to be stopped")
    titles = {
        name: [event["title"] for event in sink.events if event["miner_id"] == address]
        for name, address in zip(NAMES, ranges, strict=True)
    }
    assert {name for name, events in titles.items() if events == [NOT_STOPPED]} == CANNOT_STOP & set(NAMES)
    assert {name for name, events in titles.items() if events == [STOPPED]} == set(NAMES) - CANNOT_STOP
    assert {name for name, unit in zip(NAMES, units, strict=True) if unit.is_stopped} == set(NAMES) - CANNOT_STOP
