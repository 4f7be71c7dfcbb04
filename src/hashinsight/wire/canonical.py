"""Canonical JSON (RFC 8785): the same value is the same bytes in every language, so that signatures can be checked.

Keys in the order of their UTF-16 units, no blanks, numbers as ECMAScript writes them, UTF-8. A number that a double
cannot hold exactly is refused: another reader would see another one.
"""

import math
from decimal import Decimal
from json.encoder import encode_basestring
from typing import Any

MAX_DEPTH = 32
_EXACT = 2**53
_LONGEST = 21  # digits before ECMAScript turns to exponents
_SMALLEST = -6


def canonical_json(value: Any) -> bytes:
    """The bytes; ValueError for what has no canonical form."""
    return _write(value, MAX_DEPTH).encode()  # half a character is a ValueError here


def _write(value: Any, depth: int) -> str:
    if isinstance(value, str):
        return encode_basestring(value)
    if value is None or isinstance(value, bool):
        return "null" if value is None else "true" if value else "false"
    if isinstance(value, int):
        return str(int(value)) if -_EXACT <= value <= _EXACT else _large(value)
    if isinstance(value, float):
        return _number(value)
    if not depth:
        raise ValueError("nested too deeply")
    if isinstance(value, dict):
        return "{" + ",".join(_members(value, depth - 1)) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(_write(one, depth - 1) for one in value) + "]"
    raise ValueError(f"{type(value).__name__} is not JSON")


def _members(value: dict[Any, Any], depth: int) -> list[str]:
    try:
        is_plain = "".join(value).isascii()
    except TypeError:
        raise ValueError("a name in JSON is a text") from None
    ordered = sorted(value) if is_plain else sorted(value, key=lambda name: name.encode("utf-16-be"))
    return [f"{encode_basestring(name)}:{_write(value[name], depth)}" for name in ordered]


def _large(value: int) -> str:
    """Only if it is spelled the same by those who read every number as a double."""
    try:
        written = _number(float(value))
    except OverflowError:
        written = ""
    if written != str(value):
        raise ValueError("a whole number beyond 2^53 is not the same in every language")
    return written


def _number(value: float) -> str:
    """Shortest digits that give the same double, laid out as ECMAScript does."""
    if not math.isfinite(value):
        raise ValueError("NaN and infinity are not JSON")
    if value == 0:
        return "0"
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    text = "".join(map(str, digits))
    point = len(text) + int(exponent)  # where the decimal point stands, counted from the first digit
    if len(text) <= point <= _LONGEST:
        shown = text.ljust(point, "0")
    elif 0 < point <= _LONGEST:
        shown = f"{text[:point]}.{text[point:]}"
    elif _SMALLEST < point <= 0:
        shown = f"0.{'0' * -point}{text}"
    else:
        shown = f"{text[0]}{'.' if text[1:] else ''}{text[1:]}e{point - 1:+d}"
    return f"-{shown}" if sign else shown
