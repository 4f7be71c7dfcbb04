"""Keeps secrets and machine addresses out of logs, by the name of a field and by the look of a value."""

import re
from collections.abc import Mapping
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
_VALUES = (
    # user:password@ inside any address, up to the last @ before the path
    (re.compile(r"(?P<keep>[a-z][a-z0-9+.-]*://[^\s:/@]*:)\S+(?=@)", re.IGNORECASE), r"\g<keep>" + HIDDEN),
    (re.compile(r"(?P<keep>\b(?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{8,}", re.IGNORECASE), r"\g<keep>" + HIDDEN),
    # password=…, "access_token": "…", X-Collector-Key: … in any text
    (
        re.compile(
            rf"(?P<keep>(?:\b|_)(?:{_HIDDEN_WORDS.replace('_?', '[_-]?')})[\w-]*[\"']?\s*[=:]\s*)"
            r"(?:\"[^\"]*\"|'[^']*'|(?!\[hidden\]|bearer\b|basic\b)[^\s&,;}\])\"']+)",
            re.IGNORECASE,
        ),
        r"\g<keep>" + HIDDEN,
    ),
    (re.compile(r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*"), HIDDEN),
    (re.compile(r"\bhi_[a-z]+_[A-Za-z0-9_-]{20,}"), HIDDEN),
    # addresses of machines on a site's own network; loopback tells nothing about a site
    (
        re.compile(
            r"\b(?:10(?:\.\d{1,3}){3}|192\.168(?:\.\d{1,3}){2}|172\.(?:1[6-9]|2\d|3[01])(?:\.\d{1,3}){2}"
            r"|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])(?:\.\d{1,3}){2})\b"
        ),
        HIDDEN,
    ),
    (re.compile(r"\bf[cde][0-9a-f]{2}:(?:[0-9a-f]{0,4}:){1,6}[0-9a-f]{0,4}\b", re.IGNORECASE), HIDDEN),
    (re.compile(r"\b(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}\b", re.IGNORECASE), HIDDEN),
)


def scrub_text(text: str) -> str:
    for pattern, replacement in _VALUES:
        text = pattern.sub(replacement, text)
    return text


def is_hidden_name(name: str) -> bool:
    """Whether a field of this name holds a secret or a machine's address."""
    name = _CAMEL.sub("_", name).replace("-", "_")
    return bool(_SECRET_KEYS.search(name) or _ADDRESS_KEYS.search(name))


def scrub(value: Any, key: str = "") -> Any:
    """The same value with every secret in it hidden; what is not a plain value is shown by its text."""
    if value is None or isinstance(value, bool):
        return value
    if key and is_hidden_name(key):
        return HIDDEN
    match value:
        case int() | float():
            shown: Any = value
        case bytes():
            shown = scrub_text(value.decode(errors="replace"))
        case Mapping():
            shown = {str(name): scrub(item, str(name)) for name, item in value.items()}
        case list() | tuple() | set() | frozenset():
            shown = [scrub(item) for item in value]
        case _:
            shown = scrub_text(str(value))
    return shown
