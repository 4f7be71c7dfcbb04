"""The settings of a collector, made on site: TOML file and environment, nothing from the cloud.

Every value is bounded here, so that no other module has to check it. `settings_file` loads them.
"""

import ipaddress
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from hashinsight.wire.commands import VERBS
from hashinsight.wire.freshness import DEFAULT_INTERVAL_SEC, MAX_INTERVAL_SEC
from hashinsight.wire.keys import BadKey, KeyRing, key_ring, verifying_key

Seconds = Annotated[float, Meta(gt=0, le=86_400)]
Interval = Annotated[int, Meta(ge=1, le=MAX_INTERVAL_SEC)]
Count = Annotated[int, Meta(ge=1, le=100_000)]
Name = Annotated[str, Meta(min_length=1, max_length=128, pattern=r"^[!-~]([ -~]*[!-~])?$")]  # sent in a header
MAX_ADDRESSES = 1 << 20


class SettingsError(ValueError):
    """One sentence: what is wrong, and where."""


class _Section(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class Cloud(_Section, frozen=True):
    url: str = ""
    token_file: Path = Path("token")  # in the state folder, unless absolute
    ca_file: Path | None = None
    timeout_sec: Seconds = 20.0
    command_interval_sec: Seconds = 5.0
    upload_interval_sec: Seconds = 5.0
    heartbeat_interval_sec: Interval = 30

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if self.url and (parts.scheme not in ("http", "https") or not parts.hostname):
            raise SettingsError("cloud.url must be an address such as https://cloud.example.com")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise SettingsError("cloud.url may only have scheme, host, port and path")


class Place(_Section, frozen=True):
    """Compared as text with what a command names, so written as in the cloud: id or code."""

    site: Name | None = None
    zone: Name | None = None
    tenant_id: Name | None = None  # if set, signed commands of other tenants are refused
    device_id: Name | None = None  # None: generated once and kept in the state folder


class Credential(_Section, frozen=True):
    """For one make of machines, or for any. Never leaves the site."""

    make: str = ""
    username: str = ""
    password: str = ""

    def __repr__(self) -> str:
        return f"Credential({self.make or 'any make'})"


class Miners(_Section, frozen=True):
    ranges: tuple[str, ...] = ()
    credentials: tuple[Credential, ...] = ()
    interval_sec: Interval = DEFAULT_INTERVAL_SEC
    timeout_sec: Seconds = 5.0
    at_once: Count = 200
    discovery: bool = True
    discovery_interval_sec: Interval = 900
    identity: Literal["auto", "serial", "mac", "address", "file"] = "auto"  # what `miner_id` is made from
    id_file: Path | None = None  # the asset list, for `file`: a CSV with miner_id and any of serial, mac, address
    children: Annotated[int, Meta(ge=1, le=16)] = 1  # one child process reads about 150 machines per second
    child_memory_mb: Annotated[int, Meta(ge=128, le=65_536)] = 512

    def __post_init__(self) -> None:
        if sum(count_addresses(text) for text in self.ranges) > MAX_ADDRESSES:
            raise SettingsError(f"miners.ranges has more than {MAX_ADDRESSES} addresses")
        if self.identity == "file" and self.id_file is None:
            raise SettingsError('miners.identity = "file" needs miners.id_file, the asset list')


class SpoolBounds(_Section, frozen=True):
    max_mb: Annotated[int, Meta(ge=1, le=1_000_000)] = 2048
    max_hours: Annotated[float, Meta(gt=0, le=720)] = 24.0  # the cloud rejects samples older than a day
    store_every_sec: Annotated[float, Meta(ge=0.05, le=60)] = 1.0
    batch_samples: Annotated[int, Meta(ge=1, le=10_000)] = 2000
    backlog_per_sec: Annotated[int, Meta(ge=1, le=1_000_000)] = 2000


class Limits(_Section, frozen=True):
    """What the cloud may do at this site, whatever it sends."""

    commands: bool = True
    types: tuple[str, ...] = tuple(VERBS)
    per_minute: Count = 60
    at_once: Annotated[int, Meta(ge=1, le=1000)] = 20
    timeout_sec: Seconds = 120.0

    def __post_init__(self) -> None:
        unknown = sorted(set(self.types) - set(VERBS))
        if unknown:
            raise SettingsError(f"limits.types: {unknown[0]} is not one of {', '.join(VERBS)}")


class Key(_Section, frozen=True):
    key_id: str
    key: str
    algorithm: Literal["ed25519", "hmac-sha256"] = "ed25519"

    def __repr__(self) -> str:
        return f"Key({self.key_id})"


class Signing(_Section, frozen=True):
    verify: bool | None = None  # None: on if there are keys
    keys: tuple[Key, ...] = ()

    def __post_init__(self) -> None:
        if self.verify and not self.keys:
            raise SettingsError("signing.verify needs signing.keys: without a key every command would be refused")
        if self.keys:
            self.ring()

    @property
    def is_on(self) -> bool:
        return bool(self.keys) if self.verify is None else self.verify

    def ring(self) -> KeyRing:
        try:
            return key_ring(verifying_key(key.algorithm, key.key_id, key.key) for key in self.keys)
        except BadKey as error:
            raise SettingsError(f"signing.keys: {error}") from None


class Protection(_Section, frozen=True):
    """`stop_at_c` None: the limit of each model and sensor kind, from `facts.temperatures`."""

    on: bool = True
    stop_at_c: Annotated[float, Meta(ge=40, le=130)] | None = None
    confirm_readings: Annotated[int, Meta(ge=1, le=10)] = 2
    hold_sec: Seconds = 900.0  # how long the cloud cannot start a machine that was stopped here
    restart_below_c: Annotated[float, Meta(ge=0, le=130)] | None = None  # None: people or the cloud start it again


class Settings(_Section, frozen=True):
    state_dir: Path
    cloud: Cloud = Cloud()
    place: Place = Place()
    miners: Miners = Miners()
    spool: SpoolBounds = SpoolBounds()
    limits: Limits = Limits()
    signing: Signing = Signing()
    protection: Protection = Protection()
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"

    @property
    def token_path(self) -> Path:
        return self.state_dir / self.cloud.token_file  # an absolute path stays as it is


def count_addresses(text: str) -> int:
    """Size of a range: `10.0.0.7`, `10.0.0.0/22`, `10.0.0.10-10.0.0.99` or `10.0.0.10-99`."""
    first, last = range_bounds(text)
    return int(last) - int(first) + 1


def range_bounds(text: str) -> tuple[ipaddress.IPv4Address, ipaddress.IPv4Address]:
    """First and last address of a range, without network and broadcast address."""
    try:
        if "/" in text:
            network = ipaddress.IPv4Network(text.strip(), strict=False)
            has_broadcast = network.num_addresses > 2  # noqa: PLR2004 - all addresses of a /31 and a /32 are hosts
            return network[1 if has_broadcast else 0], network[-2 if has_broadcast else -1]
        low, _, high = (part.strip() for part in text.partition("-"))
        first = ipaddress.IPv4Address(low)
        if not high:
            return first, first
        last = ipaddress.IPv4Address(high if "." in high else f"{low.rpartition('.')[0]}.{high}")
    except ValueError:
        raise SettingsError(f"miners.ranges: {text!r} is not a range such as 10.1.0.0/22 or 10.1.0.10-99") from None
    if last < first:
        raise SettingsError(f"miners.ranges: {text!r} ends before it starts")
    return first, last
