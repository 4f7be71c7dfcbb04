"""What an answer of the cloud means for what was sent. Pure: delivered, later, refused for good, or not let in."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import Any

import msgspec

_OK, _NO_CONTENT = 200, 204
_NOT_LET_IN = (401, 403)
_TOO_LARGE, _WRONG = 413, 422
_MOST_RETRY_SEC = 3600.0
_MOST_TEXT = 200
_CLOSED_SEC = 60.0


class Kind(StrEnum):
    DELIVERED = "delivered"
    LATER = "later"
    REFUSED = "refused"
    NOT_LET_IN = "not let in"


@dataclass(frozen=True)
class Answer:
    kind: Kind
    status: int = 0
    body: dict[str, Any] = field(default_factory=dict)
    code: str = ""  # the cloud's own, where it gave one
    reason: str = ""
    retry_after_sec: float | None = None

    @property
    def may_be_cut_short(self) -> bool:
        """Whether the wait after it ends when another call finds the cloud back: not where the cloud asked to wait."""
        return self.retry_after_sec is None and self.kind is not Kind.NOT_LET_IN


def judge(status: int, content: bytes, headers: Mapping[str, str], *, now: float) -> Answer:
    """Exactly 200 is delivered, and a body that has `success` must say true. Nothing else frees the spool.

    Only the cloud itself refuses for good, by a code: a proxy that answers 422 in HTML is a line that is down.
    """
    body = _read(content)
    code = str(body.get("error_code") or "")[:_MOST_TEXT] if body else ""
    reason = str((body or {}).get("message") or "")[:_MOST_TEXT]
    said = Answer(Kind.LATER, status, body or {}, code, reason or f"HTTP {status}", _retry_after(headers, now))
    if status == _NO_CONTENT or (status == _OK and body is not None and body.get("success", True) is True):
        return replace(said, kind=Kind.DELIVERED)
    if status in _NOT_LET_IN:
        return replace(said, kind=Kind.NOT_LET_IN)
    if status == _TOO_LARGE or (status == _WRONG and code):
        return replace(said, kind=Kind.REFUSED)
    return said


def no_answer(problem: str) -> Answer:
    return Answer(Kind.LATER, reason=problem)


class Backoff:
    """How long to wait after a failure: doubling, and never in step with ten thousand other edges."""

    def __init__(self, first_sec: float = 1.0, most_sec: float = 60.0) -> None:
        self._first, self._most = first_sec, most_sec
        self._failures = 0

    def reset(self) -> None:
        self._failures = 0

    def after(self, answer: Answer) -> float:
        """Not let in is a matter for people: it slows down at once."""
        self._failures += 1
        waits = min(self._first * 2.0 ** min(self._failures - 1, 16), self._most)
        if answer.kind is Kind.NOT_LET_IN:
            waits = max(self._most, _CLOSED_SEC)
        waits *= 0.5 + random.random() / 2  # noqa: S311 - only to be out of step
        return max(waits, answer.retry_after_sec or 0.0)


def _read(content: bytes) -> dict[str, Any] | None:
    try:
        body = msgspec.json.decode(content)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) else None


def _retry_after(headers: Mapping[str, str], now: float) -> float | None:
    said = headers.get("retry-after", "").strip()
    if not said:
        return None
    if said.isascii() and said.isdecimal():
        return min(float(said), _MOST_RETRY_SEC)
    try:
        waits = parsedate_to_datetime(said).timestamp() - now
    except (ValueError, OverflowError):
        return None
    return min(max(waits, 0.0), _MOST_RETRY_SEC)
