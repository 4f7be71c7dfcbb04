"""When a machine is too hot to run: by its own limit, the catalogue's, or far above what any machine bears."""

from typing import Any

import pytest

from hashinsight.edge.protection.heat import find_heat, must_stop
from hashinsight.edge.settings import Protection

STOCK, LUXOS = "AntMiner Stock 2024", "LuxOS 2024.5.1"


def record(model: str | None = "Antminer S19j Pro", firmware: str | None = STOCK, **more: Any) -> dict[str, Any]:
    return {"online": True, "state": "running", "model": model, "firmware": firmware, **more}


def chip(temp_c: float, **more: Any) -> dict[str, Any]:
    return {"temp_max": temp_c, "temp_chip_max": temp_c, "temp_sensor": "chip", **more}


def board(temp_c: float, **more: Any) -> dict[str, Any]:
    return {"temp_max": temp_c, "temp_board_max": temp_c, "temp_sensor": "board", **more}


@pytest.mark.parametrize(
    ("told", "is_hot"),
    [
        (record(**chip(94.9)), False),
        (record(**chip(95.0)), True),
        (record(firmware=LUXOS, **board(69.9)), False),
        (record(firmware=LUXOS, **board(70.0)), True),
        (record(model="Antminer S21", **chip(97.0)), False),
        (record(model="Antminer S21", **chip(100.0)), True),
        (record(temp_max=94.0), False),  # of a collector that does not say what it measures
        (record(temp_max=95.0), True),
        (record(**chip(99.0) | {"state": "stopped"}), False),
        (record(), False),
        (record(**chip(99.0) | {"online": False}), False),
    ],
)
def test_the_limit_is_that_of_the_model_and_of_what_its_sensor_measures(told: dict[str, Any], is_hot: bool) -> None:  # noqa: FBT001
    assert (must_stop(told, Protection()) is not None) is is_hot


def test_each_kind_of_sensor_is_judged_by_its_own_limit() -> None:
    """90 °C is nothing at a chip and too much at a board, also where the chip is the hottest."""
    told = record(**chip(92.0), temp_board_max=91.0)
    heat = must_stop(told, Protection())
    assert heat is not None
    assert (heat.sensor, heat.temp_c, heat.limit_c, heat.source) == ("board", 91.0, 90.0, "catalogue")
    assert must_stop({**told, "temp_board_max": 89.0}, Protection()) is None


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
def test_a_machine_of_unknown_limits_is_stopped_only_far_above_what_any_machine_bears(
    model: str | None,
    temps: dict[str, Any],
    is_hot: bool,  # noqa: FBT001
) -> None:
    heat = must_stop(record(model, None, **temps), Protection())
    assert (heat is not None) is is_hot
    assert heat is None or heat.source == "assumed"


@pytest.mark.parametrize(
    "told",
    [
        record("Antminer S9", **chip(89.0), temp_board_max=72.0),  # 7.16 of 7.24 TH/s
        record("Whatsminer M20S", "WhatsMiner Stock", **chip(92.5), temp_board_max=71.5),  # 67.4 of 68.8 TH/s
        record("Antminer S21", **chip(96.0), temp_board_max=76.0),
        record("Avalon 1047", "AvalonMiner Stock", **chip(90.0)),
    ],
)
def test_a_machine_that_runs_as_rated_is_not_stopped(told: dict[str, Any]) -> None:
    assert must_stop(told, Protection()) is None


def test_a_site_may_set_its_own_limit() -> None:
    heat = find_heat(record(**chip(60.0)), Protection(stop_at_c=55.0))
    assert heat is not None
    assert (heat.limit_c, heat.source, heat.is_too_much) == (55.0, "site", True)
