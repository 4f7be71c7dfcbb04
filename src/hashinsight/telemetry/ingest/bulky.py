"""What has no column of its own: boards, unknown fields, raw data. Bounded, without addresses or credentials. Pure."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from hashinsight.kit.scrub import is_hidden_name, scrub_text
from hashinsight.telemetry.fields import DROPPED

MOST_BYTES = 8_192
_DEPTH = 6
_NAME_CHARS = 100
_MOST_INT = 2**63
_MOST_BOARDS = 1000
_FINE = frozenset({"ok", "healthy", "alive", "online", "true", "1"})
_TOO_MUCH = '{"dropped": "too large"}'


def encode_boards(values: Sequence[Any]) -> list[str | None]:
    return [_encoded(value) if isinstance(value, list) and value else None for value in values]


def count_boards(boards: Any) -> tuple[int, int] | None:
    """How many there are and how many hash, where a sample lists them."""
    if not isinstance(boards, list) or not 0 < len(boards) <= _MOST_BOARDS:
        return None
    return len(boards), sum(1 for board in boards if _hashes(board))


def encode_extra(
    extras: Sequence[Mapping[str, Any] | None] | None, raw_data: Sequence[Any] | None, count: int
) -> list[str | None] | None:
    """Unknown fields and `raw_data` together; None when no sample has any."""
    if extras is None and (raw_data is None or not any(raw_data)):
        return None
    found: list[str | None] = []
    for row in range(count):
        more = dict(extras[row] or {}) if extras is not None else {}
        if raw_data is not None and raw_data[row]:
            more["raw_data"] = raw_data[row]
        found.append(_encoded(more) if more else None)
    return found


def _hashes(board: Any) -> bool:
    if not isinstance(board, dict):
        return False
    for name in ("hashrate", "hashrate_ths", "hashrate_ghs", "rate"):
        value = board.get(name)
        if isinstance(value, int | float):
            return value > 0
    status = board.get("status", "ok")
    return status.lower() in _FINE if isinstance(status, str) else status in (True, 1)


class _TooMuch(Exception):
    pass


class _Cleaner:
    """Copies a value, and stops as soon as it is more than may be kept."""

    def __init__(self) -> None:
        self._left = MOST_BYTES

    def clean(self, value: Any, depth: int = _DEPTH) -> Any:
        if isinstance(value, str):
            self._spend(len(value))
            return _clean_text(value)
        self._spend(1)
        if isinstance(value, dict):
            return self._clean_object(value, depth) if depth else None
        if isinstance(value, list):
            return [self.clean(one, depth - 1) for one in value] if depth else None
        if isinstance(value, int) and abs(value) >= _MOST_INT:
            return None
        return value

    def _clean_object(self, value: dict[str, Any], depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, one in value.items():
            self._spend(len(name))
            if len(name) <= _NAME_CHARS and not _is_dropped(name):
                found[_clean_text(name)] = self.clean(one, depth - 1)
        return found

    def _spend(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise _TooMuch


def _encoded(value: Any) -> str:
    try:
        encoded = msgspec.json.encode(_Cleaner().clean(value))
    except _TooMuch:
        return _TOO_MUCH
    return encoded.decode() if len(encoded) <= MOST_BYTES else _TOO_MUCH


@lru_cache(maxsize=4096)
def _is_dropped(name: str) -> bool:
    return name.lower() in DROPPED or is_hidden_name(name)


@lru_cache(maxsize=1024)
def _clean_text(text: str) -> str:
    """Neither secrets nor what PostgreSQL cannot store: U+0000 and half characters."""
    return scrub_text(text.encode(errors="replace").decode().replace("\0", ""))
