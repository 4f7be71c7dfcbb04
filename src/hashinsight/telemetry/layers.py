"""The layers of telemetry, their buckets and retention; the resolutions of history and their limits. Pure."""

from datetime import UTC, datetime, timedelta
from enum import IntEnum, StrEnum

from hashinsight.kit.errors import ValidationFailed

RAW_RETENTION = timedelta(hours=24)
MEAN_OVER = timedelta(minutes=5)  # before the newest sample: the window of `hashrate_5min_ths`
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
MONTH = timedelta(days=30)  # of a partition


class Layer(IntEnum):
    LIVE = 0
    FIVE_MINUTES = 1
    HOUR = 2
    DAY = 3


LENGTH = {Layer.FIVE_MINUTES: timedelta(minutes=5), Layer.HOUR: HOUR, Layer.DAY: DAY}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def bucket_start(at: datetime, layer: Layer) -> datetime:
    return at - (at - _EPOCH) % LENGTH[layer]


MOST_POINTS = 50_000  # of one answer
MOST_CSV_POINTS = 5_000_000  # of one file; it is streamed
_GRACE = timedelta(minutes=5)  # a clock ahead of ours still gets its 24 hours


class Resolution(StrEnum):
    RAW = "raw"
    FIVE_MINUTES = "5min"
    HOURLY = "hourly"
    DAILY = "daily"


STEP = {
    Resolution.RAW: timedelta(minutes=1),  # as collectors usually send
    Resolution.FIVE_MINUTES: timedelta(minutes=5),
    Resolution.HOURLY: HOUR,
    Resolution.DAILY: DAY,
}
LONGEST = {
    Resolution.RAW: RAW_RETENTION + _GRACE,
    Resolution.FIVE_MINUTES: 92 * DAY,
    Resolution.HOURLY: 2 * 366 * DAY,
    Resolution.DAILY: 20 * 366 * DAY,
}
_ORDER = tuple(Resolution)


def check_span(resolution: Resolution, start: datetime, end: datetime, *, now: datetime) -> None:
    if start >= end:
        raise ValidationFailed("start must be before end", code="BAD_TIME_RANGE")
    if resolution is Resolution.RAW and start < now - LONGEST[resolution]:
        raise ValidationFailed(
            "raw samples are kept for 24 hours: use a later start or resolution=5min",
            code="RAW_NOT_KEPT",
            details={"kept_hours": RAW_RETENTION / HOUR, "use_resolution": Resolution.FIVE_MINUTES.value},
        )
    if end - start > LONGEST[resolution]:
        days = LONGEST[resolution] / DAY
        raise ValidationFailed(
            f"resolution={resolution.value} is limited to {days:.0f} days per request: use a shorter period"
            f"{_hint(resolution)}",
            code="TIME_RANGE_TOO_LONG",
            details={"most_days": round(days), "use_resolution": _coarser(resolution)},
        )


def expected_points(resolution: Resolution, start: datetime, end: datetime, machines: int) -> int:
    return machines * max(1, -(-(end - start) // STEP[resolution]))


def check_points(resolution: Resolution, points: int, machines: int, *, most: int = MOST_POINTS) -> None:
    if points > most:
        per_machine = max(1, points // max(1, machines))
        raise ValidationFailed(
            f"about {points} points, limit {most} per response: use a shorter period, "
            f"fewer machines (limit={max(1, most // per_machine)}){_hint(resolution)}",
            code="TOO_MANY_POINTS",
            details={"points": points, "most_points": most, "use_resolution": _coarser(resolution)},
        )


def _coarser(resolution: Resolution) -> str | None:
    place = _ORDER.index(resolution) + 1
    return _ORDER[place].value if place < len(_ORDER) else None


def _hint(resolution: Resolution) -> str:
    coarser = _coarser(resolution)
    return f", or for resolution={coarser}" if coarser else ""
