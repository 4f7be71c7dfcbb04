"""What an answer of the cloud means: delivered, retry, refused for good, or access denied. Pure, but for jitter."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import Any

import msgspec

_OK, _NO_CONTENT = 200, 204
_DENIED = (401, 403)
_TOO_LARGE, _UNPROCESSABLE = 413, 422
_MAX_RETRY_SEC = 3600.0
_MAX_TEXT = 200
_DENIED_SEC = 60.0


class AnswerKind(StrEnum):
    DELIVERED = "delivered"
    RETRY = "retry"
    REFUSED = "refused"
    DENIED = "denied"


@dataclass(frozen=True)
class Answer:
    kind: AnswerKind
    status: int = 0
    body: dict[str, Any] = field(default_factory=dict)
    code: str = ""  # the cloud's error code, if any
    reason: str = ""
    retry_after_sec: float | None = None

    @property
    def can_retry_early(self) -> bool:
        """Whether to retry as soon as another call reaches the cloud; not if the cloud itself asked to wait."""
        return self.retry_after_sec is None and self.kind is not AnswerKind.DENIED


def classify(status: int, content: bytes, headers: Mapping[str, str], *, now: float) -> Answer:
    """Delivered is exactly 200, and a body with `success` must say true. Nothing else frees the spool.

    Only the cloud refuses for good, with an error code: a proxy that answers 422 in HTML is an outage.
    """
    body = _decode(content)
    code = str(body.get("error_code") or "")[:_MAX_TEXT] if body else ""
    reason = str((body or {}).get("message") or "")[:_MAX_TEXT] or f"HTTP {status}"
    answer = Answer(AnswerKind.RETRY, status, body or {}, code, reason, _retry_after(headers, now))
    if status == _NO_CONTENT or (status == _OK and body is not None and body.get("success", True) is True):
        return replace(answer, kind=AnswerKind.DELIVERED)
    if status in _DENIED:
        return replace(answer, kind=AnswerKind.DENIED)
    if status == _TOO_LARGE or (status == _UNPROCESSABLE and code):
        return replace(answer, kind=AnswerKind.REFUSED)
    return answer


def no_answer(reason: str) -> Answer:
    return Answer(AnswerKind.RETRY, reason=reason)


class Backoff:
    """How long to wait after a failure: doubles, with jitter, so that ten thousand collectors do not call in step."""

    def __init__(self, first_sec: float = 1.0, max_sec: float = 60.0) -> None:
        self._first_sec, self._max_sec = first_sec, max_sec
        self._failures = 0

    def reset(self) -> None:
        self._failures = 0

    def after(self, answer: Answer) -> float:
        """Access denied needs people to act: slow down at once."""
        self._failures += 1
        wait_sec = min(self._first_sec * 2.0 ** min(self._failures - 1, 16), self._max_sec)
        if answer.kind is AnswerKind.DENIED:
            wait_sec = max(self._max_sec, _DENIED_SEC)
        wait_sec *= 0.5 + random.random() / 2  # noqa: S311 - jitter, not a secret
        return max(wait_sec, answer.retry_after_sec or 0.0)


def _decode(content: bytes) -> dict[str, Any] | None:
    try:
        body = msgspec.json.decode(content)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) else None


def _retry_after(headers: Mapping[str, str], now: float) -> float | None:
    value = headers.get("retry-after", "").strip()
    if not value:
        return None
    if value.isascii() and value.isdecimal():
        return min(float(value), _MAX_RETRY_SEC)
    try:
        wait_sec = parsedate_to_datetime(value).timestamp() - now
    except (ValueError, OverflowError):
        return None
    return min(max(wait_sec, 0.0), _MAX_RETRY_SEC)
