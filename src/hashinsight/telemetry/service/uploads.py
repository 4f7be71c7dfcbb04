"""Ingest: read an uploaded batch, check its envelope, resolve its machines, store its samples, publish the newest."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeVar
from uuid import UUID

import numpy as np
import structlog
from numpy.typing import NDArray
from psycopg import Error as DriverError
from sqlalchemy.exc import SQLAlchemyError

from hashinsight.collectors.caller import CollectorCaller
from hashinsight.collectors.service.keys import list_payload_keys
from hashinsight.collectors.service.liveness import update_site_form, update_skew
from hashinsight.collectors.states import CollectorPermission
from hashinsight.kit.crypto import Vault
from hashinsight.kit.db.database import Database
from hashinsight.kit.errors import Forbidden
from hashinsight.kit.offload import lock_for_caller
from hashinsight.kit.scrub import MAX_CHARS_ON_LOOP, MAX_SEARCHED_CHARS, Scrubber, ScrubLimitExceeded
from hashinsight.telemetry import metrics
from hashinsight.telemetry.ingest import envelope as envelopes
from hashinsight.telemetry.ingest.decoder import DecodedBatch, Dialect, SampleFault, decode, decode_records
from hashinsight.telemetry.ingest.normaliser import normalise
from hashinsight.telemetry.ingest.payload import EncryptedBatch, decrypt, unzip, unzip_within
from hashinsight.telemetry.ingest.rows import Stamp, to_rows
from hashinsight.telemetry.ingest.samples import RejectRateUnitCounts, Samples, reject_outside_window, rows_to_store
from hashinsight.telemetry.queries.raw import RawWriter
from hashinsight.telemetry.right_now import RightNow
from hashinsight.telemetry.service.identity_reports import IdentityReports
from hashinsight.telemetry.service.machines import MachineLookup
from hashinsight.telemetry.states import UploadMode

log = structlog.get_logger(__name__)
T = TypeVar("T")

# longer batches are read in a thread, so that other requests do not wait for them
_INLINE_BYTES = 2_000_000
_INLINE_OBJECTS = 4_000
_SEARCHED_CHARS_PER_SAMPLE = 256  # searched for secrets, on top of what every request may have

ReadBatch = tuple[DecodedBatch, Samples]


@dataclass
class IngestState:
    """What one process remembers between batches; all of it can be found out again."""

    database: Database
    machines: MachineLookup
    dialects: dict[UUID, Dialect] = field(default_factory=dict)  # the fields that a collector sends
    rate_units: dict[UUID, RejectRateUnitCounts] = field(default_factory=dict)  # evidence for its reject rate unit
    skews: envelopes.ClockSkews = field(default_factory=envelopes.ClockSkews)
    large: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1))  # long batches, one at a time
    raw: RawWriter = field(init=False)
    reports: IdentityReports = field(init=False)

    def __post_init__(self) -> None:
        self.raw = RawWriter(self.database)
        self.reports = IdentityReports(self.database)


@dataclass(frozen=True)
class Receiver:
    """What ingest needs, one per process."""

    state: IngestState
    vault: Vault
    right_now: RightNow
    max_bytes: int
    max_samples: int


@dataclass(frozen=True)
class Upload:
    body: bytes
    mode: str = ""
    zone: str = ""  # from the header, already checked against the token
    zero_is_unknown: bool = False


@dataclass(frozen=True)
class UploadResult:
    accepted: int
    duplicates: int
    rejected: int
    faults: list[SampleFault]


@dataclass(frozen=True)
class StoredBatch:
    accepted: int
    duplicates: int
    miner_nos: NDArray[np.int64]
    rows: NDArray[np.int64]  # of the samples that are stored now


async def receive(receiver: Receiver, caller: CollectorCaller, upload: Upload, *, now: datetime) -> UploadResult:
    if not caller.may(CollectorPermission.READ):
        raise Forbidden("this collector may not send telemetry", code="READ_NOT_PERMITTED")
    batch, samples = await _read(receiver, caller, upload, now=now)
    caller = await _check_envelope(receiver.state, caller, batch, upload.zone, now=now)
    skew_sec = _clock_skew_sec(receiver.state, caller, batch, now=now)
    reject_outside_window(samples, skew_sec=skew_sec or 0.0, now=now)
    mode = envelopes.upload_mode(upload.mode, batch.envelope)
    stored = await store_batch(receiver.state, caller, samples, mode, now=now)
    await _publish(receiver, caller, samples, stored, skew_sec, now=now)
    faults = sorted(batch.faults + samples.faults(), key=lambda fault: fault.index)
    return UploadResult(stored.accepted, stored.duplicates, batch.count - stored.accepted - stored.duplicates, faults)


async def store_batch(
    state: IngestState, caller: CollectorCaller, samples: Samples, mode: UploadMode, *, now: datetime
) -> StoredBatch:
    """Committed once it returns; a batch that fails can be sent again."""
    miner_nos = await state.machines.resolve(caller, samples, now=now)
    chosen, repeated = rows_to_store(samples, miner_nos)
    if not len(chosen):
        return StoredBatch(0, repeated, miner_nos, chosen)
    stamp = Stamp(caller.tenant_id, caller.site_id, now, mode.value, caller.collector_no)
    rows = to_rows(samples, miner_nos, chosen, stamp)
    written = await state.raw.write(caller.context(), caller.collector_id, rows)
    return StoredBatch(written, repeated + len(rows) - written, miner_nos, chosen)


async def _read(receiver: Receiver, caller: CollectorCaller, upload: Upload, *, now: datetime) -> ReadBatch:
    batch = _read_inline(receiver, caller, upload)
    if batch is None:
        batch = await _in_thread(receiver, caller, lambda: _read_large(receiver, caller, upload))
    if not isinstance(batch, EncryptedBatch):
        return batch
    async with receiver.state.database.transaction(caller.context()) as session:
        keys = await list_payload_keys(session, receiver.vault, caller.collector_id, now=now)
    encrypted = batch
    return await _in_thread(receiver, caller, lambda: _read_encrypted(receiver, caller, encrypted, keys, upload))


async def _in_thread(receiver: Receiver, caller: CollectorCaller, work: Callable[[], T]) -> T:
    """One long batch at a time: each takes a hundred megabytes of objects."""
    async with lock_for_caller(caller.collector_id), receiver.state.large:
        return await asyncio.to_thread(work)


def _read_inline(receiver: Receiver, caller: CollectorCaller, upload: Upload) -> ReadBatch | EncryptedBatch | None:
    """None for a batch that would block other requests: many samples, or much text to search for secrets."""
    data = unzip_within(upload.body, min(_INLINE_BYTES, receiver.max_bytes))
    if data is None or data.count(b"{") > _INLINE_OBJECTS:
        return None
    try:
        return _decode(receiver, caller, data, upload, Scrubber(MAX_CHARS_ON_LOOP, strict=True))
    except ScrubLimitExceeded:
        return None


def _read_large(receiver: Receiver, caller: CollectorCaller, upload: Upload) -> ReadBatch | EncryptedBatch:
    return _decode(receiver, caller, unzip(upload.body, max_bytes=receiver.max_bytes), upload)


def _decode(
    receiver: Receiver, caller: CollectorCaller, data: bytes, upload: Upload, scrubber: Scrubber | None = None
) -> ReadBatch | EncryptedBatch:
    dialect = receiver.state.dialects.get(caller.collector_id)
    batch = decode(data, dialect, max_samples=receiver.max_samples)
    return batch if isinstance(batch, EncryptedBatch) else _normalise(receiver, caller, batch, upload, scrubber)


def _read_encrypted(
    receiver: Receiver, caller: CollectorCaller, encrypted: EncryptedBatch, keys: list[bytes], upload: Upload
) -> ReadBatch:
    data = unzip(decrypt(encrypted, keys), max_bytes=receiver.max_bytes)
    dialect = receiver.state.dialects.get(caller.collector_id)
    batch = decode_records(data, dialect, encrypted.envelope, max_samples=receiver.max_samples)
    return _normalise(receiver, caller, batch, upload)


def _normalise(
    receiver: Receiver, caller: CollectorCaller, batch: DecodedBatch, upload: Upload, scrubber: Scrubber | None = None
) -> ReadBatch:
    state, collector_id = receiver.state, caller.collector_id
    state.dialects[collector_id] = batch.names
    scrubber = scrubber or Scrubber(MAX_SEARCHED_CHARS + _SEARCHED_CHARS_PER_SAMPLE * len(batch.indexes))
    in_envelope = bool(batch.envelope) and not envelopes.zeros_are_readings(batch.envelope)
    samples = normalise(
        batch,
        zero_is_unknown=upload.zero_is_unknown or in_envelope,
        scrubber=scrubber,
        rate_units=state.rate_units.get(collector_id),
    )
    state.rate_units[collector_id] = samples.rate_units
    return batch, samples


async def _check_envelope(
    state: IngestState, caller: CollectorCaller, batch: DecodedBatch, zone: str, *, now: datetime
) -> CollectorCaller:
    """Site and zone of the envelope must match the token. Returns the caller with the names that it used."""
    envelopes.check_schema(batch.envelope)
    site = envelopes.place_name(batch.envelope, "site_id")
    if site is not None:
        caller.check_site(site)
        if not caller.names_site and site != caller.site_name:
            caller = replace(caller, site_name=site)
            async with state.database.transaction(caller.context()) as session:
                await update_site_form(session, caller.collector_id, site)
    if envelopes.is_miscounted(batch.envelope, batch.count):
        metrics.MISCOUNTED.inc()
    zone_name = envelopes.place_name(batch.envelope, "zone_id")
    if zone_name is None or zone_name == zone:
        return caller
    return replace(caller, named_zone_id=await state.machines.own_zone_id(caller, zone_name, now=now))


def _clock_skew_sec(state: IngestState, caller: CollectorCaller, batch: DecodedBatch, *, now: datetime) -> float | None:
    device = (caller.collector_id, caller.device_id)
    measured_sec = envelopes.measured_skew_sec(batch.envelope, now)
    if measured_sec is not None:
        return state.skews.add(device, measured_sec, now=now)
    estimate_sec = state.skews.find(device)
    return caller.clock_skew_sec if estimate_sec is None else estimate_sec


async def _publish(
    receiver: Receiver,
    caller: CollectorCaller,
    samples: Samples,
    stored: StoredBatch,
    skew_sec: float | None,
    *,
    now: datetime,
) -> None:
    """The batch is committed: an error here must not make the collector send it again."""
    state = receiver.state
    if len(stored.rows):
        receiver.right_now.add(caller.site_id, samples, stored.rows, now=now)
        state.reports.add(caller, samples, stored.miner_nos, now=now)
        newest = int(samples.ts[stored.rows].max()) / 1_000_000
        metrics.LAG_SECONDS.observe(max(now.timestamp() - newest, 0.0))
    if skew_sec is None or not state.skews.should_store(caller.collector_id, skew_sec, caller.clock_skew_sec, now=now):
        return
    metrics.CLOCK_SKEW.observe(abs(skew_sec))
    try:
        async with state.database.transaction(caller.context()) as session:
            await update_skew(session, caller.collector_id, skew_sec)
    except (SQLAlchemyError, DriverError) as error:
        log.warning("clock_skew_not_stored", error=str(error))
