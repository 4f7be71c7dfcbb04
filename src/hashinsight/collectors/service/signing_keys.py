"""Signing of commands: keys are added, take over at their time, and are revoked; a switch turns it on and off.

With the switch on, a collector is handed signed commands or none. So it cannot be turned on without a key that signs,
and the last such key cannot be revoked while it is on.
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
from hashinsight.collectors.queries import signing_keys
from hashinsight.collectors.service.tokens import lock_collector, record_change
from hashinsight.kit.clock import iso_z
from hashinsight.kit.crypto import Vault
from hashinsight.kit.errors import Conflict, NotFound, Unavailable, ValidationFailed
from hashinsight.wire.keys import KEY_BYTES, BadKey, Ed25519Key, signing_key
from hashinsight.wire.keys import SigningKey as Signer

log = structlog.get_logger(__name__)

MAX_KEYS = 10  # that are good at one time
TAKES_OVER_AFTER = timedelta(hours=1)


@dataclass(frozen=True, repr=False)
class NewSigningKey:
    """`secret_b64` only of an HMAC key that we made: the collector needs it, and it is shown this once."""

    key_id: str
    algorithm: str
    public_b64: str | None
    secret_b64: str | None
    signs_from: datetime


@dataclass(frozen=True, repr=False)
class KeyMaterial:
    """What a key is made from; without `key_b64` its 32 bytes are drawn here."""

    algorithm: str
    key_id: str | None = None
    key_b64: str | None = None


async def add_key(
    session: AsyncSession,
    vault: Vault,
    actor: Actor,
    collector: Collector,
    given: KeyMaterial,
    *,
    signs_after: timedelta | None = None,
    now: datetime,
) -> NewSigningKey:
    """Signs from its time on; those before it stay good until they are revoked.

    Without `signs_after` the first key signs at once, and a later one after an hour in which the collector is given it.
    """
    await lock_collector(session, collector)
    raw, key = _made(given, now=now)
    known = await signing_keys.list_keys(session, collector.id)
    if any(one.key_id == key.key_id for one in known):
        raise Conflict(f"this collector has or had a key {key.key_id}", code="KEY_ID_TAKEN")
    good = [one for one in known if one.revoked_at is None]
    if len(good) >= MAX_KEYS:
        raise Conflict(f"this collector has {MAX_KEYS} keys already: revoke one", code="TOO_MANY_KEYS")
    if signs_after is None:
        signs_after = TAKES_OVER_AFTER if _signing(good, now=now) else timedelta(0)
    public = key.public if isinstance(key, Ed25519Key) else None
    new = NewSigningKey(
        key.key_id,
        key.algorithm.value,
        None if public is None else b64encode(public).decode(),
        b64encode(raw).decode() if public is None and given.key_b64 is None else None,
        now + signs_after,
    )
    sealed = vault.seal(_purpose(collector.id, key.key_id), raw)
    values = {"algorithm": new.algorithm, "public_key": public, "created_at": now, "signs_from": new.signs_from}
    await signing_keys.insert_key(session, collector, key_id=key.key_id, sealed=sealed, **values)
    after = {"key_id": new.key_id, "algorithm": new.algorithm, "public_key": new.public_b64}
    times = {"signs_from": iso_z(new.signs_from), "given": given.key_b64 is not None}
    await record_change(session, actor, Action.COLLECTOR_SIGNING_KEY_ADDED, collector, after | times, now=now)
    return new


async def revoke_key(
    session: AsyncSession, actor: Actor, collector: Collector, key_id: str, *, now: datetime
) -> list[SigningKey]:
    """Signs nothing from the next poll on, and its secret is gone; gives all keys as they are then."""
    is_on = (await lock_collector(session, collector)).signs_commands
    if not await signing_keys.move_revoked(session, collector.id, key_id, now=now):
        raise NotFound("no such signing key, or it was revoked before")
    keys = list(await signing_keys.list_keys(session, collector.id))
    if is_on and not _signing(keys, now=now):
        raise Conflict("no other key signs: add one first, or turn signing off", code="LAST_SIGNING_KEY")
    await record_change(session, actor, Action.COLLECTOR_SIGNING_KEY_REVOKED, collector, {"key_id": key_id}, now=now)
    return keys


async def switch_signing(session: AsyncSession, actor: Actor, collector: Collector, *, on: bool, now: datetime) -> None:
    """From the next poll on its commands are signed, or they are not."""
    held = await lock_collector(session, collector)
    if on and not _signing(await signing_keys.list_keys(session, collector.id), now=now):
        raise Conflict("it has no key that signs by now: add one first", code="NO_SIGNING_KEY")
    if held.signs_commands == on:
        return
    held.signs_commands, held.updated_at = on, now
    await session.flush()
    await record_change(session, actor, Action.COLLECTOR_SIGNING_TURNED, collector, {"signs_commands": on}, now=now)


def signer_of(vault: Vault, collector_id: UUID, row: Any) -> Signer | None:
    """By what its commands are signed, as `asked_signer` found it; None with the switch off, and never with it on."""
    if not row.signs_commands:
        return None
    try:
        raw = vault.open(
            _purpose(collector_id, row.key_id), row.sealed or b""
        )  # no key is as bad as one we cannot open
        return signing_key(row.algorithm, row.key_id, raw)
    except ValueError as error:
        log.error("signing_key_unreadable", collector_id=str(collector_id), key_id=row.key_id, error=str(error))  # noqa: TRY400 - it says all
        raise Unavailable(
            "commands for this collector cannot be signed: none is handed out", code="CANNOT_SIGN", retry_after_sec=60
        ) from None


def _made(given: KeyMaterial, *, now: datetime) -> tuple[bytes, Signer]:
    key_id = f"cloud-{now:%Y%m%d}-{token_hex(3)}" if given.key_id is None else given.key_id
    try:
        raw = token_bytes(KEY_BYTES) if given.key_b64 is None else b64decode(given.key_b64.strip(), validate=True)
        return raw, signing_key(given.algorithm, key_id, raw)
    except BadKey as fault:
        raise ValidationFailed(str(fault), code="BAD_SIGNING_KEY") from None
    except ValueError:
        raise ValidationFailed("the key is not base64", code="BAD_SIGNING_KEY") from None


def _signing(keys: Sequence[SigningKey], *, now: datetime) -> bool:
    """Whether one of them signs by now."""
    return any(one.revoked_at is None and one.signs_from <= now for one in keys)


def _purpose(collector_id: UUID, key_id: str) -> str:
    """Of one key of one collector: a secret that is moved to another row signs nothing."""
    return f"signing key {key_id} of {collector_id}"
