"""The live layer joined with the inventory: one row per machine in service, of a page or of a whole fleet."""

import asyncio
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any

import polars as pl
from psycopg import sql
from sqlalchemy import Select, and_, func, literal, or_, select, text
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from hashinsight.collectors.models import Collector
from hashinsight.identity.scope import Scope
from hashinsight.inventory.queries.expected_now import expected_now
from hashinsight.inventory.queries.scopes import miners_within
from hashinsight.inventory.queries.tables import Miner, Rack, Zone
from hashinsight.kit.db.bulk import staged
from hashinsight.kit.db.context import Context
from hashinsight.kit.db.database import Database
from hashinsight.kit.paging import Page, page
from hashinsight.telemetry.layers import MEAN_OVER
from hashinsight.telemetry.live_state import NEEDED, SCHEMA, evaluate
from hashinsight.telemetry.models import LIVE
from hashinsight.telemetry.states import SampleFlags, SampleStatus
from hashinsight.wire.freshness import DEFAULT_INTERVAL_SEC, OFFLINE_INTERVALS, SHORTEST_INTERVAL_SEC, freshness

_FROM_LIVE = tuple(name for name in SCHEMA if name in LIVE.c and name not in ("miner_no", "site_id", "collector_no"))
# with literals in the text: the Arrow reader takes no parameters
_PLAIN = postgresql.dialect(paramstyle="named")  # type: ignore[no-untyped-call]


async def live_frame(
    database: Database,
    scope: Scope,
    *,
    as_of: datetime,
    site_id: int | None = None,
    only: Collection[str] = SCHEMA,
) -> pl.DataFrame:
    """Every machine in scope, evaluated at `as_of`, as columns over Arrow.

    `only` these columns of the live layer (`NEEDED` are always read): each costs time on a large fleet.
    """
    names = [name for name in SCHEMA if name in only or name in NEEDED]
    async with database.reading(scope.context(read_only=True)) as session:
        mean_from = await _mean_from(session, as_of, site_id)
    query = live_query(scope, as_of=as_of, mean_from=mean_from, site_id=site_id, names=names)
    statement = str(query.compile(dialect=_PLAIN, compile_kwargs={"literal_binds": True}))
    rows = await database.frame(scope.context(read_only=True), sql.SQL(statement))
    return evaluate(rows.cast(pl.Schema({name: SCHEMA[name] for name in names})), as_of=as_of)


async def get_live_of_machine(session: AsyncSession, scope: Scope, miner_no: int, *, as_of: datetime) -> pl.DataFrame:
    """The row of one machine, retired or not, before `evaluate`; no row outside the scope."""
    names = [name for name in SCHEMA if name in NEEDED]
    mean_from = await _mean_from(session, as_of, None)
    query = live_query(scope, as_of=as_of, mean_from=mean_from, names=names, with_retired=True)
    query = query.where(Miner.miner_no == miner_no)
    rows = (await session.execute(query)).all()
    return pl.DataFrame([tuple(row) for row in rows], schema={name: SCHEMA[name] for name in names}, orient="row")


async def list_live(
    session: AsyncSession,
    scope: Scope,
    *,
    as_of: datetime,
    site_id: int | None = None,
    miner_nos: Sequence[int] | None = None,
    online: bool | None = None,
    limit: int,
    cursor: str | None = None,
) -> tuple[pl.DataFrame, str | None]:
    """A page of the live columns, by machine id, before `evaluate`; and the cursor of the next page."""
    mean_from = await _mean_from(session, as_of, site_id)
    query = live_query(scope, as_of=as_of, mean_from=mean_from, site_id=site_id, online=online)
    if miner_nos is not None:
        query = query.where(Miner.miner_no.in_(miner_nos))
    machines: Page = await page(session, query, [Miner.miner_id, Miner.miner_no], limit=limit, cursor=cursor)
    return pl.DataFrame(list(machines.rows), schema=SCHEMA, orient="row"), machines.next_cursor


