"""After a stop by protection: held, released, started again, also across restarts and failed starts."""

import time
from pathlib import Path

import pytest

from hashinsight.edge.protection.heat import FAILED_REST_SEC
from hashinsight.edge.protection.holds import FIRST_REST_SEC
from hashinsight.edge.settings import Protection
from hashinsight.edge.storage.journal import Journal, StoredStop
from tests.edge.makes.catalogue import NAMES, machines_of
from tests.edge.one_machine import run_verb
from tests.edge.protection.protected_machine import (
    COOL,
    LUXOS,
    NOT_STARTED,
    NOT_STOPPED,
    STARTED,
    STOCK,
    STOPPED,
    Clock,
    clock,
    heat,
    protected_machine,
    read_twice,
)
from tests.edge.simulated_site import RecordingSink, until

__all__ = ["clock"]
RESTARTING = Protection(hold_sec=60, restart_below_c=65)
LATER = 1e9


async def test_a_machine_is_held_from_the_successful_stop_and_its_cooling_down_is_reported(
    tmp_path: Path, clock: Clock
) -> None:
    with machines_of(LUXOS) as (unit,):
        heat(unit, 75.0)
        unit.memory["broken"] = {"curtail sleep"}
        async with protected_machine(tmp_path, unit, clock) as (local_site, sink):
            await until(lambda: bool(sink.events), "the report")
            unit.memory["broken"] = set()
            clock.now += FAILED_REST_SEC
            await until(lambda: len(sink.events) == 2, "the stop")
            for verb in ("enable", "reboot"):
                held = await run_verb(local_site, unit, verb)
                assert (held.status, held.error_code) == ("rejected", "LOCAL_PROTECTION"), verb
            assert (await run_verb(local_site, unit, "fault_light", on=True)).error_code != "LOCAL_PROTECTION"
            heat(unit, 60.0)
            await until(lambda: len(sink.events) == 3, "the end of it")
            await read_twice(local_site)
            clock.now += Protection().hold_sec
            assert (await run_verb(local_site, unit, "enable")).status == "succeeded"
            assert not unit.is_stopped
        assert sink.titles() == [NOT_STOPPED, STOPPED, COOL]
        assert [event["severity"] for event in sink.events] == ["critical", "critical", "info"]


async def test_a_machine_that_people_also_stopped_is_not_started_by_protection(tmp_path: Path, clock: Clock) -> None:
    protection = Protection(hold_sec=60, restart_below_c=65)
    with machines_of(LUXOS) as (unit,):
        heat(unit, 75.0)
        async with protected_machine(tmp_path, unit, clock, protection) as (local_site, sink):
            await until(lambda: bool(sink.events), "the stop")
            assert (await run_verb(local_site, unit, "disable")).status == "succeeded"
            heat(unit, 60.0)
            clock.now += 61
            await read_twice(local_site)
        assert unit.is_stopped
        assert sink.titles() == [STOPPED, COOL]


async def test_a_stop_that_takes_effect_late_is_held_reported_and_started_again(tmp_path: Path, clock: Clock) -> None:
    protection = Protection(hold_sec=60, restart_below_c=65)
    with machines_of(LUXOS) as (unit,):
        heat(unit, 75.0)
        unit.memory["stops_late"] = True
        async with protected_machine(tmp_path, unit, clock, protection) as (local_site, sink):
            local_site.executor._confirm_sec = 0.1
            await until(lambda: bool(sink.events), "the report")
            assert sink.events[0]["details"]["error_code"] == "NOT_CONFIRMED"
            unit.stop("at last")
            await until(lambda: len(sink.events) == 2, "the stop")
            assert (await run_verb(local_site, unit, "enable")).error_code == "LOCAL_PROTECTION"
            heat(unit, 60.0)
            clock.now += 61
            await until(lambda: len(sink.events) == 3, "the start")
        assert not unit.is_stopped
        assert sink.titles() == [NOT_STOPPED, STOPPED, STARTED]


