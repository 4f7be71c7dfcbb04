"""Answers about requests and batches: the models of the routes, and how results become them."""

from dataclasses import asdict
from typing import Annotated, Any
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, Field
from typing_extensions import TypedDict

from hashinsight.audit.actions import ActorKind
from hashinsight.commands.approval import ApprovalCode
from hashinsight.commands.requests import DryRunResult, Refusal, RequestResult
from hashinsight.commands.schemas.catalogue import CommandName
from hashinsight.commands.schemas.commands import ApprovalOut, Json
from hashinsight.commands.states import Approval, Priority, State

# rows of each list in the answer to a request; counts are always complete, and the rest can be listed
MAX_ROWS_IN_ANSWER = 10_000


class CreatedCommandOut(TypedDict):
    command_id: UUID
    miner_id: str
    state: State
    approval_state: Approval
    existing: Annotated[bool, Field(description="Created before with the same dedupe key.")]


class _Refusal(TypedDict):
    miner_id: str
    error_code: str
    reason: str


class RefusalOut(_Refusal, total=False):
    command_id: Annotated[UUID | None, Field(description="The conflicting open command.")]


class RequestCounts(TypedDict):
    created: int
    existing: int
    refused: int


class RequestOut(BaseModel):
    batch_id: UUID
    commands: list[CreatedCommandOut]
    refused: list[RefusalOut]
    counts: RequestCounts
    approval_reasons: list[str]
    repeated: bool = Field(description="The same Idempotency-Key was used before: this is the earlier result.")


class DryRunCounts(TypedDict):
    excluded: int
    supersedes: int


class BlastRadiusOut(TypedDict):
    down_now: Annotated[int, Field(description="Machines of the site that are down by command.")]
    cap: int
    would_wait: Annotated[int, Field(description="Machines whose commands wait until others are back.")]
    exceeds_cap: Annotated[bool, Field(description="An emergency that exceeds the cap; it is sent anyway.")]


class ApprovalReasonOut(TypedDict):
    code: ApprovalCode
    value: float | None
    limit: float | None
    window_min: int | None


class DryRunOut(BaseModel):
    machines: int
    kw: float
    ths: float
    share_of_site: float
    unknown_power: int
    unknown_ths: int
    excluded: list[RefusalOut]
    counts: DryRunCounts
    blast_radius: BlastRadiusOut | None = Field(description="Null: the command takes no machine down.")
    needs_approval: bool
    approval_reasons: list[str]
    approval_causes: list[ApprovalReasonOut]


class BatchCounts(TypedDict):
    machines: int
    created: int
    existing: int
    refused: int


class BatchOut(TypedDict):
    batch_id: UUID
    site_id: int
    command_type: CommandName
    params: Json
    priority: Priority
    created_by_kind: ActorKind
    created_by: str | None
    created_at: AwareDatetime
    reason: str
    approval_state: Approval
    approval_reason: str | None
    waits: Annotated[bool, Field(description="Some of its commands wait for approval.")]
    counts: BatchCounts


class Selection(TypedDict, total=False):
    site: str | None
    miner_ids: list[str] | None
    miner_ids_not_shown: int
    group_id: int | None
    filter: Json | None
    online: bool | None
    issue_code: str | None


class BatchStory(BatchOut):
    selection: Selection
    states: Annotated[dict[State, int], Field(description="Commands by state.")]
    waiting_for_approval: int
    refused: Annotated[list[RefusalOut], Field(description="The first 1,000.")]
    approvals: list[ApprovalOut]


class BatchList(BaseModel):
    batches: list[BatchOut]
    next_cursor: str | None


class RefusalList(BaseModel):
    refused: list[RefusalOut]
    next_cursor: str | None


class BatchDecision(BaseModel):
    batch_id: UUID
    commands: int
    states: dict[State, int] = Field(description="The commands affected, by their new state.")


def show_result(result: RequestResult) -> dict[str, Any]:
    """As `RequestOut`."""
    existing = sum(command.existing for command in result.commands)
    return {
        "batch_id": result.batch_id,
        "commands": [
            {**vars(command), "state": State(command.state), "approval_state": Approval(command.approval_state)}
            for command in result.commands[:MAX_ROWS_IN_ANSWER]
        ],
        "refused": [_show_refusal(refusal) for refusal in result.refused[:MAX_ROWS_IN_ANSWER]],
        "counts": {"created": len(result.commands) - existing, "existing": existing, "refused": len(result.refused)},
        "approval_reasons": list(result.approval_reasons),
        "repeated": result.repeated,
    }


def show_dry_run(result: DryRunResult) -> dict[str, Any]:
    """As `DryRunOut`."""
    impact, radius = result.impact, result.blast_radius
    return {
        "machines": impact.machines,
        "kw": round(impact.kw, 3),
        "ths": round(impact.ths, 3),
        "share_of_site": round(impact.share_of_site, 6),
        "unknown_power": impact.unknown_power,
        "unknown_ths": impact.unknown_ths,
        "excluded": [_show_refusal(refusal) for refusal in result.excluded[:MAX_ROWS_IN_ANSWER]],
        "counts": {"excluded": len(result.excluded), "supersedes": result.supersedes},
        "blast_radius": None if radius is None else asdict(radius),
        "needs_approval": result.needs_approval,
        "approval_reasons": [reason.text for reason in result.approval_reasons],
        "approval_causes": [
            {"code": reason.code, "value": reason.value, "limit": reason.limit, "window_min": reason.window_min}
            for reason in result.approval_reasons
        ],
    }


def _show_refusal(refusal: Refusal) -> dict[str, Any]:
    shown = {"miner_id": refusal.miner_id, "error_code": refusal.error_code, "reason": refusal.reason}
    return shown if refusal.command_id is None else shown | {"command_id": refusal.command_id}
