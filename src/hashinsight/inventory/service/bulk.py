"""Write what a comparison found: zones and racks first, then machines in parts, then the history."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import polars as pl
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.inventory.importing.comparing import Compared
from hashinsight.inventory.models import Site
from hashinsight.inventory.queries import bulk
from hashinsight.kit.ids import new_id

Progress = Callable[[int, int], None]
_PART_ROWS = 20_000


@dataclass(frozen=True)
class Made:
    zones: int
    racks: int


async def write_compared(
    session: AsyncSession, site: Site, compared: Compared, *, cause: str, now: datetime, wrote: Callable[[int], None]
) -> Made:
    both = pl.concat([compared.created, compared.changed]).select("zone", "rack").unique().sort("zone", "rack")
    zones = await bulk.ensure_zones(
        session, site.tenant_id, site.id, both["zone"].drop_nulls().unique(maintain_order=True)
    )
    zone_ids = await bulk.zones_of(session, site.id)
    racks = both.filter(pl.col("rack").is_not_null()).join(zone_ids, on="zone", how="left").rename({"rack": "code"})
    racks_made = await bulk.ensure_racks(session, site.tenant_id, site.id, racks)
    rack_ids = await bulk.racks_of(session, site.id)
    for frame, write in ((compared.created, bulk.insert_miners), (compared.changed, bulk.update_miners)):
        rows = _rows(frame, site, zone_ids, rack_ids, now=now)
        for part in rows.iter_slices(_PART_ROWS):
            await write(session, part)
            wrote(part.height)
    await _write_changes(session, site, compared.changes, cause=cause, now=now)
    return Made(zones, racks_made)


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
    await bulk.insert_changes(session, rows)


def _rows(
    frame: pl.DataFrame, site: Site, zone_ids: pl.DataFrame, rack_ids: pl.DataFrame, *, now: datetime
) -> pl.DataFrame:
    placed = frame.join(zone_ids, on="zone", how="left", maintain_order="left")
    racked = placed.join(rack_ids, on=["zone_id", "rack"], how="left", nulls_equal=True, maintain_order="left")
    return racked.with_columns(
        tenant_id=pl.lit(str(site.tenant_id)), site_id=pl.lit(site.id), created_at=pl.lit(now), updated_at=pl.lit(now)
    )
