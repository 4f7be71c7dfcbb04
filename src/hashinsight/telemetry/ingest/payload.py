"""From the bytes of an upload to JSON: unzip, decrypt, limit the size, read invalid numbers leniently. Pure."""

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
_NOT_GZIP = cast("type[Exception]", isal_zlib.error)  # the stub declares it as an instance
_BOM = b"\xef\xbb\xbf"
_BLANKS = b" \t\r\n"
_BRACE = ord("{")
_OBJECTS_PER_SAMPLE = 16  # the sample and its boards
_VALUES_PER_SAMPLE = 512
_LONG = 2_000_000  # shorter data cannot hold too many values
_MAX_DIGITS = 40
_NONCE_BYTES = range(8, 129)  # what the cipher accepts; collectors send 12


class MalformedBatch(HashInsightError):
    """The whole batch cannot be read; nothing is stored."""

    status = 422
    code = "MALFORMED_BATCH"


def unzip(body: bytes, *, max_bytes: int) -> bytes:
    """The JSON, unzipped if it is gzip. A zip bomb is refused as soon as it exceeds the limit."""
    data = unzip_within(body, max_bytes)
    if data is None:
        raise PayloadTooLarge(f"the batch unzips to more than {max_bytes} bytes", code="BATCH_TOO_LARGE")
    return data


def unzip_within(body: bytes, max_bytes: int) -> bytes | None:
    """The JSON, unzipped if it is gzip; None if it is longer than `max_bytes`."""
    if not body.startswith(_GZIP):
        return body.removeprefix(_BOM) if len(body) <= max_bytes else None
    decompressor = isal_zlib.decompressobj(16 + isal_zlib.MAX_WBITS)
    try:
        data = decompressor.decompress(body, max_bytes + 1)
    except _NOT_GZIP as error:
        raise MalformedBatch(f"not valid gzip: {error}", code="BAD_GZIP") from None
    if len(data) > max_bytes:
        return None
    if not decompressor.eof:
        raise MalformedBatch("the gzip data is truncated", code="BAD_GZIP")
    if decompressor.unused_data:
        raise MalformedBatch("extra bytes after the gzip data", code="BAD_GZIP")
    return data.removeprefix(_BOM)


def is_envelope(data: bytes) -> bool:
    """Whether it is an envelope or a bare array; anything else is refused."""
    start = data[:64].lstrip(_BLANKS)[:1] or data.lstrip(_BLANKS)[:1]
    if start not in (b"[", b"{"):
        raise MalformedBatch("a batch must be a JSON array of samples, or an envelope with records", code="BAD_JSON")
    return start == b"{"


def check_object_count(data: bytes, max_samples: int) -> None:
    """Checked before decoding: a million samples would take a gigabyte of objects."""
    objects = int(np.count_nonzero(np.frombuffer(data, np.uint8) == _BRACE))
    if objects > max_samples * _OBJECTS_PER_SAMPLE:
        raise too_many_samples(max_samples)
    if objects > max_samples and data.count(b'"miner_id"') > max_samples:
        raise too_many_samples(max_samples)
    if len(data) > _LONG and objects + data.count(b",") + data.count(b"[") > max_samples * _VALUES_PER_SAMPLE:
        raise too_many_samples(max_samples)


def too_many_samples(max_samples: int) -> PayloadTooLarge:
    max_objects = max_samples * _OBJECTS_PER_SAMPLE
    message = f"at most {max_samples} samples and {max_objects} JSON objects per batch: send smaller batches"
    return PayloadTooLarge(message, code="TOO_MANY_SAMPLES")


def read_json(data: bytes) -> tuple[Any, bool]:
    """The value, and whether it may hold values that are not valid JSON.

    Collectors write NaN, Infinity, numbers that no float holds and half characters: such a value must cost its own
    sample, not the batch. So data that the strict reader refuses is read again leniently.
    """
    try:
        return msgspec.json.decode(data), False
    except RecursionError:
        raise _too_deep() from None
    except (msgspec.DecodeError, ValueError):
        pass
    try:
        # invalid UTF-8 becomes half characters, which are checked for later
        return json.loads(data.decode(errors="surrogateescape"), parse_int=_parse_int, strict=False), True
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:
        raise MalformedBatch(f"not valid JSON: {error}"[:200], code="BAD_JSON") from None


def find_not_finite(sample: Mapping[str, Any]) -> str | None:
    """The first field that is NaN or infinite, or lists such a number."""
    return next((name for name, value in sample.items() if _is_not_finite(value)), None)


def _is_not_finite(value: Any) -> bool:
    if isinstance(value, list):
        return any(isinstance(item, float) and not math.isfinite(item) for item in value)
    return isinstance(value, float) and not math.isfinite(value)


def _parse_int(digits: str) -> int | float:
    """Python refuses integers of thousands of digits; as a float they are infinite."""
    return int(digits) if len(digits) <= _MAX_DIGITS else float(digits)


def _too_deep() -> MalformedBatch:
    return MalformedBatch("nested too deeply", code="BAD_JSON")


@dataclass(frozen=True, repr=False)
class EncryptedBatch:
    """An envelope whose records are encrypted."""

    envelope: dict[str, Any]
    nonce: bytes
    ciphertext: bytes


def read_encrypted(envelope: dict[str, Any], payload: Any) -> EncryptedBatch:
    parts = payload if isinstance(payload, dict) else {}
    nonce, ciphertext = _decode_base64(parts.get("nonce_b64")), _decode_base64(parts.get("ciphertext_b64"))
    if nonce is None or ciphertext is None or len(nonce) not in _NONCE_BYTES:
        raise _unreadable("payload_enc needs nonce_b64 and ciphertext_b64, each in base64")
    return EncryptedBatch(envelope, nonce, ciphertext)


def decrypt(encrypted: EncryptedBatch, keys: Iterable[bytes]) -> bytes:
    """The JSON of the records, possibly gzip. Two keys are valid during a rotation: the one that fits is used."""
    has_key = False
    for key in keys:
        has_key = True
        try:
            return AESGCM(key).decrypt(encrypted.nonce, encrypted.ciphertext, None)
        except InvalidTag:
            continue
    if not has_key:
        raise MalformedBatch("this collector has no payload key", code="PAYLOAD_KEY_UNKNOWN")
    raise _unreadable("the payload was not encrypted with this collector's key, or was modified")


def _decode_base64(text: Any) -> bytes | None:
    if not isinstance(text, str):
        return None
    try:
        return b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None


def _unreadable(message: str) -> MalformedBatch:
    return MalformedBatch(message, code="PAYLOAD_UNREADABLE")
