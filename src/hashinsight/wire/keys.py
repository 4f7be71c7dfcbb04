"""Keys for signing commands: HMAC-SHA256 and Ed25519.

A collector with an HMAC key can check and forge; with an Ed25519 public key it can only check. Both kinds are 32 random
bytes at rest. Ed25519 needs the package `cryptography`, imported only for such a key: the base install checks HMAC
without it.
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
    """What is wrong with a key, without showing any of it."""


class VerifyingKey(Protocol):
    """The key fixes the algorithm: a message cannot choose another one."""

    key_id: str
    algorithm: Algorithm

    def verifies(self, data: bytes, signature: bytes) -> bool: ...


class SigningKey(VerifyingKey, Protocol):
    def sign(self, data: bytes) -> bytes: ...


KeyRing = Mapping[str, VerifyingKey]


class HmacKey:
    algorithm = Algorithm.HMAC

    def __init__(self, key_id: str, secret: bytes) -> None:
        self.key_id, self._secret = _check(key_id, secret)

    def sign(self, data: bytes) -> bytes:
        return hmac.digest(self._secret, data, "sha256")

    def verifies(self, data: bytes, signature: bytes) -> bool:
        return hmac.compare_digest(self.sign(data), signature)


class Ed25519PublicKey:
    algorithm = Algorithm.ED25519

    def __init__(self, key_id: str, public: bytes) -> None:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric import ed25519

        self.key_id, raw = _check(key_id, public)
        self._key = ed25519.Ed25519PublicKey.from_public_bytes(raw)
        self._invalid_signature = InvalidSignature

    def verifies(self, data: bytes, signature: bytes) -> bool:
        try:
            self._key.verify(signature, data)
        except self._invalid_signature:
            return False
        return True


class Ed25519Key(Ed25519PublicKey):
    """The cloud's private key. `public` goes to the collector."""

    def __init__(self, key_id: str, seed: bytes) -> None:
        from cryptography.hazmat.primitives.asymmetric import ed25519

        key_id, raw = _check(key_id, seed)
        self._private = ed25519.Ed25519PrivateKey.from_private_bytes(raw)
        self.public = self._private.public_key().public_bytes_raw()
        super().__init__(key_id, self.public)

    def sign(self, data: bytes) -> bytes:
        return self._private.sign(data)


def signing_key(algorithm: str, key_id: str, raw: bytes | str) -> SigningKey:
    """From 32 bytes or their base64."""
    return (
        Ed25519Key(key_id, _key_bytes(raw))
        if _algorithm(algorithm) is Algorithm.ED25519
        else HmacKey(key_id, _key_bytes(raw))
    )


def verifying_key(algorithm: str, key_id: str, raw: bytes | str) -> VerifyingKey:
    """The collector's key: for Ed25519 the public key."""
    return (
        Ed25519PublicKey(key_id, _key_bytes(raw))
        if _algorithm(algorithm) is Algorithm.ED25519
        else HmacKey(key_id, _key_bytes(raw))
    )


def key_ring(keys: Iterable[VerifyingKey]) -> KeyRing:
    """All valid keys: with the old and the new one in the ring, keys rotate without a gap."""
    ring: dict[str, VerifyingKey] = {}
    for key in keys:
        if key.key_id in ring:
            raise BadKey(f"duplicate key id {key.key_id}")
        ring[key.key_id] = key
    return MappingProxyType(ring)


def _algorithm(algorithm: str) -> Algorithm:
    try:
        return Algorithm(algorithm)
    except ValueError:
        raise BadKey(f"algorithm must be one of {', '.join(Algorithm)}") from None


def _key_bytes(key: bytes | str) -> bytes:
    if isinstance(key, bytes):
        return key
    try:
        return b64decode(key.strip(), validate=True)
    except ValueError:
        raise BadKey("the key is not base64") from None


def _check(key_id: str, raw: bytes) -> tuple[str, bytes]:
    if not _KEY_ID.fullmatch(key_id):
        raise BadKey("a key id must be 1 to 64 letters, digits, dots, dashes or underscores")
    if len(raw) != KEY_BYTES:
        raise BadKey(f"a key must be {KEY_BYTES} bytes, not {len(raw)}")
    if len(set(raw)) == 1:
        raise BadKey("a key of one repeated byte is not random")
    return key_id, bytes(raw)
