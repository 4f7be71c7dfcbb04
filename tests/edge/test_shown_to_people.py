"""From a machine's answer to what people see: read and sent by the collector, evaluated by the cloud."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from hashinsight.edge.cloud.uplink import seal
from hashinsight.edge.library_process.reader import Reader
from hashinsight.edge.readings.record import Record, make_record
from hashinsight.edge.storage.spool import SampleBatch
from hashinsight.kit.db.context import job_context
from hashinsight.problems.service.cycle import run_cycle
from tests.edge.makes.catalogue import machines_of
from tests.edge.makes.unit import Unit
from tests.edge.simulated_site import running_site, site_settings, until
from tests.telemetry.fleet import Fleet
from tests.telemetry.site_with_collector import SiteWithCollector

LOCKED = "Antminer S19, stock, web page locked"
M60S = "Whatsminer M60S, API 2"
CYCLES = 3


async def read(unit: Unit, miner_id: str, at: datetime) -> Record:
    async with Reader() as reader:
        return make_record(await reader.read(unit.address, timeout_sec=20), miner_id=miner_id, at=at)


async def send(fleet: Fleet, folder: Path, *records: Record) -> None:
    lines = tuple(msgspec.json.encode(record) for record in records)
    batch = SampleBatch((), lines, 1, len(lines), fleet.now.timestamp())
    body = seal(batch, site_settings(folder, ["127.0.0.1"]), "edge-1", now=fleet.now.timestamp())
    answer = await fleet.site.post(body)
    assert answer.json()["accepted"] == len(records), answer.text


async def problems(fleet: Fleet) -> set[str]:
    rows = fleet.site.rows("select issue_code from problem_events")
    return {str(code) for (code,) in rows}


async def classify(fleet: Fleet, folder: Path, record: Record) -> dict[str, Any]:
    """The same reading for some cycles up to now; returns the machine as the live view shows it."""
    fleet.set_clock(fleet.now - timedelta(minutes=5 * CYCLES))
    for _ in range(CYCLES):
        fleet.set_clock(fleet.now + timedelta(minutes=5))
        await send(fleet, folder, {**record, "timestamp": fleet.at(-10)})
        await fleet.roll()
        async with fleet.database.transaction(job_context()) as session:
            await run_cycle(fleet.database, session, fleet.site.site_id, period=fleet.now, now=fleet.now)
    return (await fleet.live())[record["miner_id"]]


async def test_all_fans_at_0_rpm_while_hashing_are_shown_as_0_and_are_a_problem(
    place: SiteWithCollector, tmp_path: Path
) -> None:
    fleet = Fleet(place)
    with machines_of(LOCKED) as (unit,):
        unit.stop_fans()
        record = await read(unit, "m1", fleet.now)
    live = await classify(fleet, tmp_path, record)
    assert (live["fan"]["avg"], live["fan"]["min"]) == (0.0, 0.0)
    assert "fan_zero" in await problems(fleet)


async def test_stopped_fans_of_a_stopped_machine_are_no_problem(place: SiteWithCollector, tmp_path: Path) -> None:
    fleet = Fleet(place)
    with machines_of(LOCKED) as (unit,):
        unit.stop_fans()
        unit.stop("by hand")
        record = await read(unit, "m1", fleet.now)
    live = await classify(fleet, tmp_path, record)
    assert (live["fan"]["avg"], live["fan"]["min"]) == (0.0, None)
    assert "fan_zero" not in await problems(fleet)


async def test_a_dead_board_is_shown_as_dead(place: SiteWithCollector, tmp_path: Path) -> None:
    fleet = Fleet(place)
    with machines_of(LOCKED) as (unit,):
        unit.lose_board(1)
        record = await read(unit, "m1", fleet.now)
    live = await classify(fleet, tmp_path, record)
    assert (live["hardware"]["boards_healthy"], live["hardware"]["boards_total"]) == (2, 3)


async def test_a_corrected_hashrate_is_shown_exactly_and_marked_as_doubtful(
    place: SiteWithCollector, tmp_path: Path
) -> None:
    fleet = Fleet(place)
    with machines_of(M60S) as (unit,):
        unit.memory["total_in_ths"] = True
        for board in unit.boards:
            board.ths = 36.84
        record = await read(unit, "m1", fleet.now)
    live = await classify(fleet, tmp_path, record)
    assert live["hashrate"]["newest_ths"] == 110.52
    assert live["doubts"] == ["hashrate_units_mended"]


async def test_a_machine_that_hashes_without_a_temperature_is_marked_as_doubtful(
    place: SiteWithCollector, tmp_path: Path
) -> None:
    fleet = Fleet(place)
    with machines_of("Antminer S19, VNish") as (unit,):
        unit.password = "changed"  # its web page no longer answers, and its port reports no temperature
        record = await read(unit, "m1", fleet.now)
    live = await classify(fleet, tmp_path, record)
    assert (live["online"], live["temperature"]["max"]) == (True, None)
    assert "temperature_unknown" in live["doubts"]


async def test_a_mean_in_place_of_the_hottest_sensor_is_marked_as_doubtful(
    place: SiteWithCollector, tmp_path: Path
) -> None:
    fleet = Fleet(place)
    with machines_of(M60S) as (unit,):
        record = await read(unit, "m1", fleet.now)
    live = await classify(fleet, tmp_path, record | {"raw_data": {"flags": ["temp_max_is_a_mean"]}})
    assert live["doubts"] == ["temperature_doubtful"]


async def test_fans_that_never_turned_do_not_exist_and_fans_that_did_are_reported_as_stopped(tmp_path: Path) -> None:
    """The second is an air-cooled machine in oil, without fans."""
    with machines_of(LOCKED, LOCKED) as (in_air, in_oil):
        in_oil.stop_fans()
        settings = site_settings(tmp_path, [in_air.address, in_oil.address], identity="address", interval_sec=1)
        async with running_site(settings) as (local_site, sink):
            await until(lambda: local_site.counts().online == 2, "both machines")
            await until(lambda: len(sink.of(in_oil.address)) > 1, "a second round")
            in_air.stop_fans()
            await until(lambda: sink.of(in_air.address)[-1].get("fan_speeds") == [0] * 4, "fans that stand")
        assert all("fan_speeds" not in sample for sample in sink.of(in_oil.address))
        assert all("fans_never_turned" in sample["raw_data"]["flags"] for sample in sink.of(in_oil.address))
        async with running_site(settings) as (local_site, again):  # remembered across a restart
            await until(lambda: bool(again.of(in_air.address)) and bool(again.of(in_oil.address)), "both machines")
        assert again.of(in_air.address)[-1]["fan_speeds"] == [0] * 4
        assert "fan_speeds" not in again.of(in_oil.address)[-1]


def test_a_hydro_model_has_no_fans_whatever_its_connectors_report() -> None:
    device = {"make": "AntMiner", "model": "S21 Hyd", "firmware": "AntMiner Stock"}
    stats = {"chain_rate1": "66000", "chain_acn1": 216, "fan1": 0, "fan2": 0, "fan_num": 4}
    reading = {"data": {"device_info": device, "uptime": 5.0}, "stats": [stats]}
    assert "fan_speeds" not in make_record(reading, miner_id="m", at=datetime(2026, 1, 1, tzinfo=UTC))
