"""Rollups of history: 5 minutes from raw samples, hours from these, days from hours, each one statement per bucket.

Sums and counts, never a mean of means. A bucket is always computed anew from the layer below, so that late samples,
repeated runs and catching up are the same. Rows are sorted by machine and time first: float sums then come out the same
in whatever order the samples came. A machine that moved has rows of each site, which never count for the other.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.telemetry.layers import Layer
from hashinsight.telemetry.models import DAYS, FIVE_MINUTES, HOURS

_COUNTERS = ("accepted", "rejected", "hw_errors")
_GROUP = "miner_no, tenant_id, site_id"


def _insert(table: str, time: str, values: dict[str, str], source: str) -> str:
    """`values`: each column with the expression that computes it from `source`."""
    columns = ",\n        ".join(("miner_no", "tenant_id", "site_id", time, *values, "created_at"))
    select = ",\n        ".join(f"{expression} as {name}" for name, expression in values.items())
    update = ",\n        ".join(f"{name} = excluded.{name}" for name in ("tenant_id", *values, "created_at"))
    return f"""
    insert into {table} (
        {columns}
    )
    select
        {_GROUP},
        bucket,
        {select},
        cast(:now as timestamptz)
    {source}
    group by {_GROUP}, bucket
    on conflict (miner_no, {time}, site_id) do update set
        {update}
    """


def _grown(before: str, after: str) -> str:
    """What a counter grew by; a smaller value means a restart, and counts from zero."""
    return (
        f"case when {before} is null or {after} is null then null"
        f" when {after} >= {before} then {after} - {before} else {after} end"
    )


def _first(name: str, order: str) -> str:
    return f"(array_agg({name} order by {order}) filter (where {name} is not null))[1]"


# of online samples that have both: power and hashrate of the same time
_HAS_BOTH = "filter (where power_w is not null and hashrate_ths is not null and status <> 0)"
_FROM_RAW = _insert(
    FIVE_MINUTES.name,
    "bucket_ts",
    {
        "samples": "count(*)",
        "online_samples": "count(*) filter (where status <> 0)",
        "hashrate_n": "count(hashrate_ths)",
        "temp_n": "count(temp_c)",
        "power_n": "count(power_w)",
        "fan_n": "count(fan_rpm)",
        "hashrate_sum": "coalesce(sum(hashrate_ths::float8), 0)",
        "temp_sum": "coalesce(sum(temp_c::float8), 0)",
        "power_sum": "coalesce(sum(power_w::float8), 0)",
        "fan_sum": "coalesce(sum(fan_rpm::float8), 0)",
        "powered_w_sum": f"coalesce(sum(power_w::float8) {_HAS_BOTH}, 0)",
        "powered_ths_sum": f"coalesce(sum(hashrate_ths::float8) {_HAS_BOTH}, 0)",
        "hashrate_min": "min(hashrate_ths)",
        "hashrate_max": "max(hashrate_ths)",
        "temp_max": "max(temp_max_c)",
        "power_max": "max(power_w)",
        "fan_min": "min(fan_min_rpm)",
        **{f"{name}_first": _first(name, "ts") for name in _COUNTERS},
        **{f"{name}_last": _first(name, "ts desc") for name in _COUNTERS},
        **{f"{name}_delta": f"sum({_grown(f'{name}_before', name)})::bigint" for name in _COUNTERS},
    },
    # each sample with the last known counters before it in its bucket, sorted
    f"""from (
        select
            {_GROUP},
            ts,
            bucket,
            status,
            hashrate_ths,
            temp_c,
            temp_max_c,
            power_w,
            fan_rpm,
            fan_min_rpm,
            accepted,
            rejected,
            hw_errors,
            coalesce(lag(accepted) over w, lag(accepted, 2) over w, lag(accepted, 3) over w) as accepted_before,
            coalesce(lag(rejected) over w, lag(rejected, 2) over w, lag(rejected, 3) over w) as rejected_before,
            coalesce(lag(hw_errors) over w, lag(hw_errors, 2) over w, lag(hw_errors, 3) over w) as hw_errors_before
        from (
            select
                *,
                date_bin('5 minutes', ts, 'epoch') as bucket
            from telemetry_raw
            where ts >= :begins
                and ts < :ends
                and site_id = any(:sites)
        ) sample
        window w as (partition by miner_no, site_id, bucket order by ts)
        order by miner_no, site_id, bucket, ts
    ) sorted""",  # noqa: S608 - names of our own columns
)


def _from_layer(table: str, time: str, source: str, source_time: str, *, boundary: bool) -> str:
    """With `boundary`, what a counter grew between two buckets belongs to the later one, if they lie within an hour."""
    grown = {
        name: f"coalesce({name}_delta, 0) + coalesce({_grown(f'{name}_before', f'{name}_first')}, 0)"
        if boundary
        else f"{name}_delta"
        for name in _COUNTERS
    }
    return _insert(
        table,
        time,
        {
            "samples": "sum(samples)",
            "online_samples": "sum(online_samples)",
            "hashrate_n": "sum(hashrate_n)",
            "temp_n": "sum(temp_n)",
            "power_n": "sum(power_n)",
            "fan_n": "sum(fan_n)",
            "hashrate_sum": "sum(hashrate_sum)",
            "temp_sum": "sum(temp_sum)",
            "power_sum": "sum(power_sum)",
            "fan_sum": "sum(fan_sum)",
            # unknown if some bucket is from before these were stored
            "powered_w_sum": "case when count(powered_w_sum) = count(*) then sum(powered_w_sum::float8) end",
            "powered_ths_sum": "case when count(powered_ths_sum) = count(*) then sum(powered_ths_sum::float8) end",
            "hashrate_min": "min(hashrate_min)",
            "hashrate_max": "max(hashrate_max)",
            "temp_max": "max(temp_max)",
            "power_max": "max(power_max)",
            "fan_min": "min(fan_min)",
            **{f"{name}_first": _first(f"{name}_first", source_time) for name in _COUNTERS},
            **{f"{name}_last": _first(f"{name}_last", f"{source_time} desc") for name in _COUNTERS},
            **{
                f"{name}_delta": f"(sum({grown[name]}) filter (where {name}_first is not null))::bigint"
                for name in _COUNTERS
            },
        },
        # each bucket of the layer below with the last counters of the bucket before it, sorted
        f"""from (
        select
            *,
            cast(:begins as timestamptz) as bucket,
            lag(accepted_last) over w as accepted_before,
            lag(rejected_last) over w as rejected_before,
            lag(hw_errors_last) over w as hw_errors_before
        from {source}
        where {source_time} >= :looks_from
            and {source_time} < :ends
            and site_id = any(:sites)
        window w as (partition by miner_no, site_id order by {source_time})
        order by miner_no, site_id, {source_time}
    ) sorted
    where {source_time} >= :begins""",  # noqa: S608 - names of our own columns
    )


_FROM_5MIN = _from_layer(HOURS.name, "hour_ts", FIVE_MINUTES.name, "bucket_ts", boundary=True)
_FROM_HOURS = _from_layer(DAYS.name, "day", HOURS.name, "hour_ts", boundary=False)
_TAKE = """
    -- buckets that have ended and hold new samples, in the wanted order
    with due as (
        select distinct bucket_ts
        from telemetry_touched
        where layer = :layer
            and bucket_ts <= :last
        order by bucket_ts {order}
        limit cast(:most as int)
    ),
    -- their marks, removed
    taken as (
        delete from telemetry_touched
        where layer = :layer
            and bucket_ts in (select bucket_ts from due)
        returning bucket_ts, site_id
    )
    select
        bucket_ts,
        array_agg(distinct site_id)
    from taken
    group by bucket_ts
    order by bucket_ts
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
    """The buckets that have ended and hold new samples, with their sites; their marks are removed.

    With `most`, the oldest of them (or the newest); the rest is left for the next run.
    """
    query = text(_TAKE.format(order="desc" if newest else "asc"))
    rows = await session.execute(query, {"layer": layer.value, "last": ends_by - length, "most": most})
    return [(row[0], row[1]) for row in rows]