async def test_a_machine_that_a_person_stops_after_a_failed_stop_is_not_held_by_protection(
    tmp_path: Path, clock: Clock
) -> None:
    with machines_of(LUXOS) as (unit,):
        heat(unit, 75.0)
        unit.memory["stops_late"] = True
        async with protected_machine(tmp_path, unit, clock, Protection(restart_below_c=65)) as (local_site, sink):
            local_site.executor._confirm_sec = 0.1
            await until(lambda: bool(sink.events) and not local_site.protector._acting, "the report")
            unit.memory["stops_late"] = False
            assert (await run_verb(local_site, unit, "disable")).status == "succeeded"
            await read_twice(local_site)
            machine = local_site.find(unit.address)
            assert machine is not None
            assert local_site.protector.why_forbidden(machine, "enable") is None
        assert sink.titles() == [NOT_STOPPED]


@pytest.mark.skipif(STOCK not in NAMES, reason="this user may not listen on port 80")
async def test_a_power_mode_does_not_wake_a_held_antminer(tmp_path: Path, clock: Clock) -> None:
    with machines_of(STOCK) as (unit,):
        unit.heat(105.0)
        async with protected_machine(tmp_path, unit, clock) as (local_site, sink):
            await until(lambda: bool(sink.events), "the stop")
            refused = await run_verb(local_site, unit, "set_power_mode", mode="eco")
            assert (refused.status, refused.error_code) == ("rejected", "LOCAL_PROTECTION")
        assert unit.is_stopped


async def test_a_stopped_machine_is_held_and_started_after_a_restart_of_the_collector(
    tmp_path: Path,
    clock: Clock,
) -> None:
    with machines_of(LUXOS) as (unit,):
        heat(unit, 75.0)
        async with protected_machine(tmp_path, unit, clock, RESTARTING) as (_, sink):
            await until(lambda: bool(sink.events), "the stop")
        heat(unit, 60.0)
        async with protected_machine(tmp_path, unit, clock, RESTARTING, sink) as (local_site, _):
            assert (await run_verb(local_site, unit, "enable")).error_code == "LOCAL_PROTECTION"
            clock.now = LATER
            await until(lambda: len(sink.events) == 2, "the start")
            await until(lambda: not sink.stops, "it to be seen running")
        assert not unit.is_stopped
        assert sink.titles() == [STOPPED, STARTED]


async def test_a_stop_not_yet_reported_is_held_and_reported_after_a_restart_of_the_collector(
    tmp_path: Path,
    clock: Clock,
) -> None:
    with machines_of(LUXOS) as (unit,):
        unit.stop("by the edge before")
        sink = RecordingSink()
        sink.stops[unit.address] = StoredStop(time.time(), is_to_start=True, is_reported=False)
        async with protected_machine(tmp_path, unit, clock, RESTARTING, sink) as (local_site, _):
            await until(lambda: bool(sink.events), "the report")
            assert (await run_verb(local_site, unit, "enable")).error_code == "LOCAL_PROTECTION"
        assert sink.titles() == [STOPPED]


async def test_a_failed_start_is_retried_and_each_outcome_is_reported_once(
    tmp_path: Path,
    clock: Clock,
) -> None:
    with machines_of(LUXOS) as (unit,):
        heat(unit, 75.0)
        unit.memory["broken"] = {"curtail wakeup"}
        async with protected_machine(tmp_path, unit, clock, RESTARTING) as (local_site, sink):
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
def test_stops_survive_a_restart(tmp_path: Path, stop: StoredStop) -> None:
    first = Journal(tmp_path / "journal.db", now=1.0)
    first.save_stop("A-1", stop)
    first.save_stop("A-2", stop)
    first.delete_stop("A-2")
    first.close()
    again = Journal(tmp_path / "journal.db", now=2.0)
    assert again.list_stops() == {"A-1": stop}
    again.close()
