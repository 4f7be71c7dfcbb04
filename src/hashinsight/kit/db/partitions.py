"""Partitions by time: made before they are needed, and dropped whole, never emptied row by row.

The work is done by two functions of the tables' owner, so that no role of the program owns anything. They ask
PostgreSQL's own rights: who may insert into a table may have its partitions made, who may truncate it may drop them.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def starts(first: datetime, last: datetime, step: timedelta) -> list[datetime]:
    """Where the partitions begin that hold every instant from `first` to `last`, both included."""
    begin = first - (first - _EPOCH) % step
    return [begin + n * step for n in range(int((last - begin) / step) + 1)]


async def ensure(session: AsyncSession, table: str, from_: datetime, to: datetime, step: timedelta) -> int:
    """See to it that every instant from `from_` to `to` has its partition; says how many were made."""
    made = await session.execute(
        text(
            "select coalesce(sum(partition_ensure(:table, begins, begins + cast(:step as interval))::int), 0)"
            " from unnest(cast(:begins as timestamptz[])) as begins"
        ),
        {"table": table, "step": step, "begins": starts(from_, to, step)},
    )
    return int(made.scalar_one())


async def drop_before(session: AsyncSession, table: str, before: datetime) -> Sequence[str]:
    """Drop the partitions that hold nothing at or after `before`; gives their names."""
    dropped = await session.execute(
        text("select partition_drop_before(:table, :before)"), {"table": table, "before": before}
    )
    return list(dropped.scalars())
