"""The remote configuration: accepted within the site's limits, applied as a whole, saved, and reported."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from hashinsight.edge.cloud.heartbeat import Heartbeat
from hashinsight.edge.cloud.intake import Intake
from hashinsight.edge.cloud.remote_config import ConfigError, ConfigStore, build_config, local_config
from hashinsight.edge.cloud.resources import Resources, open_resources
from tests.edge.factories import settings_in
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
