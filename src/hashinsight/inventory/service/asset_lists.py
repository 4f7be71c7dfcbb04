"""Write what a comparison found: zones and racks first, then machines in parts, then the history."""

import asyncio
import csv
import io
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import datetime

import polars as pl
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action
from hashinsight.audit.service.entries import record
from hashinsight.identity.caller import Caller
from hashinsight.identity.scope import Scope
from hashinsight.inventory.asset_diff import AssetDiff, diff_assets, spell_zones
from hashinsight.inventory.asset_list import COLUMNS, parse_asset_list, refuse_lines, validate_lines
from hashinsight.inventory.errors import conflict_errors
from hashinsight.inventory.models import Site
from hashinsight.inventory.queries import asset_lists, miners, places
from hashinsight.inventory.schemas.miners import SHOWN_LINES, ImportReport, RefusedLine
from hashinsight.inventory.service.edit_scope import get_site_to_edit
from hashinsight.kit.db.context import Context
from hashinsight.kit.db.database import Database
from hashinsight.kit.errors import ValidationFailed
from hashinsight.kit.ids import new_id

Progress = Callable[[int, int], None]
_WRITE_ROWS = 20_000


@dataclass(frozen=True)
class CreatedPlaces:
    zones: int
    racks: int


async def write_asset_diff(
    session: AsyncSession, site: Site, compared: AssetDiff, *, cause: str, now: datetime, wrote: Callable[[int], None]
) -> CreatedPlaces:
    both = pl.concat([compared.created, compared.changed]).select("zone", "rack").unique().sort("zone", "rack")
    zones = await asset_lists.ensure_zones(
        session, site.tenant_id, site.id, both["zone"].drop_nulls().unique(maintain_order=True)
    )
    zone_ids = await asset_lists.list_zone_ids(session, site.id)
    racks = both.filter(pl.col("rack").is_not_null()).join(zone_ids, on="zone", how="left").rename({"rack": "code"})
    racks_made = await asset_lists.ensure_racks(session, site.tenant_id, site.id, racks)
    rack_ids = await asset_lists.list_rack_ids(session, site.id)
    for frame, write in ((compared.created, asset_lists.insert_miners), (compared.changed, asset_lists.update_miners)):
        rows = _rows(frame, site, zone_ids, rack_ids, now=now)
        for part in rows.iter_slices(_WRITE_ROWS):
            await write(session, part)
            wrote(part.height)
    await _write_changes(session, site, compared.changes, cause=cause, now=now)
    return CreatedPlaces(zones, racks_made)


async def _write_changes(
    session: AsyncSession, site: Site, changes: pl.DataFrame, *, cause: str, now: datetime
) -> None:
    ids = pl.Series("id", [str(new_id()) for _ in range(changes.height)], dtype=pl.String)
    rows = changes.with_columns(
        ids,
        tenant_id=pl.lit(str(site.tenant_id)),
        site_id=pl.lit(site.id),
        at=pl.lit(now),
        cause=pl.lit(cause),
    )
    await asset_lists.insert_changes(session, rows)


def _rows(
    frame: pl.DataFrame, site: Site, zone_ids: pl.DataFrame, rack_ids: pl.DataFrame, *, now: datetime
) -> pl.DataFrame:
    placed = frame.join(zone_ids, on="zone", how="left", maintain_order="left")
    racked = placed.join(rack_ids, on=["zone_id", "rack"], how="left", nulls_equal=True, maintain_order="left")
    return racked.with_columns(
        tenant_id=pl.lit(str(site.tenant_id)), site_id=pl.lit(site.id), created_at=pl.lit(now), updated_at=pl.lit(now)
    )


