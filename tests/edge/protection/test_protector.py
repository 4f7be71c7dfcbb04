"""Too hot: stopped on site, without the cloud, and reported. `test_heat` has the limits, `test_holds` what follows."""

import asyncio
import os
import sqlite3
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from hashinsight.edge.protection.heat import LONGEST_REST_SEC
from hashinsight.edge.protection.protector import STOP_TRIES
from hashinsight.edge.settings import Protection
from tests.cpu_waits import CpuWaits
from tests.edge.makes.catalogue import machines_of
from tests.edge.one_machine import run_verb, site_with
from tests.edge.protection.protected_machine import (
    COOL,
    LUXOS,
    NOT_STOPPED,
    STOPPED,
    Clock,
    clock,
    count_stops,
    heat,
    protected_machine,
    read_twice,
)
from tests.edge.simulated_site import RecordingSink, running_site, simulate, site_settings, until
from tests.installation import HANG_TIMEOUT_SEC
from tests.sim.simulator_process import Sim

__all__ = ["clock"]
INTERVAL = 5


@pytest.fixture
def sim() -> Iterator[Sim]:
    with simulate("quiet", "--machines", "22", "--luxos", "--speed", "20") as running:
        yield running


async def test_an_overheating_machine_is_stopped_within_one_interval_and_reported_once(
    sim: Sim, tmp_path: Path
) -> None:
    """The site's limit is below the machines' normal temperature, as on a hot day."""
    settings = site_settings(
        tmp_path,
        [f"{sim.net}.0.1-22"],
        identity="address",
        interval_sec=INTERVAL,
        protection=Protection(stop_at_c=40.0, confirm_readings=2, hold_sec=600),
    )
    async with running_site(settings) as (local_site, sink):
        await until(lambda: local_site.counts().online > 0, "the first machine")
        hot = {no for no in range(22) if sim.machine(no)["state"] == "hashing"}
        assert len(hot) == 22
        waits = CpuWaits((os.getpid(), sim.process.pid, *local_site.poller.reader.pids))
        await until(lambda: sink.titles().count(STOPPED) == 22, "every one to be stopped")
        assert {sim.machine(no)["state"] for no in hot} == {"stopped"}
        address = sim.address(0)
        machine = local_site.find(address)
        assert machine is not None
        assert local_site.protector.why_forbidden(machine, "enable") is not None
        late_sec, reads = waits.stood_sec(), local_site.counts().reads
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
    seen_stopped = next(sample for sample in sink.of(address) if sample["state"] == "stopped")
    assert (datetime.fromisoformat(seen_stopped["timestamp"]) - first_seen).total_seconds() < INTERVAL + late_sec


async def test_a_site_may_let_a_machine_start_again_when_it_is_cool(sim: Sim, tmp_path: Path) -> None:
    protection = Protection(stop_at_c=40.0, confirm_readings=1, hold_sec=2.0, restart_below_c=38.0)
    settings = site_settings(tmp_path, [f"{sim.net}.0.1"], interval_sec=1, protection=protection)
    async with running_site(settings) as (_, sink):
        await until(lambda: len(sink.events) >= 2, "stop and start")
    assert [event["details"]["action"] for event in sink.events[:2]] == ["disable", "enable"]


async def test_a_machine_that_cannot_be_stopped_is_reported_once_and_not_with_every_reading(tmp_path: Path) -> None:
    """Stock firmware without a web page. During a cloud outage every report would stay on the disk."""
    with simulate("quiet", "--machines", "1") as stock:
        protection = Protection(stop_at_c=40.0, confirm_readings=1)
        settings = site_settings(tmp_path, [stock.address(0)], interval_sec=1, protection=protection)
        async with running_site(settings) as (local_site, sink):
            await until(lambda: local_site.counts().reads >= 6, "some readings")
    assert [(event["title"], event["details"]["error_code"]) for event in sink.events] == [(NOT_STOPPED, "UNSUPPORTED")]


