"""Answers of the telemetry routes. Unknown values are null, never 0."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from hashinsight.inventory.service.expected_states import ExpectedKind
from hashinsight.telemetry.states import Condition, ExpectedSource, Health, Mode, RatingSource

DataState = Annotated[
    Literal["fresh", "stale", "offline", "unknown"],
    Field(
        description="Older than 3 collection intervals is stale, 5 or more is offline. Unknown: never seen, or its"
        " collector is silent"
    ),
]
StateReason = Literal["in_time", "late", "says_offline", "no_samples", "collector_silent", "never_seen"]
Doubt = Literal[
    "hashrate_units_mended",
    "hashrate_implausible",
    "hashrate_doubtful",
    "power_unknown",
    "temperature_unknown",
    "temperature_doubtful",
]


class SampleError(BaseModel):
    index: int = Field(description="Position of the sample in the batch")
    error_code: str
    reason: str


class UploadAnswer(BaseModel):
    """All rejected samples are counted in `rejected`; `errors` lists the first 100."""

    success: Literal[True]
    accepted: int
    rejected: int
    duplicates: int = Field(description="Already stored, from an earlier upload")
    errors: list[SampleError]


class RawPoint(TypedDict):
    ts: datetime
    status: Literal["online", "offline", "error"]
    hashrate_ths: float | None
    temp_c: float | None
    temp_max_c: float | None
    power_w: float | None
    fan_rpm: float | None
    frequency_mhz: float | None
    reject_rate: float | None
    accepted_shares: int | None
    rejected_shares: int | None
    hardware_errors: int | None
    boards_healthy: int | None
    uptime_seconds: int | None
    error_message: str | None


class BucketPoint(TypedDict):
    ts: datetime
    hashrate_ths: float | None
    hashrate_min_ths: float | None
    hashrate_max_ths: float | None
    temp_c: float | None
    temp_max_c: float | None
    power_w: float | None
    fan_rpm: float | None
    efficiency_j_th: float | None
    accepted_shares: Annotated[int | None, Field(description="Of this bucket")]
    rejected_shares: Annotated[int | None, Field(description="Of this bucket")]
    reject_rate: float | None
    hardware_errors: Annotated[int | None, Field(description="Of this bucket")]
    online_ratio: float
    samples: int


class DayPoint(BucketPoint):
    total_power_kwh: float | None
    uptime_hours: float


class HistorySeries(TypedDict):
    miner_id: str
    data: list[RawPoint] | list[DayPoint] | list[BucketPoint]


class HistoryMeta(TypedDict):
    source: Literal["telemetry_raw_24h", "telemetry_history_5min", "telemetry_hourly", "telemetry_daily"]
    resolution: Literal["raw", "5min", "hourly", "daily"]
    site_id: int
    start: datetime
    end: datetime
    as_of: datetime
    points: int
    most_points: Annotated[int, Field(description="Limit of one answer")]


class HistoryAnswer(TypedDict):
    series: list[HistorySeries]
    next_cursor: str | None
    _meta: HistoryMeta


class LiveHardware(TypedDict):
    model: str | None
    firmware: str | None
    boards_healthy: int | None
    boards_total: int | None


class LiveHashrate(TypedDict):
    value: Annotated[float | None, Field(description="5-minute mean; 0 once the machine is offline")]
    expected_ths: Annotated[
        float | None, Field(description="What it should hash now: in its mode, less what is stopped on purpose")
    ]
    unit: Literal["TH/s"]
    source: Literal["5min_avg", "newest"]
    expected_source: ExpectedSource | None
    newest_ths: Annotated[float | None, Field(description="Of the newest sample")]
    rated_ths: Annotated[float | None, Field(description="Nameplate, the same in every mode")]
    rated_source: RatingSource | None
    reference_ths: Annotated[float | None, Field(description="What problems and baselines are ratios of")]
    stopped_ths: Annotated[float | None, Field(description="Stopped on purpose: command, curtailment, maintenance")]


class LastReported(TypedDict):
    at: datetime
    hashrate_ths: float | None
    power_w: float | None
    efficiency_j_th: float | None


class LiveTemperature(TypedDict):
    avg: float | None
    max: float | None
    unit: Literal["C"]
    sensor_fault: bool | None


class LivePower(TypedDict):
    value: float | None
    unit: Literal["W"]


class LiveEfficiency(TypedDict):
    value: float | None
    unit: Literal["J/TH"]


class LiveFan(TypedDict):
    avg: float | None
    min: float | None
    unit: Literal["rpm"]
    sensor_fault: bool | None


class LiveShares(TypedDict):
    rate: Annotated[float | None, Field(description="Reject rate of about the last hour, as a ratio")]
    accepted: int | None
    rejected: int | None


class LivePool(TypedDict):
    url: str | None
    worker: str | None
    status: str | None
    latency_ms: float | None


class LiveMachine(TypedDict):
    site_id: int
    miner_id: str
    zone: str | None
    rack: str | None
    hardware: LiveHardware
    hashrate: LiveHashrate
    last_reported: Annotated[LastReported | None, Field(description="Last values of a machine that is not online")]
    temperature: LiveTemperature
    power: LivePower
    efficiency: LiveEfficiency
    fan: LiveFan
    reject: LiveShares
    hardware_errors: int | None
    uptime_seconds: int | None
    pool: LivePool
    error_message: str | None
    overall_health: Health
    condition: Condition
    mode: Annotated[Mode | None, Field(description="Power mode as the problem cycle infers it")]
    expected_state: ExpectedKind | None
    online: bool
    status: Annotated[Literal["online", "offline", "error"] | None, Field(description="As the newest sample has it")]
    last_seen: datetime | None
    sample_at: datetime | None
    age_sec: float | None
    state: DataState
    state_reason: StateReason
    doubts: Annotated[list[Doubt], Field(description="What was corrected or left out in the newest sample")]
    source: Literal["live", "right_now"]


class LiveMeta(TypedDict):
    source: Literal["live", "right_now"]
    updated_at: datetime | None
    as_of: datetime
    right_now: Literal["not_asked", "used", "unavailable"]
    stale_after_sec: Annotated[float, Field(description="Of the machine with the longest collection interval")]
    offline_after_sec: Annotated[float, Field(description="Of the machine with the longest collection interval")]


class LiveAnswer(TypedDict):
    miners: list[LiveMachine]
    next_cursor: str | None
    _meta: LiveMeta
