"""Compare: where one machine stands among its peers, as of the newest cycle of its site."""

import asyncio
from datetime import datetime
from typing import Any

import polars as pl

from hashinsight.identity.scope import Scope
from hashinsight.inventory.queries import miners
from hashinsight.inventory.queries.expected_now import find_expected
from hashinsight.kit.db.context import Context
from hashinsight.kit.db.database import Database
from hashinsight.problems.peer_cache import PeerCache
from hashinsight.problems.queries import showing
from hashinsight.problems.queries.newest import newest_expected, newest_features, newest_hashing
from hashinsight.problems.standing import Snapshot, snapshot_of

Peers = PeerCache[Snapshot]


async def tell_peers(
    database: Database, cache: Peers, scope: Scope, miner_id: str, site: str | int | None, *, now: datetime
) -> dict[str, Any]:
    """Its group is of the whole site, also for who sees only a part of it: numbers of many, and names of none.

    A machine that was expected to stand still at the scan is not compared, nor is anybody compared with it.
    """
    async with database.reading(scope.context(read_only=True)) as session:
        found = (await miners.get_miner(session, scope, miner_id, site)).miner
        scan = await showing.find_last_scan(session, found.site_id)
        expected = scan and await find_expected(session, found.miner_no, as_of=scan.ran_at)
    answer: dict[str, Any] = {"site_id": found.site_id, "miner_id": found.miner_id, "assessed_at": None, "peers": None}
    answer["expected_state"] = None
    if scan is None:
        return answer
    whole_site = Context(tenant=str(found.tenant_id), sites=(found.site_id,), read_only=True)
    if expected is not None:
        return answer | {"assessed_at": scan.ran_at, "expected_state": expected.state}

    def compute() -> Snapshot:
        rows = database.read_frame(whole_site, newest_features(found.site_id, at=scan.ran_at))
        hashing = database.read_frame(whole_site, newest_hashing(found.site_id))
        expected_states = database.read_frame(whole_site, newest_expected(found.site_id, at=scan.ran_at))
        is_excused = pl.col("miner_no").is_in(expected_states["miner_no"].to_list())
        rows = rows.with_columns(set_apart=pl.col("set_apart") | is_excused)
        return snapshot_of(_with(rows, hashing, scan.ran_at), at=scan.ran_at)

    snapshot = await asyncio.to_thread(
        cache.get,
        str(found.site_id),
        now=now.timestamp(),
        compute=compute,
        fits=lambda one: bool(one.at == scan.ran_at),
    )
    return answer | {"assessed_at": snapshot.at, "peers": snapshot.tell(found.miner_no)}


def _with(rows: pl.DataFrame, hashing: pl.DataFrame, at: datetime) -> pl.DataFrame:
    """With the seconds since each began to hash, and the mode that it is compared in where that is known."""
    joined = rows.join(hashing, on="miner_no", how="left")
    seconds, mode = at.timestamp() - pl.col("since"), pl.coalesce("compared_in", "mode")
    return joined.with_columns(hashing_sec=seconds, mode=mode).drop("since", "compared_in")
