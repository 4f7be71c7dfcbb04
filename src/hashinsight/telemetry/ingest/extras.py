"""What has no column of its own: boards, unknown fields, raw data. Bounded, without addresses or credentials. Pure."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from hashinsight.kit.scrub import GROUP_COST, NAME_COST, Scrubber, is_hidden_name
from hashinsight.telemetry.fields import DROPPED
from hashinsight.telemetry.ingest.lists import Floats

MOST_BYTES = 8_192
_DEPTH = 6
_NAME_CHARS = 100
_MOST_INT = 2**63
_MOST_BOARDS = 1000
_FINE = frozenset({"ok", "healthy", "alive", "online", "true", "1"})
_CHIPS = ("chips", "chips_found", "working_chips", "asic_num")
_FINE_TEXTS: set[str] = set()  # that hold nothing to be taken out: machines say the same few a million times
_FINE_NAMES: set[str] = set()  # the same of names of fields that are kept
_MOST_FINE = 4096
_STEPS_A_CHARACTER = 2  # that could be searched in the time
_TOO_MUCH = '{"dropped": "too large"}'


def encode_boards(values: Sequence[Any], scrubber: Scrubber) -> list[str | None]:
    return [_encoded(value, scrubber) if isinstance(value, list) and value else None for value in values]


def count_boards(boards: Any) -> tuple[int, int | None] | None:
    """How many there are and how many hash, where a sample lists them; None for the second where no board says."""
    if not isinstance(boards, list) or not 0 < len(boards) <= _MOST_BOARDS:
        return None
    said = [_hashes(board) for board in boards]
    return len(boards), None if all(one is None for one in said) else sum(one is True for one in said)


def with_temperatures(boards: Sequence[Any], temps_c: Mapping[int, Floats]) -> list[Any]:
    """Boards with the temperatures that came by their number; a board that tells its own keeps that."""
    numbered = {number: values.tolist() for number, values in temps_c.items()}
    return [
        _with_temperatures(listed, {number: values[row] for number, values in numbered.items()})
        for row, listed in enumerate(boards)
    ]


def _with_temperatures(listed: Any, temps_c: Mapping[int, float]) -> Any:
    known = {number: temp_c for number, temp_c in temps_c.items() if temp_c == temp_c}  # noqa: PLR0124 - NaN
    if not isinstance(listed, list) or not listed:
        return [{"board": number, "temp_c": temp_c} for number, temp_c in known.items()]
    told = list(listed)
    for number, temp_c in known.items():
        if number <= len(told) and isinstance(told[number - 1], dict):
            told[number - 1] = {"temp_c": temp_c, **told[number - 1]}
    return told


def encode_extra(
    extras: Sequence[Mapping[str, Any] | None] | None,
    raw_data: Sequence[Any] | None,
    numbers: Mapping[str, Floats],
    scrubber: Scrubber,
    *,
    count: int,
) -> list[str | None] | None:
    """Unknown fields, `raw_data` and numbers without a column together; None when no sample has any."""
    if extras is None and (raw_data is None or not any(raw_data)):
        return encode_numbers(numbers) if numbers else None
    columns = {name: values.tolist() for name, values in numbers.items()}
    found: list[str | None] = []
    for row in range(count):
        more = dict(extras[row] or {}) if extras is not None else {}
        more |= _known_at(columns, row)
        if raw_data is not None and raw_data[row]:
            more["raw_data"] = raw_data[row]
        found.append(_encoded(more, scrubber) if more else None)
    return found


def encode_numbers(numbers: Mapping[str, Floats]) -> list[str | None] | None:
    """Names and numbers of ours hold no secrets: nothing has to be searched."""
    columns = {name: values.tolist() for name, values in numbers.items()}
    rows = range(len(next(iter(columns.values()))))
    known = [_known_at(columns, row) for row in rows]
    return [msgspec.json.encode(one).decode() if one else None for one in known] if any(known) else None


def _known_at(columns: Mapping[str, Sequence[float]], row: int) -> dict[str, float]:
    return {name: values[row] for name, values in columns.items() if values[row] == values[row]}


def _hashes(board: Any) -> bool | None:
    """By its chips, its hashrate, its status; None where it says none of them, which nobody takes for a sound one."""
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
        return status.lower() in _FINE if isinstance(status, str) else status in (True, 1)
    return True if any(isinstance(board.get(name), int | float) for name in _CHIPS) else None


class _TooMuch(Exception):
    pass


class _Cleaner:
    """Copies a value, and stops as soon as it is more than may be kept. `steps`: how much work that was."""

    def __init__(self, scrubber: Scrubber) -> None:
        self.steps = 0
        self._left = MOST_BYTES
        self._scrubber = scrubber

    def clean(self, value: Any, depth: int = _DEPTH) -> Any:
        if isinstance(value, str):
            self._spend(len(value))
            return value if value in _FINE_TEXTS else self._clean_text(value)
        self._spend(1)
        if isinstance(value, dict):
            self.steps += GROUP_COST
            return self._clean_object(value, depth) if depth else None
        if isinstance(value, list):
            self.steps += GROUP_COST
            return [self.clean(one, depth - 1) for one in value] if depth else None
        if isinstance(value, int) and abs(value) >= _MOST_INT:
            return None
        return value

    def _clean_object(self, value: dict[str, Any], depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, one in value.items():
            self._spend(len(name))
            if name in _FINE_NAMES:
                found[name] = self.clean(one, depth - 1)
            elif not self._scrubber.spend(NAME_COST):
                raise _TooMuch
            elif len(name) <= _NAME_CHARS and not _is_dropped(name):
                kept = self._clean_text(name)
                if kept == name:
                    _remember(_FINE_NAMES, name)
                found[kept] = self.clean(one, depth - 1)
        return found

    def _clean_text(self, text: str) -> str:
        """Neither secrets nor what PostgreSQL cannot store: U+0000 and half characters."""
        storable = text if text.isprintable() else text.encode(errors="replace").decode().replace("\0", "")
        cleaned = self._scrubber.text(storable)
        if cleaned == text and len(text) <= _NAME_CHARS:
            _remember(_FINE_TEXTS, text)
        return cleaned

    def _spend(self, size: int) -> None:
        self.steps += 1
        self._left -= size
        if self._left < 0:
            raise _TooMuch


def _remember(texts: set[str], text: str) -> None:
    if len(texts) >= _MOST_FINE:
        texts.clear()
    texts.add(text)


def _encoded(value: Any, scrubber: Scrubber) -> str:
    if not scrubber.spend(GROUP_COST):
        return _TOO_MUCH
    cleaner = _Cleaner(scrubber)
    try:
        encoded = msgspec.json.encode(cleaner.clean(value))
    except _TooMuch:
        return _TOO_MUCH
    finally:
        scrubber.spend(cleaner.steps // _STEPS_A_CHARACTER)
    return encoded.decode() if len(encoded) <= MOST_BYTES else _TOO_MUCH


@lru_cache(maxsize=4096)
def _is_dropped(name: str) -> bool:
    return name.lower() in DROPPED or is_hidden_name(name)
