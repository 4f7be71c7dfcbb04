"""Take over what machines say of themselves: a swapped control board, a new firmware, a renamed model."""

import asyncio
from dataclasses import replace
from datetime import datetime

import polars as pl
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import SYSTEM, Action
from hashinsight.audit.service import record
from hashinsight.inventory.importing.comparing import Compared, compare
from hashinsight.inventory.importing.judging import cleaned
from hashinsight.inventory.models import Site
from hashinsight.inventory.queries import bulk
from hashinsight.inventory.service.bulk import write_compared

_SAID = ("model", "serial", "mac", "firmware")
_CAUSE = "telemetry"


async def report_identity(session: AsyncSession, site: Site, said: pl.DataFrame, *, now: datetime) -> int:
    """`said` has `miner_id` and some of model, serial, mac, firmware; says how many machines changed.

    Machines that the inventory does not know are left alone, and so is a serial that another machine has.
    """
    missing = [pl.lit(None, pl.String).alias(name) for name in _SAID if name not in said.columns]
    clean = cleaned(said.with_columns(missing).select("miner_id", *_SAID)).unique("miner_id", keep="last")
    await bulk.lock_site(session, site.id)
    known = await bulk.known_miners(session, site.id)
    mine = clean.join(known.select("miner_id", "miner_no"), on="miner_id")
    holders = await bulk.held_serials(session, mine["serial"].drop_nulls().to_list())
    once = pl.col("serial").is_first_distinct()
    free = pl.col("holder").is_null() & once | (pl.col("holder") == pl.col("miner_no"))
    checked = mine.join(holders, on="serial", how="left").with_columns(serial=pl.when(free).then(pl.col("serial")))
    lines = checked.drop("miner_no", "holder").with_columns(pl.lit(None, pl.Float64).alias("expected_ths"))
    compared = await asyncio.to_thread(compare, lines, known, stated="reported")
    await write_compared(
        session, site, replace(compared, created=compared.created.clear()), cause=_CAUSE, now=now, wrote=_silent
    )
    if compared.changed.height:
        await _record(session, site, compared, now=now)
    return compared.changed.height


async def _record(session: AsyncSession, site: Site, compared: Compared, *, now: datetime) -> None:
    """One entry for all: each machine's own changes are in its history."""
    fields = dict(compared.changes["field"].value_counts(name="machines").iter_rows())
    after = {"site": site.code, "cause": _CAUSE, "machines": compared.changed.height, "fields": fields}
    await record(session, SYSTEM, Action.MINER_CHANGED, "site", site.id, tenant_id=site.tenant_id, after=after, now=now)


def _silent(_: int) -> None:
    pass
