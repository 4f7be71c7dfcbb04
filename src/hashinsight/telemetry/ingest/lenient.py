"""JSON as collectors write it: NaN and Infinity, numbers that no float holds, half a character. Pure.

Strict and fast first. What the strict reader refuses is read again by a lenient one, so that such a value costs its
own sample and not the batch.
"""

import json
import math
from collections.abc import Mapping
from typing import Any

import msgspec

from hashinsight.telemetry.ingest.unpacking import MalformedBatch

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
