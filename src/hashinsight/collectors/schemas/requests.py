"""Request bodies about collectors, their keys and configurations."""

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
    Instant,
    IntervalSec,
    Line,
    Name,
    Paragraph,
    parse_key,
    storable,
)
from hashinsight.collectors.service.registry import Credential
from hashinsight.collectors.states import (
    CODE_LIFE_HOURS,
    DEFAULT_CONFIG,
    MAX_CODE_LIFE_HOURS,
    MAX_OVERLAP_SEC,
    MAX_TOKEN_LIFE_DAYS,
    PAYLOAD_KEY_OVERLAP_SEC,
    TOKEN_LIFE_DAYS,
    TOKEN_OVERLAP_SEC,
    CollectorPermission,
)
from hashinsight.kit.web.bodies import Body, example
from hashinsight.wire.freshness import DEFAULT_INTERVAL_SEC, MAX_INTERVAL_SEC
from hashinsight.wire.keys import Algorithm

_NULLABLE = {"zone_id", "notes", "registration_open_until"}


def _as_text(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


# an integer id or a code
Place = Annotated[
    str, BeforeValidator(_as_text), StringConstraints(min_length=1, max_length=120), AfterValidator(storable)
]
# a number is the id; a text is the code, else the id
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
    collection_interval_sec: IntervalSec = DEFAULT_INTERVAL_SEC
    heartbeat_interval_sec: IntervalSec = 30
    settings: Bag = Field(default_factory=dict)
    notes: Paragraph | None = None


class ChangeCollectorBody(Body):
    """Changes the given fields only. `zone_id`, `notes` and `registration_open_until` may be null."""

    model_config = example(name="north hall", heartbeat_interval_sec=30, notes="second switch, hall B")

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
        nulls = {name for name in self.model_fields_set if getattr(self, name) is None} - _NULLABLE
        if nulls:
            raise ValueError(f"must not be null: {', '.join(sorted(nulls))}")
        return self


class RotateBody(Body):
    model_config = example(overlap_sec=3600, life_days=365)

    overlap_sec: Annotated[int, Field(ge=0, le=MAX_OVERLAP_SEC)] = TOKEN_OVERLAP_SEC
    life_days: Annotated[int, Field(ge=1, le=MAX_TOKEN_LIFE_DAYS)] = TOKEN_LIFE_DAYS


class CodeBody(Body):
    model_config = example(life_hours=24)

    life_hours: Annotated[int, Field(ge=1, le=MAX_CODE_LIFE_HOURS)] = CODE_LIFE_HOURS


class NewConfigBody(Body):
    model_config = example(
        version="v1.1.0",
        data=DEFAULT_CONFIG | {"collection_interval": 30},
        collector_ids=None,
        is_default=False,
        change_summary="collect every 30 s",
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
            if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MAX_INTERVAL_SEC:
                raise ValueError(f"{key} must be an integer from 1 to {MAX_INTERVAL_SEC} (seconds)")
        return data

    @model_validator(mode="after")
    def _default_is_for_all(self) -> "NewConfigBody":
        if self.is_default and self.collector_ids is not None:
            raise ValueError("the default must apply to all collectors")
        return self


class PayloadKeyBody(Body):
    """Without `key_b64` a key is generated and shown in the answer."""

    model_config = example(overlap_sec=86_400)

    key_b64: Annotated[str, StringConstraints(max_length=200)] | None = None
    overlap_sec: Annotated[int, Field(ge=0, le=MAX_OVERLAP_SEC)] = PAYLOAD_KEY_OVERLAP_SEC

    @field_validator("key_b64")
    @classmethod
    def _is_key(cls, text: str | None) -> str | None:
        if text is not None:
            parse_key(text)
        return text

    @property
    def key(self) -> bytes | None:
        return None if self.key_b64 is None else parse_key(self.key_b64)


class SigningKeyBody(Body):
    """Without `key_b64` a key is generated; without `signs_after_sec` the first signs at once, others in an hour."""

    model_config = example(algorithm="ed25519", signs_after_sec=3600)

    algorithm: Annotated[str, StringConstraints(max_length=40)] = Algorithm.ED25519.value
    key_id: Annotated[str, StringConstraints(max_length=200)] | None = None
    key_b64: Annotated[SecretStr, Field(max_length=200)] | None = None
    signs_after_sec: Annotated[int, Field(ge=0, le=30 * 86_400)] | None = None


class SigningBody(Body):
    model_config = example(on=True)

    on: bool
