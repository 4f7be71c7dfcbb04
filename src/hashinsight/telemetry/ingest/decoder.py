"""Bytes to samples: typed and fast for what a collector always sends, one by one when something is odd. Pure.

Each collector speaks a dialect: the fields that it sends, in their order. A decoder for exactly these is made once and
kept, and finds each field where it expects it. A batch that does not fit is read sample by sample, so that a bad one
costs only itself.
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

_DIALECTS = 64
_ENVELOPE = (
    *("schema", "site_id", "zone_id", "device_id", "sent_at", "mode", "record_count"),
    *("zeros_are_readings", "reject_rate_unit"),
)

_KNOWN: dict[str, Any] = {
    MINER: Any,
    **dict.fromkeys(TIMES, Any),
    SEQUENCE: Any,
    **{alias.name: TYPES[one.kind] for one in FIELDS for alias in one.aliases},
    **dict.fromkeys(IGNORED | DROPPED, Any),
}
_KEPT = frozenset(_KNOWN) - IGNORED - DROPPED
_MEASURED = frozenset(TIMES) | {
    alias.name for one in FIELDS if one.kind in (Kind.NUMBER, Kind.COUNT, Kind.NUMBERS) for alias in one.aliases
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
    """Samples as columns of their raw values, `None` where one does not say; and what could not be read."""

    indexes: list[int]
    columns: Mapping[str, Sequence[Any]]
    count: int  # as sent, bad ones included
    faults: list[SampleFault] = field(default_factory=list)
    extras: list[dict[str, Any] | None] | None = None
    envelope: dict[str, Any] = field(default_factory=dict)
    names: tuple[str, ...] = ()  # the dialect, to be tried first next time; empty: do not try


def decode(data: bytes, names: Dialect | None, *, most_samples: int) -> DecodedBatch | EncryptedBatch:
    """A JSON array of samples or an envelope around one."""
    check_object_count(data, most_samples)
    wrapped = is_envelope(data)
    if names:
        fast = _fast(data, names, most_samples, wrapped=wrapped)
        if fast is not None:
            return fast
    return _slow(data, most_samples, wrapped=wrapped)


def decode_records(data: bytes, names: Dialect | None, envelope: dict[str, Any], *, most_samples: int) -> DecodedBatch:
    """What an encrypted envelope held: a JSON array and nothing else."""
    if is_envelope(data):
        raise MalformedBatch("the encrypted payload is not a JSON array of records", code="NO_RECORDS")
    batch = decode(data, names, most_samples=most_samples)
    if isinstance(batch, EncryptedBatch):
        raise TypeError("an array is never sealed")
    batch.envelope = envelope
    return batch


def _fast(data: bytes, names: Dialect, most_samples: int, *, wrapped: bool) -> DecodedBatch | EncryptedBatch | None:
    """The whole batch in one typed decode, or None when it does not fit the dialect."""
    try:
        decoded = _decoder(names, wrapped=wrapped).decode(data)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None
    samples: list[Any] = decoded
    envelope: dict[str, Any] = {}
    if wrapped:
        envelope = {name: getattr(decoded, name) for name in _ENVELOPE}
        if decoded.payload_enc is not None:
            return _encrypted(envelope, decoded.records, decoded.payload_enc)
        if decoded.records is None:
            return None
        samples = decoded.records
    if len(samples) > most_samples:
        raise too_many_samples(most_samples)
    return DecodedBatch(
        list(range(len(samples))), _columns(samples, names), len(samples), envelope=envelope, names=names
    )


def _columns(samples: list[Any], names: Dialect) -> dict[str, Sequence[Any]]:
    """From rows to columns. A sample's fields stand in the dialect's order."""
    if not samples:
        return {}
    columns = zip(*map(msgspec.structs.astuple, samples), strict=True)
    return {name: values for name, values in zip(names, columns, strict=True) if name in _KEPT}


def _slow(data: bytes, most_samples: int, *, wrapped: bool) -> DecodedBatch | EncryptedBatch:
    decoded, is_odd = read_json(data)
    records = decoded
    envelope: dict[str, Any] = {}
    if wrapped:
        envelope = {name: decoded.get(name) for name in _ENVELOPE}
        records = decoded.get("records")
        if decoded.get("payload_enc") is not None:
            return _encrypted(envelope, records, decoded["payload_enc"])
    if not isinstance(records, list):
        raise MalformedBatch("the envelope has no list of records", code="NO_RECORDS")
    if len(records) > most_samples:
        raise too_many_samples(most_samples)
    return _one_by_one(records, envelope, is_odd=is_odd)


def _encrypted(envelope: dict[str, Any], records: Any, payload: Any) -> EncryptedBatch:
    if records:
        raise MalformedBatch("an envelope has records or payload_enc, not both", code="NO_RECORDS")
    return read_encrypted(envelope, payload)


def _one_by_one(records: list[Any], envelope: dict[str, Any], *, is_odd: bool) -> DecodedBatch:
    batch = DecodedBatch([], {}, len(records), envelope=envelope)
    samples: list[Any] = []
    extras: list[dict[str, Any] | None] = []
    names: dict[str, None] = {}
    for index, one in enumerate(records):
        sample = _read_one(one, is_odd=is_odd)
        if isinstance(sample, tuple):
            batch.faults.append(SampleFault(index, *sample))
            continue
        names.update(dict.fromkeys(name for name in one if name in _KNOWN))
        batch.indexes.append(index)
        samples.append(sample)
        extras.append({name: value for name, value in one.items() if name not in _KNOWN} or None)
    kept = names.keys() & _KEPT
    batch.columns = {name: values for name, values in _columns(samples, tuple(_KNOWN)).items() if name in kept}
    if any(extras):
        batch.extras = extras
    else:
        batch.names = tuple(names)
    return batch


def _read_one(one: Any, *, is_odd: bool) -> Any:
    """The sample, or a code and a reason."""
    if not isinstance(one, dict):
        return "NOT_AN_OBJECT", "a sample is a JSON object"
    known = {name: value for name, value in one.items() if name in _KNOWN}
    if is_odd:
        wild = find_not_finite({name: value for name, value in known.items() if name in _MEASURED})
        if wild is not None:
            return "NOT_A_NUMBER", f"{wild} is not a finite number"
    try:
        return msgspec.convert(known, _general())
    except msgspec.ValidationError as error:
        is_wild = str(error).startswith("Number out of range")
        return "OUT_OF_RANGE" if is_wild else "WRONG_TYPE", str(error)[:200]
    except UnicodeEncodeError:  # half a character where a number should be
        return "WRONG_TYPE", "a text in place of a number"


@lru_cache(maxsize=_DIALECTS)
def _decoder(names: Dialect, *, wrapped: bool) -> Decoder:
    sample = _struct(names)
    if not wrapped:
        return msgspec.json.Decoder(list[sample])  # type: ignore[valid-type]
    fields = [(name, Any, None) for name in (*_ENVELOPE, "payload_enc")]
    records = ("records", list[sample] | None, None)  # type: ignore[valid-type]
    return msgspec.json.Decoder(msgspec.defstruct("Envelope", [*fields, records]))


@lru_cache(maxsize=1)
def _general() -> Any:
    return _struct(_KNOWN)


def _struct(names: Iterable[str]) -> Any:
    fields = [(name, _KNOWN[name], None) for name in names]
    return msgspec.defstruct("Sample", fields, forbid_unknown_fields=True, gc=False)
