"""The live layer from raw samples: the newest state and five-minute means of each machine, and who went offline."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.telemetry.models import READINGS
from hashinsight.wire.freshness import DEFAULT_INTERVAL_SEC, OFFLINE_INTERVALS, SHORTEST_INTERVAL_SEC, freshness

_MEANS = ("hashrate_5min_ths", "power_5min_w", "powered_5min_ths")
_NEWEST = ("status", "flags", "collector_no", *READINGS)


def _list(*columns: str) -> str:
    return ",\n            ".join(columns)


def _offline_before(interval_sec: str) -> str:
    """The time before which a newest sample is offline: `wire.freshness` in SQL."""
    counted = f"greatest(coalesce({interval_sec}, {DEFAULT_INTERVAL_SEC}), {SHORTEST_INTERVAL_SEC})"
    return f"cast(:now as timestamptz) - {OFFLINE_INTERVALS} * {counted} * interval '1 second'"


# the expected hashrate that a machine reported stays while its samples omit it, as those of a dark machine do
_EXPECTED = """coalesce(
            excluded.expected_ths,
            case when excluded.model is null or excluded.model = live.model then live.expected_ths end
        )"""
# an offline sample has no readings: the means stay as the machine last reported them, at `last_seen_at`
_LAST_MEAN = "case when excluded.status = 0 and excluded.hashrate_5min_ths is null then live.{0} else excluded.{0} end"
_UPDATE = {
    "tenant_id": "excluded.tenant_id",
    "site_id": "excluded.site_id",
    "ts": "excluded.ts",
    "last_seen_at": "greatest(live.last_seen_at, excluded.last_seen_at)",
    "online": "excluded.online",
    "updated_at": "excluded.updated_at",
    **{name: _LAST_MEAN.format(name) for name in _MEANS},
    **{name: f"excluded.{name}" for name in _NEWEST},
    "expected_ths": _EXPECTED,
}

_ROLL_LIVE = f"""
    -- the samples of this time, only the columns that the means need
    with span as materialized (
        select
            miner_no,
            ts,
            status,
            hashrate_ths,
            power_w
        from telemetry_raw
        where ts >= :begins
            and ts < :ends
            and site_id = any(:sites)
    ),
    -- per machine: its newest sample, and its newest one that is not offline
    latest as materialized (
        select
            miner_no,
            max(ts) as ts,
            max(ts) filter (where status <> 0) as seen_at
        from span
        group by miner_no
    ),
    -- means of the five minutes before the newest sample; power and hashrate only of samples that have both
    recent as (
        select
            miner_no,
            (avg(hashrate_ths order by span.ts))::real as hashrate_5min_ths,
            (avg(power_w order by span.ts) filter (where hashrate_ths is not null))::real as power_5min_w,
            (avg(hashrate_ths order by span.ts) filter (where power_w is not null))::real as powered_5min_ths
        from span
        join latest using (miner_no)
        where span.ts > latest.ts - interval '5 minutes'
            and span.status <> 0
        group by miner_no
    ),
    -- the whole newest sample, and the collection interval of the collector that sent it
    newest as (
        select
            sample.*,
            latest.seen_at,
            collector.collection_interval_sec
        from latest
        join telemetry_raw sample on sample.miner_no = latest.miner_no and sample.ts = latest.ts
        left join collectors collector on collector.number = sample.collector_no
        where sample.ts >= :begins
            and sample.ts < :ends
    )
    insert into telemetry_live as live (
            miner_no,
            tenant_id,
            site_id,
            ts,
            last_seen_at,
            online,
            {_list(*_MEANS)},
            {_list(*_NEWEST)},
            updated_at
    )
    select
            newest.miner_no,
            newest.tenant_id,
            newest.site_id,
            newest.ts,
            newest.seen_at,
            newest.status <> 0 and newest.ts > {_offline_before("newest.collection_interval_sec")},
            {_list(*(f"recent.{name}" for name in _MEANS))},
            {_list(*(f"newest.{name}" for name in _NEWEST))},
            cast(:now as timestamptz)
    from newest
    left join recent using (miner_no)
    -- a replayed batch never overwrites a newer state
    on conflict (miner_no) do update set
            {_list(*(f"{name} = {value}" for name, value in _UPDATE.items()))}
    where excluded.ts >= live.ts
"""  # noqa: S608 - names of our own columns
_UPDATE_LAST_SEEN = """
    update telemetry_live live
    set last_seen_at = seen.at
    -- the newest sample of each machine in this time that is not offline
    from (
        select
            miner_no,
            max(ts) as at
        from telemetry_raw
        where ts >= :begins
            and ts < :ends
            and site_id = any(:sites)
            and status <> 0
        group by miner_no
    ) seen
    where seen.miner_no = live.miner_no
        and (live.last_seen_at is null or live.last_seen_at < seen.at)
"""
# a disabled collector's interval does not count, as in the live API
_INTERVAL = """(
            select collection_interval_sec
            from collectors
            where number = live.collector_no and site_id = live.site_id and status <> 'disabled'
        )"""
# the first condition is the shortest threshold that there is: only few machines need their collector looked up
_MOVE_OFFLINE = f"""
    update telemetry_live live
    set
        online = false,
        updated_at = :now
    where live.online
        and live.ts <= cast(:now as timestamptz) - {freshness(0).offline_sec} * interval '1 second'
        and live.ts <= {_offline_before(_INTERVAL)}
"""  # noqa: S608 - our own expressions


async def roll_live(
    session: AsyncSession, begins: datetime, ends: datetime, sites: Sequence[int], *, now: datetime
) -> None:
    """The newest state of each machine from all samples of this time; never older than what is stored."""
    span = {"begins": begins, "ends": ends, "sites": list(sites)}
    await session.execute(text("select set_config('work_mem', '256MB', true)"))
    await session.execute(text(_ROLL_LIVE), span | {"now": now})
    if ends <= now:  # samples older than the stored state can still move `last_seen_at`
        await session.execute(text(_UPDATE_LAST_SEEN), span)


async def move_offline(session: AsyncSession, *, now: datetime) -> None:
    """Machines whose newest sample has become too old are no longer online."""
    await session.execute(text(_MOVE_OFFLINE), {"now": now})
