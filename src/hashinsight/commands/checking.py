"""What a request must be before anybody looks at machines: bounds, each refusal with a code. Pure."""

import re

from hashinsight.commands.asking import Request
from hashinsight.commands.limits import MAX_TTL_SEC, MIN_TTL_SEC, MOST_BACKOFF_SEC, MOST_RETRIES
from hashinsight.commands.states import Priority
from hashinsight.kit.errors import ValidationFailed
from hashinsight.wire.canonical import canonical_json

_MOST_CHARS = {"reason": 2000, "dedupe_key": 200, "idempotency_key": 200, "problem_id": 100}
_MOST_EVIDENCE_BYTES = 64 * 1024
# not after an odd number of backslashes: that is a text about NUL; possessive, so that a run of them is read once
_NUL = re.compile(rb"(?<!\\)(?:\\\\)*+\\u0000")
_MOST_WINDOW_SEC = 31 * 24 * 3600


def check(asked: Request) -> None:
    chosen = [one for one in (asked.miner_ids, asked.group_id, asked.filter) if one is not None]
    if len(chosen) != 1 or asked.miner_ids == ():
        raise ValidationFailed("give miner_ids, group_id or filter, and one of them only", code="BAD_TARGET")
    if asked.filter is not None and asked.site is None and not (asked.filter.given() or asked.issue_code):
        raise ValidationFailed("the filter is empty: every machine would be meant", code="BAD_TARGET")
    if asked.filter is None and (asked.online is not None or asked.issue_code is not None):
        raise ValidationFailed("online and issue_code narrow a filter", code="BAD_TARGET")
    _check_number("ttl_sec", asked.ttl_sec, MIN_TTL_SEC, MAX_TTL_SEC, code="BAD_TTL")
    _check_number("priority_number", asked.priority_number, 0, 9, code="BAD_PRIORITY")
    _check_number("max_retries", asked.max_retries, 0, MOST_RETRIES)
    _check_number("retry_backoff_sec", asked.retry_backoff_sec, 1, MOST_BACKOFF_SEC)
    if asked.dedupe_window_sec is not None:
        _check_number("dedupe_window_sec", asked.dedupe_window_sec, 1, _MOST_WINDOW_SEC)
    if asked.priority not in list(Priority):
        raise ValidationFailed(f"priority is one of {', '.join(Priority)}", code="BAD_PRIORITY")
    for name, most in _MOST_CHARS.items():
        _check_text(name, getattr(asked, name), most)
    _check_evidence(asked)


def _check_number(name: str, value: int, least: int, most: int, *, code: str | None = None) -> None:
    if type(value) is not int or not least <= value <= most:
        raise ValidationFailed(f"{name} lies between {least} and {most}", code=code)


def _check_text(name: str, value: str | None, most: int) -> None:
    if value is not None and (len(value) > most or "\0" in value or not _is_text(value)):
        raise ValidationFailed(f"{name} has at most {most} characters, and none of them is NUL or half of one")


def _is_text(value: str) -> bool:
    """JSON can spell half a character, and PostgreSQL stores none."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _check_evidence(asked: Request) -> None:
    if asked.evidence is None:
        return
    try:
        written = canonical_json(dict(asked.evidence))
    except (ValueError, RecursionError):
        raise ValidationFailed("evidence is plain JSON") from None
    if _NUL.search(written):
        raise ValidationFailed("evidence holds a NUL character")
    if len(written) > _MOST_EVIDENCE_BYTES:
        raise ValidationFailed(f"evidence has at most {_MOST_EVIDENCE_BYTES} bytes")
