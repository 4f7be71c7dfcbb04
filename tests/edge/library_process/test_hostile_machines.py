"""Hostile machines and a reader that dies: the rest of the fleet is read on time."""

import asyncio
import os
import signal
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from hashinsight.edge.library_process import process
from hashinsight.edge.library_process.messages import MachineError
from hashinsight.edge.library_process.process import ChildLost, resident_mb
from hashinsight.edge.library_process.reader import Reader
from hashinsight.edge.local_site import LocalSite
from hashinsight.edge.polling import Poller
from tests.cpu_waits import CpuWaits
from tests.edge.simulated_site import (
    HOSTILE,
    RecordingSink,
    hostile_machines,
    running_site,
    simulate,
    site_settings,
    until,
)
from tests.sim.simulator_process import Sim

WELL = 40
INTERVAL = 3
LATE_SEC = 2.0  # besides the time that processes waited for a CPU


@pytest.fixture(scope="module")
def sim() -> Iterator[Sim]:
    with simulate("quiet", "--machines", str(WELL), "--luxos") as running:
        yield running


def lines_of(local_site: LocalSite, sim: Sim) -> CpuWaits:
    return CpuWaits((os.getpid(), sim.process.pid, *local_site.poller.reader.pids))


def has_twice(samples: Sequence[Mapping[str, Any]], addresses: Sequence[str]) -> bool:
    reads = Counter(str(sample["miner_id"]) for sample in samples)
    return all(reads[address] >= 2 for address in addresses)


def gaps(sink: RecordingSink, miner_id: str) -> list[float]:
    times = [datetime.fromisoformat(sample["timestamp"]).timestamp() for sample in sink.of(miner_id)]
    return [after - before for before, after in pairwise(times)]


async def test_the_rest_of_the_fleet_is_read_on_time_beside_every_kind_of_hostile_machine(
    sim: Sim, tmp_path: Path
) -> None:
    ill = {f"{sim.net}.1.{no}": behave for no, behave in enumerate(HOSTILE.values(), 1)}
    closed = f"{sim.net}.1.100"
    settings = site_settings(
        tmp_path, [f"{sim.net}.0.1-{WELL}"], identity="address", interval_sec=INTERVAL, timeout_sec=5.0, at_once=20
    )
    async with hostile_machines(ill), running_site(settings) as (local_site, sink):
        await until(lambda: local_site.counts().online == WELL, "the well ones")
        for address in (*ill, closed):  # as if they had been healthy before
            local_site.poller.roster.identify(address, mac=None, serial=None)
        sink.samples.clear()
        well = [f"{sim.net}.0.{no}" for no in range(1, WELL + 1)]
        waits = lines_of(local_site, sim)
        await until(lambda: all(len(sink.of(address)) >= 5 for address in well), "the well ones, five times each")
        latest, late_sec = local_site.counts().latest_sec, LATE_SEC + waits.stood_sec()
        # reported offline every interval, also when it is not read
        await until(lambda: all(len(sink.of(address)) >= 3 for address in (*ill, closed)), "the others, three times")
    assert latest < late_sec
    for address in well:
        assert all(sample["online"] for sample in sink.of(address))
        assert max(gaps(sink, address)[:4]) < INTERVAL + late_sec
    for address in (*ill, closed):
        assert not any(sample["online"] for sample in sink.of(address))
        assert all(sample["error_type"] for sample in sink.of(address))
    assert {sample["error_type"] for sample in sink.of(closed)} == {"refused"}