async def test_a_failed_stop_does_not_block_peoples_commands(tmp_path: Path, clock: Clock) -> None:
    """A reboot by a person may be what helps."""
    with machines_of(LUXOS) as (unit,):
        heat(unit, 75.0)
        unit.memory["broken"] = {"curtail sleep"}
        async with protected_machine(tmp_path, unit, clock) as (local_site, sink):
            await until(lambda: bool(sink.events), "the report")
            assert sink.titles() == [NOT_STOPPED]
            assert (sink.events[0]["severity"], sink.events[0]["details"]["hold_sec"]) == ("critical", None)
            for verb in ("enable", "reboot"):
                done = await run_verb(local_site, unit, verb)
                assert (done.status, done.error_code) == ("succeeded", None), verb


async def test_a_failed_stop_is_retried_more_and_more_rarely_and_at_once_when_it_gets_hotter(
    tmp_path: Path, clock: Clock
) -> None:
    with machines_of(LUXOS) as (unit,):
        heat(unit, 75.0)
        unit.memory["broken"] = {"curtail sleep"}
        async with protected_machine(tmp_path, unit, clock) as (local_site, sink):
            await until(lambda: bool(sink.events), "the report")
            assert count_stops(unit) == STOP_TRIES
            for after_sec, tries in ((60, 1), (60, 2), (120, 2), (119, 2), (1, 3)):  # the pauses are 2 min, then 4
                clock.now += after_sec
                await read_twice(local_site)
                assert count_stops(unit) == tries * STOP_TRIES, clock.now
            heat(unit, 79.9)
            await read_twice(local_site)
            assert count_stops(unit) == 3 * STOP_TRIES
            heat(unit, 80.0)
            await read_twice(local_site)
            assert count_stops(unit) == 4 * STOP_TRIES
            for more in (1, 2):
                clock.now += LONGEST_REST_SEC
                await read_twice(local_site)
                assert count_stops(unit) == (4 + more) * STOP_TRIES, "never less often than once an hour"
        assert sink.titles() == [NOT_STOPPED]


async def test_a_machine_that_overheats_again_is_stopped_and_reported_again(tmp_path: Path, clock: Clock) -> None:
    with machines_of(LUXOS) as (unit,):
        heat(unit, 75.0)
        async with protected_machine(tmp_path, unit, clock, Protection(hold_sec=60)) as (local_site, sink):
            for times in (1, 2):
                await until(lambda times=times: sink.titles().count(STOPPED) == times, "the stop")  # type: ignore[misc]
                heat(unit, 60.0)
                await until(lambda times=times: sink.titles().count(COOL) == times, "the end")  # type: ignore[misc]
                clock.now += 61
                unit.start("by hand")
                await read_twice(local_site)
                heat(unit, 75.0)
            await until(lambda: sink.titles().count(STOPPED) == 3, "the third")


async def test_an_unconfirmed_reading_stops_nothing(tmp_path: Path, clock: Clock) -> None:
    with machines_of(LUXOS) as (unit,):
        async with protected_machine(tmp_path, unit, clock) as (local_site, sink):
            machine = local_site.find(unit.address)
            assert machine is not None
            assert machine.record is not None
            lie = {**machine.record, "temp_max": 99.0, "temp_board_max": 99.0}
            local_site.protector.evaluate(machine, lie)
            await until(lambda: not local_site.protector._acting, "the second reading")
        assert (unit.is_stopped, sink.events, count_stops(unit)) == (False, [], 0)


class FullDisk(RecordingSink):
    async def end_restart(self, miner_id: str) -> None:  # noqa: ARG002 - part of the protocol
        raise sqlite3.OperationalError("database or disk is full")


async def test_a_full_disk_does_not_prevent_the_stop_of_a_hot_machine(tmp_path: Path) -> None:
    """A restart was in progress, and its end cannot be written."""
    with machines_of(LUXOS) as (unit,):
        async with site_with(tmp_path, unit) as local_site:
            local_site.executor._restarts._store = FullDisk()
            local_site.executor._restarts._open[unit.address] = 1.0
            machine = local_site.find(unit.address)
            assert machine is not None
            done = await asyncio.wait_for(
                local_site.executor.act(machine, "disable", {}, is_local=True), HANG_TIMEOUT_SEC
            )
        assert (done.status, unit.is_stopped) == ("succeeded", True)
