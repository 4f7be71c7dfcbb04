"""Import an asset list into a site: 100,000 machines in seconds, and a word about each line that was refused."""

import asyncio
from datetime import datetime

import polars as pl
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action
from hashinsight.audit.service import record
from hashinsight.inventory.conflicts import conflicts_told
from hashinsight.inventory.importing.comparing import compare, with_known_zones
from hashinsight.inventory.importing.judging import judge, refuse
from hashinsight.inventory.importing.reading import read_list
from hashinsight.inventory.models import Site
from hashinsight.inventory.queries import bulk
from hashinsight.inventory.rights import Rights, site_to_change
from hashinsight.inventory.schemas.importing import SHOWN_LINES, ImportReport, RefusedLine
from hashinsight.inventory.service.bulk import Made, Progress, write_compared
from hashinsight.kit.errors import ValidationFailed


async def import_miners(
    session: AsyncSession,
    rights: Rights,
    site_ref: str | int,
    raw: bytes,
    *,
    all_or_nothing: bool = False,
    now: datetime,
    progress: Progress | None = None,
) -> ImportReport:
    """The good lines are loaded and the others listed; with `all_or_nothing` one bad line refuses the whole list."""
    site = await site_to_change(session, rights, site_ref)
    read = await asyncio.to_thread(read_list, raw)
    good, refused = await asyncio.to_thread(judge, read)
    total = good.height + refused.height
    await bulk.lock_site(session, site.id)
    known = await bulk.known_miners(session, site.id)
    good = with_known_zones(good, (await bulk.zones_of(session, site.id))["zone"].to_list())
    good, taken = await _taken(session, good, known)
    refused = pl.concat([refused, taken]).sort("line")
    if all_or_nothing and refused.height:
        raise _refused_whole(refused)
    compared = await asyncio.to_thread(compare, good, known)
    done = refused.height + compared.unchanged

    def wrote(rows: int) -> None:
        nonlocal done
        done += rows
        if progress is not None:
            progress(done, total)

    wrote(0)
    with conflicts_told():
        made = await write_compared(session, site, compared, cause="import", now=now, wrote=wrote)
    counts = {
        "created": compared.created.height,
        "changed": compared.changed.height,
        "unchanged": compared.unchanged,
        "refused": refused.height,
    }
    await _record(session, rights, site, counts, made, now=now)
    return ImportReport(**counts, zones_created=made.zones, racks_created=made.racks, lines=_lines(refused))


async def _taken(session: AsyncSession, good: pl.DataFrame, known: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Lines that only the database can refuse: of retired machines, and with serials that another machine has."""
    mine = good.join(known.select("miner_id", "miner_no", "state"), on="miner_id", how="left", maintain_order="left")
    is_retired = pl.col("state").eq_missing("retired")
    retired = refuse(mine.filter(is_retired), "MINER_RETIRED", "this miner was retired: put it in service first")
    rest = mine.filter(~is_retired)
    holders = await bulk.held_serials(session, rest["serial"].drop_nulls().to_list())
    looked_up = rest.join(holders, on="serial", how="left", maintain_order="left")
    is_held = pl.col("holder").is_not_null() & pl.col("holder").ne_missing(pl.col("miner_no"))
    held = refuse(looked_up.filter(is_held), "SERIAL_HELD", "another miner of the tenant has this serial")
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
    session: AsyncSession, rights: Rights, site: Site, counts: dict[str, int], made: Made, *, now: datetime
) -> None:
    after = {"site": site.code, **counts, "zones_created": made.zones, "racks_created": made.racks}
    await record(
        session, rights.actor, Action.MINERS_IMPORTED, "site", site.id, tenant_id=site.tenant_id, after=after, now=now
    )
