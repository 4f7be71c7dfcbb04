"""The configuration that the cloud wants: within the bounds of the site, and applied as a whole or not at all.

The cloud may slow things down or turn them off; what the site's own settings forbid it cannot turn on.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from hashinsight.edge.settings import Settings
from hashinsight.edge.storage.disk import write_durably

_Interval = Annotated[int, Meta(ge=1, le=86_400)]
_Seconds = Annotated[float, Meta(gt=0, le=600)]


class ConfigRefused(ValueError):
    """Why a version is not applied: one sentence for the cloud."""


class _Buffer(msgspec.Struct, frozen=True):
    hours: Annotated[float, Meta(gt=0, le=720)] | None = None


class _Features(msgspec.Struct, frozen=True):
    auto_discovery: bool | None = None
    remote_control: bool | None = None


class _Wanted(msgspec.Struct, frozen=True):
    """Other keys are other makes', `retry` and `auto_reboot` too: it never gives up, and reboots nothing by itself."""

    collection_interval: _Interval | None = None
    heartbeat_interval: _Interval | None = None
    api_timeout: _Seconds | None = None
    buffer: _Buffer = _Buffer()
    features: _Features = _Features()


class Config(msgspec.Struct, frozen=True):
    """What runs. `version` None: the site's own settings, before the cloud has said anything."""

    version: str | None
    collection_interval_sec: int
    heartbeat_interval_sec: int
    api_timeout_sec: float
    buffer_hours: float
    auto_discovery: bool  # look through the ranges again and again; once at the start is always done
    remote_control: bool


def own_config(settings: Settings) -> Config:
    return read_config(None, {}, settings)


def read_config(version: str | None, document: Any, settings: Settings) -> Config:
    """The site's settings with what the cloud wants over them."""
    if not isinstance(document, Mapping):
        raise ConfigRefused("the configuration is no object")
    try:
        wanted = msgspec.convert(dict(document), _Wanted)
    except msgspec.ValidationError as problem:
        raise ConfigRefused(str(problem).replace("$.", "")) from None
    miners, spool, features = settings.miners, settings.spool, wanted.features
    return Config(
        version=version,
        collection_interval_sec=wanted.collection_interval or miners.interval_sec,
        heartbeat_interval_sec=wanted.heartbeat_interval or settings.cloud.heartbeat_interval_sec,
        api_timeout_sec=wanted.api_timeout or miners.timeout_sec,
        buffer_hours=min(wanted.buffer.hours or spool.max_hours, spool.max_hours),
        auto_discovery=miners.discovery and features.auto_discovery is not False,
        remote_control=settings.limits.commands and features.remote_control is not False,
    )


class KeptConfig:
    """The last version that was applied, kept: a restart without the cloud runs on as before."""

    def __init__(self, settings: Settings) -> None:
        self._settings, self._path = settings, settings.state_dir / "config.json"

    def load(self) -> Config:
        kept = find_kept(self._path)
        if kept is None:
            return own_config(self._settings)
        try:
            return read_config(str(kept["version"]), kept["config"], self._settings)
        except ConfigRefused:  # the site's own bounds have changed since
            return own_config(self._settings)

    def keep(self, version: str, document: Mapping[str, Any]) -> None:
        write_durably(self._path, msgspec.json.encode({"version": version, "config": document}))


def find_kept(path: Path) -> dict[str, Any] | None:
    try:
        kept = msgspec.json.decode(path.read_bytes())
    except (OSError, msgspec.DecodeError):
        return None
    return kept if isinstance(kept, dict) and {"version", "config"} <= set(kept) else None
