"""Sealing: every few seconds new entries are put in order, hashed, chained and signed."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import SYSTEM, Action, Actor
from hashinsight.audit.anchors import LostSeals
from hashinsight.audit.chain import (
    LEAF_BYTES,
    START,
    Seal,
    SealHead,
    digest_of,
    key_id_of,
    leaves_of,
    next_window,
    sign,
)
from hashinsight.audit.findings import MAX_UNSEALED_AGE
from hashinsight.audit.models import AuditKey
from hashinsight.audit.queries import seals
from hashinsight.audit.service.entries import record
from hashinsight.audit.snapshot import EVERYTHING, Snapshot
from hashinsight.kit.crypto import Vault
from hashinsight.kit.ids import first_id_at

PIECE = 50_000  # entries in one seal, so that a backlog is not hashed in one statement
PIECES = 40  # seals in one run
_OVERLAP = timedelta(hours=1)  # longer than any transaction
_KEY_PURPOSE = "audit seal key"


@dataclass(frozen=True)
class UnsealedTail:
    """The unsealed end of the log; at most a minute while a worker runs."""

    entries: int
    oldest_at: datetime | None
    impossible: int  # entries that claim a transaction or an era that does not exist yet

    def age_sec(self, now: datetime) -> float:
        return 0.0 if self.oldest_at is None else max(0.0, (now - self.oldest_at).total_seconds())

    def complaint(self, now: datetime) -> str | None:
        if self.age_sec(now) <= MAX_UNSEALED_AGE.total_seconds():
            return None
        return f"{self.entries} entries are not sealed, the oldest for {self.age_sec(now):.0f} s: is a worker running?"


@dataclass(frozen=True)
class _Chain:
    """The end of the chain: what the next seal follows."""

    server: str
    key: Ed25519PrivateKey
    last: Seal | None
    now: datetime

    @property
    def era(self) -> int:
        return next_window(self.last)[0]

    @property
    def sealed(self) -> Snapshot:
        return next_window(self.last)[1]

    def after(self, seal: Seal) -> "_Chain":
        return _Chain(self.server, self.key, seal, self.now)


async def get_unsealed_tail(session: AsyncSession) -> UnsealedTail:
    tail = await seals.get_unsealed(session, *next_window(await seals.find_last_seal(session)))
    return UnsealedTail(tail.entries, tail.oldest_at, tail.ahead + tail.beyond)


async def seal(session: AsyncSession, vault: Vault, *, now: datetime, piece: int = PIECE) -> int:
    """Seal what has been committed; returns how many entries. On another server a new era begins."""
    await seals.lock_sealing(session)
    chain = await _get_chain(session, vault, SYSTEM, now=now)
    if chain.last is not None and chain.last.server != chain.server:
        servers = {"server_before": chain.last.server, "server": chain.server}
        reason = "the log is on another database server or timeline: restored, moved or failed over"
        return (await _start_era(session, SYSTEM, chain, reason, servers))[1]
    return (await _seal_upto(session, chain, await seals.get_snapshot(session), piece=piece))[1]


async def reseal(
    session: AsyncSession, vault: Vault, actor: Actor, reason: str, *, lost: LostSeals | None = None, now: datetime
) -> int:
    """After a restore on the same server: close the era as it is and record why; returns the new era.

    `lost` is what an anchor has and the restored log has not. Only a person can declare that something was lost: a
    changed server does not excuse it.
    """
    await seals.lock_sealing(session)
    chain = await _get_chain(session, vault, actor, now=now)
    lost = lost or LostSeals(1 if chain.last is None else chain.last.no + 1, chain.era)
    return (await _start_era(session, actor, chain, reason, {"lost_from": lost.no, "lost_era": lost.era}))[0].era


async def get_signing_key(session: AsyncSession, vault: Vault, actor: Actor, *, now: datetime) -> Ed25519PrivateKey:
    """The newest key that the secret opens; without one (first start, changed secret) a new key is created."""
    for key in await seals.list_keys(session):
        private_key = _open_key(vault, key)
        if private_key is not None:
            return private_key
    return await create_signing_key(session, vault, actor, now=now)


async def create_signing_key(session: AsyncSession, vault: Vault, actor: Actor, *, now: datetime) -> Ed25519PrivateKey:
    key = Ed25519PrivateKey.generate()
    public = key.public_key().public_bytes_raw()
    key_id = key_id_of(public)
    await seals.insert_key(session, key_id, public, vault.seal(_KEY_PURPOSE, key.private_bytes_raw()), now=now)
    after = {"public_key": public.hex()}
    await record(session, actor, Action.AUDIT_KEY_CREATED, "audit_key", key_id, tenant_id=None, after=after, now=now)
    return key


async def list_trusted_keys(session: AsyncSession, vault: Vault) -> dict[str, bytes]:
    """Public keys that this installation's secret vouches for: nobody without it can add one."""
    return {
        key.key_id: key.public_key
        for key in await seals.list_keys(session)
        if (private_key := _open_key(vault, key)) is not None
        and private_key.public_key().public_bytes_raw() == key.public_key
        and key_id_of(key.public_key) == key.key_id
    }


