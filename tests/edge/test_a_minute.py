"""Two thousand reads a minute beside the simulator, for a minute: on time, without drift, without growth."""

import asyncio
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import psutil
import pytest

from tests.edge.on_site import on_site, settings, simulating, until

MACHINES = 1000
INTERVAL = 30
SECONDS = 60
LATE_SEC = 3.0  # a drift of 1 % would be 0.3 s a turn; the rest is a busy machine under test


@pytest.mark.timeout(240)
async def test_a_thousand_machines_are_read_twice_a_minute_without_drift_and_without_growth(tmp_path: Path) -> None:
    with simulating("quiet", "--machines", str(MACHINES), "--luxos") as sim:
        ranges = [f"{sim.net}.{block}.1-250" for block in range(MACHINES // 250)]
        async with on_site(settings(tmp_path, ranges, identity="address", interval_sec=INTERVAL)) as (side, heard):
            await until(lambda: side.counts().online == MACHINES, "all machines", seconds=90)
            heard.samples.clear()
            before = _memory_mb(side.poller.reader.pids)
            await asyncio.sleep(SECONDS)
            after, counts = _memory_mb(side.poller.reader.pids), side.counts()
            samples = list(heard.samples)
    assert counts.by_reader == {"pyasic_rs": MACHINES}
    assert counts.child_restarts == 0
    assert len(samples) == pytest.approx(MACHINES * SECONDS / INTERVAL, rel=0.05)
    by_machine: dict[str, list[float]] = {}
    for one in samples:
        assert one["online"]
        by_machine.setdefault(one["miner_id"], []).append(datetime.fromisoformat(one["timestamp"]).timestamp())
    assert len(by_machine) == MACHINES
    for times in by_machine.values():
        assert len(times) in (1, 2, 3)
        assert all(abs(later - earlier - INTERVAL) < LATE_SEC for earlier, later in pairwise(times))
    seconds = [0] * INTERVAL
    for times in by_machine.values():
        seconds[int(times[0]) % INTERVAL] += 1
    assert max(seconds) < 3 * MACHINES / INTERVAL, "spread over the interval"
    assert after < before + 15


def _memory_mb(pids: list[int]) -> float:
    return sum(psutil.Process(pid).memory_info().rss for pid in pids) / 1e6