@pytest.mark.parametrize("number", [signal.SIGABRT, signal.SIGSTOP])
async def test_a_child_that_dies_or_hangs_costs_no_sample(
    sim: Sim, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    monkeypatch.setattr(process, "HANGS_AFTER_SEC", 3.0)
    settings = site_settings(tmp_path, [f"{sim.net}.0.1-{WELL}"], identity="address", interval_sec=INTERVAL)
    async with running_site(settings) as (local_site, sink):
        await until(lambda: local_site.counts().online == WELL, "the machines")
        sink.samples.clear()
        waits = lines_of(local_site, sim)
        for _ in range(1 if number is signal.SIGSTOP else 2):
            await asyncio.sleep(INTERVAL / 2)
            # not the isolated one: a machine that kills that one is the culprit
            for pid in [lane.pid for lane in local_site.poller.reader.children if lane.pid is not None]:
                with suppress(ProcessLookupError):
                    os.kill(pid, number)
        await until(lambda: local_site.counts().child_restarts >= 1, "another child")
        since = len(sink.samples)
        well = [f"{sim.net}.0.{no}" for no in range(1, WELL + 1)]
        await until(lambda: has_twice(sink.samples[since:], well), "everybody to be read again")
        late_sec = LATE_SEC + waits.stood_sec(*local_site.poller.reader.pids)
        assert local_site.counts().online == WELL
    for address in well:
        assert all(sample["online"] for sample in sink.of(address))
        assert max(gaps(sink, address)) < 2 * INTERVAL + late_sec


@pytest.mark.parametrize("bad", ["abort", "memory"])
async def test_a_machine_that_kills_its_reader_costs_no_other_read_and_is_isolated_from_then_on(bad: str) -> None:
    """A child that dies at one machine, as the library might at an unexpected answer."""
    culprits: list[str] = []
    async with Reader(memory_mb=200, module="tests.edge.crashing_child") as reader:
        reader.on_culprit = culprits.append
        well = [f"well-{no}" for no in range(30)]
        results = await asyncio.gather(
            *(reader.read(address, timeout_sec=60) for address in (bad, *well)), return_exceptions=True
        )
        assert isinstance(results[0], MachineError)
        assert results[0].kind == "reader_lost"
        assert [sample["address"] for sample in results[1:] if isinstance(sample, dict)] == well
        assert culprits == [bad]
        starts = reader.children[0].starts
        with pytest.raises(MachineError):
            await reader.read(bad, timeout_sec=60)
        await asyncio.gather(*(reader.read(address, timeout_sec=60) for address in well))
        assert reader.children[0].starts == starts == 2


async def test_a_machine_with_a_malformed_reading_disturbs_neither_discovery_nor_polling(
    tmp_path: Path,
) -> None:
    settings = site_settings(tmp_path, ["127.0.0.65-67"], identity="address", interval_sec=1)
    sink = RecordingSink()
    poller = Poller(settings, sink, reader=Reader(module="tests.edge.crashing_child"))
    running = asyncio.create_task(poller.run())
    await until(lambda: all(len(sink.of(f"127.0.0.{no}")) >= 3 for no in (65, 66, 67)), "three turns of each")
    assert not running.done()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert {sample["error_type"] for sample in sink.of("127.0.0.66")} == {"garbled"}
    assert all(sample["online"] for no in (65, 67) for sample in sink.of(f"127.0.0.{no}"))


async def test_an_action_is_not_sent_twice_when_its_reader_dies() -> None:
    async with Reader(module="tests.edge.crashing_child") as reader:
        with pytest.raises(ChildLost):
            await reader.act("abort", "reboot", {}, timeout_sec=60)
        assert (await reader.read("well", timeout_sec=60))["acts"] == 0


async def test_a_machine_that_sends_endlessly_is_dropped_in_time_and_fills_no_memory(sim: Sim) -> None:
    bad = f"{sim.net}.1.1"
    async with hostile_machines({bad: HOSTILE["endless"]}), Reader() as reader:
        with pytest.raises(MachineError) as problem:
            await reader.read(bad, timeout_sec=3)
        assert problem.value.kind == "garbled"
        assert reader.restarts == 0
        assert resident_mb(reader.pids[0]) < 200


async def test_a_child_that_starts_slowly_is_not_taken_for_one_that_hangs(
    sim: Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy device loading the library takes longer than a running child may be silent."""
    monkeypatch.setattr(process, "HANGS_AFTER_SEC", 0.05)
    monkeypatch.setattr(process, "PING_SEC", 0.01)
    async with Reader() as reader:
        await reader.probe(f"{sim.net}.0.1")
        assert reader.children[0].starts == 1


async def test_no_child_process_is_left_when_a_reader_closes(sim: Sim) -> None:
    async with Reader() as reader:
        await reader.read(f"{sim.net}.0.1", timeout_sec=60)
        (pid,) = reader.pids
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
