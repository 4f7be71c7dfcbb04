"""How the machines of a site stand, each counted once, and what they lose. Pure."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from hashinsight.telemetry import losses

_TALLIED = ("machines", *losses.CONDITIONS, "lost_ths")
# of each machine, what those are made of
_PACKED: dict[str, Any] = {
    "miner_no": pl.Int32,
    "condition": pl.Enum(losses.CONDITIONS),
    "lack_ths": pl.Float64,
    "running_ths": pl.Float64,
}


@dataclass(frozen=True)
class SiteTally:
    """Who is in none of the four is unknown; so is the loss of a site that nobody has looked at."""

    machines: int
    healthy: int = 0
    with_problem: int = 0
    stopped: int = 0
    down: int = 0
    lost_ths: float | None = None


def site_tally(tallied: Mapping[str, Any]) -> SiteTally:
    """Of a row of `losses.tally`."""
    return SiteTally(
        machines=tallied["machines"],
        healthy=tallied["fine"],
        with_problem=sum(tallied[name] for name in losses.SEVERITIES),
        stopped=tallied["stopped"],
        down=tallied["down"],
        lost_ths=tallied["lost_ths"],
    )


def pack(weighed: pl.DataFrame) -> bytes:
    """How each machine stands, kept with the scan, so that a part of the site is told as of the scan, too."""
    file = io.BytesIO()
    weighed.select(*_PACKED).cast(pl.Schema(_PACKED)).write_ipc(file, compression="lz4")
    return file.getvalue()


def partial_tally(packed: bytes, miner_nos: Sequence[int]) -> SiteTally:
    """Of these machines as far as the scan saw them."""
    part = pl.read_ipc(packed).filter(pl.col("miner_no").is_in(miner_nos))
    if part.is_empty():
        return SiteTally(0)
    return site_tally(losses.tally(part, pl.lit(0).alias("all"), only=_TALLIED).row(0, named=True))
