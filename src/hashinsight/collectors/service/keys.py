"""Keys of collectors: payload keys decrypt what a collector sends, signing keys sign its commands.

Payload keys are set or rotated with an overlap, and removed at once. Signing keys are added, take over at their time
and are revoked. With signing on, a collector gets signed commands or none: it cannot be switched on without a key that
signs, and the last such key cannot be revoked while it is on. Generated secrets are shown once and stored encrypted.
"""

from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from secrets import token_bytes, token_hex
from typing import Any
from uuid import UUID

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action, Actor
from hashinsight.collectors.models import Collector, SigningKey
from hashinsight.collectors.queries import keys as queries
from hashinsight.collectors.service.tokens import lock_collector, record_change
from hashinsight.kit.crypto import Vault
from hashinsight.kit.errors import Conflict, NotFound, Unavailable, ValidationFailed
from hashinsight.wire.keys import KEY_BYTES, BadKey, Ed25519Key, signing_key
from hashinsight.wire.keys import SigningKey as Signer
from hashinsight.wire.times import write_time

log = structlog.get_logger(__name__)

MAX_KEYS = 10  # valid at the same time
TAKES_OVER_AFTER = timedelta(hours=1)


@dataclass(frozen=True, repr=False)
class NewPayloadKey:
    """`shown_b64` only of a generated key."""

    shown_b64: str | None
    old_keys_until: datetime


@dataclass(frozen=True, repr=False)
class NewSigningKey:
    """`secret_b64` only of a generated HMAC key: the collector needs it, and it is shown once."""

    key_id: str
    algorithm: str
    public_b64: str | None
    secret_b64: str | None
    signs_from: datetime


@dataclass(frozen=True, repr=False)
class KeyMaterial:
    """Without `key_b64` the key is generated."""

    algorithm: str
    key_id: str | None = None
    key_b64: str | None = None


async def set_payload_key(
    session: AsyncSession,
    vault: Vault,
    actor: Actor,
    collector: Collector,
    *,
    key: bytes | None,
    overlap: timedelta,
    now: datetime,
) -> NewPayloadKey:
    """Use this key from now on; earlier ones stay valid for the overlap, for payloads that wait in spools."""
    await lock_collector(session, collector)
    new_key = key or token_bytes(KEY_BYTES)
    await queries.delete_payload_keys(session, collector.id, expired_by=now)
    until = now + overlap
    shortened = await queries.move_payload_keys_expiring(session, collector.id, until=until)
    sealed = vault.seal(_payload_purpose(collector.id), new_key)
    await queries.insert_payload_key(session, collector, sealed, now=now)
    after = {"given": key is not None, "old_keys_cut": shortened, "old_keys_until": write_time(until)}
    await record_change(session, actor, Action.COLLECTOR_PAYLOAD_KEY_SET, collector, after, now=now)
    return NewPayloadKey(None if key else b64encode(new_key).decode(), until)


async def remove_payload_keys(session: AsyncSession, actor: Actor, collector: Collector, *, now: datetime) -> int:
    """All of them, at once; returns how many. Encrypted payloads are refused from then on."""
    await lock_collector(session, collector)
    removed = await queries.delete_payload_keys(session, collector.id)
    after = {"keys": removed}
    await record_change(session, actor, Action.COLLECTOR_PAYLOAD_KEYS_REMOVED, collector, after, now=now)
    return removed


async def list_payload_keys(session: AsyncSession, vault: Vault, collector_id: UUID, *, now: datetime) -> list[bytes]:
    """The valid keys, newest first, without those that cannot be decrypted."""
    keys = []
    for sealed in await queries.list_valid_payload_keys(session, collector_id, now=now):
        try:
            keys.append(vault.open(_payload_purpose(collector_id), sealed))
        except ValueError as error:
            log.error("payload_key_unreadable", collector_id=str(collector_id), error=str(error))  # noqa: TRY400 - it says all
    return keys


