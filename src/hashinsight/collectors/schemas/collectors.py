"""Answers about collectors, summaries and heartbeats: the models of the routes, and how rows become them."""

from typing import Any
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from hashinsight.collectors.models import Collector, CollectorToken, Heartbeat
from hashinsight.collectors.states import CollectorPermission, HeartbeatStatus, Severity, Status
from hashinsight.wire.freshness import silence_limit_sec

Json = dict[str, Any]


class _Answer(BaseModel):
    """Strict about fields: a row in a union is either in full or in brief."""

    model_config = ConfigDict(extra="forbid")


class CollectorBrief(_Answer):
    """For callers who see the site but do not manage its collectors."""

    id: UUID
    name: str
    site_id: int
    site_code: str
    zone_id: int | None = Field(description="Null: the whole site.")
    status: Status
    last_seen_at: AwareDatetime | None
    version: str | None
    active_miners: int | None
    total_miners: int | None


class CollectorOut(CollectorBrief):
    config_version: str | None = Field(description="As the collector reports it.")
    config_applied_at: AwareDatetime | None
    collection_interval_sec: int
    heartbeat_interval_sec: int
    offline_after_sec: int
    permissions: list[CollectorPermission]
    signs_commands: bool
    settings: Json
    notes: str | None
    last_address: str | None
    last_device_id: str | None
    registration_open_until: AwareDatetime | None
    connection_count: int
    last_heartbeat_at: AwareDatetime | None
    reported_status: HeartbeatStatus | None
    cpu_usage: float | None
    memory_usage: float | None
    disk_usage: float | None
    uptime_sec: int | None
    clock_skew_sec: float | None = Field(description="Positive: its clock is ahead.")
    created_at: AwareDatetime
    created_by: str | None
    updated_at: AwareDatetime


class TokenDates(BaseModel):
    issued_at: AwareDatetime
    expires_at: AwareDatetime
    revoked_at: AwareDatetime | None


class CollectorDetails(CollectorOut):
    token: TokenDates | None = Field(description="Dates of the newest token.")


class CollectorList(BaseModel):
    collectors: list[CollectorOut | CollectorBrief]
    next_cursor: str | None


class _NewCollector(TypedDict):
    collector: CollectorOut


class NewCollectorOut(_NewCollector, total=False):
    """The credential is shown only here."""

    token: str
    enrolment_code: str
    expires_at: AwareDatetime


class SummaryBrief(_Answer):
    collector_id: UUID
    name: str
    site_id: int
    site_code: str
    zone_id: int | None
    status: Status
    last_seen_at: AwareDatetime | None
    version: str | None
    active_miners: int | None
    total_miners: int | None


class OpenAlerts(BaseModel):
    info: int
    warning: int
    error: int
    critical: int


class CommandCounts(BaseModel):
    dispatched: int = Field(description="Created within 24 hours and dispatched to the collector.")
    succeeded: int
    failed: int
    expired: int
    canceled: int
    superseded: int
    mean_execution_sec: float | None = Field(description="Of finished attempts; null if no ack has a duration.")


class SummaryOut(SummaryBrief):
    reported_status: HeartbeatStatus | None
    last_heartbeat_at: AwareDatetime | None
    cpu_usage: float | None
    memory_usage: float | None
    clock_skew_sec: float | None
    open_alerts: OpenAlerts
    pending_commands: int = Field(description="Leased to it, or ready for its site or zone.")
    commands_24h: CommandCounts


class SummaryList(BaseModel):
    collectors: list[SummaryOut | SummaryBrief]
    next_cursor: str | None


class HeartbeatOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: UUID
    at: AwareDatetime
    device_id: str | None
    status: HeartbeatStatus
    cpu_usage: float | None
    memory_usage: float | None
    disk_usage: float | None
    uptime_sec: int | None
    version: str | None
    miners_online: int | None
    miners_total: int | None
    errors_count: int | None
    spool_depth: int | None
    spool_oldest_at: AwareDatetime | None
    clock_skew_sec: float | None
    extra_data: Json | None


class HeartbeatList(BaseModel):
    heartbeats: list[HeartbeatOut]
    next_cursor: str | None


def show_collector(collector: Collector, site_code: str) -> Json:
    """As `CollectorOut`."""
    limit = silence_limit_sec(collector.heartbeat_interval_sec, collector.collection_interval_sec)
    computed = {"site_code": site_code, "offline_after_sec": limit}
    return {name: getattr(collector, name) for name in CollectorOut.model_fields if name not in computed} | computed


def show_brief(collector: Collector, site_code: str) -> Json:
    """As `CollectorBrief`."""
    fields = {name: getattr(collector, name) for name in CollectorBrief.model_fields if name != "site_code"}
    return fields | {"site_code": site_code}


def show_token(token: CollectorToken | None) -> Json | None:
    """As `TokenDates`."""
    return None if token is None else {name: getattr(token, name) for name in TokenDates.model_fields}


def show_brief_summary(collector: Collector, site_code: str) -> Json:
    """As `SummaryBrief`."""
    brief = show_brief(collector, site_code)
    return {"collector_id": brief.pop("id"), **brief}


def show_summary(commands: Json, collector: Collector, site_code: str, *alerts: int) -> Json:
    """As `SummaryOut`; `commands`: pending and recent ones, `alerts`: open events by severity."""
    return show_brief_summary(collector, site_code) | {
        "reported_status": collector.reported_status,
        "last_heartbeat_at": collector.last_heartbeat_at,
        "cpu_usage": collector.cpu_usage,
        "memory_usage": collector.memory_usage,
        "clock_skew_sec": collector.clock_skew_sec,
        "open_alerts": {severity.value: count for severity, count in zip(Severity, alerts, strict=True)},
        **commands,
    }


def show_heartbeat(heartbeat: Heartbeat) -> Json:
    return HeartbeatOut.model_validate(heartbeat).model_dump()