def _open_key(vault: Vault, key: AuditKey) -> Ed25519PrivateKey | None:
    try:
        return Ed25519PrivateKey.from_private_bytes(vault.open(_KEY_PURPOSE, key.sealed_key))
    except ValueError:
        return None


async def _get_chain(session: AsyncSession, vault: Vault, actor: Actor, *, now: datetime) -> _Chain:
    key = await get_signing_key(session, vault, actor, now=now)
    return _Chain(await seals.get_server(session), key, await seals.find_last_seal(session), now)


async def _start_era(
    session: AsyncSession, actor: Actor, chain: _Chain, reason: str, details: Mapping[str, Any]
) -> tuple[_Chain, int]:
    """Close the era with a seal over the rest of it and begin the next, whose first entry says why."""
    await seals.close_era(session)
    strays = await _list_strays(session, chain)
    chain, sealed = await _seal_upto(session, chain, EVERYTHING, pieces=10**6, strays=strays)
    await seals.open_era(session, chain.era)
    counts = {"closed_era": chain.era - 1, "sealed_then": sealed, "strays": len(strays) // LEAF_BYTES}
    await record(
        session,
        actor,
        Action.AUDIT_RESEALED,
        "audit_log",
        tenant_id=None,
        reason=reason,
        after=counts | dict(details),
        now=chain.now,
    )
    return chain, sealed


async def _seal_upto(
    session: AsyncSession,
    chain: _Chain,
    upto: Snapshot,
    *,
    piece: int = PIECE,
    pieces: int = PIECES,
    strays: bytes | None = None,
) -> tuple[_Chain, int]:
    """`strays` (empty if there are none) are given when the era is closed."""
    sealed = 0
    for _ in range(pieces):
        cut = await seals.find_cut(session, chain.era, chain.sealed, upto, entries=piece)
        part = upto if cut is None else upto.cut(cut, chain.sealed)
        leaves = await seals.get_leaves(session, chain.era, chain.sealed, part)
        is_closing = cut is None and strays is not None
        if is_closing:
            leaves += strays or b""
        if leaves or is_closing:
            chain = chain.after(await _insert_seal(session, chain, part, leaves))
            sealed += len(leaves) // LEAF_BYTES
        if cut is None:
            break
    return chain, sealed


async def _list_strays(session: AsyncSession, chain: _Chain) -> bytes:
    """Leaves of entries that a restored log's new server wrote before its era began: they look sealed.

    On the same server such an entry was smuggled in, and closing the era must not legitimise it.
    """
    if chain.last is None or chain.last.server == chain.server:
        return b""
    since = chain.last.sealed_at - _OVERLAP
    looking_sealed = await seals.list_sealed_looking(session, chain.era, chain.sealed, since=first_id_at(since))
    sealed = {
        entry
        for leaves in await seals.list_leaves_since(session, chain.era, since - _OVERLAP)
        for entry, _ in leaves_of(leaves)
    }
    strays = [UUID(bytes=entry) for entry in looking_sealed if entry not in sealed]
    return await seals.get_leaves_of(session, strays) if strays else b""


async def _insert_seal(session: AsyncSession, chain: _Chain, snapshot: Snapshot, leaves: bytes) -> Seal:
    head = SealHead(
        no=1 if chain.last is None else chain.last.no + 1,
        era=chain.era,
        snapshot=str(snapshot),
        server=chain.server,
        entries=len(leaves) // LEAF_BYTES,
        digest=digest_of(leaves),
        previous=START if chain.last is None else chain.last.hash,
        sealed_at=chain.now,
        key_id=key_id_of(chain.key.public_key().public_bytes_raw()),
    )
    signed = sign(head, chain.key)
    await seals.insert_seal(session, signed, leaves)
    return signed
