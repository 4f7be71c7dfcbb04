"""Keeps secrets and machine addresses out of logs, by the name of a field and by the look of a value."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

HIDDEN = "[hidden]"

_HIDDEN_WORDS = (
    "password|passwd|passphrase|pwd|secret|token|authorization|cookie|credentials?|api_?key|private_?key"
    "|collector_?key|secret_?key|otp|totp|recovery_?codes?|ciphertext|pool_?user|worker_?name|client_?secret"
)
# a whole word of the name: `pool_password` and `X-Collector-Key`, not `tests_passed` or `footprint`
_SECRET_KEYS = re.compile(rf"(?:^|[^a-z0-9])(?:{_HIDDEN_WORDS})(?:$|[^a-z0-9])", re.IGNORECASE)
_ADDRESS_KEYS = re.compile(
    r"(?:^|[^a-z0-9])(?:ip|ips|mac|macs|miner_?(?:host|address)|host_?address)(?:$|[^a-z0-9])", re.IGNORECASE
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_HINTS = ("pass", "pwd", "secret", "token", "auth", "cookie", "credential", "key", "otp", "recovery", "cipher", "user")
# What must stand in a text before a pattern is tried: one of each group. Telemetry and acks bring a million short texts
# an hour, and nearly all of them hold nothing of the kind.
_VALUES: tuple[tuple[tuple[tuple[str, ...], ...], re.Pattern[str], str], ...] = (
    # user:password@ inside any address, up to the last @ before the path
    (
        (("@",),),
        re.compile(r"(?P<keep>[a-z][a-z0-9+.-]*://[^\s:/@]*:)\S+(?=@)", re.IGNORECASE),
        r"\g<keep>" + HIDDEN,
    ),
    (
        (("bearer", "basic"),),
        re.compile(r"(?P<keep>\b(?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{8,}", re.IGNORECASE),
        r"\g<keep>" + HIDDEN,
    ),
    # password=…, "access_token": "…", X-Collector-Key: … in any text
    (
        (("=", ":"), (*_HINTS, "worker")),
        re.compile(
            rf"(?P<keep>(?:\b|_)(?:{_HIDDEN_WORDS.replace('_?', '[_-]?')})[\w-]*[\"']?\s*[=:]\s*)"
            r"(?:\"[^\"]*\"|'[^']*'|(?!\[hidden\]|bearer\b|basic\b)[^\s&,;}\])\"']+)",
            re.IGNORECASE,
        ),
        r"\g<keep>" + HIDDEN,
    ),
    ((("eyj",),), re.compile(r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*"), HIDDEN),
    ((("hi_",),), re.compile(r"\bhi_[a-z]+_[A-Za-z0-9_-]{20,}"), HIDDEN),
    # addresses of machines on a site's own network; loopback tells nothing about a site
    (
        ((".",),),
        re.compile(
            r"\b(?:10(?:\.\d{1,3}){3}|192\.168(?:\.\d{1,3}){2}|172\.(?:1[6-9]|2\d|3[01])(?:\.\d{1,3}){2}"
            r"|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])(?:\.\d{1,3}){2})\b"
        ),
        HIDDEN,
    ),
    (((":",),), re.compile(r"\bf[cde][0-9a-f]{2}:(?:[0-9a-f]{0,4}:){1,6}[0-9a-f]{0,4}\b", re.IGNORECASE), HIDDEN),
    (((":", "-"),), re.compile(r"\b(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}\b", re.IGNORECASE), HIDDEN),
)
_MARKS, _SHORT = frozenset("@.:="), 14  # a shorter text without any of these characters fits no pattern
_LONGEST_NAME, _LONGEST_NAMES = 100, 1000
_NUMBERS, _MAPPINGS, _LISTS = (int, float), (dict, Mapping), (list, tuple, set, frozenset)
_PLAIN = frozenset({int, float, bool, type(None)})
# Texts that hold no secret, and only such: pools and modes come a million times, and secrets are not to be collected.
_CLEAN: set[str] = set()
_MOST_CLEAN, _LONGEST_CLEAN = 4096, 100


def scrub_text(text: str) -> str:
    if (len(text) < _SHORT and _MARKS.isdisjoint(text)) or text in _CLEAN:
        return text
    found = _scrubbed(text)
    if found == text and len(text) <= _LONGEST_CLEAN:
        if len(_CLEAN) >= _MOST_CLEAN:
            _CLEAN.clear()
        _CLEAN.add(text)
    return found


def _scrubbed(text: str) -> str:
    if not text.isascii():  # where letters have more than two cases, only the patterns know them
        for _, pattern, replacement in _VALUES:
            text = pattern.sub(replacement, text)
        return text
    lowered = text.lower()
    for needed, pattern, replacement in _VALUES:
        for words in needed:
            for word in words:
                if word in lowered:
                    break
            else:
                break
        else:
            text = pattern.sub(replacement, text)
    return text


def is_hidden_name(name: str) -> bool:
    """Whether a field of this name holds a secret or a machine's address."""
    return _is_known_hidden(name) if len(name) <= _LONGEST_NAME else _is_hidden(name)


def _is_hidden(name: str) -> bool:
    name = _CAMEL.sub("_", name).replace("-", "_")
    return bool(_SECRET_KEYS.search(name) or _ADDRESS_KEYS.search(name))


_is_known_hidden = lru_cache(maxsize=4096)(_is_hidden)  # the same few hundred names come a million times


def scrub(value: Any, key: str = "") -> Any:
    """The same value with every secret in it hidden; what is not a plain value is shown by its text."""
    if value is None or value is True or value is False:
        return value
    if key and is_hidden_name(key):
        return HIDDEN
    if isinstance(value, _NUMBERS):
        return value
    if isinstance(value, _MAPPINGS):
        return _scrub_mapping(value)
    if isinstance(value, _LISTS):
        return list(value) if _PLAIN.issuperset(map(type, value)) else [scrub(item) for item in value]
    return scrub_text(value.decode(errors="replace") if isinstance(value, bytes) else str(value))


def _scrub_mapping(value: Mapping[Any, Any]) -> dict[str, Any]:
    """Snapshots of machines have the same names a million times: they are judged together, and once."""
    names = tuple(value)
    try:
        is_open = _are_known_open(names) if len("".join(names)) <= _LONGEST_NAMES else _are_open(names)
    except TypeError:  # a name that is no text
        is_open = False
    if is_open:
        return {name: item if type(item) in _PLAIN else scrub(item) for name, item in value.items()}
    return {str(name): scrub(item, str(name)) for name, item in value.items()}


def _are_open(names: tuple[str, ...]) -> bool:
    return not any(name and is_hidden_name(name) for name in names)


_are_known_open = lru_cache(maxsize=1024)(_are_open)
