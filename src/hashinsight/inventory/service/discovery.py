"""What collectors report about machines: new machines are registered, changed serials, MACs and firmware updated."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

import polars as pl
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import SYSTEM, Action, Actor
from hashinsight.audit.service.entries import record
from hashinsight.inventory.asset_diff import AssetDiff, diff_assets
from hashinsight.inventory.asset_list import clean_reported
from hashinsight.inventory.models import Site
from hashinsight.inventory.queries import asset_lists, discovery
from hashinsight.inventory.service.asset_lists import write_asset_diff

_AUDITED_IDS = 50  # listed in the audit entry; the rest is counted
_REPORTED = ("model", "serial", "mac", "firmware")
_CAUSE = "telemetry"


@dataclass(frozen=True)
class DiscoveredMiners:
    """Machines that a collector reports for the first time, and its zone."""

    tenant_id: UUID
    site_id: int
    zone_id: int | None
    collector_no: int
    miner_ids: Sequence[str]


async def register_discovered(session: AsyncSession, actor: Actor, new: DiscoveredMiners, *, now: datetime) -> int:
    """Add machines that are not in the inventory; returns how many. Concurrent calls add a machine once."""
    common = {
        "tenant_id": new.tenant_id,
        "site_id": new.site_id,
        "zone_id": new.zone_id,
        "registered_by": new.collector_no,
        "created_at": now,
        "updated_at": now,
    }
    rows = [{"miner_id": miner_id, **common} for miner_id in sorted(set(new.miner_ids))]
    added = await discovery.insert_discovered(session, rows)
    if added:
        after: dict[str, Any] = {"machines": len(added), "miner_ids": sorted(added)[:_AUDITED_IDS]}
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
    return len(added)


async def update_reported_identity(session: AsyncSession, site: Site, reported: pl.DataFrame, *, now: datetime) -> int:
    """Take over changed models, serials, MACs and firmware; returns how many machines changed.

    `reported` has `miner_id` and some of those columns. Unknown machines are skipped, and so is a serial that another
    machine has.
    """
    missing = [pl.lit(None, pl.String).alias(name) for name in _REPORTED if name not in reported.columns]
    clean = clean_reported(reported.with_columns(missing).select("miner_id", *_REPORTED))
    await asset_lists.lock_site(session, site.id)
    known = await asset_lists.list_known_miners(session, site.id)
    ours = clean.unique("miner_id", keep="last").join(known.select("miner_id", "miner_no"), on="miner_id")
    holders = await asset_lists.list_serial_holders(session, ours["serial"].drop_nulls().to_list())
    is_free = pl.col("holder").is_null() & pl.col("serial").is_first_distinct()
    is_own = pl.col("holder") == pl.col("miner_no")
    checked = ours.join(holders, on="serial", how="left").with_columns(
        serial=pl.when(is_free | is_own).then(pl.col("serial"))
    )
    lines = checked.drop("miner_no", "holder").with_columns(pl.lit(None, pl.Float64).alias("expected_ths"))
    diff = await asyncio.to_thread(diff_assets, lines, known, stated="reported")
    await write_asset_diff(session, site, replace(diff, created=diff.created.clear()), cause=_CAUSE, now=now)
    if diff.changed.height:
        await _record(session, site, diff, now=now)
    return diff.changed.height


async def _record(session: AsyncSession, site: Site, diff: AssetDiff, *, now: datetime) -> None:
    """One entry for all machines: the changes of each are in its history."""
    fields = dict(diff.changes["field"].value_counts(name="machines").iter_rows())
    after = {"site": site.code, "cause": _CAUSE, "machines": diff.changed.height, "fields": fields}
    await record(session, SYSTEM, Action.MINER_CHANGED, "site", site.id, tenant_id=site.tenant_id, after=after, now=now)
