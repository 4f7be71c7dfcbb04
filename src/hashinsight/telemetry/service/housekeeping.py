"""What telemetry keeps, and for how long: hours are made ahead, what is past its time is dropped."""

from datetime import datetime, timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.kit.db import partitions
from hashinsight.telemetry.layers import HOUR, RAW_KEPT, Layer, floor
from hashinsight.telemetry.models import DAYS, FIVE_MINUTES, RAW
from hashinsight.telemetry.queries import raw, rollups

_AHEAD = 3 * HOUR


async def keep_house(
    session: AsyncSession, *, five_minutes_kept: timedelta, days_kept: timedelta | None, now: datetime
) -> None:
    """Raw samples that wait to be rolled up are not dropped before they are."""
    for n in range(int(_AHEAD / HOUR) + 1):
        await raw.open_hour(session, floor(now, Layer.HOUR) + n * HOUR)
    oldest = await rollups.find_oldest_touched(session)
    kept_from = now - RAW_KEPT - HOUR
    await partitions.drop_before(session, RAW.name, kept_from if oldest is None else min(kept_from, oldest))
    await partitions.drop_before(session, FIVE_MINUTES.name, now - five_minutes_kept)
    if days_kept is not None:
        await partitions.drop_before(session, DAYS.name, now - days_kept)
