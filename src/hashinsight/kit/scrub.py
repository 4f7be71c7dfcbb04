"""Removes secrets and machine addresses from logs and stored texts, by field name and by pattern.

Foreign input is bounded first: a text is cut before it is searched, and one value or request has a budget of characters
to search. Every text, name, list and object is charged a minimum for its handling, so that a million short ones cost no
more than one long one. What exceeds the budget is left out and marked, never passed through.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Any

from hashinsight.kit.secret_patterns import HIDDEN, HIDDEN_WORDS, RULES

CUT = "… [cut]"
MAX_TEXT_CHARS = 16_384  # of one text; stored texts are limited to less before
MAX_SEARCHED_CHARS = 1_000_000  # of one value or request: at most a third of a second
MAX_CHARS_ON_LOOP = 50_000  # on the event loop: below 20 ms
# handling costs, in characters that could be searched in the same time
TEXT_COST, NAME_COST, GROUP_COST, _UNSEARCHED_COST = 8, 16, 4, 2

# searched beyond the cut, so that a secret across it is seen whole; longer than any bounded pattern
_OVERLAP_CHARS = 256
# a whole word of the name: `pool_password` and `X-Collector-Key`, not `tests_passed` or `footprint`
_SECRET_KEYS = re.compile(rf"(?:^|[^a-z0-9])(?:{HIDDEN_WORDS})(?:$|[^a-z0-9])", re.IGNORECASE)
_ADDRESS_KEYS = re.compile(
    r"(?:^|[^a-z0-9])(?:ip|ips|mac|macs|miner_?(?:host|address)|host_?address)(?:$|[^a-z0-9])", re.IGNORECASE
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_MARKS, _SHORT = frozenset("@.:="), 11  # shorter texts without these characters match no pattern
_SAME_LETTERS = (
    ("\u017f", "s"),
    ("\u212a", "k"),
    ("\u0130", "i"),
    ("\u0131", "i"),
)  # equal for patterns that ignore case
_MAX_NAME_CHARS, _MAX_NAMES_CHARS = 100, 1000
_NUMBERS, _MAPPINGS, _LISTS = (int, float), (dict, Mapping), (list, tuple, set, frozenset)
_PLAIN = frozenset({int, float, bool, type(None)})
# cache of texts without secrets: pools and modes repeat a million times; secrets must not be cached
_CLEAN: set[str] = set()
_MAX_CLEAN, _MAX_CLEAN_CHARS = 4096, 100
# hidden names by tuple of names, for objects whose names contain no secret
_HIDDEN_AMONG: dict[tuple[str, ...], frozenset[str]] = {}
_MAX_NAMES = 1024
_LEFT_OUT = {"dropped": "too large"}


def scrub_text(text: str) -> str:
    """The text with secrets and machine addresses hidden; the end of a long text is cut off."""
    if (len(text) < _SHORT and _MARKS.isdisjoint(text)) or text in _CLEAN:
        return text
    if len(text) > MAX_TEXT_CHARS:
        return _cut(text)
    scrubbed = _hide(text)
    if scrubbed == text and len(text) <= _MAX_CLEAN_CHARS:
        if len(_CLEAN) >= _MAX_CLEAN:
            _CLEAN.clear()
        _CLEAN.add(text)
    return scrubbed


def _cut(text: str) -> str:
    """Hide first, then cut: half a token matches no pattern. The added @ ends a password whose own @ is cut off."""
    searched = text[: MAX_TEXT_CHARS + _OVERLAP_CHARS] + "@"
    return _hide(searched)[: MAX_TEXT_CHARS - len(searched)] + CUT


def _hide(text: str) -> str:
    lowered = text
    if not text.isascii():
        for letter, same in _SAME_LETTERS:
            lowered = lowered.replace(letter, same)
    lowered = lowered.lower()
    for needs, hide in RULES:
        for words in needs:
            for word in words:
                if word in lowered:
                    break
            else:
                break
        else:
            text = hide(text)
    return text


def is_hidden_name(name: str) -> bool:
    """Whether a field of this name holds a secret or a machine's address."""
    return _is_known_hidden(name) if len(name) <= _MAX_NAME_CHARS else _is_hidden(name)


def _is_hidden(name: str) -> bool:
    name = _CAMEL.sub("_", name).replace("-", "_")
    return bool(_SECRET_KEYS.search(name) or _ADDRESS_KEYS.search(name))


