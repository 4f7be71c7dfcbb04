"""Types of requests and responses, as JSON has them: times are ISO 8601 strings, ids are strings."""

from dataclasses import dataclass, field, fields
from typing import Any, NotRequired, TypedDict


@dataclass(frozen=True)
class CommandRequest:
    """`miner_ids`, `group_id` or `filter` selects the machines; the server has defaults for omitted fields."""

    command_type: str
    params: dict[str, Any] = field(default_factory=dict, repr=False)  # may hold a pool password
    site_id: str | int | None = None
    miner_ids: list[str] | None = None
    group_id: int | None = None
    filter: dict[str, Any] | None = None
    priority: str | None = None
    priority_number: int | None = None
    ttl_sec: int | None = None
    max_retries: int | None = None
    retry_backoff_sec: int | None = None
    reason: str | None = None
    problem_id: str | None = None
    evidence: dict[str, Any] | None = None
    emergency: bool | None = None
    approval_required: bool | None = None
    dedupe_key: str | None = None
    dedupe_window_sec: int | None = None

    def to_wire(self) -> dict[str, Any]:
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        return {name: value for name, value in values.items() if value is not None}


class CreatedCommand(TypedDict):
    command_id: str
    miner_id: str
    state: str
    approval_state: str
    existing: bool


class RefusedMachine(TypedDict):
    miner_id: str
    error_code: str
    reason: str
    command_id: NotRequired[str]


class RequestCounts(TypedDict):
    created: int
    existing: int
    refused: int


class RequestResult(TypedDict):
    batch_id: str
    commands: list[CreatedCommand]
    refused: list[RefusedMachine]
    counts: RequestCounts
    approval_reasons: list[str]
    repeated: bool


class ApprovalCause(TypedDict):
    """`code`: HIGH_RISK, MANY_MACHINES, MUCH_POWER or ASKED_FOR, with the value and the limit it exceeds, if any.

    MANY_MACHINES_IN_WINDOW, MUCH_POWER_IN_WINDOW: totals of the requester within `window_min`.
    """

    code: str
    value: float | None
    limit: float | None
    window_min: int | None


class BlastRadius(TypedDict):
    """Machines of the site that are down because of commands, the limit, and the effect of this request."""

    down_now: int
    cap: int
    would_wait: int
    exceeds_cap: bool


class DryRun(TypedDict):
    machines: int
    kw: float
    ths: float
    share_of_site: float
    unknown_power: int
    unknown_ths: int
    excluded: list[RefusedMachine]
    counts: dict[str, int]
    blast_radius: BlastRadius | None
    needs_approval: bool
    approval_reasons: list[str]
    approval_causes: list[ApprovalCause]


class Command(TypedDict):
    """The fields that programs use; the response has more."""

    command_id: str
    batch_id: str
    site_id: int
    miner_id: str
    command_type: str
    params: dict[str, Any]
    priority: str
    state: str
    approval_state: str
    wait_reason: str | None
    created_at: str
    created_by: str | None
    expires_at: str | None
    attempt: int
    error_code: str | None
    error_message: str | None
    superseded_by: str | None


class CommandStory(Command):
    attempts: list[dict[str, Any]]
    history: list[dict[str, Any]]
    approvals: list[dict[str, Any]]
    audit: list[dict[str, Any]] | None


class CommandBatch(TypedDict):
    batch_id: str
    site_id: int
    command_type: str
    created_at: str
    created_by: str | None
    reason: str
    approval_state: str
    waits: bool  # a decision is still possible
    counts: dict[str, int]
    states: NotRequired[dict[str, int]]
    waiting_for_approval: NotRequired[int]
    refused: NotRequired[list[RefusedMachine]]


class BatchDecision(TypedDict):
    batch_id: str
    commands: int
    states: dict[str, int]


class AckResult(TypedDict):
    """`applied` is false if the ack changed nothing; `error_code` says why."""

    applied: bool
    error_code: NotRequired[str | None]
    state: NotRequired[str | None]
