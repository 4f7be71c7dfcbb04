"""What an import reads and writes, for a whole site at once."""

from collections.abc import Sequence
from uuid import UUID

import polars as pl
from sqlalchemy import DateTime, Integer, Table, bindparam, cast, column, func, select, text
from sqlalchemy.dialects.postgresql import ARRAY, TEXT
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.inventory.asset_diff import KNOWN_SCHEMA
from hashinsight.inventory.models import Miner, MinerChange, Rack, Site, Zone
from hashinsight.kit.db.bulk import copy_into
from hashinsight.kit.errors import Conflict

_COLUMNS = (
    "serial",
    "mac",
    "model",
    "firmware",
    "zone_id",
    "rack_id",
    "position",
    "owner",
    "expected_ths",
    "expected_source",
)
_UPDATE = text(f"""
update miners m
set {", ".join(f"{name} = given.{name}" for name in _COLUMNS)}, updated_at = :updated_at
from unnest(:miner_no, {", ".join(f":{name}" for name in _COLUMNS)}) as given (miner_no, {", ".join(_COLUMNS)})
where m.miner_no = given.miner_no and m.site_id = :site_id
returning m.miner_no
""").bindparams(  # noqa: S608 - names of columns
    bindparam("site_id", type_=Integer),
    bindparam("updated_at", type_=DateTime(timezone=True)),
    *(bindparam(name, type_=ARRAY(Miner.__table__.c[name].type)) for name in ("miner_no", *_COLUMNS)),
)


async def lock_site(session: AsyncSession, site_id: int) -> None:
    """Imports of a site take turns, with each other and with writers of its machines (`lock_sites_shared`).

    Rows that only reference the site, such as telemetry, do not wait.
    """
    await session.execute(select(Site.id).where(Site.id == site_id).with_for_update(key_share=True))


async def list_known_miners(session: AsyncSession, site_id: int) -> pl.DataFrame:
    """All machines of a site, as `diff_assets` takes them."""
    query = (
        select(
            Miner.miner_no,
            Miner.miner_id,
            Miner.state,
            Miner.model,
            Miner.serial,
            Miner.mac,
            Miner.firmware,
            Zone.code,
            Rack.code,
            Miner.position,
            Miner.owner,
            Miner.expected_ths,
            Miner.expected_source,
        )
        .outerjoin(Zone, Zone.id == Miner.zone_id)
        .outerjoin(Rack, Rack.id == Miner.rack_id)
        .where(Miner.site_id == site_id)
    )
    rows = (await session.execute(query)).all()
    return pl.DataFrame([tuple(row) for row in rows], schema=KNOWN_SCHEMA, orient="row")


async def list_serial_holders(session: AsyncSession, serials: Sequence[str]) -> pl.DataFrame:
    """Machines with these serials in the whole tenant, also at sites that the caller does not see."""
    holders = func.lookup_serials(cast(list(serials), ARRAY(TEXT))).table_valued(column("serial"), column("miner_no"))
    rows = (await session.execute(select(holders.c.serial, holders.c.miner_no))).all()
    return pl.DataFrame([tuple(row) for row in rows], schema={"serial": pl.String, "holder": pl.Int64}, orient="row")


async def ensure_zones(session: AsyncSession, tenant_id: UUID, site_id: int, codes: pl.Series) -> int:
    frame = pl.DataFrame({"code": codes, "name": codes}).with_columns(
        tenant_id=pl.lit(str(tenant_id)), site_id=pl.lit(site_id)
    )
    return await copy_into(session, _table(Zone), frame, conflict=["site_id", "code"])


async def ensure_racks(session: AsyncSession, tenant_id: UUID, site_id: int, racks: pl.DataFrame) -> int:
    """`racks` has `zone_id` and `code`."""
    frame = racks.select("zone_id", "code").with_columns(tenant_id=pl.lit(str(tenant_id)), site_id=pl.lit(site_id))
    return await copy_into(session, _table(Rack), frame, conflict=["site_id", "zone_id", "code"])


async def list_zone_ids(session: AsyncSession, site_id: int) -> pl.DataFrame:
    rows = (await session.execute(select(Zone.code, Zone.id).where(Zone.site_id == site_id))).all()
    return pl.DataFrame([tuple(row) for row in rows], schema={"zone": pl.String, "zone_id": pl.Int64}, orient="row")


async def list_rack_ids(session: AsyncSession, site_id: int) -> pl.DataFrame:
    rows = (await session.execute(select(Rack.zone_id, Rack.code, Rack.id).where(Rack.site_id == site_id))).all()
    schema = {"zone_id": pl.Int64, "rack": pl.String, "rack_id": pl.Int64}
    return pl.DataFrame([tuple(row) for row in rows], schema=schema, orient="row")


async def insert_miners(session: AsyncSession, frame: pl.DataFrame) -> int:
    columns = ("tenant_id", "site_id", "miner_id", *_COLUMNS, "updated_at", "created_at")
    return await copy_into(session, _table(Miner), frame.select(columns))


async def update_miners(session: AsyncSession, frame: pl.DataFrame) -> int:
    """Update machines by number; a machine that has left the site is a conflict, never created again."""
    given = {name: frame[name].to_list() for name in ("miner_no", *_COLUMNS)}
    values = {"site_id": frame["site_id"][0], "updated_at": frame["updated_at"][0]}
    written = len((await session.execute(_UPDATE, given | values)).all())
    if written != frame.height:
        raise Conflict("machines of this site were moved just now: try again", code="MINER_MOVED")
    return written


async def insert_changes(session: AsyncSession, frame: pl.DataFrame) -> int:
    return await copy_into(session, _table(MinerChange), frame)


def _table(model: type[Miner | MinerChange | Rack | Zone]) -> Table:
    table = model.__table__
    if not isinstance(table, Table):
        raise TypeError(f"{model.__name__} is not a table")
    return table
