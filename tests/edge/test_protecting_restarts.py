"""A stop by protection stays held, reported and started again, over a restart of the edge and a start that fails."""

import time
from pathlib import Path

import pytest

from hashinsight.edge.protection.holds import FIRST_REST_SEC, StoredStop
from hashinsight.edge.settings import Protection
from hashinsight.edge.storage.journal import Journal
from tests.edge.makes.catalogue import machines_of
from tests.edge.on_site import Heard, until
from tests.edge.orders import give
from tests.edge.test_protecting import LUXOS, STARTED, STOPPED, Clock, clock, heat, protected, read_twice

__all__ = ["clock"]
CHOSEN = Protection(hold_sec=60, restart_below_c=65)
NOT_STARTED = "Cooled down: could not be started again"
LATER = 1e9


async def test_a_machine_that_was_stopped_is_held_and_started_by_the_next_life_of_the_edge(
    tmp_path: Path,
    clock: Clock,
) -> None:
    with machines_of(LUXOS) as (unit,):
        heat(unit, 75.0)
        async with protected(tmp_path, unit, clock, CHOSEN) as (_, heard):
            await until(lambda: bool(heard.events), "the stop")
        heat(unit, 60.0)
        async with protected(tmp_path, unit, clock, CHOSEN, heard) as (side, _):
            assert (await give(side, unit, "enable")).error_code == "LOCAL_PROTECTION"
            clock.now = LATER
            await until(lambda: len(heard.events) == 2, "the start")
            await until(lambda: not heard.stops, "it to be seen running")
        assert not unit.is_stopped
        assert heard.titles() == [STOPPED, STARTED]


async def test_a_stop_whose_edge_ended_before_the_report_is_held_and_reported_by_the_next_one(
    tmp_path: Path,
    clock: Clock,
) -> None:
    with machines_of(LUXOS) as (unit,):
        unit.stop("by the edge before")
        heard = Heard()
        heard.stops[unit.address] = StoredStop(time.time(), is_to_start=True, is_told=False)
        async with protected(tmp_path, unit, clock, CHOSEN, heard) as (side, _):
            await until(lambda: bool(heard.events), "the report")
            assert (await give(side, unit, "enable")).error_code == "LOCAL_PROTECTION"
        assert heard.titles() == [STOPPED]


async def test_a_start_that_fails_is_tried_again_and_each_outcome_is_reported_once(
    tmp_path: Path,
    clock: Clock,
) -> None:
    with machines_of(LUXOS) as (unit,):
        heat(unit, 75.0)
        unit.memory["broken"] = {"curtail wakeup"}
        async with protected(tmp_path, unit, clock, CHOSEN) as (side, heard):
            await until(lambda: bool(heard.events), "the stop")
            heat(unit, 60.0)
            clock.now += 61
            await until(lambda: len(heard.events) == 2, "the start that fails")
            await read_twice(side)
            clock.now += FIRST_REST_SEC
            await read_twice(side)
            assert heard.titles() == [STOPPED, NOT_STARTED]
            unit.memory["broken"] = set()
            clock.now += 2 * FIRST_REST_SEC
            await until(lambda: len(heard.events) == 3, "the start")
        assert not unit.is_stopped
        assert heard.titles() == [STOPPED, NOT_STARTED, STARTED]


@pytest.mark.parametrize(
    "stop", [StoredStop(5.0, is_to_start=True, is_told=False), StoredStop(6.5, is_to_start=False, is_told=True)]
)
def test_stops_outlive_the_journal_that_wrote_them(tmp_path: Path, stop: StoredStop) -> None:
    first = Journal(tmp_path / "journal.db", now=1.0)
    first.keep_stop("A-1", stop)
    first.keep_stop("A-2", stop)
    first.drop_stop("A-2")
    first.close()
    again = Journal(tmp_path / "journal.db", now=2.0)
    assert again.list_stops() == {"A-1": stop}
    again.close()
