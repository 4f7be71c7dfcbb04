"""Keyset paging: `limit` and `cursor` in, `next_cursor` out.

A page starts after the key of the last row of the previous one: rows added or removed in between are neither repeated
nor skipped, and page 10,000 costs as much as page 1.
"""

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast
from uuid import UUID

from sqlalchemy import ColumnElement, Select, SQLColumnExpression, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.kit.errors import ValidationFailed

MAX_LIMIT = 1000
MAX_CURSOR_CHARS = 1024

_TAGS: dict[str, tuple[type, Callable[[Any], Any]]] = {
    "t": (datetime, datetime.fromisoformat),
    "u": (UUID, UUID),
    "i": (int, int),
    "f": (float, float),
    "s": (str, str),
}


@dataclass(frozen=True)
class Page:
    rows: Sequence[Any]
    next_cursor: str | None


def encode_cursor(key: Sequence[Any]) -> str:
    tagged = []
    for value in key:
        tag = next(tag for tag, (kind, _) in _TAGS.items() if type(value) is kind)
        tagged.append([tag, value if tag in "if" else str(value)])
    raw = json.dumps(tagged, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def decode_cursor(cursor: str, kinds: Sequence[type]) -> tuple[Any, ...]:
    """The key in a cursor; anything else is refused."""
    if len(cursor) > MAX_CURSOR_CHARS:
        raise ValidationFailed("invalid cursor: too long")
    try:
        tagged = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
        key = tuple(_read(tag, value) for tag, value in tagged)
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError, binascii.Error) as error:
        raise ValidationFailed("invalid cursor") from error
    if [type(value) for value in key] != list(kinds):
        raise ValidationFailed("the cursor belongs to another list")
    return key


async def page(
    session: AsyncSession,
    query: Select[*tuple[Any, ...]],
    key: Sequence[SQLColumnExpression[Any]],
    *,
    limit: int,
    cursor: str | None = None,
    descending: bool = False,
) -> Page:
    """One page of `query`, ordered by `key` (together unique, not null, all in one direction)."""
    if not 1 <= limit <= MAX_LIMIT:
        raise ValidationFailed(f"limit must be between 1 and {MAX_LIMIT}", details={"limit": limit})
    if cursor is not None:
        kinds = [cast("ColumnElement[Any]", column).type.python_type for column in key]
        bound = tuple_(*decode_cursor(cursor, kinds))
        query = query.where(tuple_(*key) < bound if descending else tuple_(*key) > bound)
    ordered = query.order_by(*(column.desc() if descending else column.asc() for column in key))
    labelled = ordered.add_columns(*(column.label(f"_key_{n}") for n, column in enumerate(key)))
    rows = (await session.execute(labelled.limit(limit + 1))).all()
    shown = rows[:limit]
    more = len(rows) > limit
    width = len(key)
    return Page(
        rows=[row[0] if len(row) == width + 1 else tuple(row[:-width]) for row in shown],
        next_cursor=encode_cursor(shown[-1][-width:]) if more else None,
    )


def _read(tag: str, value: Any) -> Any:
    kind, parse = _TAGS[tag]
    parsed = parse(value)
    if kind in (int, float) and type(value) is not kind:
        raise ValueError("a number was expected")
    if kind is datetime and parsed.tzinfo is None:
        raise ValueError("time zone missing")
    if kind is int and not -(2**63) <= parsed < 2**63:
        raise ValueError("number out of range")
    if kind is str:
        value.encode()  # a lone surrogate cannot be stored
        if "\0" in value:
            raise ValueError("invalid text")
    return parsed