async def find_oldest_touched(session: AsyncSession) -> datetime | None:
    query = text("select min(bucket_ts) from telemetry_touched where layer <= :layer")
    oldest: datetime | None = (await session.execute(query, {"layer": Layer.FIVE_MINUTES.value})).scalar_one()
    return oldest


async def insert_touched(session: AsyncSession, layer: Layer, bucket: datetime, sites: Sequence[int]) -> None:
    query = text(
        "insert into telemetry_touched (tenant_id, site_id, layer, bucket_ts)"
        " select tenant_id, id, :layer, :bucket from sites where id = any(:sites)"
    )
    await session.execute(query, {"layer": layer.value, "bucket": bucket, "sites": list(sites)})


async def roll_five_minutes(
    session: AsyncSession, begins: datetime, ends: datetime, sites: Sequence[int], *, now: datetime
) -> int:
    await session.execute(text("select set_config('work_mem', '256MB', true)"))
    result = await session.execute(text(_FROM_RAW), {"begins": begins, "ends": ends, "sites": list(sites), "now": now})
    return int(result.rowcount)  # type: ignore[attr-defined] # the result of an insert has it


async def roll_coarser(
    session: AsyncSession, layer: Layer, begins: datetime, ends: datetime, sites: Sequence[int], *, now: datetime
) -> None:
    looks_from = begins - timedelta(hours=1)
    values = {"begins": begins, "ends": ends, "looks_from": looks_from, "sites": list(sites), "now": now}
    await session.execute(text("select set_config('work_mem', '256MB', true)"))
    await session.execute(text(_FROM_5MIN if layer is Layer.HOUR else _FROM_HOURS), values)
