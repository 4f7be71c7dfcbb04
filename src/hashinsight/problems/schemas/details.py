"""One problem with everything around it, its timeline, and the health and peers of one machine."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from hashinsight.inventory.service.expected_states import ExpectedKind
from hashinsight.problems.schemas.diagnosis import Hypothesis
from hashinsight.problems.schemas.evidence import Evidence, PeerComparison
from hashinsight.problems.schemas.problems import Problem
from hashinsight.problems.schemas.suppressions import Suppression
from hashinsight.problems.schemas.words import (
    ActorWord,
    CauseWord,
    DataStateWord,
    IssueCode,
    SeverityWord,
    StatusWord,
    ThawWord,
    TimelineWord,
)
from hashinsight.telemetry.states import Condition, ExpectedSource, Health, Mode, RatingSource


class RuleOut(TypedDict):
    code: IssueCode
    severity: SeverityWord
    description: str
    metric: str
    recommended_actions: list[str]
    needs: list[str]  # features; where one is missing the rule does not judge


class TimelineEntry(TypedDict):
    id: UUID
    at: datetime
    kind: TimelineWord
    actor_kind: ActorWord
    actor_id: str | None
    message: str | None
    details: dict[str, Any] | None


class Timeline(BaseModel):
    timeline: list[TimelineEntry]
    next_cursor: str | None


class Predecessor(TypedDict):
    id: UUID
    severity: SeverityWord
    status: StatusWord
    start_ts: datetime
    last_seen_ts: datetime
    resolved_ts: datetime | None
    recurrence_count: int
    resolved_by: str | None
    resolution_cause: CauseWord | None
    resolution_action: str | None


class SimilarResolution(TypedDict):
    """How people resolved the same issue on the same model at this site."""

    resolution_cause: CauseWord | None
    resolution_action: str | None
    times: int
    last_resolved_ts: datetime
    median_sec: float | None


class Machine(TypedDict):
    miner_no: int
    miner_id: str
    site_id: int
    model: str | None
    firmware: str | None
    serial: str | None
    owner: str | None
    position: str | None
    state: Literal["in_service", "retired"]
    zone: str | None
    rack: str | None
    overall_health: Health | None
    condition: Condition | None
    online: bool | None
    expected_state: ExpectedKind | None
    sample_at: datetime | None
    last_seen_at: datetime | None
    rated_ths: float | None
    rated_source: RatingSource | None
    reference_ths: float | None  # hashrate ratios are shares of it
    expected_ths: float | None  # in its present mode
    expected_source: ExpectedSource | None
    stopped_ths: float | None


class MetricBaseline(TypedDict):
    expected: float | None
    sigma: float | None
    samples: int
    is_known: bool  # enough samples to compare the machine with
    last_value: float | None
    last_residual: float | None
    anchor: float | None  # median of its first healthy days


class Baseline(TypedDict):
    metrics: dict[str, MetricBaseline]
    inferred_mode: Mode
    mode_confidence: float | None
    thaw_reason: ThawWord
    updated_at: datetime | None
    frozen_since: datetime | None
    thawed_at: datetime | None
    mode_changed_at: datetime | None


class ExpectedPoint(TypedDict):
    hashrate_ratio: float | None
    efficiency: float | None
    temp_max: float | None


class FeaturePoint(TypedDict):
    """One cycle, or one of each hour; `expected` is what the baseline said then."""

    ts: datetime
    data_state: DataStateWord
    inferred_mode: Mode
    hashrate_ratio: float | None
    temp_max: float | None
    efficiency: float | None
    boards_ratio: float | None
    fan_speed_min: float | None
    reject_rate: float | None
    hw_error_rate: float | None
    trend_slope: float | None
    volatility: float | None
    temp_spread: float | None
    temp_load: float | None
    board_share_min: float | None
    expected: ExpectedPoint


class SuppressedDetection(TypedDict):
    """A hit that opened no problem because the machine is suppressed."""

    issue_code: IssueCode
    severity: SeverityWord
    first_seen_ts: datetime
    last_seen_ts: datetime
    detections: int


class ProblemDetails(BaseModel):
    problem: Problem
    rule: RuleOut | None
    timeline: list[TimelineEntry] = Field(description="The newest 200 entries")
    timeline_cursor: str | None
    predecessors: list[Predecessor]
    similar: list[SimilarResolution]
    people: dict[str, str] = Field(description="Names of all users in the answer, by user id")
    machine: Machine | None = Field(description="Null for a collector, and outside the caller's scope")
    baseline: Baseline | None
    history: list[FeaturePoint]
    suppressions: list[Suppression]
    suppressed_detections: list[SuppressedDetection]


class MachineIssue(TypedDict):
    problem_id: UUID
    issue_code: IssueCode
    severity: SeverityWord
    status: StatusWord
    start_ts: datetime
    evidence: list[Evidence]
    recommended_actions: list[str]
    confidence: float | None


class MachineHealth(BaseModel):
    site_id: int
    miner_id: str
    health_state: Health
    condition: Condition
    expected_state: ExpectedKind | None
    issues: list[MachineIssue]
    hypotheses: list[Hypothesis] = Field(description="Empty until there is a diagnosis")
    p_fail_24h: float | None
    last_seen_ts: datetime | None
    assessed_at: datetime | None = Field(description="The newest scan of its site")
    baseline: Baseline | None
    suppressions: list[Suppression]
    suppressed_detections: list[SuppressedDetection]


class MachinePeers(BaseModel):
    site_id: int
    miner_id: str
    assessed_at: datetime | None
    expected_state: ExpectedKind | None
    peers: dict[str, PeerComparison | None] | None = Field(description="By metric; null where it is not compared")
