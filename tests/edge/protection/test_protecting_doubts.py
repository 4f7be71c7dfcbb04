"""Too hot, and the next reading says less than the first: a mean, a lost answer, no temperature."""

from pathlib import Path
from typing import Any

import pytest

from hashinsight.edge.local_site import LocalSite
from hashinsight.edge.protection import protector
from hashinsight.edge.protection.heat import HeatCase, must_stop
from hashinsight.edge.readings.temperatures import MEAN
from hashinsight.edge.settings import Protection, Settings
from tests.edge.makes.catalogue import NAMES, machines_of
from tests.edge.makes.unit import Unit
from tests.edge.protection.test_protector import COOL, STOPPED
from tests.edge.simulated_site import running_site, settings, until

STOCK = "Antminer S19, stock"  # one corner of a chip at 105 °C is a mean of 76
pytestmark = pytest.mark.skipif(STOCK not in NAMES, reason="this user may not listen on port 80")


def watched(folder: Path, unit: Unit, chosen: Protection) -> Settings:
    """Read once; from then on only as protection asks."""
    return settings(folder, [unit.address], identity="address", interval_sec=3600, protection=chosen)


async def consider_hot(local_site: LocalSite, unit: Unit) -> None:
    machine = local_site.find(unit.address)
    assert machine is not None
    assert machine.record is not None
    local_site.protector.evaluate(machine, {**machine.record, "temp_max": 105.0, "temp_chip_max": 105.0})
    await until(lambda: not local_site.protector._acting, "its end")


@pytest.mark.parametrize("lost", [{"stats": 2}, {"stats": 4}, {}])
async def test_a_reading_of_means_does_not_call_off_the_stop_of_a_burning_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: dict[str, int]
) -> None:
    monkeypatch.setattr(protector, "CONFIRM_SEC", 0.05)
    with machines_of(STOCK) as (unit,):
        async with running_site(watched(tmp_path, unit, Protection())) as (local_site, sink):
            await until(lambda: local_site.counts().online == 1, "the machine")
            unit.heat(105.0)
            unit.memory["lost"] = lost
            await consider_hot(local_site, unit)
        assert (unit.is_stopped, sink.titles()) == (True, [STOPPED])


def told(temp_c: float, state: str = "running", *flags: str) -> dict[str, Any]:
    heat = {"temp_max": temp_c, "temp_chip_max": temp_c, "temp_sensor": "chip"}
    who = {"online": True, "state": state, "model": "Antminer S19", "firmware": "AntMiner Stock"}
    return {**who, **heat, "raw_data": {"flags": list(flags)}}


async def test_only_a_reading_of_every_corner_ends_the_heat_of_a_running_machine(tmp_path: Path) -> None:
    with machines_of(STOCK) as (unit,):
        async with running_site(watched(tmp_path, unit, Protection())) as (local_site, sink):
            await until(lambda: local_site.counts().online == 1, "the machine")
            machine = local_site.find(unit.address)
            assert machine is not None
            local_site.protector._cases[machine.miner_id] = HeatCase()
            for _ in range(5):
                local_site.protector.evaluate(machine, told(76.0, "running", MEAN))
            assert sink.titles() == []
            local_site.protector.evaluate(machine, told(76.0))
        assert sink.titles() == [COOL]


def test_a_stopped_machine_that_gives_nothing_but_means_is_believed_after_some() -> None:
    """Nothing heats one corner more than the others; else it would never be started again."""
    case = HeatCase()
    for is_believed in (False, False, True):
        case.watch(told(50.0, "stopped", MEAN))
        assert case.trusts(told(50.0, "stopped", MEAN)) is is_believed


def test_a_machine_that_was_too_hot_by_a_mean_is_cool_by_one() -> None:
    heat = must_stop(told(99.0, "running", MEAN), Protection())
    assert heat is not None
    case = HeatCase()
    case.note_attempt(heat, 0.0, is_stopped=True, is_mean=True)
    assert case.trusts(told(50.0, "running", MEAN))
