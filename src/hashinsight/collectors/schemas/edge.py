"""Bodies and answers of the collectors' routes: the contract on the wire."""

from typing import Annotated, Any, Literal

from pydantic import AliasChoices, AwareDatetime, BaseModel, Field, SecretStr, StringConstraints
from typing_extensions import TypedDict

from hashinsight.collectors.fields import Bag, BigCount, Count, EdgeBody, Instant, Line, Paragraph, Percent
from hashinsight.collectors.states import HeartbeatStatus, Severity, Status
from hashinsight.kit.web.bodies import example

MAX_EVENTS = 200


class RegisterBody(EdgeBody):
    model_config = example(enrolment_code="hi_enrol_…", version="2.4.1", device_id="edge-box-1")

    enrolment_code: Annotated[SecretStr, Field(max_length=200)] | None = Field(
        None, validation_alias=AliasChoices("enrolment_code", "code")
    )
    version: Line | None = None
    device_id: Line | None = None


class HeartbeatBody(EdgeBody):
    model_config = example(
        status="online",
        cpu_usage=12.5,
        memory_usage=41.0,
        disk_usage=63.2,
        uptime=86400,
        version="2.4.1",
        miners_online=198,
        miners_total=200,
        errors_count=0,
        spool_depth=0,
        spool_oldest_at=None,
        sent_at="2026-03-01T12:00:00Z",
        extra_data={"polls": 1440},
    )

    status: HeartbeatStatus = HeartbeatStatus.ONLINE
    cpu_usage: Percent | None = None
    memory_usage: Percent | None = None
    disk_usage: Percent | None = None
    uptime_sec: BigCount | None = Field(None, validation_alias=AliasChoices("uptime", "uptime_sec", "uptime_seconds"))
    version: Line | None = None
    miners_online: Count | None = None
    miners_total: Count | None = None
    errors_count: Count | None = None
    spool_depth: BigCount | None = None
    spool_oldest_at: Instant | None = None
    sent_at: Instant | None = None
    extra_data: Bag | None = None


class EventBody(EdgeBody):
    kind: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}$")] = Field(
        validation_alias=AliasChoices("kind", "event_type", "type")
    )
    severity: Severity | None = None
    title: Line = ""
    message: Paragraph = ""
    details: Bag | None = None
    miner_id: Line | None = None
    command_id: Line | None = None
    occurred_at: Instant | None = None
    reported_id: Line | None = Field(None, validation_alias=AliasChoices("event_id", "reported_id"))

    def values(self) -> dict[str, Any]:
        return self.model_dump(mode="python") | {"severity": self.severity.value if self.severity else None}


class EventsBody(EdgeBody):
    model_config = example(
        events=[
            {
                "event_id": "e-1017",
                "kind": "high_temperature",
                "title": "A-17 runs hot",
                "message": "board 2 at 92 °C",
                "details": {"temp_c": 92},
                "miner_id": "A-17",
                "occurred_at": "2026-03-01T12:00:00Z",
            }
        ]
    )

    events: Annotated[list[EventBody], Field(min_length=1, max_length=MAX_EVENTS, fail_fast=True)]


class AppliedBody(EdgeBody):
    model_config = example(version="v1.0.0")

    version: Annotated[Line, StringConstraints(min_length=1)] = Field(
        validation_alias=AliasChoices("version", "config_version")
    )


class _CollectorState(TypedDict):
    success: Literal[True]
    collector_id: str
    status: Status
    site_id: Annotated[str, Field(description="As the collector writes it.")]


class CollectorState(_CollectorState, total=False):
    token: Annotated[str, Field(description="After enrolment, shown once.")]
    token_expires_at: AwareDatetime


class HeartbeatAnswer(BaseModel):
    success: Literal[True] = True
    server_time: AwareDatetime
    clock_skew_sec: float | None = Field(description="Positive: the collector's clock is ahead.")
    config_version: str | None = Field(description="The version that it should run.")
    commands_allowed: bool


class EventFault(BaseModel):
    index: int
    error_code: str
    reason: str


class EventsAnswer(BaseModel):
    success: Literal[True] = True
    stored: int
    duplicates: int
    rejected: int
    errors: list[EventFault]


class ConfigAnswer(BaseModel):
    success: Literal[True] = True
    version: str | None = Field(description="Null without the permission `config`.")
    config: dict[str, Any]
    in_step: bool = Field(description="Whether the collector runs this version.")


class AppliedAnswer(BaseModel):
    success: Literal[True] = True
    version: str
    known: bool = Field(description="Whether it is a version of this server.")
