"""Every make from its socket to the cloud's judgement: no sound machine is too hot, and each at its limit is."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from hashinsight.edge.normalising import Record
from hashinsight.edge.protecting_heat import must_stop
from hashinsight.edge.settings import Protection
from hashinsight.facts.temperatures import (
    SensorKind,
    find_limits,
    protection_limit_c,
    reported_limits,
    write_limits,
)
from hashinsight.problems.frame import texts_of
from hashinsight.telemetry.states import Flags
from tests.edge.makes.catalogue import NAMES
from tests.edge.makes.reader import Read, read_all
from tests.problems.yard import Yard

BY_NAME = pytest.mark.parametrize("name", NAMES)
HOT_DAY = tuple(name for name in NAMES if name.startswith("Antminer S19, stock"))
FLAGS = {"chip": Flags.CHIP_SENSOR, "board": Flags.BOARD_SENSOR}


def judged(record: Record) -> set[str]:
    """The overheat problems that the cloud opens on a machine that reads like this for four cycles."""
    own = {kind: limits for kind in SensorKind if (limits := reported_limits(record, kind)) is not None}
    yard = Yard(n=1)
    yard.columns |= {
        "model": texts_of([record["model"]]),
        "firmware": texts_of([record.get("firmware") or ""]),
        "temp_limits": texts_of([write_limits(own) or ""]),
        "flags": np.array([float(FLAGS[record["temp_sensor"]])]),
        "temp_chip_c": np.array([record.get("temp_chip_max", np.nan)]),
        "temp_board_c": np.array([record.get("temp_board_max", np.nan)]),
    }

    def show(told: dict[str, Any]) -> None:
        told |= {"temp_max_c": np.array([record["temp_max"]]), "temp_c": np.array([record["temp_avg"]])}

    yard.cycle(show, times=4)
    return {code for code in yard.problems(0) if code.startswith("overheat")}


def at_its_limit(record: Mapping[str, Any]) -> Record:
    """The same machine with its hottest kind of sensor where it must stop."""
    kind = SensorKind(record["temp_sensor"])
    limits = find_limits(record["model"], kind, firmware=record.get("firmware"), reported=reported_limits(record, kind))
    temp_c = protection_limit_c(limits, kind)
    return {**record, "temp_max": temp_c, f"temp_{kind.value}_max": temp_c}


@pytest.fixture(scope="module")
def sound() -> dict[str, Read]:
    return read_all(lambda _: None)


@BY_NAME
def test_no_sound_machine_of_any_make_is_too_hot_for_the_cloud_or_the_edge(sound: dict[str, Read], name: str) -> None:
    record = sound[name].record
    assert judged(record) == set()
    assert must_stop(record, Protection()) is None


@BY_NAME
def test_a_machine_of_any_make_at_its_limit_is_critical_and_is_stopped(sound: dict[str, Read], name: str) -> None:
    record = at_its_limit(sound[name].record)
    assert "overheat_crit" in judged(record)
    assert must_stop(record, Protection()) is not None


@pytest.mark.parametrize("name", HOT_DAY)
def test_a_stock_s19_on_a_hot_day_is_sound_at_86_at_the_chip_and_81_at_the_board(
    sound: dict[str, Read], name: str
) -> None:
    record = {**sound[name].record, "temp_max": 86.0, "temp_chip_max": 86.0, "temp_board_max": 81.0}
    assert judged(record) == set()
    assert must_stop(record, Protection()) is None
