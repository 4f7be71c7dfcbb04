"""A machine's own temperature limits, queried now and then: a lost answer changes none of them."""

from typing import Any

import pytest

from hashinsight.edge.library_process import tables
from hashinsight.edge.library_process.tables import LIMITS_AGAIN_SEC, LIMITS_SEC, ExtraTables
from tests.edge.makes.catalogue import machines_of
from tests.edge.makes.luxos import LIMITS
from tests.edge.makes.unit import Unit

LUXOS = "Antminer S19k Pro, LuxOS"
DATA = {"device_info": {"firmware": "LuxOS"}, "hashboards": [{"board_temperature": 60}]}
OWN = [{"Mode": "Automatic", **LIMITS}]
ALWAYS = 1_000_000


class Clock:
    now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(tables, "time", made)
    return made


async def limits_of(tables: ExtraTables, unit: Unit) -> Any:
    completed = await tables.complete(unit.address, {"summary": [{"Hardware Errors": 0}]}, DATA, 20.0)
    return completed["tempctrl"]


def count_queries(unit: Unit) -> int:
    return unit.queries.count("tempctrl")


async def test_a_lost_answer_leaves_the_limits_unchanged_and_is_retried_soon(clock: Clock) -> None:
    tables = ExtraTables()
    with machines_of(LUXOS) as (unit,):
        assert await limits_of(tables, unit) == OWN
        clock.now += LIMITS_SEC
        unit.memory["lost"] = {"tempctrl": 1}
        assert await limits_of(tables, unit) == OWN
        assert (unit.memory["lost"], count_queries(unit)) == ({"tempctrl": 0}, 1)
        clock.now += LIMITS_AGAIN_SEC
        assert await limits_of(tables, unit) == OWN
        assert count_queries(unit) == 2
        clock.now += LIMITS_SEC - 1
        assert await limits_of(tables, unit) == OWN
        assert count_queries(unit) == 2


async def test_a_machine_that_never_answers_is_queried_more_and_more_rarely(clock: Clock) -> None:
    tables = ExtraTables()
    with machines_of(LUXOS) as (unit,):
        unit.memory["lost"] = {"tempctrl": ALWAYS}
        for _ in range(120):  # two hours of readings
            assert await limits_of(tables, unit) == []
            clock.now += 60.0
        assert ALWAYS - unit.memory["lost"]["tempctrl"] < 20


async def test_a_machine_without_the_command_has_no_limits_and_is_not_queried_again_soon(clock: Clock) -> None:
    tables = ExtraTables()
    with machines_of(LUXOS) as (unit,):
        assert await limits_of(tables, unit) == OWN
        unit.memory["unknown"] = {"tempctrl"}
        clock.now += LIMITS_SEC
        assert await limits_of(tables, unit) == []
        clock.now += LIMITS_SEC - 1
        assert await limits_of(tables, unit) == []
        assert count_queries(unit) == 2
