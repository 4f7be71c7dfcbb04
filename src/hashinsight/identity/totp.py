"""Second factor: time-based codes, each good for one use, and recovery codes for a lost phone. Pure."""

import secrets
from datetime import datetime

import pyotp

STEP_SECONDS = 30
RECOVERY_CODES = 10
_ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # no characters that look alike


def new_secret() -> str:
    return pyotp.random_base32()


def provisioning_uri(secret: str, email: str) -> str:
    return pyotp.TOTP(secret, interval=STEP_SECONDS).provisioning_uri(email, issuer_name="HashInsight")


def matching_step(secret: str, code: str, *, now: datetime) -> int | None:
    """The time step of the code, at most one step early or late; None when it is wrong."""
    totp = pyotp.TOTP(secret, interval=STEP_SECONDS)
    current = int(now.timestamp()) // STEP_SECONDS
    for step in (current, current - 1, current + 1):
        if secrets.compare_digest(totp.generate_otp(step), code):
            return step
    return None


def new_recovery_codes() -> list[str]:
    return [
        "-".join("".join(secrets.choice(_ALPHABET) for _ in range(5)) for _ in range(2)) for _ in range(RECOVERY_CODES)
    ]
