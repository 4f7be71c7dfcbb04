"""Asset lists: import 100,000 machines in seconds, with a reason for each refused line; export the same list."""

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
from hashinsight.inventory.queries import asset_lists as queries
from hashinsight.inventory.queries import miners, places
from hashinsight.inventory.schemas.miners import MAX_REPORTED_LINES, ImportReport, RefusedLine
from hashinsight.inventory.service.edit_scope import get_site_to_edit
from hashinsight.kit.db.context import Context
from hashinsight.kit.db.database import Database
from hashinsight.kit.errors import ValidationFailed
from hashinsight.kit.ids import new_id

Progress = Callable[[int, int], None]  # lines done, lines in all
HEADER = ",".join(COLUMNS) + "\r\n"
_WRITE_ROWS = 20_000
_EXPORT_ROWS = 5000


@dataclass(frozen=True)
class CreatedPlaces:
    zones: int
    racks: int


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
    """Import the valid lines and list the others; with `all_or_nothing` one bad line refuses the whole list."""
    site = await get_site_to_edit(session, caller, site_ref)
    valid, refused = await asyncio.to_thread(lambda: validate_lines(parse_asset_list(raw)))
    total = valid.height + refused.height
    await queries.lock_site(session, site.id)
    known = await queries.list_known_miners(session, site.id)
    valid = spell_zones(valid, (await queries.list_zone_ids(session, site.id))["zone"].to_list())
    valid, refused_by_inventory = await _check_inventory(session, valid, known)
    refused = pl.concat([refused, refused_by_inventory]).sort("line")
    if all_or_nothing and refused.height:
        raise _import_refused(refused)
    diff = await asyncio.to_thread(diff_assets, valid, known)
    done = refused.height + diff.unchanged

    def count_written(rows: int) -> None:
        nonlocal done
        done += rows
        if progress is not None:
            progress(done, total)

    count_written(0)
    with conflict_errors():
        created = await write_asset_diff(session, site, diff, cause="import", now=now, on_written=count_written)
    counts = {
        "created": diff.created.height,
        "changed": diff.changed.height,
        "unchanged": diff.unchanged,
        "refused": refused.height,
        "zones_created": created.zones,
        "racks_created": created.racks,
    }
    await _record(session, caller, Action.MINERS_IMPORTED, site, counts, now=now)
    return ImportReport(**counts, lines=_refused_lines(refused))


async def write_asset_diff(
    session: AsyncSession,
    site: Site,
    diff: AssetDiff,
    *,
    cause: str,
    now: datetime,
    on_written: Callable[[int], None] = lambda _: None,
) -> CreatedPlaces:
    """Write zones and racks first, then machines in parts, then their history."""
    both = pl.concat([diff.created, diff.changed]).select("zone", "rack").unique().sort("zone", "rack")
    zones = await queries.ensure_zones(
        session, site.tenant_id, site.id, both["zone"].drop_nulls().unique(maintain_order=True)
    )
    zone_ids = await queries.list_zone_ids(session, site.id)
    racks = both.filter(pl.col("rack").is_not_null()).join(zone_ids, on="zone", how="left").rename({"rack": "code"})
    racks_created = await queries.ensure_racks(session, site.tenant_id, site.id, racks)
    rack_ids = await queries.list_rack_ids(session, site.id)
    for frame, write in ((diff.created, queries.insert_miners), (diff.changed, queries.update_miners)):
        rows = _miner_rows(frame, site, zone_ids, rack_ids, now=now)
        for part in rows.iter_slices(_WRITE_ROWS):
            await write(session, part)
            on_written(part.height)
    await _write_changes(session, site, diff.changes, cause=cause, now=now)
    return CreatedPlaces(zones, racks_created)


async def begin_export(session: AsyncSession, scope: Scope, site_ref: str | int, *, now: datetime) -> Site:
    """The site to export; the export is recorded."""
    site = await places.get_site(session, scope, site_ref)
    after = {"site": site.code}
    await record(
        session, scope.actor, Action.MINERS_EXPORTED, "site", site.id, tenant_id=site.tenant_id, after=after, now=now
    )
    return site


async def export_lines(database: Database, context: Context, scope: Scope, site_id: int) -> AsyncIterator[str]:
    """Parts of the file, each read in a session of its own: a slow reader holds no connection."""
    yield HEADER
    after = ""
    while True:
        async with database.reading(context) as session:
            part, after = await export_part(session, scope, site_id, after)
        if not part:
            return
        yield part


async def export_part(session: AsyncSession, scope: Scope, site_id: int, after: str) -> tuple[str, str]:
    """The lines after this id, and the last id among them; an empty text at the end."""
    rows = await miners.list_after(session, scope, site_id, after, limit=_EXPORT_ROWS)
    if not rows:
        return "", after
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue(), rows[-1].miner_id


async def _check_inventory(
    session: AsyncSession, valid: pl.DataFrame, known: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The lines to import, and those refused for a retired machine or a serial that another machine has."""
    lines = valid.join(known.select("miner_id", "miner_no", "state"), on="miner_id", how="left", maintain_order="left")
    is_retired = pl.col("state").eq_missing("retired")
    retired = refuse_lines(lines.filter(is_retired), "MINER_RETIRED", "this miner is retired: put it in service first")
    in_service = lines.filter(~is_retired)
    holders = await queries.list_serial_holders(session, in_service["serial"].drop_nulls().to_list())
    with_holder = in_service.join(holders, on="serial", how="left", maintain_order="left")
    is_held = pl.col("holder").is_not_null() & pl.col("holder").ne_missing(pl.col("miner_no"))
    held = refuse_lines(with_holder.filter(is_held), "SERIAL_HELD", "another miner of the tenant has this serial")
    return with_holder.filter(~is_held).drop("miner_no", "state", "holder"), pl.concat([retired, held])


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
    await queries.insert_changes(session, rows)


def _miner_rows(
    frame: pl.DataFrame, site: Site, zone_ids: pl.DataFrame, rack_ids: pl.DataFrame, *, now: datetime
) -> pl.DataFrame:
    in_zones = frame.join(zone_ids, on="zone", how="left", maintain_order="left")
    in_racks = in_zones.join(rack_ids, on=["zone_id", "rack"], how="left", nulls_equal=True, maintain_order="left")
    return in_racks.with_columns(
        tenant_id=pl.lit(str(site.tenant_id)), site_id=pl.lit(site.id), created_at=pl.lit(now), updated_at=pl.lit(now)
    )


def _refused_lines(refused: pl.DataFrame) -> list[RefusedLine]:
    return [RefusedLine(**row) for row in refused.head(MAX_REPORTED_LINES).to_dicts()]


def _import_refused(refused: pl.DataFrame) -> ValidationFailed:
    return ValidationFailed(
        f"{refused.height} lines were refused: nothing was imported",
        code="IMPORT_REFUSED",
        details={"refused": refused.height, "lines": [line.model_dump() for line in _refused_lines(refused)]},
    )


async def _record(
    session: AsyncSession, caller: Caller, action: Action, site: Site, counts: dict[str, int], *, now: datetime
) -> None:
    after = {"site": site.code, **counts}
    await record(session, caller.actor, action, "site", site.id, tenant_id=site.tenant_id, after=after, now=now)
