"""What a collector says of a command that it was given, in every dialect of the field, as one `Ack`.

Strict about what decides: which command, and how it ended. Lenient about the rest: a clock that writes nonsense or a
snapshot that is too large must not lose the news that a machine was rebooted. Bounded, but not scrubbed: `bounds`
says why, and the caller scrubs `message`, `result` and both snapshots before they are stored or logged.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from hashinsight.wire.foreign_json import MalformedMessage, bound_value, decode_json, find_text
from hashinsight.wire.times import find_time, write_time

MAX_ACKS = 500  # as many as one poll can hand out
_MOST_MESSAGE, _MOST_CODE, _MOST_NAME = 2000, 100, 128
_MOST_MS = 2**31 - 1
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,63}")


class AckStatus(StrEnum):
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"  # may pass: a retry is allowed
    REJECTED = "rejected"  # will not pass
    SKIPPED = "skipped"  # ran before, and nobody knows how it ended


_WORDS = MappingProxyType({**{status.value: status for status in AckStatus}, "completed": AckStatus.SUCCEEDED})
_CODES = (AckStatus.SUCCEEDED, AckStatus.FAILED, AckStatus.SKIPPED, AckStatus.REJECTED)


@dataclass(frozen=True, slots=True)
class Ack:
    command_id: str  # of the dispatch, as it was handed out
    status: AckStatus
    miner_id: str | None = None  # where the collector says it, as `asset_id` or `miner_id`
    device_id: str | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
    duration_ms: int | None = None
    error_code: str | None = None
    message: str | None = None
    result: Any = None
    before: dict[str, Any] | None = None
    after: dict[str, Any] | None = None

    def to_wire(self) -> dict[str, Any]:
        """In our own words and without what was not said: for our edge to send, and to be kept as evidence."""
        said = {
            "command_id": self.command_id,
            "status": self.status.value,
            "miner_id": self.miner_id,
            "device_id": self.device_id,
            "started_at": self.started_at and write_time(self.started_at),
            "finished_at": self.finished_at and write_time(self.finished_at),
            "duration_ms": self.duration_ms,
            "error_code": self.error_code,
            "error_message": self.message,
            "result": self.result,
            "before": self.before,
            "after": self.after,
        }
        return {name: value for name, value in said.items() if value is not None}


@dataclass(frozen=True, slots=True)
class AckFault:
    """Why one ack of a batch cannot be judged."""

    index: int
    command_id: str | None
    error_code: str
    reason: str


def read_ack(body: bytes, command_id: str | None = None, *, miner_id: str | None = None) -> Ack:
    """One ack; `command_id` as the path has it, or None where the body does. MalformedMessage says what is missing."""
    return parse_ack(decode_json(body), command_id, miner_id=miner_id)


def read_acks(body: bytes) -> list[Ack | AckFault]:
    """A batch: `{"acks": […]}`, `{"results": […]}` or a bare list; each judged on its own, in their order."""
    return parse_acks(decode_json(body))


def parse_acks(document: Any) -> list[Ack | AckFault]:
    said = document
    if isinstance(document, dict):
        named = [document[name] for name in ("acks", "results") if isinstance(document.get(name), list)]
        said = [document] if _id_in(document) else next(iter(named), None)
    if not isinstance(said, list):
        raise MalformedMessage("a batch is a list of acks", code="NO_ACKS")
    if len(said) > MAX_ACKS:
        raise MalformedMessage(f"at most {MAX_ACKS} acks in one call", code="TOO_MANY_ACKS")
    return [_judged(index, one) for index, one in enumerate(said)]


def parse_ack(document: Any, command_id: str | None = None, *, miner_id: str | None = None) -> Ack:
    """One ack from a document that is already decoded; `miner_id` picks among several `results`."""
    if not isinstance(document, dict):
        raise MalformedMessage("an ack is a JSON object", code="NOT_AN_OBJECT")
    said = _unwrapped(document, miner_id)
    started_at = find_time(_first(said, "started_at", "executed_at"))
    finished_at = find_time(said.get("finished_at"))
    duration_ms = _duration_ms(said.get("duration_ms"), started_at, finished_at)
    if finished_at is None and started_at is not None and duration_ms is not None:
        finished_at = _after(started_at, duration_ms)
    return Ack(
        _which(said, command_id),
        _status_of(said),
        find_text(_first(said, "asset_id", "miner_id"), _MOST_NAME),
        find_text(said.get("device_id"), _MOST_NAME),
        started_at,
        finished_at,
        duration_ms,
        find_text(_first(said, "error_code", "error_class"), _MOST_CODE),
        find_text(_first(said, "error_message", "result_message"), _MOST_MESSAGE),
        bound_value(said.get("result")),
        _snapshot(_first(said, "miner_snapshot_before", "before")),
        _snapshot(_first(said, "miner_snapshot_after", "after")),
    )


def _judged(index: int, document: Any) -> Ack | AckFault:
    try:
        return parse_ack(document)
    except MalformedMessage as fault:
        said = document if isinstance(document, dict) else {}
        return AckFault(index, _id_in(said), fault.code, str(fault))


def _unwrapped(document: dict[str, Any], miner_id: str | None) -> dict[str, Any]:
    """One make wraps its ack into `results`, an entry a machine. One command is for one machine."""
    results = document.get("results")
    entries = [one for one in results if isinstance(one, dict)] if isinstance(results, list) else []
    if not entries:
        return document
    if len(entries) > 1 and miner_id is not None:
        entries = [one for one in entries if find_text(_first(one, "asset_id", "miner_id"), _MOST_NAME) == miner_id]
    if len(entries) != 1:
        raise MalformedMessage("results of one command are those of one machine", code="RESULTS_AMBIGUOUS")
    outer = {name: value for name, value in document.items() if name != "results"}
    return {**outer, **entries[0]}


def _which(said: Mapping[str, Any], command_id: str | None) -> str:
    if command_id is None:
        named = _id_in(said)
        if named is None:
            raise MalformedMessage("the ack names no command", code="NO_COMMAND_ID")
        return named
    named = said.get("command_id")  # and not `id`: beside a path that may be a number of the collector's own
    if isinstance(named, str) and named and named.lower() != command_id.lower():
        raise MalformedMessage("the body names another command than the path", code="COMMAND_ID_MISMATCH")
    return command_id


def _id_in(said: Mapping[str, Any]) -> str | None:
    value = _first(said, "command_id", "id")
    if isinstance(value, int) and not isinstance(value, bool):
        value = find_text(value, _MOST_NAME) or ""
    return value if isinstance(value, str) and _ID.fullmatch(value) else None


def _status_of(said: Mapping[str, Any]) -> AckStatus:
    """`status` decides; `result_code` where there is none that we know. A 0 beside `failed` is a field never set."""
    word, code = said.get("status"), said.get("result_code")
    if isinstance(word, str):
        status = _WORDS.get(word) or _WORDS.get(word.strip().lower())
        if status is not None:
            return status
    if isinstance(code, str) and len(code) == 1 and code in "0123":
        code = int(code)
    if isinstance(code, int) and not isinstance(code, bool) and 0 <= code < len(_CODES):
        return _CODES[code]
    raise MalformedMessage("neither status nor result_code says how it ended", code="STATUS_UNKNOWN")


def _first(said: Mapping[str, Any], name: str, other: str) -> Any:
    """The value under either name; what is empty says nothing."""
    value = said.get(name)
    return said.get(other) if value is None or value == "" else value


def _duration_ms(value: Any, started_at: datetime | None, finished_at: datetime | None) -> int | None:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _MOST_MS:
        return round(value)
    if started_at is None or finished_at is None:
        return None
    between = (finished_at - started_at) // timedelta(milliseconds=1)
    return between if 0 <= between <= _MOST_MS else None


def _after(started_at: datetime, duration_ms: int) -> datetime | None:
    try:
        return started_at + timedelta(milliseconds=duration_ms)
    except OverflowError:  # within a month of the year 10000
        return None


def _snapshot(value: Any) -> dict[str, Any] | None:
    kept = bound_value(value) if isinstance(value, dict) and value else None
    return kept if isinstance(kept, dict) else None
