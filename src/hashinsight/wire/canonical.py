"""Canonical JSON (RFC 8785): the same value gives the same bytes in every language, so that signatures can be checked.

Keys sorted by UTF-16 units, no whitespace, numbers as ECMAScript writes them, UTF-8. A number that a double cannot hold
exactly is refused: another reader would see a different number.
"""

import math
from decimal import Decimal
from json.encoder import encode_basestring
from typing import Any

MAX_DEPTH = 32
_EXACT = 2**53
_MAX_INTEGER_DIGITS = 21  # beyond this ECMAScript writes an exponent
_MIN_EXPONENT = -6


def canonical_json(value: Any) -> bytes:
    """Raises ValueError for a value without a canonical form."""
    return _write(value, MAX_DEPTH).encode()  # raises ValueError for half a character


def _write(value: Any, depth: int) -> str:
    if isinstance(value, str):
        return encode_basestring(value)
    if value is None or isinstance(value, bool):
        return "null" if value is None else "true" if value else "false"
    if isinstance(value, int):
        return str(int(value)) if -_EXACT <= value <= _EXACT else _write_large(value)
    if isinstance(value, float):
        return _write_number(value)
    if not depth:
        raise ValueError("nested too deeply")
    if isinstance(value, dict):
        return "{" + ",".join(_write_members(value, depth - 1)) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(_write(item, depth - 1) for item in value) + "]"
    raise ValueError(f"{type(value).__name__} is not JSON")


def _write_members(value: dict[Any, Any], depth: int) -> list[str]:
    try:
        is_plain = "".join(value).isascii()
    except TypeError:
        raise ValueError("names in JSON must be strings") from None
    ordered = sorted(value) if is_plain else sorted(value, key=lambda name: name.encode("utf-16-be"))
    return [f"{encode_basestring(name)}:{_write(value[name], depth)}" for name in ordered]


def _write_large(value: int) -> str:
    """Only if readers that use doubles write it the same way."""
    try:
        written = _write_number(float(value))
    except OverflowError:
        written = ""
    if written != str(value):
        raise ValueError("integers beyond 2^53 differ between languages")
    return written


def _write_number(value: float) -> str:
    """The shortest digits that give the same double, formatted as ECMAScript does."""
    if not math.isfinite(value):
        raise ValueError("NaN and infinity are not JSON")
    if value == 0:
        return "0"
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    text = "".join(map(str, digits))
    point = len(text) + int(exponent)  # position of the decimal point, counted from the first digit
    if len(text) <= point <= _MAX_INTEGER_DIGITS:
        formatted = text.ljust(point, "0")
    elif 0 < point <= _MAX_INTEGER_DIGITS:
        formatted = f"{text[:point]}.{text[point:]}"
    elif _MIN_EXPONENT < point <= 0:
        formatted = f"0.{'0' * -point}{text}"
    else:
        formatted = f"{text[0]}{'.' if text[1:] else ''}{text[1:]}e{point - 1:+d}"
    return f"-{formatted}" if sign else formatted