def live_query(
    scope: Scope,
    *,
    as_of: datetime,
    mean_from: datetime,
    site_id: int | None = None,
    names: Collection[str] = tuple(SCHEMA),
    with_retired: bool = False,
    online: bool | None = None,
) -> Select[Any]:
    """Machines in service, also those that were never seen."""
    of_site, of_zone, sender = _collectors(zoned=False), _collectors(zoned=True), aliased(Collector)
    expected = expected_now(as_of, ended_after=mean_from)
    is_here = and_(sender.site_id == Miner.site_id, sender.status != "disabled")
    # by the collector that sent its newest sample; before there is one, its zone's, then its site's
    interval_sec = func.coalesce(sender.collection_interval_sec, of_zone.c.interval_sec, of_site.c.interval_sec)
    columns: dict[str, Any] = {
        "miner_no": Miner.miner_no,
        "miner_id": Miner.miner_id,
        "site_id": Miner.site_id,
        "zone": Zone.code,
        "rack": Rack.code,
        **{name: getattr(Miner, name) for name in ("zone_id", "rack_id", "position", "cooling")},
        **{name: getattr(Miner, name) for name in ("power_node_id", "network_node_id")},
        "inventory_model": Miner.model,
        "inventory_firmware": Miner.firmware,
        "inventory_ths": Miner.expected_ths,
        "inventory_source": Miner.expected_source,
        "heard_at": func.coalesce(sender.last_seen_at, of_zone.c.heard_at, of_site.c.heard_at),
        "collector_no": func.coalesce(sender.number, of_zone.c.number, of_site.c.number),
        "interval_sec": interval_sec,
        **{name: LIVE.c[name] for name in _FROM_LIVE},
        "reported_ths": LIVE.c.expected_ths,
        "reported_model": LIVE.c.model,
        "reported_firmware": LIVE.c.firmware,
        "expected_state": expected.state,
        "expected_ended_at": expected.ended_at,
    }
    query = (
        select(*(columns[name].label(name) for name in names))
        .select_from(Miner)
        .outerjoin(LIVE, LIVE.c.miner_no == Miner.miner_no)
        .outerjoin(Zone, Zone.id == Miner.zone_id)
        .outerjoin(Rack, Rack.id == Miner.rack_id)
        .outerjoin(sender, and_(sender.number == LIVE.c.collector_no, is_here))
        .outerjoin(of_site, of_site.c.site_id == Miner.site_id)
        .outerjoin(of_zone, of_zone.c.zone_id == Miner.zone_id)
        .where(miners_within(scope))
    )
    query = expected.join(query)
    if online is not None:
        counted_sec = func.greatest(func.coalesce(interval_sec, DEFAULT_INTERVAL_SEC), SHORTEST_INTERVAL_SEC)
        age_sec = func.extract("epoch", literal(as_of) - LIVE.c.ts)
        is_online = and_(LIVE.c.status != SampleStatus.OFFLINE, age_sec < OFFLINE_INTERVALS * counted_sec)
        query = query.where(is_online if online else or_(~is_online, LIVE.c.ts.is_(None)))
    if not with_retired:
        query = query.where(Miner.state == "in_service")
    return query if site_id is None else query.where(Miner.site_id == site_id)


async def _mean_from(session: AsyncSession, as_of: datetime, site_id: int | None) -> datetime:
    """How far back the five-minute mean of a machine that is still online may reach: by the slowest collector.

    Read on its own: compared with a subquery, the planner would expect a third of all states that ever ended.
    """
    slowest = select(func.max(Collector.collection_interval_sec)).where(Collector.status != "disabled")
    slowest = slowest if site_id is None else slowest.where(Collector.site_id == site_id)
    interval_sec = (await session.execute(slowest)).scalar()
    return as_of - MEAN_OVER - timedelta(seconds=freshness(interval_sec).offline_sec)


def _collectors(*, zoned: bool) -> Any:
    """Per site, or per zone: when its collectors were last heard, and their slowest interval."""
    key = Collector.zone_id if zoned else Collector.site_id
    query = select(
        key,
        func.max(Collector.last_seen_at).label("heard_at"),
        func.min(Collector.number).label("number"),
        func.max(Collector.collection_interval_sec).label("interval_sec"),
    ).where(Collector.status != "disabled")
    query = query.where(Collector.zone_id.is_not(None) if zoned else Collector.zone_id.is_(None))
    return query.group_by(key).subquery("collectors_of_zone" if zoned else "collectors_of_site")


async def update_health(session: AsyncSession, rows: pl.DataFrame) -> None:
    """The results of a cycle for machines whose results changed, by `miner_no`."""
    if rows.is_empty():
        return
    results = {
        "overall_health": "text",
        "inferred_mode": "text",
        "mode_share": "real",
        "inferred_ths": "real",
        "recent_reject_rate": "real",
    }
    update = ", ".join(f"{name} = s.{name}" for name in results)
    types = results | {"miner_no": "integer"}
    async with staged(session, "stage_health", rows.select(*types), types) as stage:
        await session.execute(
            text(f"update telemetry_live t set {update} from {stage} s where t.miner_no = s.miner_no")  # noqa: S608 - our own names
        )


# only numbers under this name: others may be in another unit
_BOARDS = """
select miner_no, jsonb_path_query_array(boards, '$[*].hashrate_ths ? (@.type() == "number")')::text as board_ths
from telemetry_live where site_id = {} and jsonb_typeof(boards) = 'array'
"""


async def boards_frame(database: Database, context: Context, site_id: int) -> pl.DataFrame:
    """The hashrates of the boards of each machine, where its newest sample lists them: `miner_no, board_ths`."""
    rows = await database.frame(context, sql.SQL(_BOARDS).format(sql.Literal(site_id)))
    lists = await asyncio.to_thread(_decode_lists, rows["board_ths"])
    return pl.DataFrame({"miner_no": rows["miner_no"], "board_ths": lists})


def _decode_lists(texts: pl.Series) -> pl.Series:
    return texts.cast(pl.String).str.json_decode(pl.List(pl.Float64))


# not among the live columns: few firmwares name a sensor, and each column costs time on a large fleet
_SENSORS = """
select miner_no, temp_chip_max_c, temp_board_max_c, temp_limits
from telemetry_live where site_id = {site} and flags & {named} <> 0
"""
_SENSOR_SCHEMA: dict[str, type[pl.DataType]] = {
    "miner_no": pl.Int32,
    "temp_chip_max_c": pl.Float32,
    "temp_board_max_c": pl.Float32,
    "temp_limits": pl.String,
}


async def sensors_frame(database: Database, context: Context, site_id: int) -> pl.DataFrame:
    """The hottest chip and board, and the reported limits, of machines whose newest sample names its sensor."""
    named = int(SampleFlags.CHIP_SENSOR | SampleFlags.BOARD_SENSOR)
    query = sql.SQL(_SENSORS).format(site=sql.Literal(site_id), named=sql.Literal(named))
    return (await database.frame(context, query)).cast(pl.Schema(_SENSOR_SCHEMA))
