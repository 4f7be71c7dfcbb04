"""Two thousand machines read in a minute: each on time, spread evenly, without memory growth."""

import math
import os
import time
from collections import Counter
from pathlib import Path

import psutil
import pytest

from tests.cpu_waits import CpuWaits, share
from tests.edge.simulated_site import RecordingSink, running_site, simulate, site_settings, until

MACHINES, FEWER = 2000, 500  # fewer if other work leaves less than a third of a CPU to each process
INTERVAL = 60
LATE_SEC = 3.0  # a drift of 1 % would be 0.6 s per interval; besides the time that processes waited for a CPU


async def test_two_thousand_machines_are_read_in_a_minute_on_schedule_and_without_memory_growth(tmp_path: Path) -> None:
    machines = MACHINES if share() > 1 / 3 else FEWER
    with simulate("quiet", "--machines", str(machines), "--luxos") as sim:
        ranges = [f"{sim.net}.{block}.1-250" for block in range(machines // 250)]
        async with running_site(site_settings(tmp_path, ranges, identity="address", interval_sec=INTERVAL)) as (
            local_site,
            sink,
        ):
            await until(lambda: local_site.counts().online == machines, "all machines")
            await until(lambda: len(local_site.poller.timetable) == machines, "their turns")
            sink.samples.clear()
            failures = local_site.counts().failures
            before, turns = _memory_mb(local_site.poller.reader.pids), _turns(local_site.poller.timetable._due)
            began, waits = time.monotonic(), CpuWaits((os.getpid(), sim.process.pid, *local_site.poller.reader.pids))
            await until(lambda: all_read(sink, machines), "each of them")
            spent_sec, late_sec = time.monotonic() - began, LATE_SEC + waits.stood_sec()
            after, counts = _memory_mb(local_site.poller.reader.pids), local_site.counts()
            samples, later = list(sink.samples), _turns(local_site.poller.timetable._due)
    assert (counts.online, counts.child_restarts, counts.failures) == (machines, 0, failures)
    # machines that were too slow for the library are read plainly for a while: allowed in proportion to CPU waits
    plain = machines - counts.by_reader["pyasic_rs"]
    assert plain / machines <= (late_sec - LATE_SEC) / INTERVAL
    assert counts.latest_sec < late_sec
    assert spent_sec < INTERVAL + late_sec
    assert all(sample["online"] for sample in samples)
    reads = Counter(str(sample["miner_id"]) for sample in samples)
    assert max(reads.values()) <= 1 + math.ceil(spent_sec / INTERVAL), "once a turn"
    for miner_id, due in later.items():  # whole intervals later, however long the reads took
        assert (due - turns[miner_id]) / INTERVAL == pytest.approx(round((due - turns[miner_id]) / INTERVAL), abs=1e-6)
    seconds = Counter(int(due) % INTERVAL for due in later.values())
    assert max(seconds.values()) < 3 * machines / INTERVAL, "spread over the interval"
    assert after < before + 15


def all_read(sink: RecordingSink, machines: int) -> bool:
    return len(sink.samples) >= machines and len({sample["miner_id"] for sample in sink.samples}) == machines


def _turns(due: list[tuple[float, int, str]]) -> dict[str, float]:
    return {miner_id: at for at, _, miner_id in due}


def _memory_mb(pids: list[int]) -> float:
    return sum(psutil.Process(pid).memory_info().rss for pid in pids) / 1e6