async def import_miners(
    session: AsyncSession,
    caller: Caller,
    site_ref: str | int,
    raw: bytes,
    *,
    all_or_nothing: bool = False,
    now: datetime,
    progress: Progress | None = None,
) -> ImportReport:
    """The good lines are loaded and the others listed; with `all_or_nothing` one bad line refuses the whole list."""
    site = await get_site_to_edit(session, caller, site_ref)
    read = await asyncio.to_thread(parse_asset_list, raw)
    good, refused = await asyncio.to_thread(validate_lines, read)
    total = good.height + refused.height
    await asset_lists.lock_site(session, site.id)
    known = await asset_lists.list_known_miners(session, site.id)
    good = spell_zones(good, (await asset_lists.list_zone_ids(session, site.id))["zone"].to_list())
    good, taken = await _taken(session, good, known)
    refused = pl.concat([refused, taken]).sort("line")
    if all_or_nothing and refused.height:
        raise _refused_whole(refused)
    compared = await asyncio.to_thread(diff_assets, good, known)
    done = refused.height + compared.unchanged

    def wrote(rows: int) -> None:
        nonlocal done
        done += rows
        if progress is not None:
            progress(done, total)

    wrote(0)
    with conflict_errors():
        made = await write_asset_diff(session, site, compared, cause="import", now=now, wrote=wrote)
    counts = {
        "created": compared.created.height,
        "changed": compared.changed.height,
        "unchanged": compared.unchanged,
        "refused": refused.height,
    }
    await _record(session, caller, site, counts, made, now=now)
    return ImportReport(**counts, zones_created=made.zones, racks_created=made.racks, lines=_lines(refused))


async def _taken(session: AsyncSession, good: pl.DataFrame, known: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Lines that only the database can refuse: of retired machines, and with serials that another machine has."""
    mine = good.join(known.select("miner_id", "miner_no", "state"), on="miner_id", how="left", maintain_order="left")
    is_retired = pl.col("state").eq_missing("retired")
    retired = refuse_lines(mine.filter(is_retired), "MINER_RETIRED", "this miner was retired: put it in service first")
    rest = mine.filter(~is_retired)
    holders = await asset_lists.list_serial_holders(session, rest["serial"].drop_nulls().to_list())
    looked_up = rest.join(holders, on="serial", how="left", maintain_order="left")
    is_held = pl.col("holder").is_not_null() & pl.col("holder").ne_missing(pl.col("miner_no"))
    held = refuse_lines(looked_up.filter(is_held), "SERIAL_HELD", "another miner of the tenant has this serial")
    left = looked_up.filter(~is_held).drop("miner_no", "state", "holder")
    return left, pl.concat([retired, held])


def _lines(refused: pl.DataFrame) -> list[RefusedLine]:
    return [RefusedLine(**row) for row in refused.head(SHOWN_LINES).to_dicts()]


def _refused_whole(refused: pl.DataFrame) -> ValidationFailed:
    return ValidationFailed(
        f"{refused.height} lines were refused, so nothing was loaded",
        code="IMPORT_REFUSED",
        details={"refused": refused.height, "lines": [line.model_dump() for line in _lines(refused)]},
    )


async def _record(
    session: AsyncSession, caller: Caller, site: Site, counts: dict[str, int], made: CreatedPlaces, *, now: datetime
) -> None:
    after = {"site": site.code, **counts, "zones_created": made.zones, "racks_created": made.racks}
    await record(
        session, caller.actor, Action.MINERS_IMPORTED, "site", site.id, tenant_id=site.tenant_id, after=after, now=now
    )


HEADER = ",".join(COLUMNS) + "\r\n"
_EXPORT_ROWS = 5000


async def begin_export(session: AsyncSession, scope: Scope, site_ref: str | int, *, now: datetime) -> Site:
    """The site to export, and the record that somebody did."""
    site = await places.get_site(session, scope, site_ref)
    await record(
        session,
        scope.actor,
        Action.MINERS_EXPORTED,
        "site",
        site.id,
        tenant_id=site.tenant_id,
        after={"site": site.code},
        now=now,
    )
    return site


async def export_lines(database: Database, context: Context, scope: Scope, site_id: int) -> AsyncIterator[str]:
    """Parts of the file. Each is read in a short session of its own: a slow reader holds no connection."""
    yield HEADER
    after = ""
    while True:
        async with database.reading(context) as session:
            part, after = await export_part(session, scope, site_id, after)
        if not part:
            return
        yield part


async def export_part(session: AsyncSession, scope: Scope, site_id: int, after: str) -> tuple[str, str]:
    """The lines behind this id, and the last id among them; no text when there are no more."""
    rows = await miners.list_after(session, scope, site_id, after, limit=_EXPORT_ROWS)
    if not rows:
        return "", after
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue(), rows[-1].miner_id
