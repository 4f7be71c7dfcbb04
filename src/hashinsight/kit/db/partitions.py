"""Partitions by time: created before they are needed, and dropped whole, never emptied row by row.

The work is done by two functions of the tables' owner, so that no role of the program owns anything. They check
PostgreSQL's own privileges: INSERT on a table allows creating its partitions, TRUNCATE allows dropping them.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def starts(first: datetime, last: datetime, step: timedelta) -> list[datetime]:
    """Starts of the partitions that cover `first` to `last`, both included."""
    begin = first - (first - _EPOCH) % step
    return [begin + n * step for n in range(int((last - begin) / step) + 1)]


async def ensure(session: AsyncSession, table: str, from_: datetime, to: datetime, step: timedelta) -> int:
    """Create missing partitions from `from_` to `to`; returns how many."""
    made = await session.execute(
        text(
            "select coalesce(sum(partition_ensure(:table, begins, begins + cast(:step as interval))::int), 0)"
            " from unnest(cast(:begins as timestamptz[])) as begins"
        ),
        {"table": table, "step": step, "begins": starts(from_, to, step)},
    )
    return int(made.scalar_one())


async def drop_before(session: AsyncSession, table: str, before: datetime) -> Sequence[str]:
    """Drop the partitions that hold nothing at or after `before`; returns their names."""
    dropped = await session.execute(
        text("select partition_drop_before(:table, :before)"), {"table": table, "before": before}
    )
    return list(dropped.scalars())
