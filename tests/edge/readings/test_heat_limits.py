"""Every make from its socket to cloud and collector: no healthy machine is too hot, and each at its limit is."""

import json
from typing import Any

import numpy as np
import pytest

from hashinsight.edge.protection.heat import must_stop
from hashinsight.edge.readings.record import Record
from hashinsight.edge.settings import Protection
from hashinsight.problems.frame import text_column
from hashinsight.telemetry.ingest.decoder import DecodedBatch, decode
from hashinsight.telemetry.ingest.normaliser import normalise
from tests.edge.makes.catalogue import NAMES
from tests.edge.makes.reader import Read, read_all
from tests.problems.fleet import Fleet

# stop limits at the hottest sensor kind: from decision 0014's table, or the machine's own
LIMITS_C: dict[str, tuple[str, float]] = {
    "Antminer S9, stock": ("chip", 110.0),
    "Antminer S19, stock": ("chip", 95.0),
    "Antminer S19, stock, web page locked": ("chip", 95.0),
    "Antminer S19 XP, stock": ("chip", 95.0),
    "Antminer S21, stock": ("chip", 100.0),
    "Antminer S19k Pro, LuxOS": ("board", 70.0),  # its own
    "Antminer S19j Pro, Braiins 24.09": ("chip", 100.0),  # its own
    "Antminer S19j Pro, Braiins 25.05": ("chip", 100.0),  # its own
    "Antminer S19j Pro, Braiins 25.07": ("chip", 100.0),  # its own
    "Antminer S19, VNish": ("chip", 95.0),
    "Whatsminer M20S, API 1": ("chip", 105.0),
    "Whatsminer M30S++, API 2": ("chip", 105.0),
    "Whatsminer M60S, API 2": ("chip", 105.0),
    "Whatsminer M60S, API 3": ("chip", 105.0),
    "Avalon A1047": ("chip", 105.0),
    "Avalon A1246": ("chip", 105.0),
    "Avalon A1366": ("chip", 105.0),
}
BY_NAME = pytest.mark.parametrize("name", NAMES)
BY_LIMIT = pytest.mark.parametrize(("name", "kind", "limit_c"), [(name, *LIMITS_C[name]) for name in NAMES])
HOT_DAY = tuple(name for name in NAMES if name.startswith("Antminer S19, stock"))


def overheat_problems(record: Record) -> set[str]:
    """The overheat problems that the cloud opens after four cycles with this sample."""
    batch = decode(json.dumps([record]).encode(), None, max_samples=1)
    assert isinstance(batch, DecodedBatch)
    samples = normalise(batch, zero_is_unknown=False)
    assert samples.rejected == {}
    fleet = Fleet(n=1)
    fleet.columns |= {
        **{name: text_column([samples.texts.get(name, [None])[0]]) for name in ("model", "firmware", "temp_limits")},
        "flags": samples.flags.astype(np.float64),
        "temp_chip_c": samples.number("temp_chip_max_c"),
        "temp_board_c": samples.number("temp_board_max_c"),
    }

    def show(columns: dict[str, Any]) -> None:
        columns |= {name: samples.number(name) for name in ("temp_max_c", "temp_c")}

    fleet.cycle(show, times=4)
    return {code for code in fleet.problems(0) if code.startswith("overheat")}


def hottest_at(record: Record, kind: str, temp_c: float) -> Record:
    """The same machine with its hottest sensor kind at this temperature."""
    assert record["temp_sensor"] == kind
    return {**record, "temp_max": temp_c, f"temp_{kind}_max": temp_c}


@pytest.fixture(scope="module")
def sound() -> dict[str, Read]:
    return read_all(lambda _: None)


@BY_NAME
def test_no_healthy_machine_of_any_make_is_too_hot_for_cloud_or_collector(sound: dict[str, Read], name: str) -> None:
    record = sound[name].record
    assert overheat_problems(record) == set()
    assert must_stop(record, Protection()) is None


@BY_LIMIT
def test_a_machine_of_any_make_at_its_limit_is_critical_and_is_stopped(
    sound: dict[str, Read], name: str, kind: str, limit_c: float
) -> None:
    record = hottest_at(sound[name].record, kind, limit_c)
    assert "overheat_crit" in overheat_problems(record)
    assert must_stop(record, Protection()) is not None


@BY_LIMIT
def test_a_machine_of_any_make_a_degree_below_its_limit_is_neither_critical_nor_stopped(
    sound: dict[str, Read], name: str, kind: str, limit_c: float
) -> None:
    record = hottest_at(sound[name].record, kind, limit_c - 1)
    assert "overheat_crit" not in overheat_problems(record)
    assert must_stop(record, Protection()) is None


@pytest.mark.parametrize("name", HOT_DAY)
def test_a_stock_s19_on_a_hot_day_is_healthy_at_86_degrees_chip_and_81_board(sound: dict[str, Read], name: str) -> None:
    record = {**sound[name].record, "temp_max": 86.0, "temp_chip_max": 86.0, "temp_board_max": 81.0}
    assert overheat_problems(record) == set()
    assert must_stop(record, Protection()) is None
