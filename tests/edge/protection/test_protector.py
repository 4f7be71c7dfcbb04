"""Too hot: stopped here, without the cloud, and reported. What the limits are is told in `test_protecting_heat`."""

import asyncio
import os
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path

import pytest

from hashinsight.edge.local_site import LocalSite
from hashinsight.edge.protection import heat as protecting_cases
from hashinsight.edge.protection import protector
from hashinsight.edge.protection.protector import STOP_TRIES
from hashinsight.edge.settings import Protection
from tests.cpu_waits import CpuWaits
from tests.edge.makes.catalogue import NAMES, machines_of
from tests.edge.makes.unit import Unit
from tests.edge.one_machine import give, site_of
from tests.edge.simulated_site import RecordingSink, running_site, settings, simulate, until
from tests.installation import HANG_TIMEOUT_SEC
from tests.sim.running import Sim

INTERVAL = 5
LUXOS = "Antminer S19k Pro, LuxOS"  # it tells its board, which must stop at 70 °C
STOCK = "Antminer S19, stock"
STOPPED, NOT_STOPPED, COOL = "Stopped: too hot", "Too hot: could not be stopped", "Cooled down"
STARTED = "Started again after it cooled down"


@pytest.fixture
def sim() -> Iterator[Sim]:
    with simulate("quiet", "--machines", "22", "--luxos", "--speed", "20") as running:
        yield running


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Of protection's rests and holds; tries and readings follow each other at once."""
    monkeypatch.setattr(protector, "REST_SEC", 0.05)
    monkeypatch.setattr(protector, "CONFIRM_SEC", 0.05)
    return Clock()


@asynccontextmanager
async def protected(
    folder: Path,
    unit: Unit,
    clock: Callable[[], float],
    chosen: Protection | None = None,
    book: RecordingSink | None = None,
) -> AsyncIterator[tuple[LocalSite, RecordingSink]]:
    """Read every second."""
    picked = settings(folder, [unit.address], identity="address", interval_sec=1, protection=chosen or Protection())
    async with running_site(picked, book) as (local_site, sink):
        local_site.executor._confirm_sec = 3.0
        local_site.protector._clock = clock
        await until(lambda: local_site.counts().online == 1, "the machine")
        yield local_site, sink


async def read_twice(local_site: LocalSite) -> None:
    """Whatever a reading sets off has begun, and is at its end."""
    wanted = local_site.counts().reads + 2
    await until(lambda: local_site.counts().reads >= wanted and not local_site.protector._acting, "two readings")


def heat(unit: Unit, temp_c: float) -> None:
    """All of it, as a failing fan does."""
    for board in unit.boards:
        board.pcb_c = [temp_c] * len(board.pcb_c)


def stops(unit: Unit) -> int:
    return unit.questions.count("curtail")


async def test_an_over_hot_machine_is_stopped_within_one_interval_and_reported_once(sim: Sim, tmp_path: Path) -> None:
    """The site's limit is put below what the machines have: for them that is a hot day."""
    chosen = settings(
        tmp_path,
        [f"{sim.net}.0.1-22"],
        identity="address",
        interval_sec=INTERVAL,
        protection=Protection(stop_at_c=40.0, confirm_readings=2, hold_sec=600),
    )
    async with running_site(chosen) as (local_site, sink):
        await until(lambda: local_site.counts().online > 0, "the first machine")
        hot = {no for no in range(22) if sim.machine(no)["state"] == "hashing"}
        assert len(hot) == 22
        lines = CpuWaits((os.getpid(), sim.process.pid, *local_site.poller.reader.pids))
        await until(lambda: sink.titles().count(STOPPED) == 22, "every one to be stopped")
        assert {sim.machine(no)["state"] for no in hot} == {"stopped"}
        address = sim.address(0)
        machine = local_site.find(address)
        assert machine is not None
        assert local_site.protector.why_forbidden(machine, "enable") is not None
        late_sec, reads = lines.stood_sec(), local_site.counts().reads
        await until(lambda: local_site.counts().reads >= reads + 22, "one more round")
    stopped = [event for event in sink.events if event["title"] == STOPPED]
    assert len(stopped) == 22
    for event in stopped:
        assert (event["kind"], event["severity"]) == ("local_protection", "critical")
        assert event["details"]["confirmed"] is True
        assert event["details"]["readings"] == 2
        assert event["details"]["temp_c"] >= 40
        assert event["details"]["limit_source"] == "site"
        assert f"{sim.net}.0." not in repr({**event, "miner_id": None})
    first_seen = datetime.fromisoformat(sink.of(address)[0]["timestamp"])
    seen_stopped = next(one for one in sink.of(address) if one["state"] == "stopped")
    assert (datetime.fromisoformat(seen_stopped["timestamp"]) - first_seen).total_seconds() < INTERVAL + late_sec


