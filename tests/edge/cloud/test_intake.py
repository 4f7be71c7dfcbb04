"""The intake of samples and events, also while the disk fails."""

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from hashinsight.edge.cloud.intake import MAX_WAITING, Intake
from hashinsight.edge.cloud.resources import Resources, open_resources
from tests.edge.factories import sample, settings_in


@pytest.fixture
async def resources(tmp_path: Path) -> AsyncIterator[Resources]:
    opened = open_resources(settings_in(tmp_path))
    yield opened
    await opened.aclose()


async def test_while_the_disk_fails_samples_wait_in_memory_and_excess_ones_become_a_gap(
    resources: Resources,
) -> None:
    intake = Intake(resources)
    await resources.spool_thread(resources.spool._db.execute, "pragma query_only = on")
    intake.add_samples([sample(1)])
    await intake.store()
    assert resources.faults.is_open("spool")
    intake.add_samples([sample(n) for n in range(MAX_WAITING + 4)])
    await resources.spool_thread(resources.spool._db.execute, "pragma query_only = off")
    await intake.store()
    assert not resources.faults.is_open("spool")
    assert (await resources.spool_thread(resources.spool.depth)).samples == MAX_WAITING
    ((reason, samples),) = [
        (gap.reason, gap.samples) for gap in await resources.spool_thread(resources.spool.take_gaps)
    ]
    assert (reason, samples) == ("disk_full", 5)


async def test_addresses_and_credentials_of_machines_never_reach_the_spool(resources: Resources) -> None:
    intake = Intake(resources)
    intake.add_samples([sample(1) | {"ip": "10.1.0.7", "password": "root"}])
    await intake.store()
    batch = await resources.spool_thread(resources.spool.take_live, since=0.0, limit=10)
    assert batch
    assert set(json.loads(batch.lines[0])) == {"source_seq", *sample(1)}


async def test_storing_a_minute_of_five_thousand_machines_takes_under_half_a_second_of_cpu(
    resources: Resources,
) -> None:
    """One second of samples at a time; half a second of CPU per minute is below one per cent of a core."""
    wide = sample(1) | {"boards": [{"hashrate_ths": 36.0, "temp_c": 70.0, "chips": 114}] * 3, "fan_speeds": [6000] * 4}
    made = [[wide | {"miner_id": f"A-{second}-{k}"} for k in range(84)] for second in range(60)]
    began = time.thread_time()
    for second in made:
        resources.spool.put(second, now=time.time())
    assert time.thread_time() - began < 0.5


async def test_a_stored_sample_is_not_stored_again_if_its_gap_could_not_be_written(
    resources: Resources,
) -> None:
    intake = Intake(resources)
    intake.add_samples([sample(n) for n in range(MAX_WAITING + 3)])
    await resources.spool_thread(
        resources.spool._db.execute, "create trigger full before insert on gaps begin select raise(abort, 'x'); end"
    )
    await intake.store()
    await resources.spool_thread(resources.spool._db.execute, "drop trigger full")
    await intake.store()
    assert (await resources.spool_thread(resources.spool.depth)).samples == MAX_WAITING
    assert [gap.samples for gap in await resources.spool_thread(resources.spool.take_gaps)] == [3]


async def test_what_was_handed_over_is_stored_even_if_the_caller_is_cancelled(resources: Resources) -> None:
    """The thread is busy, so the work waits there; its caller is cancelled before it runs."""
    intake = Intake(resources)
    intake.add_samples([sample(1)])
    for title in ("first", "second"):
        intake.add_event("miner_error", "error", title)
    for worker in (resources.spool_thread, resources.journal_thread):
        go_on = threading.Event()
        busy = asyncio.create_task(worker(go_on.wait))
        await asyncio.sleep(0)
        storing = asyncio.create_task(intake.store())
        await asyncio.sleep(0.05)
        storing.cancel()
        go_on.set()
        await asyncio.gather(busy, storing, return_exceptions=True)
    await intake.store()
    assert (await resources.spool_thread(resources.spool.depth)).samples == 1
    stored_events = [event for _, event in await resources.journal_thread(resources.journal.events.take, 10)]
    assert {event["title"] for event in stored_events} == {"first", "second"}
    assert len({event["event_id"] for event in stored_events}) == 2
