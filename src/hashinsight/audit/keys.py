"""The keys that sign seals: made here, kept in the database under the installation's secret."""

from datetime import datetime

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit import queries
from hashinsight.audit.actions import Action, Actor
from hashinsight.audit.chain import key_id_of
from hashinsight.audit.models import AuditKey
from hashinsight.audit.service import record
from hashinsight.kit.crypto import Vault

_PURPOSE = "audit seal key"


async def signing_key(session: AsyncSession, vault: Vault, actor: Actor, *, now: datetime) -> Ed25519PrivateKey:
    """The newest key that opens. Without one (a first start, a changed secret) a new one is made, and that is told."""
    for kept in await queries.list_keys(session):
        opened = _opened(vault, kept)
        if opened is not None:
            return opened
    return await make_key(session, vault, actor, now=now)


async def make_key(session: AsyncSession, vault: Vault, actor: Actor, *, now: datetime) -> Ed25519PrivateKey:
    key = Ed25519PrivateKey.generate()
    public = key.public_key().public_bytes_raw()
    key_id = key_id_of(public)
    sealed = vault.seal(_PURPOSE, key.private_bytes_raw())
    await session.execute(insert(AuditKey).values(key_id=key_id, public_key=public, sealed_key=sealed, created_at=now))
    await record(
        session,
        actor,
        Action.AUDIT_KEY_CREATED,
        "audit_key",
        key_id,
        tenant_id=None,
        after={"public_key": public.hex()},
        now=now,
    )
    return key


async def list_own(session: AsyncSession, vault: Vault) -> dict[str, bytes]:
    """The public keys that this installation's secret vouches for: nobody without it can add one."""
    return {
        kept.key_id: kept.public_key
        for kept in await queries.list_keys(session)
        if (opened := _opened(vault, kept)) is not None
        and opened.public_key().public_bytes_raw() == kept.public_key
        and key_id_of(kept.public_key) == kept.key_id
    }


def _opened(vault: Vault, kept: AuditKey) -> Ed25519PrivateKey | None:
    try:
        return Ed25519PrivateKey.from_private_bytes(vault.open(_PURPOSE, kept.sealed_key))
    except ValueError:
        return None
