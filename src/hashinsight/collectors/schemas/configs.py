"""Answers about events and configurations of collectors: the models of the routes, and how rows become them."""

from typing import Any
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from hashinsight.collectors.models import Collector, CollectorConfig, CollectorEvent
from hashinsight.collectors.states import ConfigStatus, EventStatus, Severity, Source, Status

Json = dict[str, Any]


class EventOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: UUID
    site_id: int
    zone_id: int | None
    collector_id: UUID
    at: AwareDatetime
    occurred_at: AwareDatetime | None = Field(description="By the collector's clock.")
    source: Source
    kind: str
    severity: Severity
    title: str
    message: str
    details: Json | None
    miner_id: str | None
    command_id: str | None
    status: EventStatus
    acknowledged_at: AwareDatetime | None
    acknowledged_by: str | None
    resolved_at: AwareDatetime | None
    resolved_by: str | None


class EventList(BaseModel):
    events: list[EventOut]
    next_cursor: str | None


class ConfigOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: UUID
    version: str
    data: Json
    collector_ids: list[UUID] | None = Field(description="Null: all collectors.")
    status: ConfigStatus
    is_default: bool
    change_summary: str
    created_at: AwareDatetime
    created_by: str | None
    activated_at: AwareDatetime | None
    activated_by: str | None
    deprecated_at: AwareDatetime | None
    deprecated_by: str | None


class ConfigList(BaseModel):
    configs: list[ConfigOut]
    next_cursor: str | None


class RolloutRow(BaseModel):
    collector_id: UUID
    name: str
    site_id: int
    site_code: str
    status: Status
    wanted_version: str | None
    applied_version: str | None
    applied_at: AwareDatetime | None
    in_step: bool


class RolloutList(BaseModel):
    collectors: list[RolloutRow]
    next_cursor: str | None


def show_event(event: CollectorEvent) -> Json:
    return EventOut.model_validate(event).model_dump()


def show_config(config: CollectorConfig, visible_ids: set[UUID] | None) -> Json:
    """As `ConfigOut`; `visible_ids`: collectors that the caller sees, None for all."""
    listed = config.collector_ids
    if listed is not None and visible_ids is not None:
        listed = [collector_id for collector_id in listed if collector_id in visible_ids]
    return ConfigOut.model_validate(config).model_dump() | {"collector_ids": listed}


def show_rollout(collector: Collector, site_code: str, wanted: str | None) -> Json:
    """As `RolloutRow`."""
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
