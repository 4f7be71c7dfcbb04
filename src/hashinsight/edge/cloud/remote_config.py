"""The configuration sent by the cloud: limited by the site's settings, and applied as a whole or not at all.

The cloud may slow things down or switch them off; it cannot switch on what the site's settings forbid.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from hashinsight.edge.settings import Interval, Settings
from hashinsight.edge.storage.disk import replace_file

_Seconds = Annotated[float, Meta(gt=0, le=600)]


class ConfigError(ValueError):
    """Why a version is not applied: one sentence for the cloud."""


class _Buffer(msgspec.Struct, frozen=True):
    hours: Annotated[float, Meta(gt=0, le=720)] | None = None


class _Features(msgspec.Struct, frozen=True):
    auto_discovery: bool | None = None
    remote_control: bool | None = None


class _Document(msgspec.Struct, frozen=True):
    """Other keys are ignored, also `retry` and `auto_reboot`: retries never end, and nothing reboots by itself."""

    collection_interval: Interval | None = None
    heartbeat_interval: Interval | None = None
    api_timeout: _Seconds | None = None
    buffer: _Buffer = _Buffer()
    features: _Features = _Features()


class EffectiveConfig(msgspec.Struct, frozen=True):
    """What is in effect. `version` None: the site's own settings; the cloud has sent nothing yet."""

    version: str | None
    collection_interval_sec: int
    heartbeat_interval_sec: int
    api_timeout_sec: float
    buffer_hours: float
    auto_discovery: bool  # repeat the discovery sweep; one sweep at the start is always done
    remote_control: bool


def local_config(settings: Settings) -> EffectiveConfig:
    return build_config(None, {}, settings)


def build_config(version: str | None, document: Any, settings: Settings) -> EffectiveConfig:
    """The site's settings, overridden by the cloud's document."""
    if not isinstance(document, Mapping):
        raise ConfigError("the configuration is not an object")
    try:
        override = msgspec.convert(dict(document), _Document)
    except msgspec.ValidationError as error:
        raise ConfigError(str(error).replace("$.", "")) from None
    miners, spool, features = settings.miners, settings.spool, override.features
    return EffectiveConfig(
        version=version,
        collection_interval_sec=override.collection_interval or miners.interval_sec,
        heartbeat_interval_sec=override.heartbeat_interval or settings.cloud.heartbeat_interval_sec,
        api_timeout_sec=override.api_timeout or miners.timeout_sec,
        buffer_hours=min(override.buffer.hours or spool.max_hours, spool.max_hours),
        auto_discovery=miners.discovery and features.auto_discovery is not False,
        remote_control=settings.limits.commands and features.remote_control is not False,
    )


class ConfigStore:
    """The last applied version: after a restart without the cloud it stays in effect."""

    def __init__(self, settings: Settings) -> None:
        self._settings, self._path = settings, settings.state_dir / "config.json"

    def load(self) -> EffectiveConfig:
        saved = find_saved_config(self._path)
        if saved is None:
            return local_config(self._settings)
        try:
            return build_config(str(saved["version"]), saved["config"], self._settings)
        except ConfigError:  # the site's settings have changed since
            return local_config(self._settings)

    def save(self, version: str, document: Mapping[str, Any]) -> None:
        replace_file(self._path, msgspec.json.encode({"version": version, "config": document}), durably=True)


def find_saved_config(path: Path) -> dict[str, Any] | None:
    try:
        saved = msgspec.json.decode(path.read_bytes())
    except (OSError, msgspec.DecodeError):
        return None
    return saved if isinstance(saved, dict) and {"version", "config"} <= set(saved) else None
