"""What a collector of the demo sends: the world's readings in the words of the wire. Pure."""

import gzip
import io

import numpy as np
import polars as pl

from hashinsight.sim.columns import Dressing, empty_block, fill
from hashinsight.sim.readings import FANS
from hashinsight.sim.world import World

_BATCH = 1000
_SAID = (
    "hashrate_ths expected_ths temp_avg temp_max power_w boards_healthy boards_total hw_errors uptime_seconds model"
    " firmware mode online"
)


def batches(world: World, dressing: Dressing) -> dict[str, list[bytes]]:
    """The fleet at this moment as gzip JSON arrays, site by site, a thousand samples each."""
    block = empty_block(1, world.fleet.n, parts=True)
    fill(block, 0, world, parts=True)
    at = np.full((1, world.fleet.n), round(world.at * 1000), np.int64)
    frame = dressing.frame(block, at)
    fans = [
        pl.when(pl.col(f"fan{n}_rpm") >= 0).then(pl.col(f"fan{n}_rpm")).alias(f"fan{n}_speed")
        for n in range(1, FANS + 1)
    ]
    told = frame.select(
        "site",
        pl.col("miner_id").cast(pl.String),
        pl.col("ts").dt.strftime("%Y-%m-%dT%H:%M:%S%.3f").alias("timestamp"),
        *(pl.col(name) for name in _SAID.split()),
        pl.col("accepted").alias("accepted_shares"),
        pl.col("rejected").alias("rejected_shares"),
        *fans,
    )
    return {
        str(site): [_zipped(part) for part in mine.drop("site").iter_slices(_BATCH)]
        for (site,), mine in told.partition_by("site", as_dict=True).items()
    }


def _zipped(part: pl.DataFrame) -> bytes:
    out = io.BytesIO()
    part.write_json(out)
    return gzip.compress(out.getvalue(), 1)
