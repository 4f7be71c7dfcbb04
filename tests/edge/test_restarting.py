"""A restart is a stop and a start: whatever is lost or killed between the two, the machine is not left standing."""

import asyncio
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from hashinsight.edge.commands.executor import Outcome
from hashinsight.edge.commands.restarts import LONGEST_SEC, Restarts
from hashinsight.edge.local_site import LocalSite
from hashinsight.wire.acks import AckStatus
from tests.edge.between import Spoils, bad_line
from tests.edge.cloud import Cloud, running_cloud
from tests.edge.keeping import command, settings_in
from tests.edge.on_site import Heard, on_site, settings, simulating, until
from tests.edge.whole import edge_running
from tests.installation import HANG_TIMEOUT_SEC, wait_for
from tests.sim.running import Sim

STOP, START, NOTHING = b"sleep", b"wakeup", b"no such order"


@pytest.fixture(scope="module")
def sim() -> Iterator[Sim]:
    with simulating("quiet", "--machines", "5", "--luxos", "--speed", "60") as running:
        yield running


def orders(sim: Sim, no: int) -> list[str]:
    return [one["act"] for one in sim.control("orders", machine=str(no))]


def place(sim: Sim, no: int) -> str:
    return f"{sim.net}.1.{no + 1}"


async def restart(side: LocalSite, address: str, *, seen_sec: float = HANG_TIMEOUT_SEC) -> Outcome:
    side.executor._seen_sec = seen_sec
    await until(lambda: side.counts().online == 1, "the machine")
    machine = side.find(address)
    assert machine is not None
    return await side.execute(machine, command(miner_id=address, command_type="restart_mining"))


async def test_a_stop_whose_answer_is_lost_is_followed_by_the_start(sim: Sim, tmp_path: Path) -> None:
    address = place(sim, 0)
    chosen = settings(tmp_path, [address], identity="address", interval_sec=60)
    async with bad_line(address, sim.address(0), Spoils.ANSWER, STOP), on_site(chosen) as (side, heard):
        done = await restart(side, address)
    assert orders(sim, 0) == ["pause", "resume"]
    assert (done.status, heard.restarts) == (AckStatus.SUCCEEDED, {})


async def test_a_reader_that_dies_between_stop_and_start_is_followed_by_one_that_starts_it(
    sim: Sim, tmp_path: Path
) -> None:
    address = place(sim, 1)
    chosen = settings(tmp_path, [address], identity="address", interval_sec=60)
    async with bad_line(address, sim.address(1), Spoils.PATIENCE, STOP), on_site(chosen) as (side, heard):
        acting = asyncio.create_task(restart(side, address))
        await until(lambda: orders(sim, 1) == ["pause"], "the stop")
        os.kill(side.poller.reader.pids[0], signal.SIGKILL)
        done = await acting
    assert orders(sim, 1) == ["pause", "resume"]
    assert (done.status, heard.restarts) == (AckStatus.SUCCEEDED, {})


async def test_one_that_does_not_hear_the_start_is_unknown_and_started_when_it_can_be(sim: Sim, tmp_path: Path) -> None:
    address = place(sim, 2)
    chosen = settings(tmp_path, [address], identity="address", interval_sec=1)
    async with on_site(chosen) as (side, heard):
        async with bad_line(address, sim.address(2), Spoils.ORDER, START):
            done = await restart(side, address, seen_sec=4.0)  # nothing is to be seen
        assert (done.status, done.error_code) == (AckStatus.SKIPPED, "OUTCOME_UNKNOWN")
        assert orders(sim, 2) == ["pause"]
        assert list(heard.restarts) == [address]
        async with bad_line(address, sim.address(2), Spoils.ORDER, NOTHING):
            await until(lambda: bool(heard.events), "it to be started")
    assert orders(sim, 2)[:2] == ["pause", "resume"]
    assert ([event["kind"] for event in heard.events], heard.restarts) == (["restart_finished"], {})


@pytest.mark.parametrize(("no", "all_of_it"), [(3, False), (4, True)])
async def test_an_edge_that_is_killed_between_stop_and_start_does_not_leave_the_machine_standing(
    sim: Sim,
    tmp_path: Path,
    no: int,
    all_of_it: bool,  # noqa: FBT001
) -> None:
    """Killed alone, its reader brings the order to its end; with its reader, as by a power cut, the next life does."""
    address = place(sim, no)
    settings_in(tmp_path)  # the token
    given = command("d-1", address, command_type="restart_mining")
    with running_cloud(Cloud()) as cloud:
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
        async with bad_line(address, sim.address(no), Spoils.PATIENCE, STOP, hangs_sec=2.0):
            with edge_running(**options) as edge:
                await until(lambda: bool(cloud.samples), "the machine")
                cloud.give(given)
                await until(lambda: orders(sim, no) == ["pause"], "the stop")
                children = psutil.Process(edge.pid).children()
                edge.kill()
                for child in children if all_of_it else ():
                    child.kill()
            if not all_of_it:
                await until(lambda: orders(sim, no) == ["pause", "resume"], "its reader to start it")
            with edge_running(**options):
                await until(lambda: cloud.ended("d-1") == [AckStatus.SKIPPED], "the answer")
                await until(lambda: orders(sim, no)[:2] == ["pause", "resume"], "the next life to start it")
    wait_for(lambda: sim.machine(no)["state"] == "hashing", "it to hash")


async def test_a_restart_of_long_ago_starts_nothing() -> None:
    now, heard = 1000.0, Heard()
    restarts = Restarts(heard, clock=lambda: now)
    await restarts.begin("A-1")
    assert not restarts.is_late("A-1")
    now += LONGEST_SEC + 1
    assert restarts.is_late("A-1")
