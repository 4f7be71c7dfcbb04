"""What the reading routes take and answer: query parameters with their bounds, and examples for the document."""

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import AfterValidator, BaseModel, Field

from hashinsight.inventory.fields import MINER_ID_CHARS
from hashinsight.inventory.filters import SiteRef
from hashinsight.telemetry.layers import MOST_POINTS

_LATEST_YEAR = 2200


def _in_utc(at: datetime) -> datetime:
    """A time without a zone is UTC, as in everything that collectors send."""
    if not 1970 <= at.year < _LATEST_YEAR:  # noqa: PLR2004 - when computers' time begins
        raise ValueError(f"a time between 1970 and {_LATEST_YEAR}")
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


Instant = Annotated[datetime, AfterValidator(_in_utc)]
SiteQuery = Annotated[SiteRef | None, Query(description="The site's integer id or its code.")]
OneSite = Annotated[SiteRef, Query(description="The site's integer id or its code.")]
MinerQuery = Annotated[
    str | None,
    Query(min_length=1, max_length=MINER_ID_CHARS, pattern=r"^[^\x00]*$", description="One machine, by your own id."),
]
OnlineQuery = Annotated[
    bool | None, Query(description="Only machines that are online (true) or not (false), as of this moment.")
]
RightNowQuery = Annotated[
    bool, Query(description="Lay the newest samples over the live layer, as far as they are known.")
]
Format = Annotated[
    Literal["json", "csv"], Query(alias="format", description="`csv` is a file of everything, streamed.")
]
Start = Annotated[Instant, Query(description="ISO 8601; without a zone it is UTC.")]
End = Annotated[Instant, Query(description="Not included.")]


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


_MINER: dict[str, Any] = {
    "site_id": 3,
    "miner_id": "B2-R14-03",
    "zone": "B2",
    "rack": "R14",
    "hardware": {
        "model": "Antminer S19j Pro",
        "firmware": "LUXminer 2026.1",
        "boards_healthy": 3,
        "boards_total": 3,
    },
    "hashrate": {
        "value": 103.8,
        "expected_ths": 104.0,
        "unit": "TH/s",
        "source": "5min_avg",
        "expected_source": "catalogue",
        "newest_ths": 104.2,
        "rated_ths": 104.0,
        "rated_source": "catalogue",
        "reference_ths": 104.0,
        "stopped_ths": 0.0,
    },
    "last_reported": {"at": "2026-03-01T11:40:20Z", "hashrate_ths": 103.8, "power_w": None, "efficiency_j_th": None},
    "temperature": {"avg": 62.5, "max": 71.5, "unit": "C", "sensor_fault": False},
    "power": {"value": None, "unit": "W"},
    "efficiency": {"value": None, "unit": "J/TH"},
    "fan": {"avg": 5875.0, "min": 5760.0, "unit": "rpm", "sensor_fault": False},
    "reject": {"rate": 0.0021, "accepted": 48211, "rejected": 101},
    "hardware_errors": 12,
    "uptime_seconds": 864000,
    "pool": {"url": "stratum+tcp://pool.example.com:3333", "worker": "b2r1403", "status": "Alive", "latency_ms": 31.0},
    "error_message": None,
    "overall_health": "ok",
    "condition": "fine",
    "mode": "normal",
    "expected_state": "stopped",
    "online": True,
    "status": "online",
    "last_seen": "2026-03-01T11:59:20Z",
    "sample_at": "2026-03-01T11:59:20Z",
    "age_sec": 40.0,
    "state": "fresh",
    "state_reason": "in_time",
    "doubts": ["power_unknown"],
    "source": "live",
}
_LIVE = {
    "miners": [_MINER],
    "next_cursor": None,
    "_meta": {
        "source": "live",
        "updated_at": "2026-03-01T11:59:58Z",
        "as_of": "2026-03-01T12:00:00Z",
        "right_now": "not_asked",
        "stale_after_sec": 180,
        "offline_after_sec": 300,
    },
}
_POINT = {
    "ts": "2026-03-01T11:55:00+00:00",
    "hashrate_ths": 103.8,
    "hashrate_min_ths": 101.2,
    "hashrate_max_ths": 105.9,
    "temp_c": 62.5,
    "temp_max_c": 71.5,
    "power_w": 3050.0,
    "fan_rpm": 5875.0,
    "efficiency_j_th": 29.4,
    "accepted_shares": 211,
    "rejected_shares": 0,
    "reject_rate": 0.0,
    "hardware_errors": 0,
    "online_ratio": 1.0,
    "samples": 5,
}
_HISTORY = {
    "series": [{"miner_id": "B2-R14-03", "data": [_POINT]}],
    "next_cursor": None,
    "_meta": {
        "source": "telemetry_history_5min",
        "resolution": "5min",
        "site_id": 3,
        "start": "2026-03-01T11:00:00Z",
        "end": "2026-03-01T12:00:00Z",
        "as_of": "2026-03-01T12:00:00Z",
        "points": 1,
        "most_points": MOST_POINTS,
    },
}
_TOO_MANY = {
    "error_code": "TOO_MANY_POINTS",
    "message": f"this would be about 2592000 points, and an answer holds at most {MOST_POINTS}: ask for a shorter "
    "time, for fewer machines (limit=1), or for resolution=hourly",
    "details": {"points": 2592000, "most_points": MOST_POINTS, "use_resolution": "hourly"},
    "request_id": "01990000-0000-7000-8000-000000000003",
}


def _answers(example: dict[str, Any], lines: str) -> dict[int | str, dict[str, Any]]:
    content = {"application/json": {"example": example}, "text/csv": {"example": lines}}
    return {200: {"description": "As asked", "content": content}}


LIVE_ANSWERS = _answers(_LIVE, "site_id,miner_id,online,age_sec,hashrate_ths\r\n3,B2-R14-03,true,40.0,103.8\r\n")
HISTORY_ANSWERS = _answers(
    _HISTORY, "miner_id,ts,hashrate_ths,temp_c\r\nB2-R14-03,2026-03-01T11:55:00+00:00,103.8,62.5\r\n"
) | {422: {"description": "Too much at once", "content": {"application/json": {"example": _TOO_MANY}}}}
