"""A site as a whole: its summary, its machines at risk, its temperature limits."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from hashinsight.problems.schemas.words import IssueCode, LimitSource, SeverityWord


class SeverityCounts(BaseModel):
    P0: int
    P1: int
    P2: int
    P3: int


class IncidentCount(BaseModel):
    incident_id: UUID
    problems: int


class SiteLoss(BaseModel):
    ths: float | None = Field(description="Hashrate missing at the last scan, without machines stopped on purpose")
    thh: float | None = Field(description="TH/s hours lost by open problems; null until they have figures")


class TopRisk(BaseModel):
    miner_id: str | None
    issue_code: IssueCode
    severity: SeverityWord
    p_fail_24h: float | None
    start_ts: datetime


class SiteSummary(BaseModel):
    """Each machine counts once. Machines and `loss.ths` are as of `last_scan_ts`, problems as of now."""

    site_id: int
    total_miners: int
    healthy_miners: int
    problem_miners: int
    stopped_miners: int
    down_miners: int
    unknown_miners: int
    by_severity: SeverityCounts
    by_issue: dict[str, int]
    incidents: list[IncidentCount]
    loss: SiteLoss
    top_risks: list[TopRisk]
    last_scan_ts: datetime | None
    scan_outdated_after_sec: int = Field(description="A scan older than this is outdated")


class RiskColumns(TypedDict):
    miner_no: list[int]
    miner_id: list[str]
    p_fail_24h: list[float]


class SiteRisks(BaseModel):
    site_id: int
    judged: int = Field(description="Machines with a prediction; 0: none")
    columns: RiskColumns


class SensorLimitsOut(TypedDict):
    sensor: Literal["chip", "board"]
    warn_c: float
    crit_c: float
    warn_source: LimitSource
    crit_source: LimitSource


class TemperatureLimitsOut(SensorLimitsOut):
    other: SensorLimitsOut  # of the other kind of sensor


class LimitColumns(TypedDict):
    miner_no: list[int]
    limit: list[int]  # place in `limits`


class SiteTemperatureLimits(BaseModel):
    site_id: int
    limits: list[TemperatureLimitsOut]
    columns: LimitColumns
