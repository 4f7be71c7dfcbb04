"""Reports model, firmware, MAC and serial of machines to the inventory: only changes, after the response, in bulk.

A report that fails is lost without harm: the machines' next samples carry the same again.
"""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
import polars as pl
import structlog
from numpy.typing import NDArray

from hashinsight.collectors.caller import CollectorCaller
from hashinsight.inventory.queries.tables import Site
from hashinsight.inventory.service.discovery import update_reported_identity
from hashinsight.kit.db.database import Database
from hashinsight.telemetry.ingest.samples import Samples
from hashinsight.telemetry.metrics import IDENTITY_FAILED

log = structlog.get_logger(__name__)

IDENTITY_FIELDS = ("model", "firmware", "mac", "serial")
_GATHER_SECONDS = 5.0  # a report reads its whole site, so many batches share one
_MAX_BATCHES = 1_000

Identity = tuple[str | None, ...]


@dataclass
class _SiteReports:
    """The last known identity of a site's machines, and what still has to be reported."""

    known: dict[int, Identity] = field(default_factory=dict)
    batches: set[int] = field(default_factory=set)  # hashes of batches without changes
    waiting: dict[str, Identity] = field(default_factory=dict)
    noted_at: datetime | None = None
    task: asyncio.Task[None] | None = None


class IdentityReports:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._sites: dict[int, _SiteReports] = {}
        self._hurry = asyncio.Event()

    def add(self, caller: CollectorCaller, samples: Samples, miner_nos: NDArray[np.int64], *, now: datetime) -> None:
        """Called after the commit. Takes microseconds if nothing changed; never fails."""
        columns = [samples.texts.get(name) for name in IDENTITY_FIELDS]
        if not any(column is not None for column in columns):
            return
        site = self._sites.setdefault(caller.site_id, _SiteReports())
        # rejections are part of the hash: the same texts may come again with valid samples
        batch_hash = hash(
            (miner_nos.tobytes(), tuple(samples.rejected), *(column and tuple(column) for column in columns))
        )
        if batch_hash in site.batches:
            return
        if self._collect_changes(site, samples, miner_nos, columns):
            site.noted_at = now
            site.batches.clear()  # a machine may change back
            if site.task is None or site.task.done():
                site.task = asyncio.create_task(self._report(caller, site))
        elif len(site.batches) < _MAX_BATCHES:
            site.batches.add(batch_hash)

    async def settle(self) -> None:
        """Report at once what is waiting, and wait for it."""
        self._hurry.set()
        with suppress(asyncio.CancelledError):
            await asyncio.gather(*(site.task for site in self._sites.values() if site.task is not None))
        self._hurry.clear()

    def _collect_changes(
        self, site: _SiteReports, samples: Samples, miner_nos: NDArray[np.int64], columns: list[list[str | None] | None]
    ) -> bool:
        empty = [None] * len(samples)
        has_changes = False
        rows = zip(*(column or empty for column in columns), strict=True)
        for row, (miner_no, identity) in enumerate(zip(miner_nos.tolist(), rows, strict=True)):
            previous = site.known.get(miner_no)
            if row in samples.rejected or identity == previous or not any(identity):
                continue
            # fields that a sample omits stay: shards do not all send the same fields
            merged = identity if previous is None else tuple(map(_first_known, identity, previous))
            if merged != previous:
                site.known[miner_no] = site.waiting[samples.miner_ids[row]] = merged
                has_changes = True
        return has_changes

    async def _report(self, caller: CollectorCaller, site: _SiteReports) -> None:
        while site.waiting and (now := site.noted_at):
            with suppress(TimeoutError):
                async with asyncio.timeout(_GATHER_SECONDS):
                    await self._hurry.wait()
            waiting, site.waiting = site.waiting, {}
            columns = dict(zip(IDENTITY_FIELDS, zip(*waiting.values(), strict=True), strict=True))
            schema = dict.fromkeys(("miner_id", *IDENTITY_FIELDS), pl.String)
            rows = pl.DataFrame({"miner_id": list(waiting), **columns}, schema=schema)
            try:
                async with self._database.transaction(caller.context()) as session:
                    inventory_site = await session.get_one(Site, caller.site_id)
                    await update_reported_identity(session, inventory_site, rows, now=now)
            except Exception as error:  # noqa: BLE001 - nothing depends on a report, and nobody awaits this task
                IDENTITY_FAILED.inc()
                log.warning("identity_report_failed", site_id=caller.site_id, machines=len(waiting), error=str(error))
                site.known.clear()


def _first_known(first: str | None, second: str | None) -> str | None:
    return second if first is None else first
