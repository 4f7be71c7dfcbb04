"""Answers about whole sites: totals, the map's cells, trends. Unknown values are null, never 0."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict

Source = Literal["live", "telemetry_history_5min"]


class ConditionCounts(TypedDict):
    P0: int
    P1: int
    P2: int
    P3: int
    down: int
    stopped: int
    unknown: int
    fine: int


class SiteTotals(TypedDict):
    site_id: int
    code: str
    name: str
    timezone: str
    machines: int
    online: int
    power_unknown: Annotated[int, Field(description="Online machines without a power reading")]
    efficiency_left_out: Annotated[int, Field(description="Online machines without power of the last 5 minutes")]
    zones: int
    hashrate_ths: float | None
    expected_ths: float | None
    expected_unknown_ths: Annotated[float | None, Field(description="Of machines whose hashrate is unknown now")]
    stopped_ths: Annotated[float | None, Field(description="Stopped on purpose: command, curtailment, maintenance")]
    lost_ths: float | None
    lost_with_problem_ths: Annotated[float | None, Field(description="Of machines with an open problem")]
    surplus_ths: Annotated[float | None, Field(description="Above expected; does not offset a loss")]
    power_w: float | None
    efficiency_j_th: float | None
    hottest_c: float | None
    newest_at: Annotated[datetime | None, Field(description="Newest sample")]
    updated_at: Annotated[datetime | None, Field(description="Newest rollup of the live layer")]
    offline_after_sec: Annotated[
        float | None, Field(description="Age at which its machine with the longest collection interval is offline")
    ]
    unknown: int
    conditions: Annotated[ConditionCounts | None, Field(description="Null for a past time")]


class FleetEfficiency(TypedDict):
    efficiency_j_th: float | None
    efficiency_left_out: int


class SitesMeta(TypedDict):
    as_of: datetime
    bucket: datetime | None
    zone: str | None
    source: Source


class SitesAnswer(TypedDict):
    sites: list[SiteTotals]
    fleet: FleetEfficiency
    _meta: SitesMeta


class CellColumns(TypedDict):
    """One entry per machine, but for `stopped`."""

    hashrate_ths: list[float | None]
    expected_ths: list[float | None]
    temp_max_c: list[float | None]
    temp_other_c: Annotated[
        list[float | None], Field(description="Hottest of the other sensor kind: board next to a hotter chip, or chip")
    ]
    power_w: list[float | None]
    efficiency_j_th: list[float | None]
    age_sec: list[float | None]
    miner_no: list[int]
    miner_id: list[str]
    position: list[str | None]
    online: list[bool]
    boards_healthy: list[int | None]
    boards_total: list[int | None]
    stopped: Annotated[list[int], Field(description="`miner_no` of machines stopped on purpose")]


class PastCellColumns(TypedDict):
    """One entry per machine that sent samples in the bucket, but for `stopped`."""

    hashrate_ths: list[float | None]
    expected_ths: list[float | None]
    temp_max_c: list[float | None]
    power_w: list[float | None]
    efficiency_j_th: list[float | None]
    miner_no: list[int]
    online_ratio: list[float | None]
    stopped: Annotated[list[int], Field(description="`miner_no` of machines stopped on purpose")]


class CodedWords(TypedDict):
    words: list[str]
    index: Annotated[list[int], Field(description="Per machine: position in `words`, -1 for none")]


class CellNames(TypedDict):
    zone: CodedWords
    rack: CodedWords
    model: CodedWords
    firmware: CodedWords
    data_state: CodedWords
    data_reason: CodedWords
    overall_health: CodedWords
    condition: CodedWords
    inferred_mode: CodedWords
    expected_state: CodedWords


class CellsMeta(TypedDict):
    as_of: datetime
    bucket: datetime | None
    source: Source
    site_id: int


class CellsAnswer(TypedDict):
    machines: int
    columns: CellColumns
    named: CellNames
    _meta: CellsMeta


class PastCellsAnswer(TypedDict):
    machines: int
    columns: PastCellColumns
    _meta: CellsMeta


class TrendSeries(TypedDict):
    site_id: int
    resolution: Literal["5min", "hourly"]
    ts: list[datetime]
    hashrate_ths: list[float | None]
    power_w: list[float | None]
    temp_max_c: list[float | None]
    online: Annotated[list[float | None], Field(description="Machines online, on average of the bucket")]


class TrendMeta(TypedDict):
    as_of: datetime
    start: datetime
    end: datetime


class TrendAnswer(TypedDict):
    series: list[TrendSeries]
    _meta: TrendMeta
