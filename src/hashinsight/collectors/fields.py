"""Field types of requests: bounded, and without characters that the database cannot store. Pure."""

import json
import re
from base64 import b64decode
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from hashinsight.kit.clock import in_utc
from hashinsight.wire.freshness import MAX_INTERVAL_SEC

MAX_BAG_BYTES = 16 * 1024
_MAX_COUNT = 2**31 - 1
_KEY_BYTES = 32
# an odd number of backslashes before it makes it plain text
_ESCAPED_NUL = re.compile(r"(?<!\\)(?:\\\\)*+\\u0000")


def storable(text: str) -> str:
    """PostgreSQL stores neither NUL nor lone surrogates."""
    if "\0" in text:
        raise ValueError("contains a NUL character")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("contains a lone surrogate") from None
    return text


def bounded(bag: dict[str, Any]) -> dict[str, Any]:
    """Any JSON that the database can store, up to a size."""
    try:
        encoded = json.dumps(bag, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if _ESCAPED_NUL.search(encoded):
        raise ValueError("contains a NUL character")
    if len(storable(encoded).encode()) > MAX_BAG_BYTES:
        raise ValueError(f"larger than {MAX_BAG_BYTES} bytes")
    return bag


def parse_key(text: str) -> bytes:
    """An AES-256 key from base64; errors do not repeat it."""
    try:
        key = b64decode(text.strip(), validate=True)
    except ValueError:
        raise ValueError("not base64") from None
    if len(key) != _KEY_BYTES:
        raise ValueError(f"an AES-256 key must have {_KEY_BYTES} bytes")
    return key


_Storable = AfterValidator(storable)
Line = Annotated[str, StringConstraints(strip_whitespace=True, max_length=200), _Storable]
Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120), _Storable]
Paragraph = Annotated[str, StringConstraints(max_length=4000), _Storable]
Bag = Annotated[dict[str, Any], AfterValidator(bounded)]
Instant = Annotated[datetime, AfterValidator(in_utc)]  # any year: collectors may have wrong clocks
Percent = Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0, le=_MAX_COUNT)]
BigCount = Annotated[int, Field(ge=0, le=2**53)]
IntervalSec = Annotated[int, Field(ge=1, le=MAX_INTERVAL_SEC)]


class EdgeBody(BaseModel):
    """Bodies from collectors, of several makes and versions: unknown fields are ignored."""

    model_config = ConfigDict(extra="ignore")


def as_json(values: Mapping[str, Any]) -> dict[str, Any]:
    """As JSON values, for the audit log."""
    converted: dict[str, Any] = json.loads(json.dumps(dict(values), default=str))
    return converted
