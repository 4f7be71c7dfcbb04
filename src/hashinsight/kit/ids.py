"""Identifiers: time-ordered, so that they sit well in an index, and unguessable where they are secrets."""

import secrets
from datetime import datetime
from uuid import UUID

import uuid_utils
from uuid_utils.compat import uuid7


def new_id() -> UUID:
    return uuid7()


def new_ids(count: int) -> list[str]:
    """Many at once, as text: for a statement that gives them out by itself."""
    return [str(uuid_utils.uuid7()) for _ in range(count)]


def first_id_at(at: datetime) -> UUID:
    """The lowest id that can have been made at this time or later."""
    return UUID(int=int(at.timestamp() * 1000) << 80)


def new_token(prefix: str) -> str:
    """A bearer secret. The prefix lets scanners and our own log scrubber recognise it."""
    return f"hi_{prefix}_{secrets.token_urlsafe(32)}"
