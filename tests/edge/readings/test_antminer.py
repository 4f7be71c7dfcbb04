"""What the figures in an Antminer's `stats` are: chip, board or water, and how many boards there are."""

from datetime import UTC, datetime
from typing import Any

import pytest

from hashinsight.edge.protection.heat import must_stop
from hashinsight.edge.readings.record import Record, make_record
from hashinsight.edge.settings import Protection

ABOUT = {"BMMiner": "1.0.0", "Miner": "49.0.1.3"}
S19, HYDRO = "Antminer S19", "Antminer S21+ Hyd."


def chain(no: int = 1, **temps_by_name: Any) -> dict[str, Any]:
    """`pcb="60-61-70-71"` is `temp_pcb1`, and so on; `single` is `temp1`, `older` is `temp2_1`."""
    names = {"single": f"temp{no}", "older": f"temp2_{no}"}
    temps = {names.get(name, f"temp_{name}{no}"): value for name, value in temps_by_name.items()}
    return {f"chain_acn{no}": 76, f"chain_rate{no}": "31000.00", **temps}


def read(model: str, *chains: dict[str, Any], library: dict[str, Any] | None = None, **tables: Any) -> Record:
    stats: dict[str, Any] = {}
    for chain_stats in chains:
        stats |= chain_stats
    reading = {
        "version": [{**ABOUT, "Type": model}],
        "stats": [stats],
        "data": {"device_info": {"model": model, "make": "AntMiner", "firmware": "Stock"}, **(library or {})},
        **tables,
    }
    return make_record(reading, miner_id="m", at=datetime(2026, 1, 1, tzinfo=UTC))


def heat_flags(record: Record) -> list[str]:
    return [flag for flag in record["raw_data"].get("flags", []) if flag.startswith(("temp", "sensor"))]


def test_a_single_figure_beside_corners_is_not_a_board_temperature() -> None:
    """Here it is the hottest chip: as a board temperature it would be over the limit."""
    record = read(S19, chain(pcb="60-61-78-79", chip="65-66-83-92", single=92, older=92))
    assert (record["temp_chip_max"], record["temp_board_max"]) == (92.0, 79.0)
    assert must_stop(record, Protection()) is None


@pytest.mark.parametrize("zeros", [{}, {"pcb": "0-0-0-0", "chip": "0-0-0-0"}])
def test_single_figures_without_corners_are_a_board_and_its_chip(zeros: dict[str, str]) -> None:
    record = read("Antminer S9", chain(6, single=70, older=89, **zeros))
    assert (record["temp_chip_max"], record["temp_board_max"]) == (89.0, 70.0)


def test_a_hydro_machine_with_its_chip_in_pic_and_its_water_in_pcb() -> None:
    record = read(HYDRO, chain(pic="97-0-0-0", pcb="41-52-0-0", chip="0-0-0-0"))
    assert (record["temp_max"], record["temp_sensor"], record["temp_chip_max"]) == (97.0, "chip", 97.0)
    assert "temp_board_max" not in record
    assert heat_flags(record) == []
    assert must_stop(record, Protection()) is None
    hot = read(HYDRO, chain(pic="100-0-0-0", pcb="41-52-0-0", chip="0-0-0-0"))
    assert must_stop(hot, Protection()) is not None


def test_water_inlet_and_outlet_of_a_hydro_machine_are_not_its_chips() -> None:
    record = read("Antminer S21 Hyd.", chain(pcb="60-62-63-66", chip="41-52-0-0", pic="0-0-0-0"))
    assert (record["temp_max"], record["temp_sensor"]) == (66.0, "board")
    assert "temp_chip_max" not in record
    assert heat_flags(record) == []


def test_water_is_reported_and_flagged_if_there_is_no_other_temperature() -> None:
    record = read("Antminer S21 Hyd.", chain(pcb="0-0-0-0", chip="41-52-0-0", pic="0-0-0-0"))
    assert (record["temp_max"], heat_flags(record)) == (52.0, ["temp_is_water"])


def test_what_is_too_hot_for_water_counts_as_chip_with_the_higher_limit() -> None:
    record = read(HYDRO, chain(pic="80-0-0-0", pcb="41-97-0-0", chip="0-0-0-0"))
    assert record["temp_chip_max"] == 97.0
    assert must_stop(record, Protection()) is None
    burning = read(HYDRO, chain(pic="80-0-0-0", pcb="41-105-0-0", chip="0-0-0-0"))
    assert must_stop(burning, Protection()) is not None


def test_a_hydro_machine_with_chip_and_board_corners_is_read_as_usual() -> None:
    record = read("Antminer S19 Pro Hyd.", chain(pcb="50-51-52-53", chip="60-61-62-63", pic="0-0-0-0"))
    assert (record["temp_chip_max"], record["temp_board_max"]) == (63.0, 53.0)


@pytest.mark.parametrize(
    ("of_library", "of_machine", "boards"),
    [(2, 4, 2), (None, 2, 3), (None, 4, 4), (None, None, 3), (0, None, 3)],
)
def test_the_number_of_boards_comes_from_the_library_or_else_the_larger_of_machine_and_catalogue(
    of_library: int | None, of_machine: int | None, boards: int
) -> None:
    """Two boards of an S19 hash; there are four connectors. A machine does not count a dead board."""
    chains = [chain(1, pcb="60-60-60-60"), chain(2, pcb="60-60-60-60")]
    spare = {f"chain_{what}{no}": value for no in (3, 4) for what, value in (("acn", 0), ("rate", ""))}
    own = {} if of_machine is None else {"miner_count": of_machine}
    record = read(S19, *chains, spare, own, library={"expected_hashboards": of_library})
    assert (record["boards_healthy"], record["boards_total"]) == (2, boards)


@pytest.mark.parametrize(("model", "fitted"), [("M30S++VK30", 2), ("M66SVK20", 3)])
def test_a_whatsminer_variant_with_fewer_boards_has_none_missing(model: str, fitted: int) -> None:
    hashing = {"hashrate": {"value": 50.0, "unit": "TH/s"}, "working_chips": 111}
    boards = [{"position": no, **hashing} for no in range(fitted)]
    data = {"device_info": {"model": model, "make": "WhatsMiner"}, "hashboards": boards, "expected_hashboards": fitted}
    record = make_record({"data": data}, miner_id="m", at=datetime(2026, 1, 1, tzinfo=UTC))
    assert (record["boards_healthy"], record["boards_total"]) == (fitted, fitted)


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        ({"Board": 65.0, "Chip": 88.0}, "chip"),
        ({"Board": 65.0, "Chip": 0.0}, "board"),
        ({"TopLeft": 60.0, "BottomRight": 62.0}, "board"),
    ],
)
def test_limits_reported_by_luxos_are_for_chips_if_it_measures_them(row: dict[str, float], kind: str) -> None:
    boards = [{"position": 0, "hashrate": {"value": 4.5, "unit": "TH/s"}}]
    data = {"device_info": {"model": "Antminer S9", "firmware": "LuxOS"}, "hashboards": boards}
    reading = {"data": data, "temps": [row], "tempctrl": [{"Hot": 95.0, "Dangerous": 105.0}]}
    record = make_record(reading, miner_id="m", at=datetime(2026, 1, 1, tzinfo=UTC))
    assert record["temp_limits"] == {kind: {"warn_c": 95.0, "stop_c": 105.0}}
    assert (record["temp_sensor"], record["temp_limit_c"]) == (kind, 105.0)
