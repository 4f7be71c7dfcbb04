"""Machines that asic-rs reads in part or not at all: what they report is used, and nothing is made up."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from hashinsight.edge.library_process.cgminer import parse_answer
from hashinsight.edge.library_process.reader import Reader
from hashinsight.edge.readings.record import Record, make_record
from tests.edge.makes import rare
from tests.edge.makes.reader import TIMEOUT_SEC
from tests.edge.makes.sockets import served
from tests.edge.makes.unit import Make, Unit


def read(make: Make, unit: Unit) -> Record:
    """The second of two samples, as in polling."""

    async def read_second() -> Record:
        async with Reader() as reader:
            for _ in range(2):
                answer = await reader.read(unit.address, timeout_sec=TIMEOUT_SEC)
        return make_record(answer, miner_id="m", at=datetime.now(UTC))

    with served([(make, unit)]):
        return asyncio.run(read_second())


def changed(unit: Unit, change: Callable[[Unit], None]) -> Unit:
    change(unit)
    return unit


def test_a_home_avalon_reports_its_hottest_chip_and_not_the_air_behind_its_board() -> None:
    record = read(rare.HOME_AVALON, changed(rare.home_avalon(), lambda unit: unit.heat(105.0)))
    assert record["temp_chip_max"] == record["temp_max"] == 105.0
    assert record["temp_sensor"] == "chip"


def test_a_home_avalons_power_is_its_wall_power_and_not_its_voltage() -> None:
    record = read(rare.HOME_AVALON, rare.home_avalon())
    assert record["power_w"] == 1550
    assert record["raw_data"]["power_limit_w"] == 1600
    assert (record["boards_healthy"], record["boards_total"], record["state"]) == (1, 1, "running")


def test_a_stopped_home_avalon_is_reported_stopped_whatever_its_averages_and_last_chip_figures() -> None:
    def rest(unit: Unit) -> None:
        unit.stop("by hand")
        unit.stop_fans()

    record = read(rare.HOME_AVALON, changed(rare.home_avalon(), rest))
    assert record["state"] == "stopped"
    assert record["hashrate_ths"] == 0
    assert record["boards"][0]["hashrate_ths"] == 0
    assert "temp_chip_max" not in record


def test_every_module_of_an_older_avalon_is_a_board_with_its_hottest_chip_and_its_fan() -> None:
    unit = rare.avalon_modules()
    unit.heat(106.0, board=3)
    record = read(rare.AVALON_MODULES, unit)
    assert record["temp_chip_max"] == 106.0
    assert record["fan_speeds"] == unit.fans
    assert (record["boards_healthy"], record["boards_total"]) == (4, 4)
    assert [board["hashrate_ths"] for board in record["boards"]] == pytest.approx(
        [board.ths for board in unit.boards], 1e-3
    )
    assert record["model"] == "AvalonMiner 921"


def test_avalon_modules_known_to_the_library_have_no_missing_boards() -> None:
    """The library counts the boards inside one module, which the machine does not report."""
    unit = rare.avalon_modules()
    unit.memory["says_version"] = True
    unit.boards = unit.boards[:2]
    record = read(rare.AVALON_MODULES, unit)
    assert record["raw_data"]["reader"] == "pyasic_rs"
    assert (record["boards_healthy"], record["boards_total"]) == (2, 2)


def test_braiins_without_web_page_reports_its_boards_and_no_fan_for_an_empty_connector() -> None:
    unit = rare.s9()
    record = read(rare.BOSMINER, unit)
    assert record["fan_speeds"] == unit.fans
    assert (record["boards_healthy"], record["boards_total"]) == (3, 3)
    assert record["expected_ths"] == pytest.approx(13.5)
    assert record["temp_board_max"] == 75
    assert record["model"] == "Antminer S9"
    assert record["firmware"].startswith("BOSminer+")


def test_braiins_without_web_page_reports_a_stopped_fan() -> None:
    unit = rare.s9()
    unit.stop_fans(1)
    assert read(rare.BOSMINER, unit)["fan_speeds"] == unit.fans


def test_an_older_whatsminer_is_read_from_its_summary() -> None:
    unit = rare.m20s()
    record = read(rare.OLDER_WHATSMINER, unit)
    assert record["temp_board_max"] == 75
    assert record["fan_speeds"] == unit.fans
    assert record["hashrate_ths"] == pytest.approx(unit.ths, rel=1e-3)
    assert record["state"] == "running"
    assert "boards_healthy" not in record, "no board says whether it works"


def test_firmware_without_a_summary_is_read_from_its_statistics() -> None:
    unit = rare.s19()
    record = read(rare.WITHOUT_SUMMARY, unit)
    assert record["model"] == "Antminer S19"
    assert record["hashrate_ths"] == pytest.approx(unit.ths, rel=1e-3), "what it does now, not its mean since the start"
    assert (record["temp_chip_max"], record["temp_board_max"]) == (72, 67)
    assert record["fan_speeds"] == unit.fans


def test_an_answer_that_is_almost_json_is_parsed() -> None:
    unit = rare.m20s()
    record = read(rare.NOT_QUITE_JSON, unit)
    assert record["hashrate_ths"] == pytest.approx(unit.ths, rel=1e-3)
    assert record["uptime_seconds"] == unit.uptime_sec


def test_a_valid_json_answer_is_not_altered() -> None:
    answer = parse_answer(b'{"STATUS":[{"STATUS":"S"}],"POOLS":[{"User":"farm}{7"}]}\0')
    assert answer["POOLS"] == [{"User": "farm}{7"}]
    missing_comma = parse_answer(b'{"STATUS":[{"STATUS":"S"}],"POOLS":[{"User":"a\x01b"}{"User":"c"}]}\0')
    assert missing_comma["POOLS"] == [{"User": "a\x01b"}, {"User": "c"}]