async def test_a_site_may_let_it_start_again_when_it_is_cool(sim: Sim, tmp_path: Path) -> None:
    protection = Protection(stop_at_c=40.0, confirm_readings=1, hold_sec=2.0, restart_below_c=38.0)
    chosen = settings(tmp_path, [f"{sim.net}.0.1"], interval_sec=1, protection=protection)
    async with running_site(chosen) as (_, sink):
        await until(lambda: len(sink.events) >= 2, "stop and start")
    assert [event["details"]["action"] for event in sink.events[:2]] == ["disable", "enable"]


async def test_a_machine_that_takes_no_stop_is_reported_once_and_not_every_time_it_is_read(tmp_path: Path) -> None:
    """Stock firmware without a web page. While the cloud is away each report would be one more on the disk."""
    with simulate("quiet", "--machines", "1") as stock:
        protection = Protection(stop_at_c=40.0, confirm_readings=1)
        chosen = settings(tmp_path, [stock.address(0)], interval_sec=1, protection=protection)
        async with running_site(chosen) as (local_site, sink):
            await until(lambda: local_site.counts().reads >= 6, "some readings")
    assert [(event["title"], event["details"]["error_code"]) for event in sink.events] == [(NOT_STOPPED, "UNSUPPORTED")]


async def test_a_stop_that_did_not_work_does_not_hold_peoples_commands(tmp_path: Path, clock: Clock) -> None:
    """A reboot by a person may be just what helps."""
    with machines_of(LUXOS) as (unit,):
        heat(unit, 75.0)
        unit.memory["broken"] = {"curtail sleep"}
        async with protected(tmp_path, unit, clock) as (local_site, sink):
            await until(lambda: bool(sink.events), "the report")
            assert sink.titles() == [NOT_STOPPED]
            assert (sink.events[0]["severity"], sink.events[0]["details"]["hold_sec"]) == ("critical", None)
            for verb in ("enable", "reboot"):
                done = await give(local_site, unit, verb)
                assert (done.status, done.error_code) == ("succeeded", None), verb


async def test_a_stop_that_did_not_work_is_not_repeated_every_minute_and_at_once_when_it_gets_hotter(
    tmp_path: Path, clock: Clock
) -> None:
    with machines_of(LUXOS) as (unit,):
        heat(unit, 75.0)
        unit.memory["broken"] = {"curtail sleep"}
        async with protected(tmp_path, unit, clock) as (local_site, sink):
            await until(lambda: bool(sink.events), "the report")
            assert stops(unit) == STOP_TRIES
            for after_sec, tries in ((60, 1), (60, 2), (120, 2), (119, 2), (1, 3)):  # it waits 2 min, then 4
                clock.now += after_sec
                await read_twice(local_site)
                assert stops(unit) == tries * STOP_TRIES, clock.now
            heat(unit, 79.9)
            await read_twice(local_site)
            assert stops(unit) == 3 * STOP_TRIES
            heat(unit, 80.0)
            await read_twice(local_site)
            assert stops(unit) == 4 * STOP_TRIES
            for more in (1, 2):
                clock.now += protecting_cases.LONGEST_REST_SEC
                await read_twice(local_site)
                assert stops(unit) == (4 + more) * STOP_TRIES, "never less often than once an hour"
        assert sink.titles() == [NOT_STOPPED]


async def test_a_machine_is_held_from_the_stop_that_worked_and_the_end_of_the_heat_is_reported(
    tmp_path: Path, clock: Clock
) -> None:
    with machines_of(LUXOS) as (unit,):
        heat(unit, 75.0)
        unit.memory["broken"] = {"curtail sleep"}
        async with protected(tmp_path, unit, clock) as (local_site, sink):
            await until(lambda: bool(sink.events), "the report")
            unit.memory["broken"] = set()
            clock.now += protecting_cases.FAILED_REST_SEC
            await until(lambda: len(sink.events) == 2, "the stop")
            for verb in ("enable", "reboot"):
                held = await give(local_site, unit, verb)
                assert (held.status, held.error_code) == ("rejected", "LOCAL_PROTECTION"), verb
            assert (await give(local_site, unit, "fault_light", on=True)).error_code != "LOCAL_PROTECTION"
            heat(unit, 60.0)
            await until(lambda: len(sink.events) == 3, "the end of it")
            await read_twice(local_site)
            clock.now += Protection().hold_sec
            assert (await give(local_site, unit, "enable")).status == "succeeded"
            assert not unit.is_stopped
        assert sink.titles() == [NOT_STOPPED, STOPPED, COOL]
        assert [event["severity"] for event in sink.events] == ["critical", "critical", "info"]


async def test_a_machine_that_gets_too_hot_again_is_stopped_and_reported_again(tmp_path: Path, clock: Clock) -> None:
    with machines_of(LUXOS) as (unit,):
        heat(unit, 75.0)
        async with protected(tmp_path, unit, clock, Protection(hold_sec=60)) as (local_site, sink):
            for times in (1, 2):
                await until(lambda times=times: sink.titles().count(STOPPED) == times, "the stop")  # type: ignore[misc]
                heat(unit, 60.0)
                await until(lambda times=times: sink.titles().count(COOL) == times, "the end")  # type: ignore[misc]
                clock.now += 61
                unit.start("by hand")
                await read_twice(local_site)
                heat(unit, 75.0)
            await until(lambda: sink.titles().count(STOPPED) == 3, "the third")