async def add_signing_key(
    session: AsyncSession,
    vault: Vault,
    actor: Actor,
    collector: Collector,
    material: KeyMaterial,
    *,
    signs_after: timedelta | None = None,
    now: datetime,
) -> NewSigningKey:
    """A key that signs from its time on; earlier ones stay valid until they are revoked.

    Without `signs_after` the first key signs at once, a later one after an hour in which the collector gets it.
    """
    await lock_collector(session, collector)
    raw, key = _make_key(material, now=now)
    known = await queries.list_signing_keys(session, collector.id)
    if any(row.key_id == key.key_id for row in known):
        raise Conflict(f"key id {key.key_id} was used before", code="KEY_ID_TAKEN")
    valid = [row for row in known if row.revoked_at is None]
    if len(valid) >= MAX_KEYS:
        raise Conflict(f"the collector already has {MAX_KEYS} keys: revoke one", code="TOO_MANY_KEYS")
    if signs_after is None:
        signs_after = TAKES_OVER_AFTER if _has_signer(valid, now=now) else timedelta(0)
    public = key.public if isinstance(key, Ed25519Key) else None
    new = NewSigningKey(
        key.key_id,
        key.algorithm.value,
        None if public is None else b64encode(public).decode(),
        b64encode(raw).decode() if public is None and material.key_b64 is None else None,
        now + signs_after,
    )
    sealed = vault.seal(_signing_purpose(collector.id, key.key_id), raw)
    values = {"algorithm": new.algorithm, "public_key": public, "created_at": now, "signs_from": new.signs_from}
    await queries.insert_signing_key(session, collector, key_id=key.key_id, sealed=sealed, **values)
    after = {"key_id": new.key_id, "algorithm": new.algorithm, "public_key": new.public_b64}
    times = {"signs_from": write_time(new.signs_from), "given": material.key_b64 is not None}
    await record_change(session, actor, Action.COLLECTOR_SIGNING_KEY_ADDED, collector, after | times, now=now)
    return new


async def revoke_signing_key(
    session: AsyncSession, actor: Actor, collector: Collector, key_id: str, *, now: datetime
) -> list[SigningKey]:
    """Signs nothing from the next poll on, and its secret is deleted; returns all keys."""
    is_on = (await lock_collector(session, collector)).signs_commands
    if not await queries.move_signing_key_revoked(session, collector.id, key_id, now=now):
        raise NotFound("no such signing key, or already revoked")
    keys = list(await queries.list_signing_keys(session, collector.id))
    if is_on and not _has_signer(keys, now=now):
        raise Conflict("no other key signs: add one first, or switch signing off", code="LAST_SIGNING_KEY")
    await record_change(session, actor, Action.COLLECTOR_SIGNING_KEY_REVOKED, collector, {"key_id": key_id}, now=now)
    return keys


async def switch_signing(session: AsyncSession, actor: Actor, collector: Collector, *, on: bool, now: datetime) -> None:
    """From the next poll on."""
    locked = await lock_collector(session, collector)
    if on and not _has_signer(await queries.list_signing_keys(session, collector.id), now=now):
        raise Conflict("no key signs yet: add one first", code="NO_SIGNING_KEY")
    if locked.signs_commands == on:
        return
    locked.signs_commands, locked.updated_at = on, now
    await session.flush()
    await record_change(session, actor, Action.COLLECTOR_SIGNING_TURNED, collector, {"signs_commands": on}, now=now)


def signer_of(vault: Vault, collector_id: UUID, row: Any) -> Signer | None:
    """The key of a row of `signer_statement`; None with signing off, never with signing on."""
    if not row.signs_commands:
        return None
    try:
        raw = vault.open(_signing_purpose(collector_id, row.key_id), row.sealed or b"")
        return signing_key(row.algorithm, row.key_id, raw)
    except ValueError as error:
        log.error("signing_key_unreadable", collector_id=str(collector_id), key_id=row.key_id, error=str(error))  # noqa: TRY400 - it says all
        raise Unavailable(
            "commands for this collector cannot be signed: none is dispatched", code="CANNOT_SIGN", retry_after_sec=60
        ) from None


def _make_key(material: KeyMaterial, *, now: datetime) -> tuple[bytes, Signer]:
    key_id = f"cloud-{now:%Y%m%d}-{token_hex(3)}" if material.key_id is None else material.key_id
    try:
        raw = token_bytes(KEY_BYTES) if material.key_b64 is None else b64decode(material.key_b64.strip(), validate=True)
        return raw, signing_key(material.algorithm, key_id, raw)
    except BadKey as fault:
        raise ValidationFailed(str(fault), code="BAD_SIGNING_KEY") from None
    except ValueError:
        raise ValidationFailed("the key is not base64", code="BAD_SIGNING_KEY") from None


def _has_signer(keys: Sequence[SigningKey], *, now: datetime) -> bool:
    """Whether one of them signs now."""
    return any(key.revoked_at is None and key.signs_from <= now for key in keys)


def _payload_purpose(collector_id: UUID) -> str:
    """Per collector: a key that is copied to another row decrypts nothing."""
    return f"payload key of {collector_id}"


def _signing_purpose(collector_id: UUID, key_id: str) -> str:
    """Per key and collector: a secret that is copied to another row signs nothing."""
    return f"signing key {key_id} of {collector_id}"
