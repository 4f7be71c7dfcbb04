"""Passwords: argon2, off the event loop; checking takes the same time whether the user exists or not."""

import asyncio
import threading

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError, VerifyMismatchError

from hashinsight.kit.crypto import is_text, octets
from hashinsight.kit.errors import ValidationFailed

MIN_CHARS = 12
MAX_CHARS = 256

_hasher = PasswordHasher()
_hashing = threading.BoundedSemaphore(4)  # each takes 64 MB: a flood must not exhaust memory
# the hash for unknown users: the same work, never a match
_NOBODY = "$argon2id$v=19$m=65536,t=3,p=4$xwY3LUfjqXCXIC7BeYR8Kg$pCNRCpJcjqDA9XLvYG/GLc6JibvJWJiG3swtF/PRnJY"


def check_strength(password: str, email: str) -> None:
    """Length matters; there are no rules about capitals and digits."""
    if not is_text(password):
        raise ValidationFailed("the password has an invalid character")
    if not MIN_CHARS <= len(password) <= MAX_CHARS:
        raise ValidationFailed(f"a password must have {MIN_CHARS} to {MAX_CHARS} characters")
    name = email.split("@", maxsplit=1)[0].lower()
    if len(set(password)) < 5 or (len(name) > 3 and name in password.lower()):  # noqa: PLR2004
        raise ValidationFailed("this password is too easy to guess")


async def hash_password(password: str) -> str:
    return await asyncio.to_thread(_hash, password)


async def is_password(password: str, password_hash: str | None) -> bool:
    """Whether it matches the hash; None for a user who does not exist."""
    return await asyncio.to_thread(_verify, password[: MAX_CHARS + 1], password_hash or _NOBODY) and bool(password_hash)


def _hash(password: str) -> str:
    with _hashing:
        return _hasher.hash(password)


def _verify(password: str, password_hash: str) -> bool:
    try:
        with _hashing:
            return _hasher.verify(password_hash, octets(password))
    except (VerifyMismatchError, VerificationError, InvalidHashError):
        return False
