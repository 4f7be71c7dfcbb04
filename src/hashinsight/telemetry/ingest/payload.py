"""From the bytes of an upload to JSON text, within bounds: its length unzipped, and how much is in it. Pure."""

import binascii
import json
import math
from base64 import b64decode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

import msgspec
import numpy as np
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from isal import isal_zlib

from hashinsight.kit.errors import HashInsightError, PayloadTooLarge

_GZIP = b"\x1f\x8b"
_NOT_GZIP = cast("type[Exception]", isal_zlib.error)  # whose stub says that it is an instance
_BOM = b"\xef\xbb\xbf"
_BLANKS = b" \t\r\n"
_BRACE = ord("{")
_OBJECTS_A_SAMPLE = 16  # itself and its boards
_VALUES_A_SAMPLE = 512
_LONG = 2_000_000  # what is shorter cannot hold too many values


class MalformedBatch(HashInsightError):
    """The batch as a whole cannot be read; nothing of it is stored."""

    status = 422
    code = "MALFORMED_BATCH"


def unzip(body: bytes, *, most_bytes: int) -> bytes:
    """The JSON inside, unzipped where it is zipped. A bomb is refused at the byte that is too many."""
    data = unzip_within(body, most_bytes)
    if data is None:
        raise PayloadTooLarge(f"the batch unzips to more than {most_bytes} bytes", code="BATCH_TOO_LARGE")
    return data


def unzip_within(body: bytes, most_bytes: int) -> bytes | None:
    """The same; None when there is more than that."""
    if not body.startswith(_GZIP):
        return body.removeprefix(_BOM) if len(body) <= most_bytes else None
    unzip = isal_zlib.decompressobj(16 + isal_zlib.MAX_WBITS)
    try:
        data = unzip.decompress(body, most_bytes + 1)
    except _NOT_GZIP as error:
        raise MalformedBatch(f"this is not gzip: {error}", code="BAD_GZIP") from None
    if len(data) > most_bytes:
        return None
    if not unzip.eof:
        raise MalformedBatch("the gzip data end too early", code="BAD_GZIP")
    if unzip.unused_data:
        raise MalformedBatch("something follows the gzip data", code="BAD_GZIP")
    return data.removeprefix(_BOM)


def is_envelope(data: bytes) -> bool:
    """Whether it is an envelope or a bare array; anything else is refused here."""
    start = data[:64].lstrip(_BLANKS)[:1] or data.lstrip(_BLANKS)[:1]
    if start not in (b"[", b"{"):
        raise MalformedBatch("a batch is a JSON array of samples, or an envelope with records", code="BAD_JSON")
    return start == b"{"


def check_object_count(data: bytes, most_samples: int) -> None:
    """Counted before anything is built from it: a million samples would take a gigabyte of objects."""
    values = int(np.count_nonzero(np.frombuffer(data, np.uint8) == _BRACE))
    if values > most_samples * _OBJECTS_A_SAMPLE:
        raise too_many_samples(most_samples)
    if values > most_samples and data.count(b'"miner_id"') > most_samples:
        raise too_many_samples(most_samples)
    if len(data) > _LONG and values + data.count(b",") + data.count(b"[") > most_samples * _VALUES_A_SAMPLE:
        raise too_many_samples(most_samples)


def too_many_samples(most_samples: int) -> PayloadTooLarge:
    objects = most_samples * _OBJECTS_A_SAMPLE
    held = f"a batch holds at most {most_samples} samples, and {objects} objects in them: send fewer at a time"
    return PayloadTooLarge(held, code="TOO_MANY_SAMPLES")


_INT_CHARS = 40


def read_json(data: bytes) -> tuple[Any, bool]:
    """The value, and whether something in it may be no JSON."""
    try:
        return msgspec.json.decode(data), False
    except RecursionError:
        raise _too_deep() from None
    except (msgspec.DecodeError, ValueError):
        pass
    try:
        # bytes that are no UTF-8 become halves of characters, which are looked for like those that were sent as such
        return json.loads(data.decode(errors="surrogateescape"), parse_int=_whole, strict=False), True
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:
        raise MalformedBatch(f"this is not JSON: {error}"[:200], code="BAD_JSON") from None


def find_not_finite(sample: Mapping[str, Any]) -> str | None:
    """The first field whose value is NaN or infinite, or has such a number in its list."""
    return next((name for name, value in sample.items() if _is_not_finite(value)), None)


def _is_not_finite(value: Any) -> bool:
    if isinstance(value, list):
        return any(isinstance(one, float) and not math.isfinite(one) for one in value)
    return isinstance(value, float) and not math.isfinite(value)


def _whole(digits: str) -> int | float:
    """Python refuses to read thousands of digits as an int; as a float they are infinite."""
    return int(digits) if len(digits) <= _INT_CHARS else float(digits)


def _too_deep() -> MalformedBatch:
    return MalformedBatch("this is nested too deeply", code="BAD_JSON")


_NONCE_BYTES = range(8, 129)  # what the cipher takes; collectors send 12


@dataclass(frozen=True, repr=False)
class EncryptedBatch:
    """An envelope whose records are encrypted."""

    envelope: dict[str, Any]
    nonce: bytes
    ciphertext: bytes


def read_encrypted(envelope: dict[str, Any], payload: Any) -> EncryptedBatch:
    parts = payload if isinstance(payload, dict) else {}
    nonce, ciphertext = _bytes(parts.get("nonce_b64")), _bytes(parts.get("ciphertext_b64"))
    if nonce is None or ciphertext is None or len(nonce) not in _NONCE_BYTES:
        raise _unreadable("payload_enc needs nonce_b64 and ciphertext_b64, each in base64")
    return EncryptedBatch(envelope, nonce, ciphertext)


def decrypt(sealed: EncryptedBatch, keys: Iterable[bytes]) -> bytes:
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
