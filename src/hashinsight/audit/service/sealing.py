"""Sealing: every few seconds what was written since the last time is put in order, hashed, chained and signed."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import SYSTEM, Action, Actor
from hashinsight.audit.anchors import LostSeals
from hashinsight.audit.chain import LEAF_BYTES, START, Seal, SealHead, digest_of, key_id_of, leaves_of, sign
from hashinsight.audit.findings import MAX_UNSEALED_AGE
from hashinsight.audit.models import AuditKey
from hashinsight.audit.queries import seals
from hashinsight.audit.service.entries import record
from hashinsight.audit.snapshot import EVERYTHING, NOTHING, Snapshot
from hashinsight.kit.crypto import Vault
from hashinsight.kit.ids import first_id_at

_KEY_PURPOSE = "audit seal key"


async def get_signing_key(session: AsyncSession, vault: Vault, actor: Actor, *, now: datetime) -> Ed25519PrivateKey:
    """The newest key that opens. Without one (a first start, a changed secret) a new one is made, and that is told."""
    for kept in await seals.list_keys(session):
        opened = _opened(vault, kept)
        if opened is not None:
            return opened
    return await create_signing_key(session, vault, actor, now=now)


async def create_signing_key(session: AsyncSession, vault: Vault, actor: Actor, *, now: datetime) -> Ed25519PrivateKey:
    key = Ed25519PrivateKey.generate()
    public = key.public_key().public_bytes_raw()
    key_id = key_id_of(public)
    sealed = vault.seal(_KEY_PURPOSE, key.private_bytes_raw())
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


async def list_trusted_keys(session: AsyncSession, vault: Vault) -> dict[str, bytes]:
    """The public keys that this installation's secret vouches for: nobody without it can add one."""
    return {
        kept.key_id: kept.public_key
        for kept in await seals.list_keys(session)
        if (opened := _opened(vault, kept)) is not None
        and opened.public_key().public_bytes_raw() == kept.public_key
        and key_id_of(kept.public_key) == kept.key_id
    }


def _opened(vault: Vault, kept: AuditKey) -> Ed25519PrivateKey | None:
    try:
        return Ed25519PrivateKey.from_private_bytes(vault.open(_KEY_PURPOSE, kept.sealed_key))
    except ValueError:
        return None


@dataclass(frozen=True)
class UnsealedTail:
    entries: int
    oldest_at: datetime | None
    impossible: int  # entries that claim a transaction or an era that has not been yet

    def age_sec(self, now: datetime) -> float:
        return 0.0 if self.oldest_at is None else max(0.0, (now - self.oldest_at).total_seconds())

    def complaint(self, now: datetime) -> str | None:
        if self.age_sec(now) <= MAX_UNSEALED_AGE.total_seconds():
            return None
        return f"{self.entries} entries wait for a seal, the oldest for {self.age_sec(now):.0f} s: is a worker running?"


def next_window(last: Seal | None) -> tuple[int, Snapshot]:
    """The era that goes on behind this seal, and how far it is sealed."""
    if last is None:
        return 1, NOTHING
    if last.snapshot == str(EVERYTHING):
        return last.era + 1, NOTHING
    return last.era, Snapshot.read(last.snapshot)


async def get_unsealed_tail(session: AsyncSession) -> UnsealedTail:
    found = await seals.get_unsealed(session, *next_window(await seals.find_last_seal(session)))
    return UnsealedTail(found.entries, found.oldest_at, found.ahead + found.beyond)


PIECE = 50_000  # entries in one seal, so that a backlog is not hashed in one statement
PIECES = 40  # seals in one run
_OVERLAP = timedelta(hours=1)  # more than any transaction takes


@dataclass(frozen=True)
class _Chain:
    """Where the chain stands: what the next seal follows."""

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


