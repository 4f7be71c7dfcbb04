"""Counters of failed logins, updated under a lock: concurrent guesses do not count as one."""

from datetime import datetime

from sqlalchemy import delete, func, select, update
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.identity.models import LoginFailures
from hashinsight.identity.throttle import LONGEST_MEMORY, Failures

_DELETED_PER_LOGIN = 10  # more than one login creates


async def lock_failures(session: AsyncSession, fingerprint: bytes, account: bytes, *, now: datetime) -> Failures:
    """The counter, locked until the end of the transaction."""
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
    """For an attempt that was counted before its password was checked and was right."""
    await session.execute(
        update(LoginFailures)
        .where(LoginFailures.fingerprint == fingerprint)
        .values(failures=func.greatest(LoginFailures.failures - 1, 0))
    )


async def delete_failures(session: AsyncSession, fingerprint: bytes) -> None:
    await session.execute(delete(LoginFailures).where(LoginFailures.fingerprint == fingerprint))


async def delete_failures_of(session: AsyncSession, account: bytes) -> None:
    """All counters of an account; the account's own is locked first, as everywhere."""
    await session.execute(
        select(LoginFailures.fingerprint).where(LoginFailures.fingerprint == account).with_for_update()
    )
    await session.execute(delete(LoginFailures).where(LoginFailures.account == account))


async def delete_stale_failures(session: AsyncSession, *, now: datetime) -> None:
    """A few expired counters at each login: a flood of e-mails cleans up after itself."""
    stale = (
        select(LoginFailures.fingerprint)
        .where(LoginFailures.last_at < now - LONGEST_MEMORY)
        .limit(_DELETED_PER_LOGIN)
        .with_for_update(skip_locked=True)
    )
    await session.execute(delete(LoginFailures).where(LoginFailures.fingerprint.in_(stale.scalar_subquery())))