_is_known_hidden = lru_cache(maxsize=4096)(_is_hidden)  # the same few hundred names repeat a million times


def scrub(value: Any, key: str = "") -> Any:
    """The value with every secret hidden; other types are shown as text."""
    return Scrubber().scrub(value, key)


class ScrubLimitExceeded(Exception):
    """The budget is used up; nothing was kept."""


class Scrubber:
    """Scrubs values that belong together, such as all acks of one call, within one budget.

    `strict`: raise `ScrubLimitExceeded` when it is used up, so that the caller can start again where there is more
    time.
    """

    def __init__(self, most_searched: int = MAX_SEARCHED_CHARS, *, strict: bool = False) -> None:
        self._left = most_searched
        self._strict = strict

    def scrub(self, value: Any, key: str = "") -> Any:
        if value is None or value is True or value is False:
            return value
        if key and is_hidden_name(key):
            return HIDDEN
        if type(value) is not str:
            if isinstance(value, _NUMBERS):
                return value
            if isinstance(value, _MAPPINGS):
                return self._scrub_mapping(value)
            if isinstance(value, _LISTS):
                return self._scrub_list(value)
            value = value.decode(errors="replace") if isinstance(value, bytes) else str(value)
        return self.text(value)

    def text(self, text: str) -> str:
        if (len(text) < _SHORT and _MARKS.isdisjoint(text)) or text in _CLEAN:
            self.spend(_UNSEARCHED_COST)
            return text
        return scrub_text(text) if self.spend(TEXT_COST + min(len(text), MAX_TEXT_CHARS)) else CUT

    def spend(self, cost: int) -> bool:
        """False when the budget is used up."""
        self._left -= cost
        if self._left < 0 and self._strict:
            raise ScrubLimitExceeded
        return self._left >= 0

    def _scrub_list(self, value: Collection[Any]) -> list[Any]:
        self.spend(GROUP_COST)
        if _PLAIN.issuperset(map(type, value)):
            return list(value)
        scrubbed: list[Any] = []
        for item in value:
            if self._left < 0:
                scrubbed.append(CUT)
                break
            scrubbed.append(self.scrub(item))
        return scrubbed

    def _scrub_mapping(self, value: Mapping[Any, Any]) -> dict[str, Any]:
        """Snapshots repeat the same names a million times: a set of names is judged once."""
        names = tuple(value)
        try:
            hidden = _HIDDEN_AMONG.get(names)
        except TypeError:  # an unhashable name
            hidden = None
        if hidden is None:
            names = tuple(map(str, names))
            if not self.spend(GROUP_COST + NAME_COST * len(names) + sum(map(len, names))):
                return dict(_LEFT_OUT)
            return self._scrub_named(names, value.values())
        if not self.spend(GROUP_COST):
            return dict(_LEFT_OUT)
        if not hidden:
            return {name: item if type(item) in _PLAIN else self.scrub(item) for name, item in value.items()}
        return {name: _hidden(item) if name in hidden else self.scrub(item) for name, item in value.items()}

    def _scrub_named(self, names: tuple[str, ...], items: Iterable[Any]) -> dict[str, Any]:
        """For names seen for the first time, or names that contain a secret."""
        hidden = frozenset(name for name in names if is_hidden_name(name))
        scrubbed: dict[str, Any] = {}
        for name, item in zip(names, items, strict=True):
            kept = _unique_name(scrub_text(name), scrubbed)
            scrubbed[kept] = _hidden(item) if name in hidden else self.scrub(item)
        if tuple(scrubbed) == names:
            _remember(names, hidden)
        return scrubbed


def _hidden(item: Any) -> Any:
    return item if item is None or item is True or item is False else HIDDEN


def _unique_name(name: str, taken: Mapping[str, Any]) -> str:
    """Keeps all values whose scrubbed names are equal."""
    if name not in taken:
        return name
    return f"{name} {len(taken) + 1}"


def _remember(names: tuple[str, ...], hidden: frozenset[str]) -> None:
    if sum(map(len, names)) > _MAX_NAMES_CHARS:
        return
    if len(_HIDDEN_AMONG) >= _MAX_NAMES:
        _HIDDEN_AMONG.clear()
    _HIDDEN_AMONG[names] = hidden
