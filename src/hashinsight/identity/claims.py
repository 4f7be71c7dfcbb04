"""What an access token says, for those who neither sign nor read one. Pure."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True)
class AccessToken:
    tenant_id: UUID
    user_id: UUID
    session_id: UUID
    stepped_up_at: datetime | None = None
