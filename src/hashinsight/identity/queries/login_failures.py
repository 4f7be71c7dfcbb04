"""SQL about failures at the doors: counted under a lock, so that guesses that come at once do not pass as one."""

from datetime import datetime

from sqlalchemy import delete, func, select, update
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.identity.models import LoginFailures
from hashinsight.identity.throttle import LONGEST_MEMORY, Failures

_CLEARED_AT_ONCE = 10  # more than one login leaves


async def lock_failures(session: AsyncSession, fingerprint: bytes, account: bytes, *, now: datetime) -> Failures:
    """What is known of this door, held until the end of the transaction."""
    first = {"fingerprint": fingerprint, "account": account, "failures": 0, "last_at": now}
    await session.execute(upsert(LoginFailures).values(first).on_conflict_do_nothing())
    query = select(LoginFailures).where(LoginFailures.fingerprint == fingerprint).with_for_update()
    row = (await session.execute(query.execution_options(populate_existing=True))).scalar()
    return Failures(row.failures, row.last_at, row.blocked_until) if row else Failures()


async def upsert_failures(session: AsyncSession, fingerprint: bytes, account: bytes, failures: Failures) -> None:
    values = {"failures": failures.count, "last_at": failures.last_at, "blocked_until": failures.blocked_until}
    await session.execute(
        upsert(LoginFailures)
        .values(fingerprint=fingerprint, account=account, **values)
        .on_conflict_do_update(index_elements=[LoginFailures.fingerprint], set_=values)
    )


async def update_failures_less_one(session: AsyncSession, fingerprint: bytes) -> None:
    """A try that was counted before its password was looked at, and was right."""
    await session.execute(
        update(LoginFailures)
        .where(LoginFailures.fingerprint == fingerprint)
        .values(failures=func.greatest(LoginFailures.failures - 1, 0))
    )


async def delete_failures(session: AsyncSession, fingerprint: bytes) -> None:
    await session.execute(delete(LoginFailures).where(LoginFailures.fingerprint == fingerprint))


async def delete_failures_of(session: AsyncSession, account: bytes) -> None:
    """All doors of one account; its own first, as everybody who holds two of them takes them."""
    await session.execute(
        select(LoginFailures.fingerprint).where(LoginFailures.fingerprint == account).with_for_update()
    )
    await session.execute(delete(LoginFailures).where(LoginFailures.account == account))


async def delete_stale_failures(session: AsyncSession, *, now: datetime) -> None:
    """A few of what is forgotten anyway: who floods the door with e-mails clears up after himself."""
    stale = (
        select(LoginFailures.fingerprint)
        .where(LoginFailures.last_at < now - LONGEST_MEMORY)
        .limit(_CLEARED_AT_ONCE)
        .with_for_update(skip_locked=True)
    )
    await session.execute(delete(LoginFailures).where(LoginFailures.fingerprint.in_(stale.scalar_subquery())))
