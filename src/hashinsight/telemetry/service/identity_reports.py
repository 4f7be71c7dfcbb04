"""What machines say of themselves, to the inventory: only what is new, behind the answer, many batches at a time.

Nothing hangs on it: a report that fails is said again by the machines' next samples.
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
_GATHER_SECONDS = 5.0  # a report looks at its whole site: many batches share one
_MOST_BATCHES = 1_000

Identity = tuple[str | None, ...]


@dataclass
class _Place:
    """What one site's machines were last heard to say, and what of it still has to be told."""

    told: dict[int, Identity] = field(default_factory=dict)
    batches: set[int] = field(default_factory=set)  # of which nothing was new, by a hash of all they say
    waiting: dict[str, Identity] = field(default_factory=dict)
    noted_at: datetime | None = None
    task: asyncio.Task[None] | None = None


class IdentityReports:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._places: dict[int, _Place] = {}
        self._hurry = asyncio.Event()

    def note(self, caller: CollectorCaller, samples: Samples, miner_nos: NDArray[np.int64], *, now: datetime) -> None:
        """For after the commit. Takes microseconds where nothing is new; never fails."""
        columns = [samples.texts.get(name) for name in IDENTITY_FIELDS]
        if not any(column is not None for column in columns):
            return
        place = self._places.setdefault(caller.site_id, _Place())
        # what was refused is part of it: the same texts may come again with samples that are taken
        whole = hash((miner_nos.tobytes(), tuple(samples.bad), *(column and tuple(column) for column in columns)))
        if whole in place.batches:
            return
        if self._compare(place, samples, miner_nos, columns):
            place.noted_at = now
            place.batches.clear()  # a machine may say again what it said before
            if place.task is None or place.task.done():
                place.task = asyncio.create_task(self._tell(caller, place))
        elif len(place.batches) < _MOST_BATCHES:
            place.batches.add(whole)

    async def settle(self) -> None:
        """Tell at once what waits, and wait for it."""
        self._hurry.set()
        with suppress(asyncio.CancelledError):
            await asyncio.gather(*(place.task for place in self._places.values() if place.task is not None))
        self._hurry.clear()

    def _compare(
        self, place: _Place, samples: Samples, miner_nos: NDArray[np.int64], columns: list[list[str | None] | None]
    ) -> bool:
        nothing = [None] * len(samples)
        news = False
        said = zip(*(column or nothing for column in columns), strict=True)
        for row, (miner_no, now_said) in enumerate(zip(miner_nos.tolist(), said, strict=True)):
            before = place.told.get(miner_no)
            if row in samples.bad or now_said == before or not any(now_said):
                continue
            # what a sample leaves out stays as it was said before: shards do not all say the same
            merged = now_said if before is None else tuple(map(_or, now_said, before))
            if merged != before:
                place.told[miner_no] = place.waiting[samples.miner_ids[row]] = merged
                news = True
        return news

    async def _tell(self, caller: CollectorCaller, place: _Place) -> None:
        while place.waiting and (now := place.noted_at):
            with suppress(TimeoutError):
                await asyncio.wait_for(self._hurry.wait(), _GATHER_SECONDS)
            waiting, place.waiting = place.waiting, {}
            columns = dict(zip(IDENTITY_FIELDS, zip(*waiting.values(), strict=True), strict=True))
            schema = dict.fromkeys(("miner_id", *IDENTITY_FIELDS), pl.String)
            said = pl.DataFrame({"miner_id": list(waiting), **columns}, schema=schema)
            try:
                async with self._database.transaction(caller.context()) as session:
                    site = await session.get_one(Site, caller.site_id)
                    await update_reported_identity(session, site, said, now=now)
            except Exception as error:  # noqa: BLE001 - nothing hangs on a report, and nobody waits for this task
                IDENTITY_FAILED.inc()
                log.warning("identity_not_reported", site_id=caller.site_id, machines=len(waiting), error=str(error))
                place.told.clear()


def _or(one: str | None, other: str | None) -> str | None:
    return other if one is None else one
