"""A restart is a stop and a start: whatever is lost or killed in between, the machine is not left stopped."""

import asyncio
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from hashinsight.edge.commands.outcomes import Outcome
from hashinsight.edge.commands.restarts import LONGEST_SEC, Restarts
from hashinsight.edge.local_site import LocalSite
from hashinsight.wire.acks import AckStatus
from tests.edge.factories import command, settings_in
from tests.edge.faulty_link import LinkFault, faulty_link
from tests.edge.full_stack import collector_running
from tests.edge.simulated_site import RecordingSink, running_site, simulate, site_settings, until
from tests.edge.stub_cloud import StubCloud, running_cloud
from tests.installation import HANG_TIMEOUT_SEC, wait_for
from tests.sim.simulator_process import Sim

STOP, START, NOTHING = b"sleep", b"wakeup", b"no such order"


@pytest.fixture(scope="module")
def sim() -> Iterator[Sim]:
    with simulate("quiet", "--machines", "5", "--luxos", "--speed", "60") as running:
        yield running


def orders(sim: Sim, no: int) -> list[str]:
    return [entry["act"] for entry in sim.control("orders", machine=str(no))]


def place(sim: Sim, no: int) -> str:
    return f"{sim.net}.1.{no + 1}"


async def restart(local_site: LocalSite, address: str, *, confirm_sec: float = HANG_TIMEOUT_SEC) -> Outcome:
    local_site.executor._confirm_sec = confirm_sec
    await until(lambda: local_site.counts().online == 1, "the machine")
    machine = local_site.find(address)
    assert machine is not None
    return await local_site.execute(machine, command(miner_id=address, command_type="restart_mining"))


async def test_a_stop_whose_answer_is_lost_is_followed_by_the_start(sim: Sim, tmp_path: Path) -> None:
    address = place(sim, 0)
    settings = site_settings(tmp_path, [address], identity="address", interval_sec=60)
    async with (
        faulty_link(address, sim.address(0), LinkFault.ANSWER, STOP),
        running_site(settings) as (local_site, sink),
    ):
        done = await restart(local_site, address)
    assert orders(sim, 0) == ["pause", "resume"]
    assert (done.status, sink.restarts) == (AckStatus.SUCCEEDED, {})


async def test_if_the_reader_dies_between_stop_and_start_the_next_one_sends_the_start(sim: Sim, tmp_path: Path) -> None:
    address = place(sim, 1)
    settings = site_settings(tmp_path, [address], identity="address", interval_sec=60)
    async with (
        faulty_link(address, sim.address(1), LinkFault.PATIENCE, STOP),
        running_site(settings) as (local_site, sink),
    ):
        acting = asyncio.create_task(restart(local_site, address))
        await until(lambda: orders(sim, 1) == ["pause"], "the stop")
        os.kill(local_site.poller.reader.pids[0], signal.SIGKILL)
        done = await acting
    assert orders(sim, 1) == ["pause", "resume"]
    assert (done.status, sink.restarts) == (AckStatus.SUCCEEDED, {})


async def test_a_restart_whose_start_is_lost_is_unknown_and_the_start_is_sent_when_possible(
    sim: Sim, tmp_path: Path
) -> None:
    address = place(sim, 2)
    settings = site_settings(tmp_path, [address], identity="address", interval_sec=1)
    async with running_site(settings) as (local_site, sink):
        async with faulty_link(address, sim.address(2), LinkFault.ORDER, START):
            done = await restart(local_site, address, confirm_sec=4.0)  # no effect will show
        assert (done.status, done.error_code) == (AckStatus.SKIPPED, "OUTCOME_UNKNOWN")
        assert orders(sim, 2) == ["pause"]
        assert list(sink.restarts) == [address]
        async with faulty_link(address, sim.address(2), LinkFault.ORDER, NOTHING):
            await until(lambda: bool(sink.events), "it to be started")
    assert orders(sim, 2)[:2] == ["pause", "resume"]
    assert ([event["kind"] for event in sink.events], sink.restarts) == (["restart_finished"], {})


@pytest.mark.parametrize(("no", "all_of_it"), [(3, False), (4, True)])
async def test_a_collector_killed_between_stop_and_start_does_not_leave_the_machine_stopped(
    sim: Sim,
    tmp_path: Path,
    no: int,
    all_of_it: bool,  # noqa: FBT001
) -> None:
    """Killed alone, its child finishes the restart; killed with its child, as in a power cut, the next run does."""
    address = place(sim, no)
    settings_in(tmp_path)  # writes the token
    given = command("d-1", address, command_type="restart_mining")
    with running_cloud(StubCloud()) as cloud:
        options: dict[str, Any] = {
            "state_dir": tmp_path,
            "cloud_url": cloud.url,
            "miners_ranges": address,
            "miners_identity": "address",
            "miners_interval_sec": 1,
            "cloud_command_interval_sec": 0.2,
            "cloud_upload_interval_sec": 0.2,
            "spool_store_every_sec": 0.1,
        }
        async with faulty_link(address, sim.address(no), LinkFault.PATIENCE, STOP, hangs_sec=2.0):
            with collector_running(**options) as edge:
                await until(lambda: bool(cloud.samples), "the machine")
                cloud.give(given)
                await until(lambda: orders(sim, no) == ["pause"], "the stop")
                children = psutil.Process(edge.pid).children()
                edge.kill()
                for child in children if all_of_it else ():
                    child.kill()
            if not all_of_it:
                await until(lambda: orders(sim, no) == ["pause", "resume"], "its reader to start it")
            with collector_running(**options):
                await until(lambda: cloud.ended("d-1") == [AckStatus.SKIPPED], "the answer")
                await until(lambda: orders(sim, no)[:2] == ["pause", "resume"], "the next life to start it")
    wait_for(lambda: sim.machine(no)["state"] == "hashing", "it to hash")


async def test_an_old_restart_starts_nothing() -> None:
    now, sink = 1000.0, RecordingSink()
    restarts = Restarts(sink, clock=lambda: now)
    await restarts.begin("A-1")
    assert not restarts.is_late("A-1")
    now += LONGEST_SEC + 1
    assert restarts.is_late("A-1")
