"""What people send and see about collectors, their configurations and events."""

from base64 import b64encode
from typing import Annotated, Any
from uuid import UUID

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    SecretStr,
    StringConstraints,
    field_validator,
    model_validator,
)

from hashinsight.collectors.fields import (
    Bag,
    Body,
    Instant,
    IntervalSec,
    Line,
    Name,
    Paragraph,
    example,
    key_of,
    storable,
)
from hashinsight.collectors.models import (
    Collector,
    CollectorConfig,
    CollectorEvent,
    CollectorToken,
    Heartbeat,
    SigningKey,
)
from hashinsight.collectors.service.registry import Credential
from hashinsight.collectors.states import DEFAULT_CONFIG, CollectorPermission, Severity
from hashinsight.wire.freshness import silence_limit_sec
from hashinsight.wire.keys import Algorithm

COLLECTOR_ID = "01980f7e-9c30-7f77-8c5d-1c3d4e5f6071"
_MAX_INTERVAL_SEC = 86_400
_CLEARED = {"zone_id", "notes", "registration_open_until"}


def _as_text(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


# an integer id or a code
Place = Annotated[
    str, BeforeValidator(_as_text), StringConstraints(min_length=1, max_length=120), AfterValidator(storable)
]
# a number is the id that we gave it; a text its code, else its id
ZonePlace = Annotated[int, Field(strict=True, ge=1, le=2**31 - 1)] | Place
Version = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$")]
Permissions = Annotated[list[CollectorPermission], Field(max_length=3)]


class NewCollectorBody(Body):
    model_config = example(
        site_id="tx-midland-1", name="north hall", credential="token", permissions=["read", "control", "config"]
    )

    site_id: Place
    name: Name
    zone_id: ZonePlace | None = None
    credential: Credential = Credential.TOKEN
    permissions: Permissions = Field(default_factory=lambda: list(CollectorPermission))
    collection_interval_sec: IntervalSec = 60
    heartbeat_interval_sec: IntervalSec = 30
    settings: Bag = Field(default_factory=dict)
    notes: Paragraph | None = None


class ChangeCollectorBody(Body):
    """Only what is given is changed. `zone_id`, `notes` and `registration_open_until` may be set to null."""

    model_config = example(name="north hall", heartbeat_interval_sec=30, notes="behind the second switch")

    name: Name | None = None
    zone_id: ZonePlace | None = None
    permissions: Permissions | None = None
    collection_interval_sec: IntervalSec | None = None
    heartbeat_interval_sec: IntervalSec | None = None
    settings: Bag | None = None
    notes: Paragraph | None = None
    registration_open_until: Instant | None = None

    @model_validator(mode="after")
    def _nulls(self) -> "ChangeCollectorBody":
        nulls = {name for name in self.model_fields_set if getattr(self, name) is None} - _CLEARED
        if nulls:
            raise ValueError(f"may not be null: {', '.join(sorted(nulls))}")
        return self


class RotateBody(Body):
    model_config = example(overlap_sec=3600, life_days=365)

    overlap_sec: Annotated[int, Field(ge=0, le=7 * 86_400)] = 3600
    life_days: Annotated[int, Field(ge=1, le=1825)] = 365


class CodeBody(Body):
    model_config = example(life_hours=24)

    life_hours: Annotated[int, Field(ge=1, le=24 * 30)] = 24


class NewConfigBody(Body):
    model_config = example(
        version="v1.1.0",
        data=DEFAULT_CONFIG | {"collection_interval": 30},
        collector_ids=None,
        is_default=False,
        change_summary="read every 30 s",
    )

    version: Version
    data: Bag
    collector_ids: Annotated[list[UUID], Field(min_length=1, max_length=1000)] | None = None
    is_default: bool = False
    change_summary: Line = ""

    @field_validator("data")
    @classmethod
    def _intervals(cls, data: dict[str, Any]) -> dict[str, Any]:
        for key in ("collection_interval", "heartbeat_interval", "api_timeout"):
            value = data.get(key, 1)
            if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= _MAX_INTERVAL_SEC:
                raise ValueError(f"{key} is a whole number of seconds from 1 to {_MAX_INTERVAL_SEC}")
        return data

    @model_validator(mode="after")
    def _default_is_for_all(self) -> "NewConfigBody":
        if self.is_default and self.collector_ids is not None:
            raise ValueError("the default applies to all collectors")
        return self


def show(row: Any, *hidden: str) -> dict[str, Any]:
    """A row's columns by name, but for some."""
    return {column.name: getattr(row, column.name) for column in row.__table__.columns if column.name not in hidden}


def show_collector(collector: Collector, site_code: str) -> dict[str, Any]:
    limit = silence_limit_sec(collector.heartbeat_interval_sec, collector.collection_interval_sec)
    return show(collector, "tenant_id", "number", "watched_from", "site_form") | {
        "site_code": site_code,
        "offline_after_sec": limit,
    }


def show_brief(collector: Collector, site_code: str) -> dict[str, Any]:
    """For those who see a place and do not keep its collectors: where it is and how it is, no more."""
    return {
        "id": collector.id,
        "name": collector.name,
        "site_id": collector.site_id,
        "site_code": site_code,
        "zone_id": collector.zone_id,
        "status": collector.status,
        "last_seen_at": collector.last_seen_at,
        "version": collector.version,
        "active_miners": collector.active_miners,
        "total_miners": collector.total_miners,
    }


def show_token(token: CollectorToken | None) -> dict[str, Any] | None:
    """When, never what."""
    if token is None:
        return None
    return {"issued_at": token.issued_at, "expires_at": token.expires_at, "revoked_at": token.revoked_at}


def show_summary(commands: dict[str, Any], collector: Collector, site_code: str, *counts: int) -> dict[str, Any]:
    """`commands`: what it has to do and has done, which those above know."""
    return show_brief_summary(collector, site_code) | {
        "reported_status": collector.reported_status,
        "last_heartbeat_at": collector.last_heartbeat_at,
        "cpu_usage": collector.cpu_usage,
        "memory_usage": collector.memory_usage,
        "clock_skew_sec": collector.clock_skew_sec,
        "open_alerts": {severity.value: count for severity, count in zip(Severity, counts, strict=True)},
        **commands,
    }


def show_brief_summary(collector: Collector, site_code: str) -> dict[str, Any]:
    brief = show_brief(collector, site_code)
    return {"collector_id": brief.pop("id"), **brief}


def show_heartbeat(heartbeat: Heartbeat) -> dict[str, Any]:
    return show(heartbeat, "tenant_id", "site_id", "collector_id")


def show_event(event: CollectorEvent) -> dict[str, Any]:
    return show(event, "tenant_id", "reported_id")


def show_config(config: CollectorConfig, visible_ids: set[UUID] | None) -> dict[str, Any]:
    """`visible_ids`: the collectors that its reader sees; None for all."""
    listed = config.collector_ids
    if listed is not None and visible_ids is not None:
        listed = [one for one in listed if one in visible_ids]
    return show(config, "tenant_id") | {"collector_ids": listed}


def show_rollout(collector: Collector, site_code: str, wanted: str | None) -> dict[str, Any]:
    return {
        "collector_id": collector.id,
        "name": collector.name,
        "site_id": collector.site_id,
        "site_code": site_code,
        "status": collector.status,
        "wanted_version": wanted,
        "applied_version": collector.config_version,
        "applied_at": collector.config_applied_at,
        "in_step": wanted == collector.config_version,
    }


class PayloadKeyBody(Body):
    """Without `key_b64` a key is made, and shown in the answer."""

    model_config = example(overlap_sec=86_400)

    key_b64: Annotated[str, StringConstraints(max_length=200)] | None = None
    overlap_sec: Annotated[int, Field(ge=0, le=7 * 86_400)] = 86_400

    @field_validator("key_b64")
    @classmethod
    def _is_key(cls, text: str | None) -> str | None:
        if text is not None:
            key_of(text)
        return text

    @property
    def key(self) -> bytes | None:
        return None if self.key_b64 is None else key_of(self.key_b64)


class SigningKeyBody(Body):
    """Without `key_b64` a key is made; without `signs_after_sec` the first signs at once, a later one in an hour."""

    model_config = example(algorithm="ed25519", signs_after_sec=3600)

    algorithm: Annotated[str, StringConstraints(max_length=40)] = Algorithm.ED25519.value
    key_id: Annotated[str, StringConstraints(max_length=200)] | None = None
    key_b64: Annotated[SecretStr, Field(max_length=200)] | None = None
    signs_after_sec: Annotated[int, Field(ge=0, le=30 * 86_400)] | None = None


class SigningBody(Body):
    model_config = example(on=True)

    on: bool


def show_signing_key(key: SigningKey) -> dict[str, Any]:
    """The public half where there is one; a secret is shown when it is made, and never here."""
    public = None if key.public_key is None else b64encode(key.public_key).decode()
    return show(key, "tenant_id", "site_id", "collector_id", "sealed") | {"public_key": public}
