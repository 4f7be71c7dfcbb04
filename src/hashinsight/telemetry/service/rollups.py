"""Rollups: each layer from the one below it, for buckets with new samples; partitions made ahead and dropped."""

from datetime import datetime, timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.kit.db import partitions
from hashinsight.telemetry.layers import DAY, HOUR, LENGTH, MEAN_OVER, MONTH, RAW_RETENTION, Layer, bucket_start
from hashinsight.telemetry.models import DAYS, FIVE_MINUTES, HOURS, RAW
from hashinsight.telemetry.queries import live_rollup, raw, rollups

_BUCKET = LENGTH[Layer.FIVE_MINUTES]
_MAX_SPAN = timedelta(hours=1)  # of samples in one statement
STEP = {FIVE_MINUTES.name: DAY, HOURS.name: MONTH, DAYS.name: MONTH}


async def roll_up_live(session: AsyncSession, *, now: datetime, most: int | None = None) -> set[int]:
    """Touched buckets may still be open; their neighbours are read too, for the five-minute means.

    After an outage the newest come first: they hold nearly every machine's state, and older ones change little.
    Returns the sites with new samples.
    """
    touched = await rollups.take_touched(
        session, Layer.LIVE, ends_by=now + HOUR, length=timedelta(0), most=most, newest=True
    )
    for begins, ends, sites in spans(touched):
        await live_rollup.roll_live(session, begins - 2 * MEAN_OVER, ends + MEAN_OVER, sites, now=now)
    await live_rollup.move_offline(session, now=now)
    return {site_id for _, sites in touched for site_id in sites}


async def roll_up_five_minutes(session: AsyncSession, *, now: datetime, most: int | None = None) -> None:
    touched = await rollups.take_touched(session, Layer.FIVE_MINUTES, ends_by=now, length=_BUCKET, most=most)
    if touched:
        await partitions.ensure(session, FIVE_MINUTES.name, touched[0][0], touched[-1][0], DAY)
    for bucket, sites in touched:
        await rollups.roll_five_minutes(session, bucket, bucket + _BUCKET, sites, now=now)
    for hour, sites in _above(touched, Layer.HOUR):
        # the next hour begins with the difference to its last counters
        await rollups.insert_touched(session, Layer.HOUR, hour, sites)
        await rollups.insert_touched(session, Layer.HOUR, hour + HOUR, sites)


async def roll_up_hours(session: AsyncSession, *, now: datetime) -> None:
    touched = await rollups.take_touched(session, Layer.HOUR, ends_by=now, length=HOUR)
    if touched:
        await partitions.ensure(session, HOURS.name, touched[0][0], touched[-1][0], MONTH)
    for hour, sites in touched:
        await rollups.roll_coarser(session, Layer.HOUR, hour, hour + HOUR, sites, now=now)
    for day, sites in _above(touched, Layer.DAY):
        await rollups.insert_touched(session, Layer.DAY, day, sites)


async def roll_up_days(session: AsyncSession, *, now: datetime) -> None:
    touched = await rollups.take_touched(session, Layer.DAY, ends_by=now, length=DAY)
    if touched:
        await partitions.ensure(session, DAYS.name, touched[0][0], touched[-1][0], MONTH)
    for day, sites in touched:
        await rollups.roll_coarser(session, Layer.DAY, day, day + DAY, sites, now=now)


def spans(touched: list[tuple[datetime, list[int]]]) -> list[tuple[datetime, datetime, list[int]]]:
    """Adjacent buckets together: the live state is computed for a stretch at a time."""
    merged: list[tuple[datetime, datetime, list[int]]] = []
    for bucket, sites in touched:
        if merged and merged[-1][1] == bucket and bucket - merged[-1][0] < _MAX_SPAN:
            begins, _, others = merged.pop()
            merged.append((begins, bucket + _BUCKET, sorted({*others, *sites})))
        else:
            merged.append((bucket, bucket + _BUCKET, sites))
    return merged


def _above(touched: list[tuple[datetime, list[int]]], layer: Layer) -> list[tuple[datetime, list[int]]]:
    merged: dict[datetime, set[int]] = {}
    for bucket, sites in touched:
        merged.setdefault(bucket_start(bucket, layer), set()).update(sites)
    return [(begins, sorted(sites)) for begins, sites in sorted(merged.items())]


_AHEAD = 3 * HOUR


async def maintain_partitions(
    session: AsyncSession, *, five_minutes_kept: timedelta, days_kept: timedelta | None, now: datetime
) -> None:
    """Raw samples that wait to be rolled up are not dropped before they are."""
    for n in range(int(_AHEAD / HOUR) + 1):
        await raw.open_hour(session, bucket_start(now, Layer.HOUR) + n * HOUR)
    oldest = await rollups.find_oldest_touched(session)
    kept_from = now - RAW_RETENTION - HOUR
    await partitions.drop_before(session, RAW.name, kept_from if oldest is None else min(kept_from, oldest))
    await partitions.drop_before(session, FIVE_MINUTES.name, now - five_minutes_kept)
    if days_kept is not None:
        await partitions.drop_before(session, DAYS.name, now - days_kept)
