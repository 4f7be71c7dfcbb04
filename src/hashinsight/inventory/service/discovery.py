"""Machines that were seen before anybody listed them: they join the inventory of the site that saw them."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

import polars as pl
from sqlalchemy import func, select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import SYSTEM, Action, Actor
from hashinsight.audit.service.entries import record
from hashinsight.inventory.asset_diff import AssetDiff, diff_assets
from hashinsight.inventory.asset_list import clean_reported
from hashinsight.inventory.models import Miner, Site
from hashinsight.inventory.queries import asset_lists
from hashinsight.inventory.service.asset_lists import write_asset_diff

_AT_ONCE = 2_000  # a statement takes 65,535 values
_NAMED = 50  # in the audit entry; the rest is counted


@dataclass(frozen=True)
class DiscoveredMiners:
    """Machines that a collector reports for the first time, and the zone that it speaks for."""

    tenant_id: UUID
    site_id: int
    zone_id: int | None
    collector_no: int
    miner_ids: Sequence[str]


async def count_registered(session: AsyncSession, site_id: int, collector_no: int, *, since: datetime) -> int:
    """How many this collector registered. Until the transaction ends, nobody else counts or registers for it."""
    # not by a lock of its row: its polls would wait for an import that the registration waits for
    turn = text("select pg_advisory_xact_lock(hashtext('machines registered by'), :collector_no)")
    await session.execute(turn, {"collector_no": collector_no})
    query = select(func.count()).where(
        Miner.registered_by == collector_no, Miner.created_at > since, Miner.site_id == site_id
    )
    return (await session.execute(query)).scalar_one()


async def find_registered_at(
    session: AsyncSession, site_id: int, collector_no: int, place: int, *, since: datetime
) -> datetime | None:
    """When this collector registered the machine at this place since then, the oldest being 0."""
    query = select(Miner.created_at).where(
        Miner.registered_by == collector_no, Miner.created_at > since, Miner.site_id == site_id
    )
    return (await session.execute(query.order_by(Miner.created_at).offset(place).limit(1))).scalar()


async def list_in_other_zones(
    session: AsyncSession, site_id: int, zone_id: int | None, miner_ids: Sequence[str]
) -> set[str]:
    """Which of these machines of the site stand in another zone than a zone's collector; none for a site's."""
    if zone_id is None or not miner_ids:
        return set()
    query = select(Miner.miner_id).where(
        Miner.site_id == site_id, Miner.miner_id.in_(set(miner_ids)), Miner.zone_id != zone_id
    )
    return set((await session.execute(query)).scalars())


async def register_discovered(session: AsyncSession, actor: Actor, new: DiscoveredMiners, *, now: datetime) -> int:
    """Add those that are not there; says how many. Two processes that see the same machine add it once."""
    rows = [
        {
            "tenant_id": new.tenant_id,
            "site_id": new.site_id,
            "zone_id": new.zone_id,
            "miner_id": one,
            "registered_by": new.collector_no,
            "created_at": now,
            "updated_at": now,
        }
        for one in sorted(set(new.miner_ids))
    ]
    made: list[str] = []
    for begin in range(0, len(rows), _AT_ONCE):
        added = insert(Miner).values(rows[begin : begin + _AT_ONCE])
        settled = added.on_conflict_do_nothing(index_elements=["site_id", "miner_id"]).returning(Miner.miner_id)
        made += (await session.execute(settled)).scalars()
    if made:
        after: dict[str, Any] = {"machines": len(made), "miner_ids": sorted(made)[:_NAMED]}
        after |= {} if new.zone_id is None else {"zone_id": new.zone_id}
        await record(
            session,
            actor,
            Action.MINERS_REGISTERED,
            "site",
            new.site_id,
            tenant_id=new.tenant_id,
            after=after,
            now=now,
        )
    return len(made)


_SAID = ("model", "serial", "mac", "firmware")
_CAUSE = "telemetry"


async def update_reported_identity(session: AsyncSession, site: Site, said: pl.DataFrame, *, now: datetime) -> int:
    """`said` has `miner_id` and some of model, serial, mac, firmware; says how many machines changed.

    Machines that the inventory does not know are left alone, and so is a serial that another machine has.
    """
    missing = [pl.lit(None, pl.String).alias(name) for name in _SAID if name not in said.columns]
    clean = clean_reported(said.with_columns(missing).select("miner_id", *_SAID)).unique("miner_id", keep="last")
    await asset_lists.lock_site(session, site.id)
    known = await asset_lists.list_known_miners(session, site.id)
    mine = clean.join(known.select("miner_id", "miner_no"), on="miner_id")
    holders = await asset_lists.list_serial_holders(session, mine["serial"].drop_nulls().to_list())
    once = pl.col("serial").is_first_distinct()
    free = pl.col("holder").is_null() & once | (pl.col("holder") == pl.col("miner_no"))
    checked = mine.join(holders, on="serial", how="left").with_columns(serial=pl.when(free).then(pl.col("serial")))
    lines = checked.drop("miner_no", "holder").with_columns(pl.lit(None, pl.Float64).alias("expected_ths"))
    compared = await asyncio.to_thread(diff_assets, lines, known, stated="reported")
    await write_asset_diff(
        session, site, replace(compared, created=compared.created.clear()), cause=_CAUSE, now=now, wrote=_silent
    )
    if compared.changed.height:
        await _record(session, site, compared, now=now)
    return compared.changed.height


async def _record(session: AsyncSession, site: Site, compared: AssetDiff, *, now: datetime) -> None:
    """One entry for all: each machine's own changes are in its history."""
    fields = dict(compared.changes["field"].value_counts(name="machines").iter_rows())
    after = {"site": site.code, "cause": _CAUSE, "machines": compared.changed.height, "fields": fields}
    await record(session, SYSTEM, Action.MINER_CHANGED, "site", site.id, tenant_id=site.tenant_id, after=after, now=now)


def _silent(_: int) -> None:
    pass
