"""JSON from field collectors made safe to store: finite numbers, valid characters, no NUL, limited size.

Collectors write NaN, cut characters in half and nest without limit. That must not cost the whole message: required
fields are read strictly elsewhere, free values are repaired here. Addresses and credentials are NOT removed; the
server scrubs a message before it stores or logs it.
"""

import json
import math
import re
from typing import Any


class MalformedMessage(ValueError):
    """The message never repeats content that was sent."""

    def __init__(self, message: str, *, code: str) -> None:
        super().__init__(message)
        self.code = code


MAX_BYTES = 16 * 1024  # of one free value; a snapshot with every chip's temperature is a fifth of it
MAX_DEPTH = 8
MAX_GROUPS = 500  # lists and objects in one free value: each costs more than its two characters suggest
_MAX_DIGITS = 40
_MAX_NUMBER = 1e18
_NUMBER_CHARS = 25
_PUNCTUATION_CHARS = 6
_SMALL = MAX_BYTES // 4  # characters that cannot exceed MAX_BYTES in any encoding
_NUMBERS = frozenset({int, float, bool})

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_DECODER = json.JSONDecoder(strict=False, parse_constant=lambda _: None)
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def decode_json(body: bytes) -> Any:
    """Decode a document. NaN and Infinity become null, invalid UTF-8 becomes U+FFFD."""
    text = body.decode("utf-8-sig", "replace")
    try:
        try:
            return _DECODER.decode(text)
        except json.JSONDecodeError:
            raise
        except ValueError:  # Python refuses integers of thousands of digits
            return json.JSONDecoder(strict=False, parse_constant=lambda _: None, parse_int=_parse_int).decode(text)
    except RecursionError:
        raise MalformedMessage("nested too deeply", code="BAD_JSON") from None
    except json.JSONDecodeError as error:
        raise MalformedMessage(f"not valid JSON: {error.msg} at {error.pos}", code="BAD_JSON") from None


def bound_value(value: Any) -> Any:
    """The value within the size limits, or a note that it was dropped."""
    if value is None:
        return None
    try:
        if isinstance(value, dict | list) and _max_chars(value, MAX_DEPTH) <= _SMALL:
            return value
    except _NotPlain:
        pass
    try:
        repaired = _Repairer().repair(value, MAX_DEPTH)
        if len(_ENCODER.encode(repaired).encode()) <= MAX_BYTES:
            return repaired
    except _TooDeep:
        return {"dropped": "nested too deeply"}
    except _TooLarge:
        pass
    return {"dropped": "too large"}


def find_text(value: Any, max_chars: int) -> str | None:
    """One line of at most `max_chars` characters; None if the value is empty."""
    if value is None:  # the usual case, so checked first
        return None
    match value:
        case str():
            text = value
        case bool():
            return None
        case int():
            text = str(value) if abs(value) < 10**_MAX_DIGITS else ""
        case float():
            text = repr(value) if math.isfinite(value) else ""
        case _:
            text = _ENCODER.encode(bound_value(value)) if value else ""
    text = text[: 2 * max_chars]
    if not text.isprintable():
        text = _CONTROLS.sub(" ", _valid_characters(text))
    return text.strip()[:max_chars] or None


class _TooDeep(Exception):
    pass


class _TooLarge(Exception):
    pass


class _NotPlain(Exception):
    """Not plain and small like nearly all values: needs the slow path."""


def _max_chars(value: dict[str, Any] | list[Any], depth: int) -> int:
    """An upper bound for the length of its JSON, without encoding it: a batch of acks holds a hundred snapshots."""
    names = "".join(value) if isinstance(value, dict) else ""
    size = 2 * len(names) + _PUNCTUATION_CHARS * (len(value) + 1)
    if not names.isprintable():
        raise _NotPlain
    for item in value.values() if isinstance(value, dict) else value:
        if size > _SMALL:
            raise _NotPlain
        item_type = type(item)
        if item_type is str and item.isprintable():
            size += 2 * len(item)
        elif (item_type in _NUMBERS and -_MAX_NUMBER < item < _MAX_NUMBER) or item is None:  # NaN is not
            size += _NUMBER_CHARS
        elif (item_type is dict or item_type is list) and depth > 1:
            size += _max_chars(item, depth - 1)
        else:
            raise _NotPlain
    return size


class _Repairer:
    """Copies a value, and stops as soon as its JSON is over the limit."""

    def __init__(self) -> None:
        self._bytes_left, self._groups_left = MAX_BYTES, MAX_GROUPS

    def repair(self, value: Any, depth: int) -> Any:
        match value:
            case str():
                self._spend(len(value))
                return _valid_characters(value)
            case float():
                return value if math.isfinite(value) else None
            case bool() | None:
                return value
            case int():
                return value if abs(value) < 10**_MAX_DIGITS else None
        if not depth:
            raise _TooDeep
        self._groups_left -= 1
        if self._groups_left < 0:
            raise _TooLarge
        self._spend(2 * len(value))  # at least one character per item, and a comma
        if isinstance(value, dict):
            return {self.repair(str(name), 1): self.repair(item, depth - 1) for name, item in value.items()}
        return [self.repair(item, depth - 1) for item in value]

    def _spend(self, size: int) -> None:
        self._bytes_left -= size
        if self._bytes_left < 0:
            raise _TooLarge


def _valid_characters(text: str) -> str:
    return text.replace("\0", "").encode(errors="replace").decode()


def _parse_int(digits: str) -> int | None:
    return int(digits) if len(digits) <= _MAX_DIGITS else None
