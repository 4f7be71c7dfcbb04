"""Who comes in: all that a request's door asks about a user or a key, in one way to the server and back."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import msgspec

from hashinsight.identity.permissions import Role
from hashinsight.identity.scope import Reach
from hashinsight.kit.db.database import Database

Reaches = tuple[tuple[Role, Reach], ...]
_Ids = tuple[int, ...] | None
_GRANTS = msgspec.json.Decoder(list[tuple[Role, _Ids, _Ids, _Ids]])


@dataclass(frozen=True)
class EnteringUser:
    """`revoked_at` and `expires_at` are the session's; a session that nobody knows has no end."""

    is_active: bool
    has_totp: bool
    require_totp: bool
    revoked_at: datetime | None
    expires_at: datetime | None
    grants: Reaches
    touched: tuple[int, ...]  # the sites that zones and groups of the grants lie in


@dataclass(frozen=True)
class EnteringKey:
    tenant_id: UUID
    id: UUID
    user_id: UUID | None  # who made it; None for a key of the server itself
    is_backed: bool  # who made it could still make it
    grants: Reaches
    touched: tuple[int, ...]


async def find_entering_user(
    database: Database, tenant_id: UUID, user_id: UUID, session_id: UUID
) -> EnteringUser | None:
    """Only for ids that a signature vouched for."""
    async with database.at_once() as driver:
        asked = "select * from user_entering(%s, %s, %s)"
        row = await (await driver.execute(asked, (tenant_id, user_id, session_id), prepare=True)).fetchone()
    if row is None:
        return None
    state, has_totp, require_totp, revoked_at, expires_at, grants, touched = row
    return EnteringUser(
        state == "active", has_totp, require_totp, revoked_at, expires_at, _reaches(grants), tuple(touched)
    )


async def find_entering_key(database: Database, key_hash: bytes, *, now: datetime) -> EnteringKey | None:
    """A key that is good at this moment; that it was used is noted."""
    async with database.at_once() as driver:
        asked = "select * from key_entering(%s, %s)"
        row = await (await driver.execute(asked, (key_hash, now), prepare=True)).fetchone()
    if row is None:
        return None
    tenant_id, key_id, user_id, is_backed, grants, touched = row
    return EnteringKey(tenant_id, key_id, user_id, is_backed, _reaches(grants), tuple(touched))


def _reaches(grants: str) -> Reaches:
    held: Sequence[tuple[Role, _Ids, _Ids, _Ids]] = _GRANTS.decode(grants)
    return tuple((role, Reach(sites, zones, groups)) for role, sites, zones, groups in held)
