"""Acks of commands, in every dialect that field collectors send, read into one `Ack`.

Strict about the command id and the outcome. Lenient about the rest: a wrong clock or an oversized snapshot must not
lose the news that a machine was rebooted. Size is limited here; secrets are not removed (see `foreign_json`), so the
caller scrubs `message`, `result` and both snapshots before storing or logging them.
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

OUTCOME_UNKNOWN = "OUTCOME_UNKNOWN"  # error code: it may have run, so a retry might run it twice
MAX_ACKS = 500  # the largest number of commands in one poll
_MAX_MESSAGE, _MAX_CODE, _MAX_NAME = 2000, 100, 128
_MAX_MS = 2**31 - 1
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,63}")


class AckStatus(StrEnum):
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"  # a retry may succeed
    REJECTED = "rejected"  # a retry will not succeed
    SKIPPED = "skipped"  # already ran, outcome unknown


_STATUS_WORDS = MappingProxyType({**{status.value: status for status in AckStatus}, "completed": AckStatus.SUCCEEDED})
_RESULT_CODES = (AckStatus.SUCCEEDED, AckStatus.FAILED, AckStatus.SKIPPED, AckStatus.REJECTED)


@dataclass(frozen=True, slots=True)
class Ack:
    command_id: str  # the dispatch id from the poll
    status: AckStatus
    miner_id: str | None = None  # sent as `asset_id` or `miner_id`, if at all
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
        """In our own field names, without empty fields: sent by our edge, and kept as evidence."""
        fields = {
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
        return {name: value for name, value in fields.items() if value is not None}


@dataclass(frozen=True, slots=True)
class AckFault:
    """Why one ack of a batch cannot be read."""

    index: int
    command_id: str | None
    error_code: str
    reason: str


def read_ack(body: bytes, command_id: str | None = None, *, miner_id: str | None = None) -> Ack:
    """Read one ack; `command_id` from the path, or None if the body has it. Raises MalformedMessage."""
    return parse_ack(decode_json(body), command_id, miner_id=miner_id)


def read_acks(body: bytes) -> list[Ack | AckFault]:
    """Read a batch: `{"acks": […]}`, `{"results": […]}` or a bare list; a bad ack becomes an `AckFault`."""
    return parse_acks(decode_json(body))


def parse_acks(document: Any) -> list[Ack | AckFault]:
    acks = document
    if isinstance(document, dict):
        lists = [document[name] for name in ("acks", "results") if isinstance(document.get(name), list)]
        acks = [document] if _id_in(document) else next(iter(lists), None)
    if not isinstance(acks, list):
        raise MalformedMessage("a batch must be a list of acks", code="NO_ACKS")
    if len(acks) > MAX_ACKS:
        raise MalformedMessage(f"at most {MAX_ACKS} acks in one call", code="TOO_MANY_ACKS")
    return [_ack_or_fault(index, ack) for index, ack in enumerate(acks)]


def parse_ack(document: Any, command_id: str | None = None, *, miner_id: str | None = None) -> Ack:
    """Read one ack from decoded JSON; `miner_id` picks among several `results`."""
    if not isinstance(document, dict):
        raise MalformedMessage("an ack must be a JSON object", code="NOT_AN_OBJECT")
    fields = _unwrap(document, miner_id)
    started_at = find_time(_first(fields, "started_at", "executed_at"))
    finished_at = find_time(fields.get("finished_at"))
    duration_ms = _duration_ms(fields.get("duration_ms"), started_at, finished_at)
    if finished_at is None and started_at is not None and duration_ms is not None:
        finished_at = _after(started_at, duration_ms)
    return Ack(
        _command_id(fields, command_id),
        _status_of(fields),
        find_text(_first(fields, "asset_id", "miner_id"), _MAX_NAME),
        find_text(fields.get("device_id"), _MAX_NAME),
        started_at,
        finished_at,
        duration_ms,
        find_text(_first(fields, "error_code", "error_class"), _MAX_CODE),
        find_text(_first(fields, "error_message", "result_message"), _MAX_MESSAGE),
        bound_value(fields.get("result")),
        _snapshot(_first(fields, "miner_snapshot_before", "before")),
        _snapshot(_first(fields, "miner_snapshot_after", "after")),
    )


def _ack_or_fault(index: int, document: Any) -> Ack | AckFault:
    try:
        return parse_ack(document)
    except MalformedMessage as fault:
        fields = document if isinstance(document, dict) else {}
        return AckFault(index, _id_in(fields), fault.code, str(fault))


def _unwrap(document: dict[str, Any], miner_id: str | None) -> dict[str, Any]:
    """Some collectors wrap the ack in `results`, one entry per machine. A command is for one machine."""
    results = document.get("results")
    entries = [entry for entry in results if isinstance(entry, dict)] if isinstance(results, list) else []
    if not entries:
        return document
    if len(entries) > 1 and miner_id is not None:
        entries = [
            entry for entry in entries if find_text(_first(entry, "asset_id", "miner_id"), _MAX_NAME) == miner_id
        ]
    if len(entries) != 1:
        raise MalformedMessage("a command has one result: results lists several machines", code="RESULTS_AMBIGUOUS")
    outer = {name: value for name, value in document.items() if name != "results"}
    return {**outer, **entries[0]}


def _command_id(fields: Mapping[str, Any], command_id: str | None) -> str:
    if command_id is None:
        named = _id_in(fields)
        if named is None:
            raise MalformedMessage("command_id is missing", code="NO_COMMAND_ID")
        return named
    named = fields.get("command_id")  # not `id`: next to a path it may be the collector's own number
    if isinstance(named, str) and named and named.lower() != command_id.lower():
        raise MalformedMessage("command_id in the body differs from the path", code="COMMAND_ID_MISMATCH")
    return command_id


def _id_in(fields: Mapping[str, Any]) -> str | None:
    value = _first(fields, "command_id", "id")
    if isinstance(value, int) and not isinstance(value, bool):
        value = find_text(value, _MAX_NAME) or ""
    return value if isinstance(value, str) and _ID.fullmatch(value) else None


def _status_of(fields: Mapping[str, Any]) -> AckStatus:
    """`status` decides; `result_code` if the status is unknown. A code 0 next to `failed` is an unset field."""
    word, code = fields.get("status"), fields.get("result_code")
    if isinstance(word, str):
        status = _STATUS_WORDS.get(word) or _STATUS_WORDS.get(word.strip().lower())
        if status is not None:
            return status
    if isinstance(code, str) and len(code) == 1 and code in "0123":
        code = int(code)
    if isinstance(code, int) and not isinstance(code, bool) and 0 <= code < len(_RESULT_CODES):
        return _RESULT_CODES[code]
    raise MalformedMessage("status and result_code are missing or unknown", code="STATUS_UNKNOWN")


def _first(fields: Mapping[str, Any], name: str, other: str) -> Any:
    """The value of the first field that is not empty."""
    value = fields.get(name)
    return fields.get(other) if value is None or value == "" else value


def _duration_ms(value: Any, started_at: datetime | None, finished_at: datetime | None) -> int | None:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _MAX_MS:
        return round(value)
    if started_at is None or finished_at is None:
        return None
    between = (finished_at - started_at) // timedelta(milliseconds=1)
    return between if 0 <= between <= _MAX_MS else None


def _after(started_at: datetime, duration_ms: int) -> datetime | None:
    try:
        return started_at + timedelta(milliseconds=duration_ms)
    except OverflowError:  # past the year 9999
        return None


def _snapshot(value: Any) -> dict[str, Any] | None:
    bounded = bound_value(value) if isinstance(value, dict) and value else None
    return bounded if isinstance(bounded, dict) else None
