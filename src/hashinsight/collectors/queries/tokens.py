"""Tokens and enrolment codes: looked up by hash before the tenant is known, the rest within tenant and site."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import func, insert, select, text, update
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.collectors.models import Collector, CollectorToken, EnrolmentCode
from hashinsight.collectors.queries.registry import owner_columns
from hashinsight.kit.db.database import Database
from hashinsight.kit.db.pipeline import driver_connection


@dataclass(frozen=True)
class TokenOwner:
    """Whose token or code it is."""

    tenant_id: UUID
    site_id: int
    collector_id: UUID


@dataclass(frozen=True)
class TokenHolder(TokenOwner):
    """The collector of a token, as authentication needs it."""

    revoked_at: datetime | None
    expires_at: datetime
    zone_id: int | None
    name: str
    status: str
    permissions: list[str]
    site_form: str | None
    last_seen_at: datetime | None
    clock_skew_sec: float | None
    site_code: str
    collector_no: int


_HOLDER = "select * from collector_holding(%s)"
_CODE_OWNER = text("select tenant_id, site_id, collector_id from lookup_enrolment(:key)")


async def find_code_owner(session: AsyncSession, code_hash: bytes) -> TokenOwner | None:
    row = (await session.execute(_CODE_OWNER, {"key": code_hash})).first()
    return TokenOwner(row.tenant_id, row.site_id, row.collector_id) if row else None


async def enter_site(session: AsyncSession, owner: TokenOwner) -> None:
    """From here on the transaction sees this site of this tenant. Only for an owner from a lookup."""
    settings = {"app.tenant": str(owner.tenant_id), "app.sites": str(owner.site_id)}
    await session.execute(select(*(func.set_config(name, value, True) for name, value in settings.items())))  # noqa: FBT003


async def find_holder(database: Database, token_hash: bytes) -> TokenHolder | None:
    """The collector of this token. In every call of every collector: one round trip."""
    async with database.hot() as session:
        driver = await driver_connection(session)
        cursor = await driver.execute(_HOLDER, (token_hash,), prepare=True)
        row = await cursor.fetchone()
    return None if row is None else TokenHolder(*row)


async def find_newest_token(session: AsyncSession, collector_id: UUID) -> CollectorToken | None:
    query = (
        select(CollectorToken)
        .where(CollectorToken.collector_id == collector_id)
        .order_by(CollectorToken.issued_at.desc(), CollectorToken.expires_at.desc())
        .limit(1)
    )
    return (await session.execute(query)).scalar()


async def insert_token(
    session: AsyncSession, collector: Collector, token_hash: bytes, *, now: datetime, expires_at: datetime
) -> None:
    await session.execute(
        insert(CollectorToken).values(
            token_hash=token_hash, **owner_columns(collector), issued_at=now, expires_at=expires_at
        )
    )


async def insert_code(
    session: AsyncSession, collector: Collector, code_hash: bytes, *, now: datetime, expires_at: datetime
) -> None:
    await session.execute(
        insert(EnrolmentCode).values(
            code_hash=code_hash, **owner_columns(collector), issued_at=now, expires_at=expires_at
        )
    )


async def move_tokens_expiring(session: AsyncSession, collector_id: UUID, *, until: datetime) -> int:
    """Shorten the validity of every token to `until`; returns how many."""
    moved = await session.execute(
        update(CollectorToken)
        .where(
            CollectorToken.collector_id == collector_id,
            CollectorToken.revoked_at.is_(None),
            CollectorToken.expires_at > until,
        )
        .values(expires_at=until)
        .returning(CollectorToken.issued_at)
        .execution_options(synchronize_session=False)
    )
    return len(moved.all())


async def move_tokens_revoked(session: AsyncSession, collector_id: UUID, *, now: datetime) -> int:
    moved = await session.execute(
        update(CollectorToken)
        .where(CollectorToken.collector_id == collector_id, CollectorToken.revoked_at.is_(None))
        .values(revoked_at=now)
        .returning(CollectorToken.issued_at)
        .execution_options(synchronize_session=False)
    )
    return len(moved.all())


async def move_codes_revoked(session: AsyncSession, collector_id: UUID, *, now: datetime) -> int:
    moved = await session.execute(
        update(EnrolmentCode)
        .where(
            EnrolmentCode.collector_id == collector_id,
            EnrolmentCode.used_at.is_(None),
            EnrolmentCode.revoked_at.is_(None),
        )
        .values(revoked_at=now)
        .returning(EnrolmentCode.issued_at)
        .execution_options(synchronize_session=False)
    )
    return len(moved.all())


async def move_code_used(session: AsyncSession, code_hash: bytes, *, now: datetime) -> bool:
    """A code is used once, before it expires or is revoked."""
    moved = await session.execute(
        update(EnrolmentCode)
        .where(
            EnrolmentCode.code_hash == code_hash,
            EnrolmentCode.used_at.is_(None),
            EnrolmentCode.revoked_at.is_(None),
            EnrolmentCode.expires_at > now,
        )
        .values(used_at=now)
        .returning(EnrolmentCode.collector_id)
        .execution_options(synchronize_session=False)
    )
    return moved.first() is not None


async def find_code(session: AsyncSession, code_hash: bytes) -> EnrolmentCode | None:
    query = select(EnrolmentCode).where(EnrolmentCode.code_hash == code_hash)
    return (await session.execute(query.execution_options(populate_existing=True))).scalar()
