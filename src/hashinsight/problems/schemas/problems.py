"""A problem with its evidence, lists of problems, and what actions on them answer."""

from datetime import datetime
from typing import Annotated, Any, Literal, NotRequired
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, WithJsonSchema
from typing_extensions import TypedDict

from hashinsight.problems.schemas.words import IssueCode, SeverityWord, StatusWord

_EXAMPLE: dict[str, Any] = {
    "rule_code": "hashrate_degradation",
    "description": "Hashrate below its own baseline, or repeated reboots",
    "evaluated_at": "2026-03-01T12:00:00+00:00",
    "way": "own_past",
    "ways": ["own_past"],
    "metric": "hashrate_ratio",
    "hashrate_ratio": 0.672,
    "threshold": 0.968,
    "side": "below",
    "measured": "now",
    "held": False,
    "baseline": {"metric": "hashrate_ratio", "value": 0.672, "expected": 0.998, "residual": -0.326, "z": -7.9},
    "expected_ths": 104.0,
    "expectation": "given",
    "left_out": ["board_share_min"],
}


class _Evidence(TypedDict):
    """Why a rule hit. `metric` names the key of the value that passed `threshold`; further keys explain it."""

    __pydantic_config__ = ConfigDict(extra="allow", json_schema_extra={"example": _EXAMPLE})  # type: ignore[misc]

    rule_code: str
    description: NotRequired[str]
    evaluated_at: NotRequired[str]
    way: Annotated[NotRequired[str], Field(description="The criterion that hit first")]
    ways: Annotated[NotRequired[list[str]], Field(description="All criteria that hit, where the rule has several")]
    metric: NotRequired[str]
    threshold: NotRequired[float | None]
    side: NotRequired[Literal["above", "below"] | None]
    measured: NotRequired[Literal["now", "half_hour_mean"]]
    held: Annotated[NotRequired[bool], Field(description="By the narrower limit of a problem that is open already")]
    baseline: NotRequired[dict[str, float | str | None]]
    expected_ths: NotRequired[float | None]
    expectation: NotRequired[Literal["none", "given", "kind", "own_past"]]
    left_out: Annotated[NotRequired[list[str]], Field(description="Features that the machine does not report")]


# A stored document goes into an answer as it is: rules of older versions wrote other keys.
Evidence = Annotated[dict[str, Any], WithJsonSchema(TypeAdapter(_Evidence).json_schema())]


class Spread(TypedDict):
    """A histogram of the peers' values."""

    edges: list[float]
    counts: list[int]


class PeerPosition(TypedDict):
    """One metric among the peers: quantiles of the group, and the machine's own value, z and percentile."""

    level: str
    value: float | None
    robust_z: float | None
    percentile: float | None
    median: float | None
    mad: NotRequired[float | None]
    count: int
    p10: float | None
    p25: float | None
    p75: float | None
    p90: float | None
    min: float | None
    max: float | None
    spread: NotRequired[Spread]


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
    resolution_cause: str | None
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
    actions_json: list[Any]
    peer_metrics_json: dict[str, PeerPosition | None] | None
    ml_json: dict[str, Any] | None
    health_json: dict[str, Any] | None
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
