"""From the bytes of an upload to JSON text, within bounds: its length unzipped, and how much is in it. Pure."""

from typing import cast

import numpy as np
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


def unpack(body: bytes, *, most_bytes: int) -> bytes:
    """The JSON inside, unzipped where it is zipped. A bomb is refused at the byte that is too many."""
    data = unpack_within(body, most_bytes)
    if data is None:
        raise PayloadTooLarge(f"the batch unzips to more than {most_bytes} bytes", code="BATCH_TOO_LARGE")
    return data


def unpack_within(body: bytes, most_bytes: int) -> bytes | None:
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


def check_amount(data: bytes, most_samples: int) -> None:
    """Counted before anything is built from it: a million samples would take a gigabyte of objects."""
    values = int(np.count_nonzero(np.frombuffer(data, np.uint8) == _BRACE))
    if values > most_samples * _OBJECTS_A_SAMPLE:
        raise too_many(most_samples)
    if values > most_samples and data.count(b'"miner_id"') > most_samples:
        raise too_many(most_samples)
    if len(data) > _LONG and values + data.count(b",") + data.count(b"[") > most_samples * _VALUES_A_SAMPLE:
        raise too_many(most_samples)


def too_many(most_samples: int) -> PayloadTooLarge:
    objects = most_samples * _OBJECTS_A_SAMPLE
    held = f"a batch holds at most {most_samples} samples, and {objects} objects in them: send fewer at a time"
    return PayloadTooLarge(held, code="TOO_MANY_SAMPLES")
