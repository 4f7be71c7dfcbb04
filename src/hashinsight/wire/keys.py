"""Keys for signing commands, each made once and used for many: HMAC-SHA256, and Ed25519.

Whoever checks an HMAC could also have made it; an Ed25519 collector can check and not forge. Both kinds are 32 random
bytes at rest. Ed25519 needs the package `cryptography`, which is loaded only when such a key is: the base install
checks HMAC without it.
"""

import hmac
import re
from base64 import b64decode
from collections.abc import Iterable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Protocol

KEY_BYTES = 32
_KEY_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class Algorithm(StrEnum):
    HMAC = "hmac-sha256"
    ED25519 = "ed25519"


class BadKey(ValueError):
    """What is wrong with a key, without repeating any of it."""


class VerifyingKey(Protocol):
    """The key knows its algorithm: a message cannot talk us into another one."""

    key_id: str
    algorithm: Algorithm

    def verifies(self, data: bytes, signature: bytes) -> bool: ...


class SigningKey(VerifyingKey, Protocol):
    def sign(self, data: bytes) -> bytes: ...


KeyRing = Mapping[str, VerifyingKey]


class HmacKey:
    algorithm = Algorithm.HMAC

    def __init__(self, key_id: str, secret: bytes) -> None:
        self.key_id, self._secret = _checked(key_id, secret)

    def sign(self, data: bytes) -> bytes:
        return hmac.digest(self._secret, data, "sha256")

    def verifies(self, data: bytes, signature: bytes) -> bool:
        return hmac.compare_digest(self.sign(data), signature)


class Ed25519PublicKey:
    algorithm = Algorithm.ED25519

    def __init__(self, key_id: str, public: bytes) -> None:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric import ed25519

        self.key_id, raw = _checked(key_id, public)
        self._key = ed25519.Ed25519PublicKey.from_public_bytes(raw)
        self._refused = InvalidSignature

    def verifies(self, data: bytes, signature: bytes) -> bool:
        try:
            self._key.verify(signature, data)
        except self._refused:
            return False
        return True


class Ed25519Key(Ed25519PublicKey):
    """The cloud's half. `public` is what a collector is given."""

    def __init__(self, key_id: str, seed: bytes) -> None:
        from cryptography.hazmat.primitives.asymmetric import ed25519

        key_id, raw = _checked(key_id, seed)
        self._private = ed25519.Ed25519PrivateKey.from_private_bytes(raw)
        self.public = self._private.public_key().public_bytes_raw()
        super().__init__(key_id, self.public)

    def sign(self, data: bytes) -> bytes:
        return self._private.sign(data)


def signing_key(algorithm: str, key_id: str, raw: bytes | str) -> SigningKey:
    """From 32 bytes, or their base64."""
    return Ed25519Key(key_id, _raw(raw)) if _known(algorithm) is Algorithm.ED25519 else HmacKey(key_id, _raw(raw))


def verifying_key(algorithm: str, key_id: str, raw: bytes | str) -> VerifyingKey:
    """The collector's half: for Ed25519 the public key."""
    return Ed25519PublicKey(key_id, _raw(raw)) if _known(algorithm) is Algorithm.ED25519 else HmacKey(key_id, _raw(raw))


def key_ring(keys: Iterable[VerifyingKey]) -> KeyRing:
    """All keys that are good now, old and new: a ring with both is how keys rotate without a gap."""
    ring: dict[str, VerifyingKey] = {}
    for key in keys:
        if key.key_id in ring:
            raise BadKey(f"two keys are called {key.key_id}")
        ring[key.key_id] = key
    return MappingProxyType(ring)


def _known(algorithm: str) -> Algorithm:
    try:
        return Algorithm(algorithm)
    except ValueError:
        raise BadKey(f"an algorithm is one of {', '.join(Algorithm)}") from None


def _raw(given: bytes | str) -> bytes:
    if isinstance(given, bytes):
        return given
    try:
        return b64decode(given.strip(), validate=True)
    except ValueError:
        raise BadKey("the key is not base64") from None


def _checked(key_id: str, raw: bytes) -> tuple[str, bytes]:
    if not _KEY_ID.fullmatch(key_id):
        raise BadKey("a key id has 1 to 64 letters, digits, dots, dashes or underscores")
    if len(raw) != KEY_BYTES:
        raise BadKey(f"a key has {KEY_BYTES} bytes, this one has {len(raw)}")
    if len(set(raw)) == 1:
        raise BadKey("a key of one repeated byte was never drawn by chance")
    return key_id, bytes(raw)
