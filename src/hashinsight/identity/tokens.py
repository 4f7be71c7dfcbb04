"""Access tokens: short-lived and signed, with user, tenant and session. Pure."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from uuid import UUID

import jwt

from hashinsight.kit.crypto import Vault


class Proof(StrEnum):
    """What a user enters again before a dangerous action."""

    TOTP = "totp"
    PASSWORD = "password"  # noqa: S105 - a name; for users without a second factor


@dataclass(frozen=True)
class AccessToken:
    tenant_id: UUID
    user_id: UUID
    session_id: UUID
    stepped_up_at: datetime | None = None
    stepped_up_by: Proof | None = None


ACCESS_LIFE = timedelta(minutes=15)
REFRESH_LIFE = timedelta(days=14)
SESSION_LIFE = timedelta(days=30)
STEP_UP_LIFE = timedelta(minutes=5)

_ALGORITHM = "HS256"
_ISSUER = "hashinsight"
_LEEWAY = timedelta(seconds=5)


def sign_access(vault: Vault, token: AccessToken, *, now: datetime) -> str:
    claims = {
        "iss": _ISSUER,
        "sub": str(token.user_id),
        "tid": str(token.tenant_id),
        "sid": str(token.session_id),
        "iat": now,
        "exp": now + ACCESS_LIFE,
    }
    if token.stepped_up_at is not None:
        claims["sup"] = int(token.stepped_up_at.timestamp())
        claims["sby"] = (token.stepped_up_by or Proof.TOTP).value
    return jwt.encode(claims, vault.key("access tokens"), algorithm=_ALGORITHM)


class TokenExpired(Exception):
    """A valid token that has expired."""


def read_access(vault: Vault, text: str, *, now: datetime) -> AccessToken | None:
    """The content of a token; None when it is forged or malformed."""
    try:
        claims = jwt.decode(
            text,
            vault.key("access tokens"),
            algorithms=[_ALGORITHM],
            issuer=_ISSUER,
            # times are compared below, with `now`
            options={"require": ["exp", "iat", "sub"], "verify_exp": False, "verify_iat": False},
        )
        issued, expires = (datetime.fromtimestamp(claims[name], UTC) for name in ("iat", "exp"))
        if issued - _LEEWAY > now:
            return None
        if now >= expires:
            raise TokenExpired
        stepped_up = claims.get("sup")
        return AccessToken(
            tenant_id=UUID(claims["tid"]),
            user_id=UUID(claims["sub"]),
            session_id=UUID(claims["sid"]),
            stepped_up_at=None if stepped_up is None else datetime.fromtimestamp(stepped_up, UTC),
            stepped_up_by=None if stepped_up is None else Proof(claims.get("sby", Proof.TOTP)),
        )
    except (jwt.InvalidTokenError, KeyError, ValueError, TypeError, AttributeError, OverflowError, OSError):
        return None
