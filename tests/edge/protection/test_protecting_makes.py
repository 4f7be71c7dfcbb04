"""Every make on loopback under protection as it is by default: sound machines run on, one that burns is stopped."""

from pathlib import Path

import pytest

from hashinsight.edge.protection import protector
from hashinsight.edge.protection.heat import find_heat
from hashinsight.edge.settings import Protection
from tests.edge.makes.catalogue import NAMES, machines_of
from tests.edge.simulated_site import running_site, settings, until

# their makers' firmware takes no stop from outside, or none without its web page
CANNOT_STOP = {"Antminer S19, stock, web page locked", "Whatsminer M20S, API 1"}


async def test_no_sound_machine_is_stopped_and_one_at_its_limit_is_on_every_make(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protector, "CONFIRM_SEC", 0.05)
    with machines_of(*NAMES) as units:
        ranges = [unit.address for unit in units]
        chosen = settings(tmp_path, ranges, identity="address", interval_sec=2, protection=Protection())
        async with running_site(chosen) as (local_site, sink):
            await until(lambda: local_site.counts().online == len(units), "the machines")
            await until(lambda: all(len(sink.of(address)) > 1 for address in ranges), "two readings of each")
            assert sink.events == []
            assert not any(unit.orders for unit in units)
            for name, unit in zip(NAMES, units, strict=True):
                machine = local_site.find(unit.address)
                heat = find_heat(machine.record, Protection()) if machine and machine.record else None
                assert heat is not None, name
                assert heat.source in ("machine", "catalogue"), name
                unit.sensor = heat.sensor
                unit.heat(heat.limit_c + 1)
            await until(lambda: len(sink.events) >= len(units), "every one to be stopped")
    told = {
        name: [event["title"] for event in sink.events if event["miner_id"] == address]
        for name, address in zip(NAMES, ranges, strict=True)
    }
    assert {name for name, titles in told.items() if titles == ["Too hot: could not be stopped"]} == CANNOT_STOP & set(
        NAMES
    )
    assert {name for name, titles in told.items() if titles == ["Stopped: too hot"]} == set(NAMES) - CANNOT_STOP
    assert {name for name, unit in zip(NAMES, units, strict=True) if unit.is_stopped} == set(NAMES) - CANNOT_STOP
