"""Reads one table of a scenario file strictly: unknown keys are errors."""

import difflib
import re
from collections.abc import Collection
from typing import Any

from hashinsight.sim.plan import ScenarioError

MAX_DAYS = 3660.0
_UNITS = {"d": 86_400.0, "h": 3600.0, "m": 60.0, "s": 1.0}
_SPAN = re.compile(r"(?<![\d.])(\d++(?:\.\d++)?)\s*+([dhms])")


def nearest(word: str, known: Collection[str]) -> str:
    """End of an error message: the most similar names, or all known ones."""
    close = difflib.get_close_matches(word, list(known), n=3, cutoff=0.5)
    return f", did you mean {' or '.join(close)}" if close else f"; there is {', '.join(sorted(known))}"


def seconds(text: str) -> float | None:
    """Seconds of a text like 2d 6h 30m, or None."""
    bare = _SPAN.sub("", text).strip()
    parts = _SPAN.findall(text)
    return None if bare or not parts else sum(float(number) * _UNITS[unit] for number, unit in parts)


class Table:
    """`place` is its name in error messages, like `sites[2].zones[1]`."""

    def __init__(self, values: object, place: str) -> None:
        if not isinstance(values, dict):
            raise ScenarioError(f"{place} must be a table")
        self._values: dict[str, Any] = values
        self.place = place
        self._read: set[str] = set()

    def _at(self, key: str) -> str:
        return f"{self.place}.{key}" if self.place else key

    def _take(self, key: str) -> Any:
        self._read.add(key)
        return self._values.get(key)

    def has(self, key: str) -> bool:
        return key in self._values

    def text(self, key: str, default: str | None = None) -> str:
        value = self._take(key)
        if value is None and default is not None:
            return default
        if not isinstance(value, str) or not value.strip():
            raise ScenarioError(f"{self._at(key)} must be a text")
        return value

    def text_or_none(self, key: str) -> str | None:
        return self.text(key) if self.has(key) else self._take(key)

    def one_of(self, key: str, known: Collection[str], default: str | None = None) -> str:
        value = self.text(key, default)
        if value not in known:
            raise ScenarioError(f"{self._at(key)} {value!r} is not known{nearest(value, known)}")
        return value

    def number(self, key: str, default: float | None = None, *, low: float, high: float) -> float:
        value = self._take(key)
        if value is None and default is not None:
            return default
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            raise ScenarioError(f"{self._at(key)} must be a number from {low:g} to {high:g}, not {value!r}")
        return float(value)

    def whole(self, key: str, default: int | None = None, *, low: int, high: int) -> int:
        value = self._take(key)
        if value is None and default is not None:
            return default
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise ScenarioError(f"{self._at(key)} must be a whole number from {low} to {high}, not {value!r}")
        return value

    def flag(self, key: str, *, default: bool) -> bool:
        value = self._take(key)
        if value is not None and not isinstance(value, bool):
            raise ScenarioError(f"{self._at(key)} must be true or false, not {value!r}")
        return default if value is None else value

    def span(self, key: str, default: float | None = None, *, most: float | None = None) -> float:
        """A time like "2d 6h" in seconds."""
        value = self._take(key)
        if value is None and default is not None:
            return default
        length = seconds(value) if isinstance(value, str) else None
        if length is None:
            raise ScenarioError(f'{self._at(key)} must be a time like "2d 6h 30m", not {value!r}')
        if most is not None and length > most:
            raise ScenarioError(f"{self._at(key)} {value!r} is after the end of the scenario, {most / 86_400:g} days")
        return length

    def length(self, key: str, default: float | None = None) -> float:
        """A duration in seconds, above 0 and at most MAX_DAYS."""
        length = self.span(key, default)
        if not 0 < length <= MAX_DAYS * _UNITS["d"]:
            raise ScenarioError(f"{self._at(key)} must be longer than 0 and at most {MAX_DAYS:g} days")
        return length

    def tables(self, key: str, *, least: int = 0) -> "list[Table]":
        value = self._take(key)
        items = [] if value is None else value
        if not isinstance(items, list) or len(items) < least:
            raise ScenarioError(f"{self._at(key)} must be a list of {'at least one table' if least else 'tables'}")
        return [Table(item, f"{self._at(key)}[{number}]") for number, item in enumerate(items, 1)]

    def table(self, key: str) -> "Table":
        value = self._take(key)
        return Table({} if value is None else value, self._at(key))

    def texts(self, key: str, known: Collection[str]) -> list[str]:
        value = self._take(key)
        if not isinstance(value, list) or not value:
            raise ScenarioError(f"{self._at(key)} must be a list of at least one text")
        for name in value:
            if name not in known:
                raise ScenarioError(f"{self._at(key)} names {name!r}, which is not known{nearest(str(name), known)}")
        return value

    def pair(self, key: str, default: tuple[float, float]) -> tuple[float, float]:
        value = self._take(key)
        if value is None:
            return default
        numbers = isinstance(value, list) and all(isinstance(number, int | float) for number in value)
        if not numbers or len(value) != 2 or not 0 <= value[0] <= value[1] <= MAX_DAYS:  # noqa: PLR2004 - a pair
            expected = f"two numbers up to {MAX_DAYS:g}, the smaller first"
            raise ScenarioError(f"{self._at(key)} must be {expected}, not {value!r}")
        return float(value[0]), float(value[1])

    def rest(self) -> dict[str, Any]:
        """All values, for tables whose keys are names."""
        self._read.update(self._values)
        return self._values

    def finish(self) -> None:
        """Call after reading all keys: what is left over is unknown."""
        left = [key for key in self._values if key not in self._read]
        if left:
            raise ScenarioError(f"{self._at(left[0])} is not a key of a scenario{nearest(left[0], self._read)}")
