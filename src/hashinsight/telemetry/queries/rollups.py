"""The rollups, each one statement over all machines: sums and counts, never a mean of means; running twice is the same.

Every bucket is made anew from what lies below it, so that late samples, repeated runs and catching up are one thing.
Rows go through a sort by machine and time: sums of floats come out the same in whatever order the samples came.
A machine that moved has rows of each site, and what one site says never counts for the other.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.telemetry.layers import Layer
from hashinsight.telemetry.models import DAYS, FIVE_MINUTES, HOURS, READINGS

COUNTERS = ("accepted", "rejected", "hw_errors")
MEANS = ("hashrate", "temp", "power", "fan")
POWERED = ("powered_w_sum", "powered_ths_sum")
_MEASURED = {"hashrate": "hashrate_ths", "temp": "temp_c", "power": "power_w", "fan": "fan_rpm"}
_KEY = "miner_no, tenant_id, site_id"
_OWNED = ("miner_no", "tenant_id", "site_id")
_EXTREMES = ("hashrate_min", "hashrate_max", "temp_max", "power_max", "fan_min")
_PARTS = tuple(f"{name}_{part}" for name in COUNTERS for part in ("first", "last", "delta"))
_COUNTS = ("samples", "online_samples", *(f"{name}_n" for name in MEANS))
_SUMS = tuple(f"{name}_sum" for name in MEANS)
_VALUES = (*_COUNTS, *_SUMS, *POWERED, *_EXTREMES, *_PARTS)


def _insert(table: str, time: str, select: str) -> str:
    columns = ", ".join((*_OWNED, time, *_VALUES, "created_at"))
    update = ", ".join(f"{name} = excluded.{name}" for name in ("tenant_id", *_VALUES, "created_at"))
    return f"insert into {table} ({columns}) {select} on conflict (miner_no, {time}, site_id) do update set {update}"


def _grown(before: str, after: str) -> str:
    """What a counter grew by; a smaller value is a restart, and counts from zero."""
    return (
        f"case when {before} is null or {after} is null then null"
        f" when {after} >= {before} then {after} - {before} else {after} end"
    )


def _first(name: str, order: str, *, descending: bool = False) -> str:
    way = " desc" if descending else ""
    return f"(array_agg({name} order by {order}{way}) filter (where {name} is not null))[1]"


_LAGGED = ", ".join(
    f"coalesce(lag({name}) over w, lag({name}, 2) over w, lag({name}, 3) over w) as {name}_before" for name in COUNTERS
)
_COUNTED = ", ".join(
    f"{_first(name, 'ts')}, {_first(name, 'ts', descending=True)}, sum({_grown(name + '_before', name)})::bigint"
    for name in COUNTERS
)
_TAKEN = ", ".join((*_MEASURED.values(), "temp_max_c", "fan_min_rpm", *COUNTERS))
_FROM_RAW = _insert(
    FIVE_MINUTES.name,
    "bucket_ts",
    f"""
    select {_KEY}, bucket_ts, count(*), count(*) filter (where status <> 0),
        {", ".join(f"count({column})" for column in _MEASURED.values())},
        {", ".join(f"coalesce(sum({column}::float8), 0)" for column in _MEASURED.values())},
        coalesce(sum(power_w::float8) filter (where hashrate_ths is not null and status <> 0), 0),
        coalesce(sum(hashrate_ths::float8) filter (where power_w is not null and status <> 0), 0),
        min(hashrate_ths), max(hashrate_ths), max(temp_max_c), max(power_w), min(fan_min_rpm),
        {_COUNTED},
        cast(:now as timestamptz)
    from (
        select {_KEY}, ts, bucket_ts, status, {_TAKEN}, {_LAGGED}
        from (
            select *, date_bin('5 minutes', ts, 'epoch') as bucket_ts from telemetry_raw
            where ts >= :begins and ts < :ends and site_id = any(:sites)
        ) found
        window w as (partition by miner_no, site_id, bucket_ts order by ts)
        order by miner_no, site_id, bucket_ts, ts
    ) sorted
    group by {_KEY}, bucket_ts
    """,  # noqa: S608 - names of our own columns
)

_ADDED = ", ".join(f"sum({name})" for name in (*_COUNTS, *_SUMS))
# of a time that was partly before they were kept, nobody knows the whole
_ADDED_POWERED = ", ".join(f"case when count({name}) = count(*) then sum({name}::float8) end" for name in POWERED)
_WIDEST = "min(hashrate_min), max(hashrate_max), max(temp_max), max(power_max), min(fan_min)"


def _coarser(table: str, time: str, source: str, source_time: str, *, boundary: bool) -> str:
    """Between two buckets a counter grows as well: that belongs to the later one, if they lie within an hour."""
    grown = {
        name: f"coalesce({name}_delta, 0) + coalesce({_grown(name + '_before', name + '_first')}, 0)"
        if boundary
        else f"{name}_delta"
        for name in COUNTERS
    }
    known = {name: f"filter (where {name}_first is not null)" for name in COUNTERS}
    counters = ", ".join(
        f"{_first(name + '_first', source_time)}, {_first(name + '_last', source_time, descending=True)},"
        f" (sum({grown[name]}) {known[name]})::bigint"
        for name in COUNTERS
    )
    lag = ", ".join(
        f"lag({name}_last) over (partition by miner_no, site_id order by {source_time}) as {name}_before"
        for name in COUNTERS
    )
    return _insert(
        table,
        time,
        f"""
        select {_KEY}, cast(:begins as timestamptz), {_ADDED}, {_ADDED_POWERED}, {_WIDEST}, {counters},
            cast(:now as timestamptz)
        from (
            select *, {lag} from {source}
            where {source_time} >= :looks_from and {source_time} < :ends and site_id = any(:sites)
            order by miner_no, site_id, {source_time}
        ) sorted
        where {source_time} >= :begins
        group by {_KEY}
        """,  # noqa: S608 - names of our own columns
    )


_FROM_5MIN = _coarser(HOURS.name, "hour_ts", FIVE_MINUTES.name, "bucket_ts", boundary=True)
_FROM_HOURS = _coarser(DAYS.name, "day", HOURS.name, "hour_ts", boundary=False)

_LIVE_COLUMNS = ("status", "flags", "collector_no", *READINGS)
_LIVE_MEANS = ("hashrate_5min_ths", "power_5min_w", "powered_5min_ths")
# what a machine said it should hash still holds where a sample leaves it out, as one of a dark machine does
_STILL_RATED = "case when excluded.model is null or excluded.model = live.model then live.expected_ths end"
# a sample that says offline has no readings: the means stay as the machine last reported them, at `last_seen_at`
_REPORTED = "case when excluded.status = 0 and excluded.hashrate_5min_ths is null then live.{0} else excluded.{0} end"
_SET = {name: f"excluded.{name}" for name in _LIVE_COLUMNS} | {name: _REPORTED.format(name) for name in _LIVE_MEANS}
_SET["expected_ths"] = f"coalesce(excluded.expected_ths, {_STILL_RATED})"
_LIVE = f"""
    with span as materialized (
        select miner_no, ts, status, hashrate_ths, power_w from telemetry_raw
        where ts >= :begins and ts < :ends and site_id = any(:sites)
    ), latest as materialized (
        select miner_no, max(ts) as ts, max(ts) filter (where status <> 0) as at from span group by miner_no
    ), recent as (
        select
            miner_no,
            (avg(hashrate_ths order by span.ts))::real as hashrate_5min_ths,
            (avg(power_w order by span.ts) filter (where hashrate_ths is not null))::real as power_5min_w,
            (avg(hashrate_ths order by span.ts) filter (where power_w is not null))::real as powered_5min_ths
        from span join latest using (miner_no)
        where span.ts > latest.ts - interval '5 minutes' and span.status <> 0
        group by miner_no
    ), newest as (
        select r.*, l.at from latest l join telemetry_raw r on r.miner_no = l.miner_no and r.ts = l.ts
        where r.ts >= :begins and r.ts < :ends
    )
    insert into telemetry_live as live ({_KEY}, ts, last_seen_at, online, {", ".join(_LIVE_MEANS)},
        {", ".join(_LIVE_COLUMNS)}, updated_at)
    select n.miner_no, n.tenant_id, n.site_id, n.ts, n.at, n.status <> 0 and n.ts > cast(:online_from as timestamptz),
        {", ".join(f"r.{name}" for name in _LIVE_MEANS)},
        {", ".join(f"n.{name}" for name in _LIVE_COLUMNS)}, cast(:now as timestamptz)
    from newest n left join recent r using (miner_no)
    on conflict (miner_no) do update set
        tenant_id = excluded.tenant_id, site_id = excluded.site_id, ts = excluded.ts,
        last_seen_at = greatest(live.last_seen_at, excluded.last_seen_at), online = excluded.online,
        updated_at = excluded.updated_at,
        {", ".join(f"{name} = {value}" for name, value in _SET.items())}
    where excluded.ts >= live.ts
