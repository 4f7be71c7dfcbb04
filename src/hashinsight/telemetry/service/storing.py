"""Store a batch: what was answered 200 is committed, once; what was not can be sent again."""

import asyncio
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from psycopg import errors

from hashinsight.collectors.caller import CollectorCaller
from hashinsight.kit.db.database import Database
from hashinsight.telemetry.ingest.decoding import Dialect
from hashinsight.telemetry.ingest.judging import good_rows
from hashinsight.telemetry.ingest.rows import Rows, Stamp, to_rows
from hashinsight.telemetry.ingest.samples import RateSigns, Samples
from hashinsight.telemetry.queries import raw
from hashinsight.telemetry.service.machines import MachineLookup
from hashinsight.telemetry.service.reporting import Reports
from hashinsight.telemetry.skews import Skews
from hashinsight.telemetry.states import UploadMode

_REMEMBERED_HOURS = 200
# what the server says when an hour has no table: copied straight, and by way of the partitioned one
_NO_HOUR = (errors.UndefinedTable, errors.CheckViolation)


@dataclass
class Store:
    """What one process remembers between batches: nothing that cannot be found out again."""

    database: Database
    machines: MachineLookup
    hours: set[datetime] = field(default_factory=set)
    repeats: set[UUID] = field(default_factory=set)  # collectors whose last batch held duplicates
    dialects: dict[UUID, Dialect] = field(default_factory=dict)  # the fields that a collector sends
    rate_signs: dict[UUID, RateSigns] = field(default_factory=dict)  # in which unit it writes its reject rates
    zones: dict[tuple[int, int | None, str], tuple[datetime, int | None]] = field(default_factory=dict)
    skews: Skews = field(default_factory=Skews)
    large: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1))  # long batches, one at a time
    reports: Reports = field(init=False)

    def __post_init__(self) -> None:
        self.reports = Reports(self.database)


@dataclass(frozen=True)
class Stored:
    accepted: int
    duplicates: int
    miner_nos: NDArray[np.int64]
    rows: NDArray[np.int64]  # of the samples that are there now


async def store(store: Store, caller: CollectorCaller, samples: Samples, mode: UploadMode, *, now: datetime) -> Stored:
    miner_nos = await store.machines.resolve(caller, samples, now=now)
    rows, repeated = good_rows(samples, miner_nos)
    if not len(rows):
        return Stored(0, repeated, miner_nos, rows)
    stamp = Stamp(caller.tenant_id, caller.site_id, now, mode.value, caller.collector_no)
    good = to_rows(samples, miner_nos, rows, stamp)
    hours = good.hours()
    try:
        written = await _write(store, caller, good, hours)
    except _NO_HOUR:  # dropped since it was last used
        store.hours.difference_update(hours)
        written = await _write(store, caller, good, hours)
    return Stored(written, repeated + len(good) - written, miner_nos, rows)


async def _open_hours(store: Store, caller: CollectorCaller, hours: list[datetime]) -> None:
    """Hours are made ahead by a tick; an old one, or the first of an installation, is made here."""
    for begins in hours:
        if begins not in store.hours:
            async with store.database.transaction(caller.context()) as session:
                await raw.open_hour(session, begins)
            store.hours.add(begins)
    if len(store.hours) > _REMEMBERED_HOURS:
        store.hours = set(hours)


async def _write(store: Store, caller: CollectorCaller, rows: Rows, hours: list[datetime]) -> int:
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