async def seal(session: AsyncSession, vault: Vault, *, now: datetime, piece: int = PIECE) -> int:
    """Seal whatever has been committed; says how many entries. A server that changed begins a new era by itself."""
    await seals.lock_sealing(session)
    chain = await _chain(session, vault, SYSTEM, now=now)
    if chain.last is not None and chain.last.server != chain.server:
        moved = {"server_before": chain.last.server, "server": chain.server}
        reason = "the log is on another database server or timeline: restored, moved or failed over"
        return (await _start_era(session, SYSTEM, chain, reason, moved))[1]
    return (await _seal_upto(session, chain, await seals.get_snapshot(session), piece=piece))[1]


async def reseal(
    session: AsyncSession, vault: Vault, actor: Actor, reason: str, *, lost: LostSeals | None = None, now: datetime
) -> int:
    """After a restore that the server's name does not show: close the era as it stands and say why; gives the new era.

    `lost` is what an anchor knows and the restored log does not. Only somebody who was there can say that something was
    lost: a server that changed does not excuse it.
    """
    await seals.lock_sealing(session)
    chain = await _chain(session, vault, actor, now=now)
    lost = lost or LostSeals(1 if chain.last is None else chain.last.no + 1, chain.era)
    return (await _start_era(session, actor, chain, reason, {"lost_from": lost.no, "lost_era": lost.era}))[0].era


async def _chain(session: AsyncSession, vault: Vault, actor: Actor, *, now: datetime) -> _Chain:
    key = await get_signing_key(session, vault, actor, now=now)
    return _Chain(await seals.get_server(session), key, await seals.find_last_seal(session), now)


async def _start_era(
    session: AsyncSession, actor: Actor, chain: _Chain, reason: str, said: Mapping[str, Any]
) -> tuple[_Chain, int]:
    """Close the era with a seal over all that is left of it, and begin the next; the entry is the next one's first."""
    await seals.close_era(session)
    strays = await _strays(session, chain)
    chain, sealed = await _seal_upto(session, chain, EVERYTHING, pieces=10**6, strays=strays)
    await seals.open_era(session, chain.era)
    await record(
        session,
        actor,
        Action.AUDIT_RESEALED,
        "audit_log",
        tenant_id=None,
        reason=reason,
        after={"closed_era": chain.era - 1, "sealed_then": sealed, "strays": len(strays) // LEAF_BYTES} | dict(said),
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
    """Strays, if only none, are given when the era is closed."""
    sealed = 0
    for _ in range(pieces):
        cut = await seals.find_cut(session, chain.era, chain.sealed, upto, entries=piece)
        part = upto if cut is None else upto.cut(cut, chain.sealed)
        leaves = await seals.get_leaves(session, chain.era, chain.sealed, part)
        closing = cut is None and strays is not None
        if closing:
            leaves += strays or b""
        if leaves or closing:
            chain = chain.after(await _add(session, chain, part, leaves))
            sealed += len(leaves) // LEAF_BYTES
        if cut is None:
            break
    return chain, sealed


async def _strays(session: AsyncSession, chain: _Chain) -> bytes:
    """What a restored log's new server wrote before its era began: its transactions look like sealed ones.

    On the same server such an entry was smuggled in, and closing the era must not make it good.
    """
    if chain.last is None or chain.last.server == chain.server:
        return b""
    since = chain.last.sealed_at - _OVERLAP
    looking = await seals.list_sealed_looking(session, chain.era, chain.sealed, since=first_id_at(since))
    listed = {
        entry
        for leaves in await seals.list_leaves_since(session, chain.era, since - _OVERLAP)
        for entry, _ in leaves_of(leaves)
    }
    strays = [UUID(bytes=entry) for entry in looking if entry not in listed]
    return await seals.get_leaves_of(session, strays) if strays else b""


async def _add(session: AsyncSession, chain: _Chain, snapshot: Snapshot, leaves: bytes) -> Seal:
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
    made = sign(head, chain.key)
    await seals.insert_seal(session, made, leaves)
    return made
