"""Data without its own column: boards, unknown fields, raw data. Bounded, without addresses and credentials. Pure."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from hashinsight.kit.scrub import GROUP_COST, NAME_COST, Scrubber, is_hidden_name
from hashinsight.telemetry.fields import DROPPED
from hashinsight.telemetry.ingest.samples import Floats

MAX_BYTES = 8_192
_MAX_DEPTH = 6
_NAME_CHARS = 100
_MAX_INT = 2**63
_MAX_BOARDS = 1000
_HEALTHY_WORDS = frozenset({"ok", "healthy", "alive", "online", "true", "1"})
_CHIPS = ("chips", "chips_found", "working_chips", "asic_num")
_CLEAN_TEXTS: set[str] = set()  # known to hold no secrets: machines repeat the same few texts
_CLEAN_NAMES: set[str] = set()  # names of fields that are kept
_MAX_REMEMBERED = 4096
_STEPS_PER_CHARACTER = 2  # characters that could be searched in the time of one step
_DROPPED_NOTE = '{"dropped": "too large"}'


def encode_boards(values: Sequence[Any], scrubber: Scrubber) -> list[str | None]:
    return [_encode(value, scrubber) if isinstance(value, list) and value else None for value in values]


def count_boards(boards: Any) -> tuple[int, int | None] | None:
    """How many boards are listed and how many hash; None for the second if no board tells."""
    if not isinstance(boards, list) or not 0 < len(boards) <= _MAX_BOARDS:
        return None
    hashing = [_is_hashing(board) for board in boards]
    return len(boards), None if all(state is None for state in hashing) else sum(state is True for state in hashing)


def with_temperatures(boards: Sequence[Any], temps_c: Mapping[int, Floats]) -> list[Any]:
    """Boards with the temperatures sent by board number; a board's own temperature has priority."""
    numbered = {number: values.tolist() for number, values in temps_c.items()}
    return [
        _with_temperatures(listed, {number: values[row] for number, values in numbered.items()})
        for row, listed in enumerate(boards)
    ]


def _with_temperatures(listed: Any, temps_c: Mapping[int, float]) -> Any:
    known = {number: temp_c for number, temp_c in temps_c.items() if temp_c == temp_c}  # noqa: PLR0124 - NaN
    if not isinstance(listed, list) or not listed:
        return [{"board": number, "temp_c": temp_c} for number, temp_c in known.items()]
    merged = list(listed)
    for number, temp_c in known.items():
        if number <= len(merged) and isinstance(merged[number - 1], dict):
            merged[number - 1] = {"temp_c": temp_c, **merged[number - 1]}
    return merged


def encode_extra(
    extras: Sequence[Mapping[str, Any] | None] | None,
    raw_data: Sequence[Any] | None,
    numbers: Mapping[str, Floats],
    scrubber: Scrubber,
    *,
    count: int,
) -> list[str | None] | None:
    """Unknown fields, `raw_data` and numbers without a column, as JSON; None if no sample has any."""
    if extras is None and (raw_data is None or not any(raw_data)):
        return encode_numbers(numbers) if numbers else None
    columns = {name: values.tolist() for name, values in numbers.items()}
    encoded_rows: list[str | None] = []
    for row in range(count):
        extra = dict(extras[row] or {}) if extras is not None else {}
        extra |= _known_at(columns, row)
        if raw_data is not None and raw_data[row]:
            extra["raw_data"] = raw_data[row]
        encoded_rows.append(_encode(extra, scrubber) if extra else None)
    return encoded_rows


def encode_numbers(numbers: Mapping[str, Floats]) -> list[str | None] | None:
    """Our own names and numbers hold no secrets, so they are not searched."""
    columns = {name: values.tolist() for name, values in numbers.items()}
    rows = range(len(next(iter(columns.values()))))
    known = [_known_at(columns, row) for row in rows]
    return [msgspec.json.encode(row).decode() if row else None for row in known] if any(known) else None


def _known_at(columns: Mapping[str, Sequence[float]], row: int) -> dict[str, float]:
    return {name: values[row] for name, values in columns.items() if values[row] == values[row]}


def _is_hashing(board: Any) -> bool | None:
    """By its chips, hashrate or status; None if it has none of them."""
    if not isinstance(board, dict):
        return None
    if any(board.get(name) == 0 for name in _CHIPS):
        return False
    for name in ("hashrate", "hashrate_ths", "hashrate_ghs", "rate"):
        value = board.get(name)
        if isinstance(value, int | float):
            return value > 0
    status = board.get("status")
    if status is not None:
        return status.lower() in _HEALTHY_WORDS if isinstance(status, str) else status in (True, 1)
    return True if any(isinstance(board.get(name), int | float) for name in _CHIPS) else None


class _TooLarge(Exception):
    pass


class _Cleaner:
    """Copies a value, and stops as soon as it exceeds the limit. `steps` counts the work."""

    def __init__(self, scrubber: Scrubber) -> None:
        self.steps = 0
        self._left = MAX_BYTES
        self._scrubber = scrubber

    def clean(self, value: Any, depth: int = _MAX_DEPTH) -> Any:
        if isinstance(value, str):
            self._spend(len(value))
            return value if value in _CLEAN_TEXTS else self._clean_text(value)
        self._spend(1)
        if isinstance(value, dict):
            self.steps += GROUP_COST
            return self._clean_object(value, depth) if depth else None
        if isinstance(value, list):
            self.steps += GROUP_COST
            return [self.clean(item, depth - 1) for item in value] if depth else None
        if isinstance(value, int) and abs(value) >= _MAX_INT:
            return None
        return value

    def _clean_object(self, value: dict[str, Any], depth: int) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for name, item in value.items():
            self._spend(len(name))
            if name in _CLEAN_NAMES:
                result[name] = self.clean(item, depth - 1)
            elif not self._scrubber.spend(NAME_COST):
                raise _TooLarge
            elif len(name) <= _NAME_CHARS and not _is_dropped(name):
                cleaned = self._clean_text(name)
                if cleaned == name:
                    _remember(_CLEAN_NAMES, name)
                result[cleaned] = self.clean(item, depth - 1)
        return result

    def _clean_text(self, text: str) -> str:
        """Removes secrets and what PostgreSQL cannot store: U+0000 and half characters."""
        storable = text if text.isprintable() else text.encode(errors="replace").decode().replace("\0", "")
        cleaned = self._scrubber.text(storable)
        if cleaned == text and len(text) <= _NAME_CHARS:
            _remember(_CLEAN_TEXTS, text)
        return cleaned

    def _spend(self, size: int) -> None:
        self.steps += 1
        self._left -= size
        if self._left < 0:
            raise _TooLarge


def _remember(texts: set[str], text: str) -> None:
    if len(texts) >= _MAX_REMEMBERED:
        texts.clear()
    texts.add(text)


def _encode(value: Any, scrubber: Scrubber) -> str:
    if not scrubber.spend(GROUP_COST):
        return _DROPPED_NOTE
    cleaner = _Cleaner(scrubber)
    try:
        encoded = msgspec.json.encode(cleaner.clean(value))
    except _TooLarge:
        return _DROPPED_NOTE
    finally:
        scrubber.spend(cleaner.steps // _STEPS_PER_CHARACTER)
    return encoded.decode() if len(encoded) <= MAX_BYTES else _DROPPED_NOTE


@lru_cache(maxsize=4096)
def _is_dropped(name: str) -> bool:
    return name.lower() in DROPPED or is_hidden_name(name)
