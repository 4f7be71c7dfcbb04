"""Answers of the audit routes; `AuditEntryOut` is also part of a command's story."""

from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from hashinsight.audit.actions import ActorKind
from hashinsight.audit.findings import FindingKind


class AuditEntryOut(BaseModel):
    model_config = ConfigDict(
        from_attributes=True,
        json_schema_extra={
            "examples": [
                {
                    "id": "01990000-0000-7000-8000-000000000001",
                    "at": "2026-03-01T12:00:00Z",
                    "recorded_at": "2026-03-01T12:00:00.004Z",
                    "actor_kind": "user",
                    "actor_id": "01990000-0000-7000-8000-000000000002",
                    "action": "miner_changed",
                    "entity_type": "miner",
                    "entity_id": "10231",
                    "before": {"owner": "Aurora Mining"},
                    "after": {"owner": "Boreal Hosting"},
                    "reason": None,
                    "request_id": "01990000-0000-7000-8000-000000000003",
                    "address": "192.0.2.7",
                }
            ]
        },
    )

    id: UUID
    at: datetime = Field(description="When it happened.")
    recorded_at: datetime = Field(description="When the entry was written, by the database's clock.")
    actor_kind: ActorKind
    actor_id: str | None
    action: str = Field(description="As in the `action` filter; older entries may have actions that no longer exist.")
    entity_type: str
    entity_id: str | None
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    reason: str | None
    request_id: str | None
    address: str | None


class AuditEntryList(BaseModel):
    entries: list[AuditEntryOut]
    next_cursor: str | None


class SealOut(BaseModel):
    """A line of an anchor: the seal as it was signed, and the key that checks it."""

    no: int
    era: int
    snapshot: str
    server: str
    entries: int
    digest: str
    previous: str
    sealed_at: datetime = Field(description="In the text that is hashed, the offset is `+00:00`, not `Z`.")
    key_id: str
    hash: str
    signature: str
    public_key: str


class SealList(BaseModel):
    seals: list[SealOut]


class FindingOut(BaseModel):
    kind: FindingKind
    seal: int | None
    entry_id: UUID | None = Field(description="Null also for an entry of another tenant.")
    message: str


class VerifyReportOut(BaseModel):
    """The first finding is the first place in the log where something is wrong."""

    ok: bool
    complete: bool = Field(description="False: call again with `after` set to `last_seal`.")
    seals: int
    entries: int
    unsealed: int
    oldest_unsealed_at: datetime | None
    last_seal: int
    last_hash: str
    anchors: int
    found: int = Field(description="All findings; `findings` has the first 100.")
    findings: list[FindingOut]
    notes: list[str]
