"""Machines of ill will, and a reader that dies: the rest of the fleet is read on time."""

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import pytest

from hashinsight.edge import reading_process
from hashinsight.edge.polling import Poller
from hashinsight.edge.reading import Reader
from hashinsight.edge.reading_process import ChildLost, NotRead, resident_mb
from tests.edge.on_site import ILL, Heard, ill_willed, on_site, settings, simulating, until
from tests.sim.running import Sim

WELL = 40
INTERVAL = 3
LATE_SEC = 2.0


@pytest.fixture(scope="module")
def sim() -> Iterator[Sim]:
    with simulating("quiet", "--machines", str(WELL), "--luxos") as running:
        yield running


def gaps(heard: Heard, miner_id: str) -> list[float]:
    times = [datetime.fromisoformat(one["timestamp"]).timestamp() for one in heard.of(miner_id)]
    return [after - before for before, after in pairwise(times)]


async def test_the_rest_of_the_fleet_is_read_on_time_beside_every_kind_of_ill_will(sim: Sim, tmp_path: Path) -> None:
    ill = {f"{sim.net}.1.{no}": behave for no, behave in enumerate(ILL.values(), 1)}
    closed = f"{sim.net}.1.100"
    chosen = settings(
        tmp_path, [f"{sim.net}.0.1-{WELL}"], identity="address", interval_sec=INTERVAL, timeout_sec=2.0, at_once=20
    )
    async with ill_willed(ill), on_site(chosen) as (side, heard):
        await until(lambda: side.counts().online == WELL, "the well ones")
        for address in (*ill, closed):  # as if they had been well before
            side.poller.roster.seat(address, mac=None, serial=None)
        heard.samples.clear()
        await asyncio.sleep(5 * INTERVAL)
        latest = side.counts().latest_sec
    assert latest < LATE_SEC
    for no in range(1, WELL + 1):
        address = f"{sim.net}.0.{no}"
        assert all(sample["online"] for sample in heard.of(address))
        assert len(heard.of(address)) >= 4
        assert max(gaps(heard, address)) < INTERVAL + LATE_SEC
    for address in (*ill, closed):  # told as offline every interval, also when it is not asked
        assert len(heard.of(address)) >= 3
        assert not any(sample["online"] for sample in heard.of(address))
        assert all(sample["error_type"] for sample in heard.of(address))
    assert {one["error_type"] for one in heard.of(closed)} == {"refused"}


@pytest.mark.parametrize("number", [signal.SIGABRT, signal.SIGSTOP])
async def test_a_child_that_dies_or_hangs_costs_no_sample(
    sim: Sim, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    monkeypatch.setattr(reading_process, "HANGS_AFTER_SEC", 3.0)
    chosen = settings(tmp_path, [f"{sim.net}.0.1-{WELL}"], identity="address", interval_sec=INTERVAL)
    async with on_site(chosen) as (side, heard):
        await until(lambda: side.counts().online == WELL, "the machines")
        heard.samples.clear()
        for _ in range(1 if number is signal.SIGSTOP else 2):
            await asyncio.sleep(INTERVAL / 2)
            # not the one that reads suspects apart: who dies there, too, is no victim but the cause
            for pid in [lane.pid for lane in side.poller.reader.lanes if lane.pid is not None]:
                with suppress(ProcessLookupError):
                    os.kill(pid, number)
        await asyncio.sleep(3 * INTERVAL)
        assert side.counts().child_restarts >= 1
        assert side.counts().online == WELL
    for no in range(1, WELL + 1):
        told = heard.of(f"{sim.net}.0.{no}")
        assert all(sample["online"] for sample in told)
        assert max(gaps(heard, f"{sim.net}.0.{no}")) < 2 * INTERVAL + LATE_SEC


@pytest.mark.parametrize("bad", ["abort", "memory"])
async def test_a_machine_that_kills_its_reader_costs_nobody_a_read_and_is_read_apart_from_then_on(bad: str) -> None:
    """With a child that dies at one machine, as the library might at a sentence that nobody has met yet."""
    culprits: list[str] = []
    async with Reader(memory_mb=200, module="tests.edge.mortal_child") as reader:
        reader.on_culprit = culprits.append
        well = [f"well-{no}" for no in range(30)]
        told = await asyncio.gather(
            *(reader.read(address, timeout_sec=5) for address in (bad, *well)), return_exceptions=True
        )
        assert isinstance(told[0], NotRead)
        assert told[0].kind == "reader_lost"
        assert [one["address"] for one in told[1:] if isinstance(one, dict)] == well
        assert culprits == [bad]
        starts = reader.lanes[0].starts
        with pytest.raises(NotRead):
            await reader.read(bad, timeout_sec=5)
        await asyncio.gather(*(reader.read(address, timeout_sec=5) for address in well))
        assert reader.lanes[0].starts == starts == 2


async def test_a_machine_of_which_something_unheard_of_is_told_costs_neither_the_search_nor_a_turn(
    tmp_path: Path,
) -> None:
    chosen = settings(tmp_path, ["127.0.0.65-67"], identity="address", interval_sec=1)
    heard = Heard()
    poller = Poller(chosen, heard, reader=Reader(module="tests.edge.mortal_child"))
    running = asyncio.create_task(poller.run())
    await until(lambda: all(len(heard.of(f"127.0.0.{no}")) >= 3 for no in (65, 66, 67)), "three turns of each")
    assert not running.done()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert {sample["error_type"] for sample in heard.of("127.0.0.66")} == {"garbled"}
    assert all(sample["online"] for no in (65, 67) for sample in heard.of(f"127.0.0.{no}"))


async def test_an_order_is_not_given_twice_when_its_reader_dies() -> None:
    async with Reader(module="tests.edge.mortal_child") as reader:
        with pytest.raises(ChildLost):
            await reader.act("abort", "reboot", {}, timeout_sec=5)
        assert (await reader.read("well", timeout_sec=5))["acts"] == 0


async def test_a_machine_that_sends_without_end_is_left_in_time_and_fills_no_memory(sim: Sim) -> None:
    bad = f"{sim.net}.1.1"
    async with ill_willed({bad: ILL["endless"]}), Reader() as reader:
        with pytest.raises(NotRead) as problem:
            await reader.read(bad, timeout_sec=3)
        assert problem.value.kind == "garbled"
        assert reader.restarts == 0
        assert resident_mb(reader.pids[0]) < 200


async def test_nothing_of_a_reader_is_left_when_it_ends(sim: Sim) -> None:
    async with Reader() as reader:
        await reader.read(f"{sim.net}.0.1", timeout_sec=5)
        (pid,) = reader.pids
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
