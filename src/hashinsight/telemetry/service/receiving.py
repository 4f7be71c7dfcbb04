"""Receive a batch: read it within bounds, check what it says of itself, store it, and tell who wants to know."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TypeVar

import structlog
from psycopg import Error as DriverError
from sqlalchemy.exc import SQLAlchemyError

from hashinsight.collectors.access import find_own_zone
from hashinsight.collectors.caller import CollectorCaller
from hashinsight.collectors.kinds import CollectorPermission
from hashinsight.collectors.service.hearing import note_site_form, note_skew
from hashinsight.collectors.service.payload_keys import list_keys
from hashinsight.kit.crypto import Vault
from hashinsight.kit.errors import Forbidden
from hashinsight.kit.offload import turn_of
from hashinsight.kit.scrub import MOST_AT_ONCE, MOST_SEARCHED, Scrubber, TooMuchText
from hashinsight.telemetry import metrics
from hashinsight.telemetry.ingest import envelope as envelopes
from hashinsight.telemetry.ingest.decoding import Batch, Fault, decode, decode_records
from hashinsight.telemetry.ingest.judging import Window
from hashinsight.telemetry.ingest.normalising import normalise
from hashinsight.telemetry.ingest.samples import Samples
from hashinsight.telemetry.ingest.sealed import Sealed, open_sealed
from hashinsight.telemetry.ingest.unpacking import unpack, unpack_within
from hashinsight.telemetry.layers import RAW_KEPT
from hashinsight.telemetry.right_now import RightNow
from hashinsight.telemetry.service.storing import Store, Stored, store

log = structlog.get_logger(__name__)
T = TypeVar("T")

# longer batches are read in a thread, so that nobody else waits for them
_INLINE_BYTES = 2_000_000
_INLINE_OBJECTS = 4_000
_SEARCHED_A_SAMPLE = 256  # characters of its texts that are searched for secrets, beside what any call may have
_ZONE_REMEMBERED = timedelta(seconds=30)
_MOST_ZONES = 1_000


@dataclass(frozen=True)
class Upload:
    """What came, beside the token."""

    body: bytes
    mode: str = ""
    zone: str = ""  # that the door has looked at
    zero_is_unknown: bool = False


@dataclass(frozen=True)
class Receiver:
    """What one process receives with."""

    store: Store
    vault: Vault
    right_now: RightNow
    most_bytes: int
    most_samples: int


@dataclass(frozen=True)
class Received:
    accepted: int
    duplicates: int
    rejected: int
    faults: list[Fault]


async def receive(receiver: Receiver, caller: CollectorCaller, upload: Upload, *, now: datetime) -> Received:
    if not caller.may(CollectorPermission.READ):
        raise Forbidden("this collector may not send what it reads", code="READ_NOT_PERMITTED")
    batch, samples = await _read(receiver, caller, upload, now=now)
    caller = await _check_envelope(receiver.store, caller, batch, upload.zone, now=now)
    skew_sec = _skew(receiver.store, caller, batch, now=now)
    Window(now, RAW_KEPT, skew_sec or 0.0).refuse_outside(samples)
    mode = envelopes.mode_of(upload.mode, batch.envelope)
    stored = await store(receiver.store, caller, samples, mode, now=now)
    await _tell(receiver, caller, samples, stored, skew_sec, now=now)
    faults = sorted(batch.faults + samples.faults(), key=lambda fault: fault.index)
    return Received(stored.accepted, stored.duplicates, batch.count - stored.accepted - stored.duplicates, faults)


async def _read(receiver: Receiver, caller: CollectorCaller, upload: Upload, *, now: datetime) -> tuple[Batch, Samples]:
    found = _read_short(receiver, caller, upload)
    if found is None:
        found = await _aside(receiver, caller, lambda: _read_long(receiver, caller, upload))
    if not isinstance(found, Sealed):
        return found
    async with receiver.store.database.transaction(caller.context()) as session:
        keys = await list_keys(session, receiver.vault, caller.collector_id, now=now)
    sealed = found
    return await _aside(receiver, caller, lambda: _open(receiver, caller, sealed, keys, upload))


async def _aside(receiver: Receiver, caller: CollectorCaller, work: Callable[[], T]) -> T:
    """Long batches in a thread, one at a time: each is a hundred megabytes of objects."""
    async with turn_of(caller.collector_id), receiver.store.large:
        return await asyncio.to_thread(work)


def _read_short(receiver: Receiver, caller: CollectorCaller, upload: Upload) -> tuple[Batch, Samples] | Sealed | None:
    """None for what would hold everybody up: many samples, or much text that has to be searched for secrets."""
    data = unpack_within(upload.body, min(_INLINE_BYTES, receiver.most_bytes))
    if data is None or data.count(b"{") > _INLINE_OBJECTS:
        return None
    try:
        return _prepare(receiver, caller, data, upload, Scrubber(MOST_AT_ONCE, strict=True))
    except TooMuchText:
        return None


def _read_long(receiver: Receiver, caller: CollectorCaller, upload: Upload) -> tuple[Batch, Samples] | Sealed:
    return _prepare(receiver, caller, unpack(upload.body, most_bytes=receiver.most_bytes), upload)


def _prepare(
    receiver: Receiver, caller: CollectorCaller, data: bytes, upload: Upload, scrubber: Scrubber | None = None
) -> tuple[Batch, Samples] | Sealed:
    dialect = receiver.store.dialects.get(caller.collector_id)
    batch = decode(data, dialect, most_samples=receiver.most_samples)
    return batch if isinstance(batch, Sealed) else _normalised(receiver, caller, batch, upload, scrubber)


def _open(
    receiver: Receiver, caller: CollectorCaller, sealed: Sealed, keys: list[bytes], upload: Upload
) -> tuple[Batch, Samples]:
    plain = unpack(open_sealed(sealed, keys), most_bytes=receiver.most_bytes)
    dialect = receiver.store.dialects.get(caller.collector_id)
    batch = decode_records(plain, dialect, sealed.envelope, most_samples=receiver.most_samples)
    return _normalised(receiver, caller, batch, upload)


def _normalised(
    receiver: Receiver, caller: CollectorCaller, batch: Batch, upload: Upload, scrubber: Scrubber | None = None
) -> tuple[Batch, Samples]:
    store, who = receiver.store, caller.collector_id
    store.dialects[who] = batch.names
    scrubber = scrubber or Scrubber(MOST_SEARCHED + _SEARCHED_A_SAMPLE * len(batch.indexes))
    in_envelope = bool(batch.envelope) and not envelopes.zeros_are_readings(batch.envelope)
    unknown = upload.zero_is_unknown or in_envelope
    samples = normalise(batch, zero_is_unknown=unknown, scrubber=scrubber, rate_signs=store.rate_signs.get(who))
    store.rate_signs[who] = samples.rate_signs
    return batch, samples


async def _check_envelope(
    store: Store, caller: CollectorCaller, batch: Batch, zone: str, *, now: datetime
) -> CollectorCaller:
    """What it says of itself must be what the token says. Gives the caller with the place that the envelope names."""
    envelopes.check_schema(batch.envelope)
    site = envelopes.place_of(batch.envelope, "site_id")
    if site is not None:
        caller.check_site(site)
        if not caller.names_site and site != caller.site_name:
            caller = replace(caller, site_name=site)
            async with store.database.transaction(caller.context()) as session:
                await note_site_form(session, caller.collector_id, site)
    if envelopes.is_miscounted(batch.envelope, batch.count):
        metrics.MISCOUNTED.inc()
    named = envelopes.place_of(batch.envelope, "zone_id")
    if named is None or named == zone:
        return caller
    return replace(caller, named_zone_id=await _zone_of(store, caller, named, now=now))


async def _zone_of(store: Store, caller: CollectorCaller, named: str, *, now: datetime) -> int:
    key = (caller.site_id, caller.zone_id, named)
    kept = store.zones.get(key)
    if kept is None or not timedelta(0) <= now - kept[0] < _ZONE_REMEMBERED:
        async with store.database.transaction(caller.context()) as session:
            kept = (now, await find_own_zone(session, caller.actor, caller, named))
        if len(store.zones) >= _MOST_ZONES:
            store.zones.clear()
        store.zones[key] = kept
    if kept[1] is None:
        raise Forbidden("this token belongs to another zone", code="ZONE_MISMATCH")
    return kept[1]


def _skew(store: Store, caller: CollectorCaller, batch: Batch, *, now: datetime) -> float | None:
    who = (caller.collector_id, caller.device_id)
    seen = envelopes.skew_sec_of(batch.envelope, now)
    if seen is not None:
        return store.skews.note(who, seen, now=now)
    found = store.skews.find(who)
    return caller.clock_skew_sec if found is None else found


async def _tell(
    receiver: Receiver,
    caller: CollectorCaller,
    samples: Samples,
    stored: Stored,
    skew_sec: float | None,
    *,
    now: datetime,
) -> None:
    """The batch is committed: whatever fails here is no reason to have it sent again."""
    if len(stored.rows):
        receiver.right_now.note(caller.site_id, samples, stored.rows, now=now)
        receiver.store.reports.note(caller, samples, stored.miner_nos, now=now)
        newest = int(samples.ts[stored.rows].max()) / 1_000_000
        metrics.LAG_SECONDS.observe(max(now.timestamp() - newest, 0.0))
    if skew_sec is None or not receiver.store.skews.is_news(
        caller.collector_id, skew_sec, caller.clock_skew_sec, now=now
    ):
        return
    metrics.CLOCK_SKEW.observe(abs(skew_sec))
    try:
        async with receiver.store.database.transaction(caller.context()) as session:
            await note_skew(session, caller.collector_id, skew_sec)
    except (SQLAlchemyError, DriverError) as error:
        log.warning("clock_skew_not_stored", error=str(error))
