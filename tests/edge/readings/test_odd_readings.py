"""Readings that look like a fault but are none, or look fine but are a fault."""

from datetime import UTC, datetime
from typing import Any

import pytest

from hashinsight.edge.protection.heat import find_heat
from hashinsight.edge.readings.makes import make_of
from hashinsight.edge.readings.record import Record, make_record
from hashinsight.edge.settings import Protection
from tests.edge.makes.reader import read_all
from tests.edge.makes.unit import Unit

AT = datetime(2026, 1, 1, tzinfo=UTC)
STOCK = {"make": "AntMiner", "model": "S19", "firmware": "AntMiner Stock"}
WHATSMINER = {"make": "WhatsMiner", "model": "M60S", "firmware": "WhatsMiner Stock"}


def board(no: int, ths: float | None, **more: Any) -> dict[str, Any]:
    return {"position": no, "hashrate": {"value": ths, "unit": "TH/s"}, **more}


def read(device: dict[str, str], *, stats: dict[str, Any] | None = None, has_fans: bool = True, **data: Any) -> Record:
    reading = {"data": {"device_info": device, "uptime": 86_400.0, **data}, "stats": [stats] if stats else []}
    return make_record(reading, miner_id="m", at=AT, has_fans=has_fans)


def chains(chip_c: int, *, fans: int, **more: Any) -> dict[str, Any]:
    """An S19's statistics, its boards 5 °C cooler than its chips."""
    row: dict[str, Any] = {"fan_num": 4, **{f"fan{no}": fans for no in range(1, 5)}, "miner_count": 3}
    for no in (1, 2, 3):
        row |= {f"chain_acn{no}": 76, f"chain_rate{no}": "31600", f"temp_chip{no}": f"{chip_c}-{chip_c}"}
        row |= {f"temp_pcb{no}": f"{chip_c - 5}-{chip_c - 5}"}
    return row | more


S19_RATE = {"value": 94.8, "unit": "TH/s"}


def test_boards_that_hash_fully_are_healthy_however_few_chips_they_count() -> None:
    boards = [board(no, 57.0, working_chips=75, expected_chips=235) for no in range(3)]
    record = read(WHATSMINER, hashboards=boards, hashrate={"value": 171, "unit": "TH/s"}, expected_hashboards=3)
    assert (record["boards_healthy"], record["boards_total"]) == (3, 3)


def test_a_board_with_few_chips_below_half_of_the_best_is_not_healthy() -> None:
    boards = [
        board(0, 57.0, working_chips=235, expected_chips=235),
        board(1, 20.0, working_chips=80, expected_chips=235),
    ]
    record = read(WHATSMINER, hashboards=boards, hashrate={"value": 77, "unit": "TH/s"}, expected_hashboards=2)
    assert (record["boards_healthy"], record["boards_total"]) == (1, 2)


def test_0_watts_on_a_hashing_machine_is_ignored() -> None:
    assert "power_w" not in read(WHATSMINER, hashrate={"value": 171, "unit": "TH/s"}, wattage=0.0)
    assert read(WHATSMINER, hashrate={"value": 0, "unit": "TH/s"}, wattage=0.0)["power_w"] == 0


def test_a_corner_below_zero_in_the_cold_is_not_a_broken_sensor() -> None:
    cold = chains(25, fans=3000, temp_pcb1="3--2-18-21", temp_chip1="9-5-23-26")
    assert "flags" not in read(STOCK, stats=cold, hashrate=S19_RATE)["raw_data"]
    warm = chains(70, fans=3000, temp_pcb1="-1-60-61-62")
    assert read(STOCK, stats=warm, hashrate=S19_RATE)["raw_data"]["flags"] == ["sensor_broken"]


def test_a_sleeping_antminer_is_reported_stopped() -> None:
    asleep = {"Mode": 254, "fan_num": 0, **{f"chain_{what}{no}": 0 for what in ("acn", "rate") for no in (1, 2, 3)}}
    record = read(STOCK, stats=asleep, hashrate={"value": 0, "unit": "TH/s"})
    assert record["state"] == "stopped"
    assert "boards_healthy" not in record, "none of its boards answers, and none is dead"
    assert [board["chips"] for board in record["boards"]] == [None] * 3