"""  # noqa: S608 - names of our own columns
_SEEN_ONLY = """
    update telemetry_live live set last_seen_at = seen.at from (
        select miner_no, max(ts) as at from telemetry_raw
        where ts >= :begins and ts < :ends and site_id = any(:sites) and status <> 0 group by miner_no
    ) seen where seen.miner_no = live.miner_no and (live.last_seen_at is null or live.last_seen_at < seen.at)
"""


_TAKE = """
    with due as (
        select distinct bucket_ts from telemetry_touched where layer = :layer and bucket_ts <= :last
        order by bucket_ts {way} limit cast(:most as int)
    ), taken as (
        delete from telemetry_touched where layer = :layer and bucket_ts in (select bucket_ts from due)
        returning bucket_ts, site_id
    )
    select bucket_ts, array_agg(distinct site_id) from taken group by bucket_ts order by bucket_ts
"""


async def take_touched(
    session: AsyncSession,
    layer: Layer,
    *,
    ends_by: datetime,
    length: timedelta,
    most: int | None = None,
    newest: bool = False,
) -> list[tuple[datetime, list[int]]]:
    """The buckets that are over and have something new, with their sites; they are not touched any more then.

    `most` leaves the rest for the next run: the newest ones, or else the oldest.
    """
    query = text(_TAKE.format(way="desc" if newest else "asc"))
    found = await session.execute(query, {"layer": layer.value, "last": ends_by - length, "most": most})
    return [(row[0], row[1]) for row in found]


async def find_oldest_touched(session: AsyncSession) -> datetime | None:
    query = text("select min(bucket_ts) from telemetry_touched where layer <= :layer")
    found: datetime | None = (await session.execute(query, {"layer": Layer.FIVE_MINUTES.value})).scalar_one()
    return found


async def touch_above(session: AsyncSession, layer: Layer, bucket: datetime, sites: Sequence[int]) -> None:
    query = text(
        "insert into telemetry_touched (tenant_id, site_id, layer, bucket_ts)"
        " select tenant_id, id, :layer, :bucket from sites where id = any(:sites)"
    )
    await session.execute(query, {"layer": layer.value, "bucket": bucket, "sites": list(sites)})


async def roll_five_minutes(
    session: AsyncSession, begins: datetime, ends: datetime, sites: Sequence[int], *, now: datetime
) -> int:
    await session.execute(text("select set_config('work_mem', '256MB', true)"))
    done = await session.execute(text(_FROM_RAW), {"begins": begins, "ends": ends, "sites": list(sites), "now": now})
    return int(done.rowcount)  # type: ignore[attr-defined] # of an insert it has one


async def roll_coarser(
    session: AsyncSession, layer: Layer, begins: datetime, ends: datetime, sites: Sequence[int], *, now: datetime
) -> None:
    looks_from = begins - timedelta(hours=1)
    values = {"begins": begins, "ends": ends, "looks_from": looks_from, "sites": list(sites), "now": now}
    await session.execute(text("select set_config('work_mem', '256MB', true)"))
    await session.execute(text(_FROM_5MIN if layer is Layer.HOUR else _FROM_HOURS), values)


async def roll_live(
    session: AsyncSession,
    begins: datetime,
    ends: datetime,
    sites: Sequence[int],
    *,
    online_from: datetime,
    now: datetime,
) -> None:
    """The newest state of each machine, from all samples of this time; never older than what is there."""
    span = {"begins": begins, "ends": ends, "sites": list(sites)}
    await session.execute(text("select set_config('work_mem', '256MB', true)"))
    await session.execute(text(_LIVE), span | {"online_from": online_from, "now": now})
    if ends <= now:  # old samples, behind a newer state: they can still move when a machine was last seen
        await session.execute(text(_SEEN_ONLY), span)


async def move_offline(session: AsyncSession, *, online_from: datetime, now: datetime) -> None:
    """Machines whose newest sample is too old are not online any more."""
    query = text("update telemetry_live set online = false, updated_at = :now where online and ts <= :online_from")
    await session.execute(query, {"online_from": online_from, "now": now})
