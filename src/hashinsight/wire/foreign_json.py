"""Foreign JSON, made safe to keep: finite numbers, whole characters, no NUL, and only so much of it.

Field collectors write NaN, cut characters in half and nest what they like. None of that may cost the message that it
sits in: what decides is read strictly elsewhere, what merely tells is mended here. Addresses and credentials are NOT
taken out: the words that betray them are the server's knowledge, so whoever stores or logs a message scrubs it first.
"""

import json
import math
import re
from typing import Any


class MalformedMessage(ValueError):
    """`str()` says what is wrong and repeats nothing of what was sent."""

    def __init__(self, message: str, *, code: str) -> None:
        super().__init__(message)
        self.code = code


MAX_BYTES = 16 * 1024  # of one free value: a snapshot of a machine with every chip's temperature is a fifth of it
MAX_DEPTH = 8
MAX_GROUPS = 500  # lists and objects in one free value: each costs more than its two characters
_MOST_DIGITS = 40
_LARGEST = 1e18
_NUMBER_CHARS = 25
_PUNCTUATION_CHARS = 6
_SMALL = MAX_BYTES // 4  # characters that are surely no more bytes than may be kept
_NUMBERS = frozenset({int, float, bool})

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_DECODER = json.JSONDecoder(strict=False, parse_constant=lambda _: None)
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def decode_json(body: bytes) -> Any:
    """The document. NaN and Infinity are read as null, bytes that are no UTF-8 as U+FFFD."""
    text = body.decode("utf-8-sig", "replace")
    try:
        try:
            return _DECODER.decode(text)
        except json.JSONDecodeError:
            raise
        except ValueError:  # Python refuses to read thousands of digits
            return json.JSONDecoder(strict=False, parse_constant=lambda _: None, parse_int=_whole).decode(text)
    except RecursionError:
        raise MalformedMessage("nested too deeply", code="BAD_JSON") from None
    except json.JSONDecodeError as error:
        raise MalformedMessage(f"this is not JSON: {error.msg} at {error.pos}", code="BAD_JSON") from None


def bound_value(value: Any) -> Any:
    """The value as it can be kept, or a note that it was too large."""
    if value is None:
        return None
    try:
        if isinstance(value, dict | list) and _most_chars(value, MAX_DEPTH) <= _SMALL:
            return value
    except _Odd:
        pass
    try:
        mended = _Mender().mend(value, MAX_DEPTH)
        if len(_ENCODER.encode(mended).encode()) <= MAX_BYTES:
            return mended
    except _TooDeep:
        return {"dropped": "nested too deeply"}
    except _TooLarge:
        pass
    return {"dropped": "too large"}


def find_text(value: Any, most: int) -> str | None:
    """One line of at most so many characters; None for what says nothing."""
    if value is None:  # of nearly all that could be said
        return None
    match value:
        case str():
            text = value
        case bool():
            return None
        case int():
            text = str(value) if abs(value) < 10**_MOST_DIGITS else ""
        case float():
            text = repr(value) if math.isfinite(value) else ""
        case _:
            text = _ENCODER.encode(bound_value(value)) if value else ""
    text = text[: 2 * most]
    if not text.isprintable():
        text = _CONTROLS.sub(" ", _whole_characters(text))
    return text.strip()[:most] or None


class _TooDeep(Exception):
    pass


class _TooLarge(Exception):
    pass


class _Odd(Exception):
    """Not as plain and small as nearly all are: to be looked at value by value."""


def _most_chars(value: dict[str, Any] | list[Any], depth: int) -> int:
    """More characters than its JSON has, without writing it: a batch of acks holds a hundred snapshots."""
    names = "".join(value) if isinstance(value, dict) else ""
    size = 2 * len(names) + _PUNCTUATION_CHARS * (len(value) + 1)
    if not names.isprintable():
        raise _Odd
    for one in value.values() if isinstance(value, dict) else value:
        if size > _SMALL:
            raise _Odd
        kind = type(one)
        if kind is str and one.isprintable():
            size += 2 * len(one)
        elif (kind in _NUMBERS and -_LARGEST < one < _LARGEST) or one is None:  # NaN is not
            size += _NUMBER_CHARS
        elif (kind is dict or kind is list) and depth > 1:
            size += _most_chars(one, depth - 1)
        else:
            raise _Odd
    return size


class _Mender:
    """Copies a value, and stops as soon as its JSON is more than may be kept."""

    def __init__(self) -> None:
        self._bytes_left, self._groups_left = MAX_BYTES, MAX_GROUPS

    def mend(self, value: Any, depth: int) -> Any:
        match value:
            case str():
                self._spend(len(value))
                return _whole_characters(value)
            case float():
                return value if math.isfinite(value) else None
            case bool() | None:
                return value
            case int():
                return value if abs(value) < 10**_MOST_DIGITS else None
        if not depth:
            raise _TooDeep
        self._groups_left -= 1
        if self._groups_left < 0:
            raise _TooLarge
        self._spend(2 * len(value))  # a character each and one between them
        if isinstance(value, dict):
            return {self.mend(str(name), 1): self.mend(one, depth - 1) for name, one in value.items()}
        return [self.mend(one, depth - 1) for one in value]

    def _spend(self, size: int) -> None:
        self._bytes_left -= size
        if self._bytes_left < 0:
            raise _TooLarge


def _whole_characters(text: str) -> str:
    return text.replace("\0", "").encode(errors="replace").decode()


def _whole(digits: str) -> int | None:
    return int(digits) if len(digits) <= _MOST_DIGITS else None
