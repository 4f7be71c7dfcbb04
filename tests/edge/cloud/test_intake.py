"""Configuration versions and the intake: what the cloud wants within what the site allows, and a disk that fails."""

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from hashinsight.edge.cloud.heartbeat import Heartbeat
from hashinsight.edge.cloud.intake import MAX_WAITING, Intake
from hashinsight.edge.cloud.remote_config import ConfigError, ConfigStore, build_config, local_config
from hashinsight.edge.cloud.resources import Resources, open_resources
from tests.edge.factories import sample, settings_in
from tests.edge.stub_cloud import StubCloud, running_cloud

DEFAULT = {
    "collection_interval": 60,
    "heartbeat_interval": 30,
    "api_timeout": 5,
    "retry": {"attempts": 3, "delays_sec": [5, 15, 30]},
    "buffer": {"hours": 24},
    "features": {"auto_discovery": False, "remote_control": True, "auto_reboot": False},
}


@pytest.fixture
def cloud() -> Iterator[StubCloud]:
    with running_cloud(StubCloud()) as made:
        yield made


@pytest.fixture
async def resources(tmp_path: Path, cloud: StubCloud) -> AsyncIterator[Resources]:
    made = open_resources(settings_in(tmp_path, cloud.url))
    yield made
    await made.aclose()


def test_the_clouds_default_is_accepted_and_never_widens_what_the_site_allows(tmp_path: Path) -> None:
    config = build_config("v1.0.0", DEFAULT, settings_in(tmp_path))
    assert (config.collection_interval_sec, config.api_timeout_sec, config.buffer_hours) == (60, 5, 24)
    assert config.remote_control
    assert not config.auto_discovery
    strict = settings_in(tmp_path, limits_commands="false", spool_max_hours=2, miners_discovery="false")
    features = {"auto_discovery": True, "remote_control": True}
    config = build_config("v2", DEFAULT | {"features": features}, strict)
    assert (config.remote_control, config.auto_discovery, config.buffer_hours) == (False, False, 2)


@pytest.mark.parametrize(
    "wrong",
    [
        {"collection_interval": 0},
        {"collection_interval": "60"},
        {"collection_interval": True},
        {"buffer": {"hours": -1}},
        {"features": {"remote_control": "yes"}},
        [],
        None,
    ],
)
def test_an_invalid_configuration_is_refused_as_a_whole(tmp_path: Path, wrong: Any) -> None:
    with pytest.raises(ConfigError):
        build_config("v2", wrong, settings_in(tmp_path))


async def test_a_version_is_applied_reported_once_and_saved_and_a_bad_one_is_reported(
    resources: Resources, cloud: StubCloud
) -> None:
    applied: list[str | None] = []
    intake = Intake(resources)

    async def gather() -> dict[str, Any]:
        return {}

    beat = Heartbeat(resources, gather, lambda config: applied.append(config.version), intake.add_event)
    cloud.config = ("v2", {"heartbeat_interval": 10})
    for _ in range(3):
        await beat.send()
    assert (applied, cloud.applied, beat.config.heartbeat_interval_sec) == (["v2"], ["v2"], 10)
    cloud.config = ("v3", {"heartbeat_interval": "often"})
    for _ in range(3):
        await beat.send()
    assert (applied, cloud.applied, beat.config.version) == (["v2"], ["v2"], "v2")
    await intake.store()
    ((_, event),) = await resources.journal_thread(resources.journal.events.take, 10)
    assert event["kind"] == "config_rejected"
    assert "heartbeat_interval" in event["message"]
    assert ConfigStore(resources.settings).load().version == "v2", "a restart without the cloud runs on as before"
    (resources.settings.state_dir / "config.json").write_text("{ half a fi")
    assert ConfigStore(resources.settings).load() == local_config(resources.settings)


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
    """A second's worth at a time, as it comes; half a second of CPU in a minute is below one per cent of a core."""
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
    """The thread is busy, so it waits there; whoever asked for it is gone before its turn comes."""
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
    told = [event for _, event in await resources.journal_thread(resources.journal.events.take, 10)]
    assert {event["title"] for event in told} == {"first", "second"}
    assert len({event["event_id"] for event in told}) == 2
