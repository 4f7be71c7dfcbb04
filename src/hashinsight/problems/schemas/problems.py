"""A problem, lists of problems, and what actions on them answer."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from hashinsight.problems.schemas.diagnosis import Diagnosis, Dispatched, FailureRisk
from hashinsight.problems.schemas.evidence import Evidence, PeerPosition
from hashinsight.problems.schemas.words import CauseWord, IssueCode, SeverityWord, StatusWord


class Problem(TypedDict):
    """One problem. Times of the cycle are `*_ts`; `last_seen_ts` is the newest cycle that found it."""

    id: UUID
    site_id: int
    event_no: int  # of its site, in order of detection
    miner_no: int | None
    miner_id: str | None  # null for a collector
    collector_id: UUID | None
    issue_code: IssueCode
    severity: SeverityWord
    status: StatusWord
    start_ts: datetime
    opened_ts: datetime | None
    resolved_ts: datetime | None
    dedup_key: str
    suppress_until: datetime | None
    maintenance_flag: bool
    symptom: bool  # explained by an open incident
    flapping: bool
    escalated: bool  # resolved because a worse problem replaced it
    incident_id: UUID | None
    predecessor_id: UUID | None
    assigned_to: str | None
    acked_by: str | None
    acked_at: datetime | None
    resolved_by: str | None
    resolution_cause: CauseWord | None
    resolution_action: str | None
    loss_ths: float | None
    loss_thh: float | None
    p_fail_24h: float | None
    zone_id: int | None
    model: str | None
    firmware: str | None
    created_at: datetime
    updated_at: datetime
    last_seen_ts: datetime
    recurrence_count: int
    consecutive_ok: int
    consecutive_fail: int
    evidence_json: list[Evidence]
    actions_json: list[Dispatched]
    peer_metrics_json: dict[str, PeerPosition | None] | None
    ml_json: FailureRisk | None
    health_json: Diagnosis | None
    zone: str | None
    suppressed: bool


class Pagination(TypedDict):
    page: int
    per_page: int
    total: int
    pages: int


class ProblemList(BaseModel):
    problems: list[Problem]
    pagination: Pagination


class MinerProblems(BaseModel):
    """At most 500, by severity and with causes before symptoms; `total` counts all."""

    miner_id: str
    problems: list[Problem]
    total: int


class FacetCount(BaseModel):
    value: str
    problems: int


class SiteFacetCount(FacetCount):
    name: str


class Facets(BaseModel):
    """Of each facet the 100 values with the most problems."""

    severity: list[FacetCount]
    issue_code: list[FacetCount]
    status: list[FacetCount]
    site: list[SiteFacetCount]
    zone: list[FacetCount]
    model: list[FacetCount]
    firmware: list[FacetCount]
    age: list[FacetCount]


class ProblemCounts(BaseModel):
    total: int
    symptoms: int = Field(description="Explained by an open incident")
    facets: Facets


class Assignee(BaseModel):
    id: UUID
    name: str


class AssigneeList(BaseModel):
    assignees: list[Assignee]


class ActionDone(TypedDict):
    id: UUID
    changed: Literal[True]
    status: StatusWord


class ActionRefused(TypedDict):
    id: UUID
    changed: Literal[False]
    error_code: str
    reason: str


class ActionCounts(TypedDict):
    changed: int
    refused: int


class BulkResult(BaseModel):
    results: list[ActionDone | ActionRefused]
    counts: ActionCounts
