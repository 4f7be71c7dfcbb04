"""JSON to samples: one fast typed decode for the usual batch, sample by sample if something does not fit. Pure.

Each collector has a dialect: the fields that it sends, in their order. A decoder for exactly these fields is made once
and kept. A batch that does not fit the dialect is read sample by sample, so that a bad sample costs only itself.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import msgspec

from hashinsight.telemetry.fields import DROPPED, FIELDS, IGNORED, MINER, SEQUENCE, TIMES, TYPES, Kind
from hashinsight.telemetry.ingest.payload import (
    EncryptedBatch,
    MalformedBatch,
    check_object_count,
    find_not_finite,
    is_envelope,
    read_encrypted,
    read_json,
    too_many_samples,
)

_MAX_DIALECTS = 64
_ENVELOPE = (
    *("schema", "site_id", "zone_id", "device_id", "sent_at", "mode", "record_count"),
    *("zeros_are_readings", "reject_rate_unit"),
)

_KNOWN: dict[str, Any] = {
    MINER: Any,
    **dict.fromkeys(TIMES, Any),
    SEQUENCE: Any,
    **{alias.name: TYPES[field.kind] for field in FIELDS for alias in field.aliases},
    **dict.fromkeys(IGNORED | DROPPED, Any),
}
_STORED = frozenset(_KNOWN) - IGNORED - DROPPED
_MEASURED = frozenset(TIMES) | {
    alias.name for field in FIELDS if field.kind in (Kind.NUMBER, Kind.COUNT, Kind.NUMBERS) for alias in field.aliases
}

Decoder = msgspec.json.Decoder[Any]
Dialect = tuple[str, ...]


@dataclass(frozen=True)
class SampleFault:
    """Why one sample is not stored."""

    index: int
    error_code: str
    reason: str


@dataclass
class DecodedBatch:
    """Samples as columns of raw values, `None` where missing; and the samples that could not be read."""

    indexes: list[int]
    columns: Mapping[str, Sequence[Any]]
    count: int  # as sent, bad ones included
    faults: list[SampleFault] = field(default_factory=list)
    extras: list[dict[str, Any] | None] | None = None
    envelope: dict[str, Any] = field(default_factory=dict)
    names: tuple[str, ...] = ()  # the dialect, tried first next time; empty: none


def decode(data: bytes, names: Dialect | None, *, max_samples: int) -> DecodedBatch | EncryptedBatch:
    """A JSON array of samples or an envelope around one."""
    check_object_count(data, max_samples)
    wrapped = is_envelope(data)
    if names:
        fast = _decode_typed(data, names, max_samples, wrapped=wrapped)
        if fast is not None:
            return fast
    return _decode_lenient(data, max_samples, wrapped=wrapped)


def decode_records(data: bytes, names: Dialect | None, envelope: dict[str, Any], *, max_samples: int) -> DecodedBatch:
    """The content of an encrypted envelope: a JSON array and nothing else."""
    if is_envelope(data):
        raise MalformedBatch("the encrypted payload is not a JSON array of records", code="NO_RECORDS")
    batch = decode(data, names, max_samples=max_samples)
    if isinstance(batch, EncryptedBatch):
        raise TypeError("an array is never encrypted")
    batch.envelope = envelope
    return batch


def _decode_typed(
    data: bytes, names: Dialect, max_samples: int, *, wrapped: bool
) -> DecodedBatch | EncryptedBatch | None:
    """The whole batch in one typed decode, or None if it does not fit the dialect."""
    try:
        decoded = _decoder(names, wrapped=wrapped).decode(data)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None
    samples: list[Any] = decoded
    envelope: dict[str, Any] = {}
    if wrapped:
        envelope = {name: getattr(decoded, name) for name in _ENVELOPE}
        if decoded.payload_enc is not None:
            return _read_payload(envelope, decoded.records, decoded.payload_enc)
        if decoded.records is None:
            return None
        samples = decoded.records
    if len(samples) > max_samples:
        raise too_many_samples(max_samples)
    return DecodedBatch(
        list(range(len(samples))), _columns(samples, names), len(samples), envelope=envelope, names=names
    )


def _columns(samples: list[Any], names: Dialect) -> dict[str, Sequence[Any]]:
    """Rows to columns; a sample's fields are in the dialect's order."""
    if not samples:
        return {}
    columns = zip(*map(msgspec.structs.astuple, samples), strict=True)
    return {name: values for name, values in zip(names, columns, strict=True) if name in _STORED}


def _decode_lenient(data: bytes, max_samples: int, *, wrapped: bool) -> DecodedBatch | EncryptedBatch:
    decoded, may_be_invalid = read_json(data)
    records = decoded
    envelope: dict[str, Any] = {}
    if wrapped:
        envelope = {name: decoded.get(name) for name in _ENVELOPE}
        records = decoded.get("records")
        if decoded.get("payload_enc") is not None:
            return _read_payload(envelope, records, decoded["payload_enc"])
    if not isinstance(records, list):
        raise MalformedBatch("the envelope has no list of records", code="NO_RECORDS")
    if len(records) > max_samples:
        raise too_many_samples(max_samples)
    return _decode_each(records, envelope, may_be_invalid=may_be_invalid)


def _read_payload(envelope: dict[str, Any], records: Any, payload: Any) -> EncryptedBatch:
    if records:
        raise MalformedBatch("an envelope must have records or payload_enc, not both", code="NO_RECORDS")
    return read_encrypted(envelope, payload)


def _decode_each(records: list[Any], envelope: dict[str, Any], *, may_be_invalid: bool) -> DecodedBatch:
    batch = DecodedBatch([], {}, len(records), envelope=envelope)
    samples: list[Any] = []
    extras: list[dict[str, Any] | None] = []
    names: dict[str, None] = {}
    for index, record in enumerate(records):
        sample = _decode_one(record, may_be_invalid=may_be_invalid)
        if isinstance(sample, tuple):
            batch.faults.append(SampleFault(index, *sample))
            continue
        names.update(dict.fromkeys(name for name in record if name in _KNOWN))
        batch.indexes.append(index)
        samples.append(sample)
        extras.append({name: value for name, value in record.items() if name not in _KNOWN} or None)
    stored = names.keys() & _STORED
    batch.columns = {name: values for name, values in _columns(samples, tuple(_KNOWN)).items() if name in stored}
    if any(extras):
        batch.extras = extras
    else:
        batch.names = tuple(names)
    return batch


def _decode_one(record: Any, *, may_be_invalid: bool) -> Any:
    """The sample, or a code and a reason for its rejection."""
    if not isinstance(record, dict):
        return "NOT_AN_OBJECT", "a sample must be a JSON object"
    known = {name: value for name, value in record.items() if name in _KNOWN}
    if may_be_invalid:
        not_finite = find_not_finite({name: value for name, value in known.items() if name in _MEASURED})
        if not_finite is not None:
            return "NOT_A_NUMBER", f"{not_finite} is not a finite number"
    try:
        return msgspec.convert(known, _general_struct())
    except msgspec.ValidationError as error:
        is_out_of_range = str(error).startswith("Number out of range")
        return "OUT_OF_RANGE" if is_out_of_range else "WRONG_TYPE", str(error)[:200]
    except UnicodeEncodeError:  # half a character in place of a number
        return "WRONG_TYPE", "text instead of a number"


@lru_cache(maxsize=_MAX_DIALECTS)
def _decoder(names: Dialect, *, wrapped: bool) -> Decoder:
    sample = _struct(names)
    if not wrapped:
        return msgspec.json.Decoder(list[sample])  # type: ignore[valid-type]
    fields = [(name, Any, None) for name in (*_ENVELOPE, "payload_enc")]
    records = ("records", list[sample] | None, None)  # type: ignore[valid-type]
    return msgspec.json.Decoder(msgspec.defstruct("Envelope", [*fields, records]))


@lru_cache(maxsize=1)
def _general_struct() -> Any:
    return _struct(_KNOWN)


def _struct(names: Iterable[str]) -> Any:
    fields = [(name, _KNOWN[name], None) for name in names]
    return msgspec.defstruct("Sample", fields, forbid_unknown_fields=True, gc=False)
