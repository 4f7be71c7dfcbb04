"""Two thousand machines read in a minute beside the simulator: each on time, spread over it, without growth."""

import asyncio
from collections import Counter
from datetime import datetime
from pathlib import Path

import psutil
import pytest

from tests.edge.on_site import on_site, settings, simulating, until

MACHINES = 2000
INTERVAL = SECONDS = 60
LATE_SEC = 3.0  # a drift of 1 % would be 0.6 s a turn; the rest is a busy machine under test


@pytest.mark.timeout(300)
async def test_two_thousand_machines_are_read_in_a_minute_each_in_its_turn_and_without_growth(tmp_path: Path) -> None:
    with simulating("quiet", "--machines", str(MACHINES), "--luxos") as sim:
        ranges = [f"{sim.net}.{block}.1-250" for block in range(MACHINES // 250)]
        async with on_site(settings(tmp_path, ranges, identity="address", interval_sec=INTERVAL)) as (side, heard):
            await until(lambda: side.counts().online == MACHINES, "all machines", seconds=120)
            await until(lambda: len(side.poller.table) == MACHINES, "their turns")
            heard.samples.clear()
            before, turns = _memory_mb(side.poller.reader.pids), _turns(side.poller.table._due)
            await asyncio.sleep(SECONDS)
            after, counts = _memory_mb(side.poller.reader.pids), side.counts()
            samples, later = list(heard.samples), _turns(side.poller.table._due)
    assert counts.by_reader == {"pyasic_rs": MACHINES}
    assert (counts.child_restarts, counts.failures) == (0, 0)
    assert counts.latest_sec < LATE_SEC
    assert len(samples) == pytest.approx(MACHINES, rel=0.05)
    assert all(sample["online"] for sample in samples)
    reads = Counter(str(sample["miner_id"]) for sample in samples)
    assert len(reads) >= 0.95 * MACHINES, "each once, but for those whose turn is just at the ends of the minute"
    assert max(reads.values()) <= 2
    for miner_id, due in later.items():  # whole turns later, whatever the reads took: nothing adds up
        assert (due - turns[miner_id]) / INTERVAL == pytest.approx(round((due - turns[miner_id]) / INTERVAL), abs=1e-6)
    seconds = Counter(int(datetime.fromisoformat(one["timestamp"]).timestamp()) % INTERVAL for one in samples)
    assert max(seconds.values()) < 3 * MACHINES / INTERVAL, "spread over the interval"
    assert after < before + 15


def _turns(due: list[tuple[float, int, str]]) -> dict[str, float]:
    return {miner_id: at for at, _, miner_id in due}


def _memory_mb(pids: list[int]) -> float:
    return sum(psutil.Process(pid).memory_info().rss for pid in pids) / 1e6
