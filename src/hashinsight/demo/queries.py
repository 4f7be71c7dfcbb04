"""SQL of the demo."""

from datetime import datetime

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

_HAS_TELEMETRY = text("select exists (select from telemetry_raw where ts >= :since - interval '1 minute')")


async def has_telemetry(session: AsyncSession, *, since: datetime) -> bool:
    """Whether the demo's telemetry has arrived."""
    return bool((await session.execute(_HAS_TELEMETRY, {"since": since})).scalar_one())
