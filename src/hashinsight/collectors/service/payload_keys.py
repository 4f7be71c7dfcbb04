"""Payload keys: set or rotated with an overlap, removed at once. One that we make is shown once, then kept sealed."""

from base64 import b64encode
from dataclasses import dataclass
from datetime import datetime, timedelta
from secrets import token_bytes
from uuid import UUID

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action, Actor
from hashinsight.audit.service.entries import record
from hashinsight.collectors.models import Collector
from hashinsight.collectors.queries import payload_keys, registry
from hashinsight.kit.clock import iso_z
from hashinsight.kit.crypto import Vault
from hashinsight.kit.errors import NotFound

log = structlog.get_logger(__name__)

KEY_BYTES = 32


@dataclass(frozen=True, repr=False)
class NewPayloadKey:
    """`shown_b64` only where we made it: whoever gave one has it."""

    shown_b64: str | None
    old_keys_until: datetime


async def set_key(
    session: AsyncSession,
    vault: Vault,
    actor: Actor,
    collector: Collector,
    *,
    given: bytes | None,
    overlap: timedelta,
    now: datetime,
) -> NewPayloadKey:
    """From now on this key; the ones before it are good for the overlap, for what waits in spools."""
    await _lock(session, collector)
    key = given or token_bytes(KEY_BYTES)
    await payload_keys.delete_keys(session, collector.id, gone_by=now)
    until = now + overlap
    cut = await payload_keys.move_expiring(session, collector.id, until=until)
    await payload_keys.insert_key(session, collector, vault.seal(_purpose(collector.id), key), now=now)
    await record(
        session,
        actor,
        Action.COLLECTOR_PAYLOAD_KEY_SET,
        "collector",
        collector.id,
        tenant_id=collector.tenant_id,
        after={"given": given is not None, "old_keys_cut": cut, "old_keys_until": iso_z(until)},
        now=now,
    )
    return NewPayloadKey(None if given else b64encode(key).decode(), until)


async def remove_keys(session: AsyncSession, actor: Actor, collector: Collector, *, now: datetime) -> int:
    """All of them, at once; says how many. What it encrypts after that is refused."""
    await _lock(session, collector)
    removed = await payload_keys.delete_keys(session, collector.id)
    await record(
        session,
        actor,
        Action.COLLECTOR_PAYLOAD_KEYS_REMOVED,
        "collector",
        collector.id,
        tenant_id=collector.tenant_id,
        after={"keys": removed},
        now=now,
    )
    return removed


async def list_keys(session: AsyncSession, vault: Vault, collector_id: UUID, *, now: datetime) -> list[bytes]:
    """The keys that are good, the newest first. One that another secret sealed is as good as none."""
    found = []
    for sealed in await payload_keys.list_good(session, collector_id, now=now):
        try:
            found.append(vault.open(_purpose(collector_id), sealed))
        except ValueError as error:
            log.error("payload_key_unreadable", collector_id=str(collector_id), error=str(error))  # noqa: TRY400 - it says all
    return found


def _purpose(collector_id: UUID) -> str:
    """Of one collector: a key that is moved to another one's row opens nothing."""
    return f"payload key of {collector_id}"


async def _lock(session: AsyncSession, collector: Collector) -> None:
    if await registry.find_collector(session, collector.id, lock=True) is None:
        raise NotFound("no such collector")
