"""Everything that a cycle reads, as of one moment. What can be read side by side is."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import polars as pl
from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import SYSTEM
from hashinsight.collectors.models import Collector
from hashinsight.identity.scope import Reach, Scope, make_scope
from hashinsight.inventory.service.settings import get_settings
from hashinsight.kit.db.database import Database
from hashinsight.problems.codes import EventStatus
from hashinsight.problems.config import Config, site_config
from hashinsight.problems.frame import Frame
from hashinsight.problems.live_frames import columns_for, frame_of
from hashinsight.problems.queries.cycle import KnownEvents, SiteState, read_pulse, read_state
from hashinsight.problems.queries.suppressions import list_suppressed_at_site
from hashinsight.problems.state import State
from hashinsight.telemetry.queries import boards_frame, live_frame, sensors_frame

_SHOWN = ("miner_id", "zone_id")  # of a machine that has a problem
# an act that was committed while the cycle before was thinking is looked at again
_OVERLAP = timedelta(minutes=2)
# by the pulse, which remembers a month: events are kept for ever, and a cycle never looks through all of them
_REPAIRED = text(
    "select distinct e.miner_no from problem_pulse p join problem_events e on e.id = p.problem_id"
    " where p.site_id = :site and p.status = :resolved"
    " and p.resolved_ts > extract(epoch from cast(:since as timestamptz))"
    " and e.status = 'resolved' and e.resolution_cause in ('repaired', 'replaced') and e.miner_no is not null"
)


@dataclass(frozen=True)
class CycleInput:
    live: pl.DataFrame
    frame: Frame
    state: State
    remembered: KnownEvents
    subjects: pl.DataFrame
    repaired: Sequence[int]
    config: Config


async def read_cycle(
    database: Database, session: AsyncSession, kept: SiteState, site_id: int, *, now: datetime
) -> CycleInput:
    scope = make_scope(kept.tenant_id, SYSTEM, [Reach(sites=(site_id,))])
    context = scope.context(read_only=True)
    settings = (await get_settings(session, kept.tenant_id)).settings
    collectors = await _collectors(session, site_id)
    config = site_config(settings, site_id=site_id, site_code=kept.code, interval_sec=_interval(collectors))
    state, (live, frame), remembered = await asyncio.gather(
        read_state(database, context, site_id),
        _machines(database, session, scope, site_id, config, now=now),
        read_pulse(database, context, site_id, next_no=kept.next_no),
    )
    return CycleInput(
        live=live,
        frame=frame,
        state=state,
        remembered=remembered,
        subjects=_subjects(live, collectors.drop("interval_sec")),
        repaired=await _repaired(session, site_id, kept.cycled_at),
        config=config,
    )


async def _machines(
    database: Database, session: AsyncSession, scope: Scope, site_id: int, config: Config, *, now: datetime
) -> tuple[pl.DataFrame, Frame]:
    """The live layer, and what a cycle makes of it, while the state is still on its way."""
    context = scope.context(read_only=True)
    live, boards, sensors, quiet = await asyncio.gather(
        live_frame(database, scope, as_of=now, site_id=site_id, only={*_SHOWN, *columns_for(config)}),
        boards_frame(database, context, site_id),
        sensors_frame(database, context, site_id),
        list_suppressed_at_site(session, site_id, as_of=now),
    )
    silenced = quiet.miner_no.tolist()
    # as the live layer joins it: maintenance by a suppression excuses from evaluation as a command does
    expected = live.filter(pl.col("expected_state").is_not_null()).select(
        "miner_no", state="expected_state", until_at=pl.lit(None, dtype=live.schema["ts"])
    )
    return live, await asyncio.to_thread(frame_of, live, expected, boards, sensors=sensors, suppressed=silenced)


async def _repaired(session: AsyncSession, site_id: int, last: datetime | None) -> Sequence[int]:
    if last is None:
        return []
    values = {"site": site_id, "since": last - _OVERLAP, "resolved": int(EventStatus.RESOLVED)}
    return list((await session.execute(_REPAIRED, values)).scalars())


async def _collectors(session: AsyncSession, site_id: int) -> pl.DataFrame:
    columns = Collector.number, Collector.id, Collector.last_seen_at, Collector.collection_interval_sec
    query = select(*columns).where(Collector.site_id == site_id, Collector.status != "disabled")
    rows = (await session.execute(query)).all()
    return pl.DataFrame(
        {
            "subject": [-1 - row.number for row in rows],
            "collector_id": [str(row.id) for row in rows],
            "heard_at": [None if row.last_seen_at is None else row.last_seen_at.timestamp() for row in rows],
            "interval_sec": [float(row.collection_interval_sec) for row in rows],
        },
        schema={"subject": pl.Int64, "collector_id": pl.String, "heard_at": pl.Float64, "interval_sec": pl.Float64},
    )


def _interval(collectors: pl.DataFrame) -> float:
    """The slowest collector's: what is late for another may be in time for this one."""
    slowest = collectors["interval_sec"].max()
    return float(slowest) if isinstance(slowest, float) else Config().interval_sec


def _subjects(live: pl.DataFrame, collectors: pl.DataFrame) -> pl.DataFrame:
    """Who can have problems: machines, and the collectors that one of them depends on."""
    depended_on = live.select(subject=-1 - pl.col("collector_no").cast(pl.Int64)).unique()
    machines = live.select(
        subject=pl.col("miner_no").cast(pl.Int64),
        miner_no=pl.col("miner_no"),
        miner_id=pl.col("miner_id"),
        zone_id=pl.col("zone_id"),
        model=pl.col("model"),
        firmware=pl.col("firmware"),
    )
    return pl.concat([machines, collectors.join(depended_on, on="subject", how="semi")], how="diagonal")
