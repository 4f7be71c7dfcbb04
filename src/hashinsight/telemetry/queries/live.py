"""The live layer beside the inventory: flat columns, one row a machine in service, of a page or of a whole fleet."""

import asyncio
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any

import polars as pl
from psycopg import sql
from sqlalchemy import Select, and_, func, or_, select, text
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
from hashinsight.telemetry.layers import MEAN_OVER, ONLINE_FOR
from hashinsight.telemetry.live_state import NEEDED, OFFLINE_AFTER, SCHEMA, STALE_AFTER, evaluate
from hashinsight.telemetry.models import LIVE
from hashinsight.telemetry.states import SampleFlags, SampleStatus

_FROM_LIVE = tuple(name for name in SCHEMA if name in LIVE.c and name not in ("miner_no", "site_id", "collector_no"))
# literals go in as they are: no driver reads the text for its own marks
_PLAIN = postgresql.dialect(paramstyle="named")  # type: ignore[no-untyped-call]


async def live_frame(
    database: Database,
    scope: Scope,
    *,
    as_of: datetime,
    site_id: int | None = None,
    only: Collection[str] = SCHEMA,
    stale_after: timedelta = STALE_AFTER,
    offline_after: timedelta = OFFLINE_AFTER,
) -> pl.DataFrame:
    """Every machine in scope, as columns over Arrow: what one cycle over a fleet reads.

    `only` these columns of the live layer: each costs as much as the machines are many. `NEEDED` are always among them.
    """
    names = [name for name in SCHEMA if name in only or name in NEEDED]
    query = live_query(scope, as_of=as_of, site_id=site_id, names=names)
    statement = str(query.compile(dialect=_PLAIN, compile_kwargs={"literal_binds": True}))
    found = await database.frame(scope.context(read_only=True), sql.SQL(statement))
    return evaluate(
        found.cast(pl.Schema({name: SCHEMA[name] for name in names})),
        as_of=as_of,
        stale_after=stale_after,
        offline_after=offline_after,
    )


async def get_live_of_machine(session: AsyncSession, scope: Scope, miner_no: int, *, as_of: datetime) -> pl.DataFrame:
    """The row of one machine, also of one that is retired, not judged yet; none where it lies outside the scope."""
    names = [name for name in SCHEMA if name in NEEDED]
    query = live_query(scope, as_of=as_of, names=names, with_retired=True).where(Miner.miner_no == miner_no)
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
    """A page of the same columns, by machine id, not judged yet; and where the next one begins."""
    query = live_query(scope, as_of=as_of, site_id=site_id)
    if miner_nos is not None:
        query = query.where(Miner.miner_no.in_(miner_nos))
    if online is not None:
        is_online = and_(LIVE.c.status != SampleStatus.OFFLINE, LIVE.c.ts > as_of - ONLINE_FOR)
        query = query.where(is_online if online else or_(~is_online, LIVE.c.ts.is_(None)))
    found: Page = await page(session, query, [Miner.miner_id, Miner.miner_no], limit=limit, cursor=cursor)
    return pl.DataFrame(list(found.rows), schema=SCHEMA, orient="row"), found.next_cursor


def live_query(
    scope: Scope,
    *,
    as_of: datetime,
    site_id: int | None = None,
    names: Collection[str] = tuple(SCHEMA),
    with_retired: bool = False,
) -> Select[Any]:
    """Machines in service, also those that were never heard of."""
    of_site, of_zone, brought = _heard(zoned=False), _heard(zoned=True), aliased(Collector)
    # so far back reaches the mean of a machine that is still online
    expected = expected_now(as_of, ended_after=as_of - MEAN_OVER - ONLINE_FOR)
    is_here = and_(brought.site_id == Miner.site_id, brought.status != "disabled")
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
        # who brought its newest sample speaks for it; before there is one, its zone's collector, then its site's
        "heard_at": func.coalesce(brought.last_seen_at, of_zone.c.at, of_site.c.at),
        "collector_no": func.coalesce(brought.number, of_zone.c.number, of_site.c.number),
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
        .outerjoin(brought, and_(brought.number == LIVE.c.collector_no, is_here))
        .outerjoin(of_site, of_site.c.site_id == Miner.site_id)
        .outerjoin(of_zone, of_zone.c.zone_id == Miner.zone_id)
        .where(miners_within(scope))
    )
    query = expected.join(query)
    if not with_retired:
        query = query.where(Miner.state == "in_service")
    return query if site_id is None else query.where(Miner.site_id == site_id)


def _heard(*, zoned: bool) -> Any:
    """When a collector was last heard, for the whole site or for one zone; of several, the first gives the number."""
    key = Collector.zone_id if zoned else Collector.site_id
    heard = func.max(Collector.last_seen_at).label("at"), func.min(Collector.number).label("number")
    spoken = select(key, *heard).where(Collector.status != "disabled")
    spoken = spoken.where(Collector.zone_id.is_not(None) if zoned else Collector.zone_id.is_(None))
    return spoken.group_by(key).subquery("heard_in_zone" if zoned else "heard_at_site")


async def update_health(session: AsyncSession, rows: pl.DataFrame) -> None:
    """What a cycle found of those machines of which it is new, by `miner_no`."""
    if rows.is_empty():
        return
    kinds = {"overall_health": "text", "inferred_mode": "text", "mode_share": "real", "inferred_ths": "real"}
    kinds["recent_reject_rate"] = "real"
    found = ", ".join(f"{name} = s.{name}" for name in kinds)
    kinds["miner_no"] = "integer"
    async with staged(session, "stage_standing", rows.select(*kinds), kinds) as stage:
        await session.execute(
            text(f"update telemetry_live t set {found} from {stage} s where t.miner_no = s.miner_no")  # noqa: S608 - our own names
        )


# only numbers in TH/s: what a board calls otherwise may be in another unit
_BOARDS = """
select miner_no, jsonb_path_query_array(boards, '$[*].hashrate_ths ? (@.type() == "number")')::text as board_ths
from telemetry_live where site_id = {} and jsonb_typeof(boards) = 'array'
"""


async def boards_frame(database: Database, context: Context, site_id: int) -> pl.DataFrame:
    """`miner_no, board_ths`: a list a machine."""
    found = await database.frame(context, sql.SQL(_BOARDS).format(sql.Literal(site_id)))
    lists = await asyncio.to_thread(_decode_lists, found["board_ths"])
    return pl.DataFrame({"miner_no": found["miner_no"], "board_ths": lists})


def _decode_lists(texts: pl.Series) -> pl.Series:
    return texts.cast(pl.String).str.json_decode(pl.List(pl.Float64))


# beside the live columns, not among them: few firmwares name a sensor, and each column costs as machines are many
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
    named = int(SampleFlags.CHIP_SENSOR | SampleFlags.BOARD_SENSOR)
    query = sql.SQL(_SENSORS).format(site=sql.Literal(site_id), named=sql.Literal(named))
    return (await database.frame(context, query)).cast(pl.Schema(_SENSOR_SCHEMA))
