"""A stop by protection stays held, reported and started again, over a restart of the edge and a start that fails."""

import time
from pathlib import Path

import pytest

from hashinsight.edge.protection.holds import FIRST_REST_SEC
from hashinsight.edge.settings import Protection
from hashinsight.edge.storage.journal import Journal, StoredStop
from tests.edge.makes.catalogue import machines_of
from tests.edge.one_machine import give
from tests.edge.protection.test_protector import LUXOS, STARTED, STOPPED, Clock, clock, heat, protected, read_twice
from tests.edge.simulated_site import RecordingSink, until

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
        async with protected(tmp_path, unit, clock, CHOSEN) as (_, sink):
            await until(lambda: bool(sink.events), "the stop")
        heat(unit, 60.0)
        async with protected(tmp_path, unit, clock, CHOSEN, sink) as (local_site, _):
            assert (await give(local_site, unit, "enable")).error_code == "LOCAL_PROTECTION"
            clock.now = LATER
            await until(lambda: len(sink.events) == 2, "the start")
            await until(lambda: not sink.stops, "it to be seen running")
        assert not unit.is_stopped
        assert sink.titles() == [STOPPED, STARTED]


async def test_a_stop_whose_edge_ended_before_the_report_is_held_and_reported_by_the_next_one(
    tmp_path: Path,
    clock: Clock,
) -> None:
    with machines_of(LUXOS) as (unit,):
        unit.stop("by the edge before")
        sink = RecordingSink()
        sink.stops[unit.address] = StoredStop(time.time(), is_to_start=True, is_reported=False)
        async with protected(tmp_path, unit, clock, CHOSEN, sink) as (local_site, _):
            await until(lambda: bool(sink.events), "the report")
            assert (await give(local_site, unit, "enable")).error_code == "LOCAL_PROTECTION"
        assert sink.titles() == [STOPPED]


async def test_a_start_that_fails_is_tried_again_and_each_outcome_is_reported_once(
    tmp_path: Path,
    clock: Clock,
) -> None:
    with machines_of(LUXOS) as (unit,):
        heat(unit, 75.0)
        unit.memory["broken"] = {"curtail wakeup"}
        async with protected(tmp_path, unit, clock, CHOSEN) as (local_site, sink):
            await until(lambda: bool(sink.events), "the stop")
            heat(unit, 60.0)
            clock.now += 61
            await until(lambda: len(sink.events) == 2, "the start that fails")
            await read_twice(local_site)
            clock.now += FIRST_REST_SEC
            await read_twice(local_site)
            assert sink.titles() == [STOPPED, NOT_STARTED]
            unit.memory["broken"] = set()
            clock.now += 2 * FIRST_REST_SEC
            await until(lambda: len(sink.events) == 3, "the start")
        assert not unit.is_stopped
        assert sink.titles() == [STOPPED, NOT_STARTED, STARTED]


@pytest.mark.parametrize(
    "stop", [StoredStop(5.0, is_to_start=True, is_reported=False), StoredStop(6.5, is_to_start=False, is_reported=True)]
)
def test_stops_outlive_the_journal_that_wrote_them(tmp_path: Path, stop: StoredStop) -> None:
    first = Journal(tmp_path / "journal.db", now=1.0)
    first.save_stop("A-1", stop)
    first.save_stop("A-2", stop)
    first.delete_stop("A-2")
    first.close()
    again = Journal(tmp_path / "journal.db", now=2.0)
    assert again.list_stops() == {"A-1": stop}
    again.close()
