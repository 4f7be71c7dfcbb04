"""A command in answers: as a row of a list, and with its whole story."""

from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, Field
from typing_extensions import TypedDict

from hashinsight.audit.actions import ActorKind
from hashinsight.audit.schemas import AuditEntryOut
from hashinsight.commands.limits import WaitReason
from hashinsight.commands.schemas.catalogue import CommandName
from hashinsight.commands.states import Approval, Event, Priority, State

# up to 64 KB each, or part of the story only: left out of lists
_STORY_FIELDS = frozenset({"evidence", "ack_payload", "attempts", "history", "approvals", "audit"})
Json = dict[str, Any]


def show_brief(command: dict[str, Any]) -> dict[str, Any]:
    """A command or its story as `CommandOut`."""
    return {name: value for name, value in command.items() if name not in _STORY_FIELDS}


class OverCap(TypedDict):
    down: int
    cap: int
    site_machines: int


class CommandOut(TypedDict):
    command_id: UUID
    tenant_id: UUID
    site_id: int
    zone_id: int | None
    miner_no: int
    miner_id: Annotated[str, Field(description="When the command was created; machines can be renamed.")]
    batch_id: UUID
    command_type: CommandName
    is_control: bool
    params: Annotated[Json, Field(description="Without secrets.")]
    priority: Priority
    priority_number: int
    urgency: Annotated[int, Field(description="Class and number as one, as on the wire: higher goes first.")]
    emergency: bool
    ttl_sec: int
    expires_at: Annotated[AwareDatetime | None, Field(description="Null while waiting for approval.")]
    dedupe_key: str | None
    approval_state: Approval
    approval_until: AwareDatetime | None
    created_by_kind: ActorKind
    created_by: str | None
    created_at: AwareDatetime
    created_reason: str
    rule_id: str | None
    rule_version: int | None
    problem_id: str | None
    state: State
    moves: Annotated[int, Field(description="Number of rows in the history.")]
    attempt: Annotated[int, Field(description="Number of dispatches so far.")]
    max_retries: int
    retry_backoff_sec: int
    next_attempt_at: AwareDatetime
    dispatch_id: Annotated[UUID | None, Field(description="The command's id on the wire.")]
    lease_owner: Annotated[UUID | None, Field(description="The collector that holds the lease.")]
    lease_device: str | None
    lease_until: AwareDatetime | None
    dispatched_at: AwareDatetime | None
    started_at: AwareDatetime | None
    finished_at: AwareDatetime | None
    cancel_requested_at: AwareDatetime | None
    error_code: str | None
    error_message: str | None
    superseded_by: UUID | None
    verification: Literal["pending", "verified", "unverified", "unverifiable"] | None
    over_cap: Annotated[OverCap | None, Field(description="An emergency that exceeded the site's cap.")]
    updated_at: AwareDatetime
    wait_reason: Annotated[WaitReason | None, Field(description="Why a queued command is not dispatched yet.")]


class AttemptOut(TypedDict):
    dispatch_id: UUID
    tenant_id: UUID
    site_id: int
    command_id: UUID
    miner_no: int
    n: int
    collector_id: UUID
    device: str | None
    held_by: Annotated[list[UUID], Field(description="Every collector that it was leased to.")]
    deliveries: int
    leased_at: AwareDatetime
    lease_until: AwareDatetime
    result: Literal["succeeded", "failed", "rejected", "skipped", "running", "lost", "fenced"] | None
    acked_at: AwareDatetime | None
    started_at: AwareDatetime | None
    finished_at: AwareDatetime | None
    execution_time_ms: int | None
    error_code: str | None
    error_message: str | None
    snapshot_before: Json | None
    snapshot_after: Json | None
    payload: Json | None
    late_count: Annotated[int, Field(description="Acks that changed nothing; `late_acks` has the first of them.")]
    late_acks: list[Json] | None


class MoveOut(TypedDict):
    command_id: UUID
    n: int
    tenant_id: UUID
    site_id: int
    at: AwareDatetime
    event: Event
    old_state: State | None
    new_state: State
    actor_kind: ActorKind
    actor_id: str | None
    message: str | None
    details: Json | None
    execution_time_ms: int | None
    recorded_at: Annotated[AwareDatetime, Field(description="By the database's clock.")]


class ApprovalOut(TypedDict):
    id: UUID
    tenant_id: UUID
    site_id: int
    batch_id: UUID
    command_id: Annotated[UUID | None, Field(description="Null: the whole batch.")]
    decision: Literal["approved", "rejected", "pre_approved", "emergency"]
    by_kind: ActorKind
    by_id: str | None
    at: AwareDatetime
    reason: str
    commands: int


class CommandStory(CommandOut):
    evidence: Json | None
    ack_payload: Json | None
    attempts: list[AttemptOut]
    history: list[MoveOut]
    approvals: list[ApprovalOut]
    audit: Annotated[list[AuditEntryOut] | None, Field(description="Null without permission to read the audit log.")]


class CommandList(BaseModel):
    commands: list[CommandOut]
    next_cursor: str | None