def test_a_vnish_preset_is_read_from_its_statistics_alone() -> None:
    version = [{"Miner": "1.3", "Type": "Antminer S19 (Vnish 1.2.1)"}]
    reading = {
        "version": version,
        "stats": [chains(70, fans=3000, total_rateideal=88000.0, rate_unit="GH")],
        "data": None,
    }
    record = make_record(reading, miner_id="m", at=AT)
    assert (record["model"], record["firmware"], record["expected_ths"]) == ("Antminer S19", "VNish 1.3", 88)


def test_a_whatsminer_of_unknown_model_has_the_limits_of_all_whatsminers() -> None:
    summary = {"Chip Temp Max": 92.5, "Temperature": 72.0, "MHS 1m": 68e6, "Elapsed": 5000}
    record = make_record({"summary": summary, "data": None, "reader": "cgminer"}, miner_id="m", at=AT)
    heat = find_heat(record, Protection())
    assert (record["model"], record["temp_chip_max"]) == ("Whatsminer", 92.5)
    assert heat is not None
    assert (heat.source, heat.is_too_much) == ("catalogue", False)


def test_fewer_boards_with_all_chips_of_the_model_have_none_missing() -> None:
    """The library expects three boards of 80 chips; this one was built with two of 120."""
    device = {"make": "Avalon", "model": "Avalon1047", "firmware": "AvalonMiner Stock"}
    text = "Ver[1047-20010101] MGHS[18500 18500] MTmax[83 82] GHSspd[37000]"
    text += "".join(f" PVT_T{no}[{' '.join(['80'] * 120)}]" for no in (0, 1))
    boards = [board(no, 18.5, expected_chips=80) for no in range(3)]
    record = read(device, stats={"MM ID0": text}, hashboards=boards, expected_hashboards=3)
    assert (record["boards_healthy"], record["boards_total"]) == (2, 2)
    assert [board_record["chips"] for board_record in record["boards"]] == [120, 120]


@pytest.mark.parametrize(
    ("chip_c", "uptime_sec", "fan_speeds"),
    [(60, 86_400.0, None), (60, 120.0, None), (90, 86_400.0, [0] * 4), (90, 120.0, [0] * 4)],
    ids=["cool: in oil", "cool after a reboot: in oil", "hot: its fans died before we saw it", "hot after a reboot"],
)
def test_fans_never_seen_turning_are_missing_if_the_machine_hashes_and_is_hot(
    chip_c: int, uptime_sec: float, fan_speeds: list[int] | None
) -> None:
    record = read(STOCK, stats=chains(chip_c, fans=0), hashrate=S19_RATE, uptime=uptime_sec, has_fans=False)
    assert record.get("fan_speeds") == fan_speeds
    assert "fans_never_turned" in record["raw_data"]["flags"]


LUXOS = {"make": "AntMiner", "model": "S19", "firmware": "LuxOS"}
_ZEROS = dict.fromkeys(("TopLeft", "TopRight", "BottomLeft", "BottomRight"), 0)


@pytest.mark.parametrize(
    ("row", "hottest_c", "is_mean"),
    [
        ({**_ZEROS, "Board": 72, "Chip": 0}, 72.0, False),
        ({**_ZEROS, "TopLeft": 60, "Board": 72}, 72.0, False),
        ({"Board": 72, "Chip": 85}, 85.0, False),
        ({**_ZEROS, "Chip": 0}, 68.0, True),
    ],
)
def test_luxos_corners_at_0_hide_no_other_sensor(row: dict[str, int], hottest_c: float, is_mean: bool) -> None:  # noqa: FBT001
    """If the table has nothing at all, the library's mean is better than nothing, and is flagged."""
    data = {"device_info": LUXOS, "uptime": 86_400.0, "hashboards": [board(0, 31.0, board_temperature=68.0)]}
    record = make_record({"data": data, "temps": [row]}, miner_id="m", at=AT)
    assert record["temp_max"] == hottest_c
    assert ("temp_max_is_a_mean" in record["raw_data"].get("flags", ())) is is_mean


