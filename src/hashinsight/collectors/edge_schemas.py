"""What collectors send, as the contract on the wire has it."""

from typing import Annotated, Any, Literal

from pydantic import AliasChoices, Field, SecretStr, StringConstraints

from hashinsight.collectors.fields import Bag, BigCount, Count, EdgeBody, Instant, Line, Paragraph, Percent, example
from hashinsight.collectors.states import Severity

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

    status: Literal["online", "degraded", "error"] = "online"
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
