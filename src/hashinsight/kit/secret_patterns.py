"""Patterns of secrets and machine addresses in text. Every rule takes linear time.

Text comes from strangers, so no rule may scan the same characters again for each possible start of a match: repeatable
starts have a bounded length, and what is unbounded is scanned once, from its first start.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

HIDDEN = "[hidden]"

HIDDEN_WORDS = (
    "password|passwd|passphrase|pwd|secret|token|authorization|cookie|credentials?|api_?key|private_?key"
    "|collector_?key|secret_?key|otp|totp|recovery_?codes?|ciphertext|pool_?user|worker_?name|client_?secret"
)
_HINTS = ("pass", "pwd", "secret", "token", "auth", "cookie", "credential", "key", "otp", "recovery", "cipher", "user")

_TO_LAST_AT = re.compile(r"(?<!\S)\S*@")
_PASSWORD_BEGINS = re.compile(r"://[^\s:/@]*+:")
_BEARER = re.compile(r"(?P<keep>\b(?:bearer|basic)\s++)[A-Za-z0-9._~+/=-]{8,}", re.IGNORECASE)
_NAME = re.compile(rf"(?:\b|_)(?:{HIDDEN_WORDS.replace('_?', '[_-]?')})", re.IGNORECASE)
_AFTER_NAME = re.compile(r"[\w-]*+(?P<is>[\"']?\s*+[=:]\s*+)?")
# a quoted value without an end quote was cut: hidden to the end of the text
_VALUE = re.compile(
    r"\"(?:[^\"\\]|\\.)*+(?:\"|\\?\Z)|'(?:[^'\\]|\\.)*+(?:'|\\?\Z)"
    r"|(?!\[hidden\]|bearer\b|basic\b)[^\s&,;}\])\"']+",
    re.IGNORECASE | re.DOTALL,
)
_WEB_TOKEN = re.compile(r"\beyJ[A-Za-z0-9_.-]{8,}")  # also in part: half a token may be enough
_OWN_TOKEN = re.compile(r"\bhi_[a-z]++_[A-Za-z0-9_-]{20,}")
# private addresses of machines; loopback reveals nothing about a site
_IPV4 = re.compile(
    r"\b(?:10(?:\.\d{1,3}){3}|192\.168(?:\.\d{1,3}){2}|172\.(?:1[6-9]|2\d|3[01])(?:\.\d{1,3}){2}"
    r"|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])(?:\.\d{1,3}){2})\b"
)
_IPV6 = re.compile(r"\bf[cde][0-9a-f]{2}:(?:[0-9a-f]{0,4}:){1,6}[0-9a-f]{0,4}\b", re.IGNORECASE)
_MAC = re.compile(r"\b(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}\b", re.IGNORECASE)


def _hide_passwords_in_urls(text: str) -> str:
    """user:password@ in any address, up to the last @ before the next space."""
    return _TO_LAST_AT.sub(_without_password, text)


def _without_password(run: re.Match[str]) -> str:
    begins = _PASSWORD_BEGINS.search(run[0])
    if begins is None or begins.end() == len(run[0]) - 1:
        return run[0]
    return f"{run[0][: begins.end()]}{HIDDEN}@"


def _hide_named(text: str) -> str:
    """password=…, "access_token": "…", X-Collector-Key: … in any text."""
    parts: list[str] = []
    kept_to = at = 0
    while (name := _NAME.search(text, at)) is not None:
        after = _AFTER_NAME.match(text, name.end())
        at = after.end() if after else name.end()  # a later name in the same word has the same value
        value = _VALUE.match(text, at) if after and after["is"] else None
        if value is not None:
            parts += (text[kept_to:at], HIDDEN)
            kept_to = at = value.end()
    return "".join((*parts, text[kept_to:])) if parts else text


def _hide_all(pattern: re.Pattern[str], instead: str = HIDDEN) -> Callable[[str], str]:
    def hide(text: str) -> str:
        return pattern.sub(instead, text)

    return hide


class Rule(NamedTuple):
    """`needs`: one lower-case word of each group must be in the text before the rule is tried.

    Telemetry and acks bring a million short texts per hour, nearly all without a secret.
    """

    needs: tuple[tuple[str, ...], ...]
    hide: Callable[[str], str]


RULES = (
    Rule((("@",), ("://",)), _hide_passwords_in_urls),
    Rule((("bearer", "basic"),), _hide_all(_BEARER, r"\g<keep>" + HIDDEN)),
    Rule((("=", ":"), (*_HINTS, "worker")), _hide_named),
    Rule((("eyj",),), _hide_all(_WEB_TOKEN)),
    Rule((("hi_",),), _hide_all(_OWN_TOKEN)),
    Rule(((".",),), _hide_all(_IPV4)),
    Rule(((":",),), _hide_all(_IPV6)),
    Rule(((":", "-"),), _hide_all(_MAC)),
)
