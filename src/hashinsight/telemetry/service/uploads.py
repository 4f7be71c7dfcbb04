"""Receive a batch: read it within bounds, check what it says of itself, store it, and tell who wants to know."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TypeVar
from uuid import UUID

import numpy as np
import structlog
from numpy.typing import NDArray
from psycopg import Error as DriverError
from psycopg import errors
from sqlalchemy.exc import SQLAlchemyError

from hashinsight.collectors.access import find_own_zone
from hashinsight.collectors.caller import CollectorCaller
from hashinsight.collectors.service.liveness import update_site_form, update_skew
from hashinsight.collectors.service.payload_keys import list_keys
from hashinsight.collectors.states import CollectorPermission
from hashinsight.kit.crypto import Vault
from hashinsight.kit.db.database import Database
from hashinsight.kit.errors import Forbidden
from hashinsight.kit.offload import lock_for_caller
from hashinsight.kit.scrub import MAX_CHARS_ON_LOOP, MAX_SEARCHED_CHARS, Scrubber, ScrubLimitExceeded
from hashinsight.telemetry import metrics
from hashinsight.telemetry.ingest import envelope as envelopes
from hashinsight.telemetry.ingest.decoder import DecodedBatch, Dialect, SampleFault, decode, decode_records
from hashinsight.telemetry.ingest.envelope import ClockSkews
from hashinsight.telemetry.ingest.normaliser import normalise
from hashinsight.telemetry.ingest.payload import EncryptedBatch, decrypt, unzip, unzip_within
from hashinsight.telemetry.ingest.rows import RawRows, Stamp, to_rows
from hashinsight.telemetry.ingest.samples import RejectRateUnitCounts, Samples, Window, good_rows
from hashinsight.telemetry.layers import RAW_RETENTION
from hashinsight.telemetry.queries import raw
from hashinsight.telemetry.right_now import RightNow
from hashinsight.telemetry.service.identity_reports import IdentityReports
from hashinsight.telemetry.service.machines import MachineLookup
from hashinsight.telemetry.states import UploadMode

_REMEMBERED_HOURS = 200
# what the server says when an hour has no table: copied straight, and by way of the partitioned one
_NO_HOUR = (errors.UndefinedTable, errors.CheckViolation)


@dataclass
class IngestState:
    """What one process remembers between batches: nothing that cannot be found out again."""

    database: Database
    machines: MachineLookup
    hours: set[datetime] = field(default_factory=set)
    repeats: set[UUID] = field(default_factory=set)  # collectors whose last batch held duplicates
    dialects: dict[UUID, Dialect] = field(default_factory=dict)  # the fields that a collector sends
    rate_signs: dict[UUID, RejectRateUnitCounts] = field(
        default_factory=dict
    )  # in which unit it writes its reject rates
    zones: dict[tuple[int, int | None, str], tuple[datetime, int | None]] = field(default_factory=dict)
    skews: ClockSkews = field(default_factory=ClockSkews)
    large: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1))  # long batches, one at a time
    reports: IdentityReports = field(init=False)

    def __post_init__(self) -> None:
        self.reports = IdentityReports(self.database)


@dataclass(frozen=True)
class StoredBatch:
    accepted: int
    duplicates: int
    miner_nos: NDArray[np.int64]
    rows: NDArray[np.int64]  # of the samples that are there now


async def store_batch(
    store: IngestState, caller: CollectorCaller, samples: Samples, mode: UploadMode, *, now: datetime
) -> StoredBatch:
    miner_nos = await store.machines.resolve(caller, samples, now=now)
    rows, repeated = good_rows(samples, miner_nos)
    if not len(rows):
        return StoredBatch(0, repeated, miner_nos, rows)
    stamp = Stamp(caller.tenant_id, caller.site_id, now, mode.value, caller.collector_no)
    good = to_rows(samples, miner_nos, rows, stamp)
    hours = good.hours()
    try:
        written = await _write(store, caller, good, hours)
    except _NO_HOUR:  # dropped since it was last used
        store.hours.difference_update(hours)
        written = await _write(store, caller, good, hours)
    return StoredBatch(written, repeated + len(good) - written, miner_nos, rows)


async def _open_hours(store: IngestState, caller: CollectorCaller, hours: list[datetime]) -> None:
    """Hours are made ahead by a tick; an old one, or the first of an installation, is made here."""
    for begins in hours:
        if begins not in store.hours:
            async with store.database.transaction(caller.context()) as session:
                await raw.open_hour(session, begins)
            store.hours.add(begins)
    if len(store.hours) > _REMEMBERED_HOURS:
        store.hours = set(hours)


async def _write(store: IngestState, caller: CollectorCaller, rows: RawRows, hours: list[datetime]) -> int:
    """Straight, unless this collector just sent something twice: then it is likely to do so again."""
    await _open_hours(store, caller, hours)
    if caller.collector_id not in store.repeats and await raw.write_straight(
        store.database, caller.context(), rows, hours
    ):
        return len(rows)
    async with store.database.transaction(caller.context()) as session:
        written = await raw.copy_settled(session, rows)
    if written < len(rows):
        store.repeats.add(caller.collector_id)
    else:
        store.repeats.discard(caller.collector_id)
    return written


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

    store: IngestState
    vault: Vault
    right_now: RightNow
    most_bytes: int
    most_samples: int


@dataclass(frozen=True)
class UploadResult:
    accepted: int
    duplicates: int
    rejected: int
    faults: list[SampleFault]


async def receive(receiver: Receiver, caller: CollectorCaller, upload: Upload, *, now: datetime) -> UploadResult:
    if not caller.may(CollectorPermission.READ):
        raise Forbidden("this collector may not send what it reads", code="READ_NOT_PERMITTED")
    batch, samples = await _read(receiver, caller, upload, now=now)
    caller = await _check_envelope(receiver.store, caller, batch, upload.zone, now=now)
    skew_sec = _skew(receiver.store, caller, batch, now=now)
    Window(now, RAW_RETENTION, skew_sec or 0.0).refuse_outside(samples)
    mode = envelopes.mode_of(upload.mode, batch.envelope)
    stored = await store_batch(receiver.store, caller, samples, mode, now=now)
    await _publish(receiver, caller, samples, stored, skew_sec, now=now)
    faults = sorted(batch.faults + samples.faults(), key=lambda fault: fault.index)
    return UploadResult(stored.accepted, stored.duplicates, batch.count - stored.accepted - stored.duplicates, faults)


async def _read(
    receiver: Receiver, caller: CollectorCaller, upload: Upload, *, now: datetime
) -> tuple[DecodedBatch, Samples]:
    found = _read_short(receiver, caller, upload)
    if found is None:
        found = await _aside(receiver, caller, lambda: _read_long(receiver, caller, upload))
    if not isinstance(found, EncryptedBatch):
        return found
    async with receiver.store.database.transaction(caller.context()) as session:
        keys = await list_keys(session, receiver.vault, caller.collector_id, now=now)
    sealed = found
    return await _aside(receiver, caller, lambda: _open(receiver, caller, sealed, keys, upload))


async def _aside(receiver: Receiver, caller: CollectorCaller, work: Callable[[], T]) -> T:
    """Long batches in a thread, one at a time: each is a hundred megabytes of objects."""
    async with lock_for_caller(caller.collector_id), receiver.store.large:
        return await asyncio.to_thread(work)


def _read_short(
    receiver: Receiver, caller: CollectorCaller, upload: Upload
) -> tuple[DecodedBatch, Samples] | EncryptedBatch | None:
    """None for what would hold everybody up: many samples, or much text that has to be searched for secrets."""
    data = unzip_within(upload.body, min(_INLINE_BYTES, receiver.most_bytes))
    if data is None or data.count(b"{") > _INLINE_OBJECTS:
        return None
    try:
        return _prepare(receiver, caller, data, upload, Scrubber(MAX_CHARS_ON_LOOP, strict=True))
    except ScrubLimitExceeded:
        return None


def _read_long(
    receiver: Receiver, caller: CollectorCaller, upload: Upload
) -> tuple[DecodedBatch, Samples] | EncryptedBatch:
    return _prepare(receiver, caller, unzip(upload.body, most_bytes=receiver.most_bytes), upload)


def _prepare(
    receiver: Receiver, caller: CollectorCaller, data: bytes, upload: Upload, scrubber: Scrubber | None = None
) -> tuple[DecodedBatch, Samples] | EncryptedBatch:
    dialect = receiver.store.dialects.get(caller.collector_id)
    batch = decode(data, dialect, most_samples=receiver.most_samples)
    return batch if isinstance(batch, EncryptedBatch) else _normalised(receiver, caller, batch, upload, scrubber)


def _open(
    receiver: Receiver, caller: CollectorCaller, sealed: EncryptedBatch, keys: list[bytes], upload: Upload
) -> tuple[DecodedBatch, Samples]:
    plain = unzip(decrypt(sealed, keys), most_bytes=receiver.most_bytes)
    dialect = receiver.store.dialects.get(caller.collector_id)
    batch = decode_records(plain, dialect, sealed.envelope, most_samples=receiver.most_samples)
    return _normalised(receiver, caller, batch, upload)


def _normalised(
    receiver: Receiver, caller: CollectorCaller, batch: DecodedBatch, upload: Upload, scrubber: Scrubber | None = None
) -> tuple[DecodedBatch, Samples]:
    store, who = receiver.store, caller.collector_id
    store.dialects[who] = batch.names
    scrubber = scrubber or Scrubber(MAX_SEARCHED_CHARS + _SEARCHED_A_SAMPLE * len(batch.indexes))
    in_envelope = bool(batch.envelope) and not envelopes.zeros_are_readings(batch.envelope)
    unknown = upload.zero_is_unknown or in_envelope
    samples = normalise(batch, zero_is_unknown=unknown, scrubber=scrubber, rate_signs=store.rate_signs.get(who))
    store.rate_signs[who] = samples.rate_signs
    return batch, samples


async def _check_envelope(
    store: IngestState, caller: CollectorCaller, batch: DecodedBatch, zone: str, *, now: datetime
) -> CollectorCaller:
    """What it says of itself must be what the token says. Gives the caller with the place that the envelope names."""
    envelopes.check_schema(batch.envelope)
    site = envelopes.place_of(batch.envelope, "site_id")
    if site is not None:
        caller.check_site(site)
        if not caller.names_site and site != caller.site_name:
            caller = replace(caller, site_name=site)
            async with store.database.transaction(caller.context()) as session:
                await update_site_form(session, caller.collector_id, site)
    if envelopes.is_miscounted(batch.envelope, batch.count):
        metrics.MISCOUNTED.inc()
    named = envelopes.place_of(batch.envelope, "zone_id")
    if named is None or named == zone:
        return caller
    return replace(caller, named_zone_id=await _zone_of(store, caller, named, now=now))


async def _zone_of(store: IngestState, caller: CollectorCaller, named: str, *, now: datetime) -> int:
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


def _skew(store: IngestState, caller: CollectorCaller, batch: DecodedBatch, *, now: datetime) -> float | None:
    who = (caller.collector_id, caller.device_id)
    seen = envelopes.skew_sec_of(batch.envelope, now)
    if seen is not None:
        return store.skews.note(who, seen, now=now)
    found = store.skews.find(who)
    return caller.clock_skew_sec if found is None else found


async def _publish(
    receiver: Receiver,
    caller: CollectorCaller,
    samples: Samples,
    stored: StoredBatch,
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
            await update_skew(session, caller.collector_id, skew_sec)
    except (SQLAlchemyError, DriverError) as error:
        log.warning("clock_skew_not_stored", error=str(error))