def test_the_traits_of_a_make_follow_from_any_of_its_names() -> None:
    hydro = make_of({"make": "AntMiner", "model": "S21 XP Hyd.", "firmware": "LuxOS"})
    assert (hydro.has_fans, hydro.is_luxos, hydro.corners_in) == (False, True, ("temps",))
    braiins = make_of({"make": None, "model": "Antminer S19 (Braiins OS)"})
    assert (braiins.has_fans, braiins.is_braiins, braiins.reports_nameplate, braiins.corners_in) == (
        True,
        True,
        True,
        (),
    )
    assert make_of(STOCK).corners_in == ("stats",)


@pytest.mark.parametrize("reported", [10**9, "1000000000", 10**17])
def test_an_absurd_number_of_boards_is_ignored(reported: Any) -> None:
    stats = chains(70, fans=5000, miner_count=reported)
    by_library = read(STOCK, stats=stats, hashrate=S19_RATE, hashboards=[board(no, 31.6) for no in range(3)])
    counted = read(
        STOCK, hashrate=S19_RATE, expected_hashboards=reported, hashboards=[board(no, 31.6) for no in range(3)]
    )
    plain = make_record(
        {"data": None, "summary": {"GHS 5s": 94_800}, "stats": [stats], "pools": []}, miner_id="m", at=AT
    )
    for record in (by_library, counted, plain):
        assert (record["boards_total"], record["boards_healthy"]) == (3, 3)


def test_a_total_in_another_unit_keeps_every_digit_and_is_flagged() -> None:
    def odd(unit: Unit) -> None:
        unit.memory["total_in_ths"] = True
        for board in unit.boards:
            board.ths = 36.84

    read = read_all(odd, ["Whatsminer M60S, API 2"])["Whatsminer M60S, API 2"]
    assert read.record["hashrate_ths"] == 110.52
    assert "hashrate_units_mended" in read.record["raw_data"]["flags"]


def test_a_board_that_the_machine_no_longer_lists_is_dead() -> None:
    def hide(unit: Unit) -> None:
        unit.memory["hides_dead_board"] = True
        unit.lose_board(2)

    read = read_all(hide, ["Whatsminer M60S, API 2"])["Whatsminer M60S, API 2"]
    assert (read.record["boards_healthy"], read.record["boards_total"]) == (2, 3)


def test_a_corner_at_minus_1_is_not_a_reading() -> None:
    name = "Antminer S19, stock, web page locked"
    record = read_all(lambda unit: unit.break_sensor(-1.0), [name])[name].record
    assert (record["temp_max"], record["raw_data"]["flags"]) == (70.0, ["sensor_broken"])


def test_a_corner_without_a_sensor_is_not_a_broken_one() -> None:
    name = "Antminer S19, stock, web page locked"
    record = read_all(lambda unit: unit.break_sensor(0.0), [name])[name].record
    assert (record["temp_max"], record["raw_data"]["flags"]) == (70.0, ["sensor_silent"])


@pytest.mark.parametrize(("model", "total"), [("nobody's", 2), ("Antminer S19", 3)])
def test_a_board_without_figures_is_dead_only_if_the_model_is_known_to_have_it(model: str, total: int) -> None:
    hashing = {"hashrate": {"value": 31.5, "unit": "TH/s"}, "working_chips": 76}
    boards = [{"position": 0, **hashing}, {"position": 1, **hashing}, {"position": 2}]
    reading = {"data": {"device_info": {"model": model, "firmware": "LuxOS"}, "hashboards": boards}}
    record = make_record(reading, miner_id="m", at=datetime(2026, 1, 1, tzinfo=UTC))
    assert (record["boards_healthy"], record["boards_total"]) == (2, total)
