"""Payloads that come encrypted: AES-256-GCM with the collector's payload key. Pure."""

import binascii
from base64 import b64decode
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from hashinsight.telemetry.ingest.unpacking import MalformedBatch

_NONCE_BYTES = range(8, 129)  # what the cipher takes; collectors send 12


@dataclass(frozen=True, repr=False)
class Sealed:
    """An envelope whose records are encrypted."""

    envelope: dict[str, Any]
    nonce: bytes
    ciphertext: bytes


def read_sealed(envelope: dict[str, Any], payload: Any) -> Sealed:
    parts = payload if isinstance(payload, dict) else {}
    nonce, ciphertext = _bytes(parts.get("nonce_b64")), _bytes(parts.get("ciphertext_b64"))
    if nonce is None or ciphertext is None or len(nonce) not in _NONCE_BYTES:
        raise _unreadable("payload_enc needs nonce_b64 and ciphertext_b64, each in base64")
    return Sealed(envelope, nonce, ciphertext)


def open_sealed(sealed: Sealed, keys: Iterable[bytes]) -> bytes:
    """The records' JSON, possibly zipped, by whichever key fits: two are good while one is being rotated."""
    known = False
    for key in keys:
        known = True
        try:
            return AESGCM(key).decrypt(sealed.nonce, sealed.ciphertext, None)
        except InvalidTag:
            continue
    if not known:
        raise MalformedBatch("no payload key of this collector is known", code="PAYLOAD_KEY_UNKNOWN")
    raise _unreadable("the payload was not encrypted with this collector's key, or was changed on the way")


def _bytes(text: Any) -> bytes | None:
    if not isinstance(text, str):
        return None
    try:
        return b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None


def _unreadable(message: str) -> MalformedBatch:
    return MalformedBatch(message, code="PAYLOAD_UNREADABLE")
