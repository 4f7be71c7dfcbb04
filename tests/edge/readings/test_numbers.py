"""Wrong units and broken sensors: found, corrected if that is certain, and flagged."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from hashinsight.edge.library_process.reader import Reader
from hashinsight.edge.readings.numbers import Hashrates, correct_units, to_ths
from hashinsight.edge.readings.record import make_record
from tests.sim.sockets.manual_driver import on_sockets, readings

NOW = datetime(2026, 1, 1, tzinfo=UTC)
KINDS = [("Antminer S19j Pro", "LuxOS 2024.5.1"), ("Whatsminer M50S", "20240312.10.Rel"), ("Avalon A1366", "24031301")]


async def read(net: int, no: int) -> dict[str, Any]:
    async with Reader() as reader:
        return make_record(await reader.read(f"127.{net}.0.{no + 1}", timeout_sec=60), miner_id="m", at=NOW)


@pytest.mark.parametrize("no", [0, 1, 2])
async def test_every_figure_of_a_machine_arrives_in_our_unit(no: int) -> None:
    with on_sockets(KINDS) as (_, net):
        record = await read(net, no)
    assert record["hashrate_ths"] == pytest.approx(101.25 if no < 2 else 103.5)
    assert [board["hashrate_ths"] for board in record["boards"]] == [34.0, 34.5, 35.0]
    assert [board["chips"] for board in record["boards"]] == [126, 125, 120]
    assert (record["power_w"], record["frequency_avg"], record["uptime_seconds"]) == (3050, 545, 86_400)
    assert record["fan_speeds"] == [4010, 4020, 4030, 4040][: 2 if no == 1 else 4]
    assert (record["accepted_shares"], record["rejected_shares"], record["hw_errors"]) == (1234, 5, 6)
    assert record["temp_max"] == (55 if no == 0 else 68)  # one reports its board's corners, the others the chip
    assert record["raw_data"]["reader"] == "pyasic_rs"


@pytest.mark.parametrize("no", [0, 1, 2])
async def test_a_total_a_million_times_too_large_is_corrected_and_flagged(no: int) -> None:
    with on_sockets(KINDS) as (stage, net):
        figures = readings(len(KINDS))
        stage.show(
            replace(figures, hashrate_ths=figures.hashrate_ths * 1e6, hashrate_5s_ths=figures.hashrate_5s_ths * 1e6)
        )
        record = await read(net, no)
    assert record["hashrate_ths"] == pytest.approx(101.25 if no < 2 else 103.5)
    assert "hashrate_units_mended" in record["raw_data"]["flags"]


@pytest.mark.parametrize(("no", "broken"), [(0, 0.0), (0, 255.0), (1, 255.0), (2, 0.0)])
async def test_a_broken_sensor_is_ignored_and_flagged(no: int, broken: float) -> None:
    with on_sockets(KINDS) as (stage, net):
        figures = readings(len(KINDS))
        boards, chips = figures.board_temp_c.copy(), figures.chip_temp_c.copy()
        boards[:, 2] = chips[:, 2] = broken
        stage.show(replace(figures, board_temp_c=boards, chip_temp_c=chips))
        record = await read(net, no)
    assert record["temp_max"] < 70
    assert record["boards"][2]["temp_max_c"] is None
    assert "sensor_broken" in record["raw_data"]["flags"]


async def test_a_stopped_machine_is_reported_stopped_whatever_it_claims() -> None:
    with on_sockets(KINDS) as (stage, net):
        n = len(KINDS)
        zero = np.zeros(n)
        figures = replace(readings(n), hashrate_ths=zero, hashrate_5s_ths=zero, power_w=np.full(n, 30.0))
        stage.show(replace(figures, hashing=np.full(n, fill_value=False), board_ths=np.zeros((n, 3))))
        states = [(await read(net, no))["state"] for no in range(n)]
    assert states == ["stopped"] * n


@pytest.mark.parametrize(
    ("total", "boards", "expected", "flags"),
    [
        (104.0, [34.0, 35.0, 35.0], 104.0, []),
        (104e3, [34.0, 35.0, 35.0], 104.0, ["hashrate_units_mended"]),
        (104e6, [34e6, 35e6, 35e6], 104.0, ["hashrate_units_mended", "board_units_mended"]),
        (0.104, [34.0, 35.0, 35.0], 104.0, ["hashrate_units_mended"]),
        (104.0, [34e3, 35e3, 35e3], 104.0, ["board_units_mended"]),
        (104.0, [0.034, 0.035, 0.035], 104.0, ["board_units_mended"]),
        (104.0, [], 104.0, []),
        (0.104, [], 0.104, ["hashrate_doubtful"]),  # it may be starting: not corrected, only flagged
        (70.0, [34.0, 35.0, None], 70.0, []),
        (10.0, [34.0, 35.0, 35.0], 10.0, ["boards_contradict_total"]),
        (None, [34.0, 35.0, 35.0], 104.0, ["hashrate_from_boards"]),
        (0.0, [0.0, 0.0, 0.0], 0.0, []),
    ],
)
def test_totals_are_checked_against_boards(
    total: float | None, boards: list[float | None], expected: float, flags: list[str]
) -> None:
    corrected = correct_units(Hashrates(total, 104.0, boards), rated_ths=104.0, power_w=3050.0, rated_w=3050.0)
    assert corrected.total_ths == pytest.approx(expected)
    assert set(corrected.flags) == set(flags)
    if "board_units_mended" in flags:
        assert sum(ths or 0 for ths in corrected.boards_ths) == pytest.approx(104.0)


@pytest.mark.parametrize(
    ("rate", "ths"),
    [
        ({"value": 104.0, "unit": "TH/s"}, 104.0),
        ({"value": 104e3, "unit": "GH/s"}, 104.0),
        ({"value": 0.104, "unit": "PH/s"}, 104.0),
        ({"value": float("nan"), "unit": "TH/s"}, None),
        ({"value": 1.0, "unit": "furlongs"}, None),
        (None, None),
    ],
)
def test_hashrates_are_converted_from_their_unit(rate: object, ths: float | None) -> None:
    assert to_ths(rate) == (None if ths is None else pytest.approx(ths))
