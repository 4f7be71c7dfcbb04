"""Documents stored with a problem: its diagnosis, its risk, and what was done about it."""

from datetime import datetime
from typing import Literal, NotRequired

from typing_extensions import TypedDict

from hashinsight.problems.schemas.words import IssueCode, SeverityWord
from hashinsight.telemetry.states import Health


class TopFeature(TypedDict):
    feature: str
    value: NotRequired[float | None]


class FailureRisk(TypedDict):
    p_fail_24h: float | None
    risk_level: NotRequired[str | None]
    top_features: list[TopFeature]
    model_version: NotRequired[str]
    at: NotRequired[datetime]


class HypothesisEvidence(TypedDict):
    metric: str
    value: float | None
    group_median: float | None
    robust_z: float | None


class Hypothesis(TypedDict):
    hypothesis_id: str
    risk_level: str | None
    confidence: float | None
    evidence: list[HypothesisEvidence]
    recommended_actions: list[str]
    ml_context: FailureRisk | None


class DiagnosedIssue(TypedDict):
    issue_code: IssueCode
    severity: SeverityWord
    recommended_actions: list[str]
    confidence: float | None


class Diagnosis(TypedDict):
    """The machine's health when the problem was last assessed."""

    health_state: Health
    issues: list[DiagnosedIssue]
    hypotheses: list[Hypothesis]
    p_fail_24h: float | None
    assessed_at: datetime


class Dispatched(TypedDict):
    """A notice, ticket or command that was sent for the problem."""

    kind: Literal["notice", "ticket", "command"]
    action: str
    at: datetime
    reason: str
