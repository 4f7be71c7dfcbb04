"""Identifiers, time-ordered for their indexes; and random secrets."""

import secrets
from datetime import datetime
from uuid import UUID

import uuid_utils
from uuid_utils.compat import uuid7


def new_id() -> UUID:
    return uuid7()


def new_ids(count: int) -> list[str]:
    """Many at once, as text."""
    return [str(uuid_utils.uuid7()) for _ in range(count)]


def first_id_at(at: datetime) -> UUID:
    """The lowest id that can have been created at this time or later."""
    return UUID(int=int(at.timestamp() * 1000) << 80)


def new_token(prefix: str) -> str:
    """A bearer secret. Its prefix lets scanners and our log scrubber recognise it."""
    return f"hi_{prefix}_{secrets.token_urlsafe(32)}"
