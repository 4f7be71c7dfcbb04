"""What an access token says, for those who neither sign nor read one. Pure."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID


class Proof(StrEnum):
    """What a person shows again before a dangerous act."""

    TOTP = "totp"
    PASSWORD = "password"  # noqa: S105 - a name; for whoever has no second factor


@dataclass(frozen=True)
class AccessToken:
    tenant_id: UUID
    user_id: UUID
    session_id: UUID
    stepped_up_at: datetime | None = None
    stepped_up_by: Proof | None = None