async def test_a_machine_that_people_stopped_too_is_not_started_by_protection(tmp_path: Path, clock: Clock) -> None:
    protection = Protection(hold_sec=60, restart_below_c=65)
    with machines_of(LUXOS) as (unit,):
        heat(unit, 75.0)
        async with protected(tmp_path, unit, clock, protection) as (local_site, sink):
            await until(lambda: bool(sink.events), "the stop")
            assert (await give(local_site, unit, "disable")).status == "succeeded"
            heat(unit, 60.0)
            clock.now += 61
            await read_twice(local_site)
        assert unit.is_stopped
        assert sink.titles() == [STOPPED, COOL]


async def test_a_stop_that_takes_effect_late_is_held_and_reported_and_started_again(
    tmp_path: Path, clock: Clock
) -> None:
    protection = Protection(hold_sec=60, restart_below_c=65)
    with machines_of(LUXOS) as (unit,):
        heat(unit, 75.0)
        unit.memory["stops_late"] = True
        async with protected(tmp_path, unit, clock, protection) as (local_site, sink):
            local_site.executor._confirm_sec = 0.1
            await until(lambda: bool(sink.events), "the report")
            assert sink.events[0]["details"]["error_code"] == "NOT_CONFIRMED"
            unit.stop("at last")
            await until(lambda: len(sink.events) == 2, "the stop")
            assert (await give(local_site, unit, "enable")).error_code == "LOCAL_PROTECTION"
            heat(unit, 60.0)
            clock.now += 61
            await until(lambda: len(sink.events) == 3, "the start")
        assert not unit.is_stopped
        assert sink.titles() == [NOT_STOPPED, STOPPED, STARTED]


async def test_a_machine_that_a_person_stops_after_a_stop_that_failed_is_not_held_by_protection(
    tmp_path: Path, clock: Clock
) -> None:
    with machines_of(LUXOS) as (unit,):
        heat(unit, 75.0)
        unit.memory["stops_late"] = True
        async with protected(tmp_path, unit, clock, Protection(restart_below_c=65)) as (local_site, sink):
            local_site.executor._confirm_sec = 0.1
            await until(lambda: bool(sink.events) and not local_site.protector._acting, "the report")
            unit.memory["stops_late"] = False
            assert (await give(local_site, unit, "disable")).status == "succeeded"
            await read_twice(local_site)
            machine = local_site.find(unit.address)
            assert machine is not None
            assert local_site.protector.why_forbidden(machine, "enable") is None
        assert sink.titles() == [NOT_STOPPED]


@pytest.mark.skipif(STOCK not in NAMES, reason="this user may not listen on port 80")
async def test_a_power_mode_does_not_wake_an_antminer_that_is_held(tmp_path: Path, clock: Clock) -> None:
    with machines_of(STOCK) as (unit,):
        unit.heat(105.0)
        async with protected(tmp_path, unit, clock) as (local_site, sink):
            await until(lambda: bool(sink.events), "the stop")
            refused = await give(local_site, unit, "set_power_mode", mode="eco")
            assert (refused.status, refused.error_code) == ("rejected", "LOCAL_PROTECTION")
        assert unit.is_stopped


async def test_one_reading_that_is_not_confirmed_stops_nothing(tmp_path: Path, clock: Clock) -> None:
    with machines_of(LUXOS) as (unit,):
        async with protected(tmp_path, unit, clock) as (local_site, sink):
            machine = local_site.find(unit.address)
            assert machine is not None
            assert machine.record is not None
            lie = {**machine.record, "temp_max": 99.0, "temp_board_max": 99.0}
            local_site.protector.evaluate(machine, lie)
            await until(lambda: not local_site.protector._acting, "the second reading")
        assert (unit.is_stopped, sink.events, stops(unit)) == (False, [], 0)


class FullDisk(RecordingSink):
    async def end_restart(self, miner_id: str) -> None:  # noqa: ARG002 - as it is called
        raise sqlite3.OperationalError("database or disk is full")


async def test_a_full_disk_does_not_keep_a_hot_machine_from_being_stopped(tmp_path: Path) -> None:
    """A restart of it was under way, whose end cannot be written down."""
    with machines_of(LUXOS) as (unit,):
        async with site_of(tmp_path, unit) as local_site:
            local_site.executor._restarts._store = FullDisk()
            local_site.executor._restarts._open[unit.address] = 1.0
            machine = local_site.find(unit.address)
            assert machine is not None
            done = await asyncio.wait_for(
                local_site.executor.act(machine, "disable", {}, is_local=True), HANG_TIMEOUT_SEC
            )
        assert (done.status, unit.is_stopped) == ("succeeded", True)
