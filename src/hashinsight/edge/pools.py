"""The pools of a machine: where it mines, and whether that answers. What it does not say is not known. Pure."""

from collections.abc import Iterable, Mapping
from typing import Any

from hashinsight.edge.makes import Make
from hashinsight.edge.normalising_numbers import count, text


def told_pools(groups: Iterable[Mapping[str, Any]] | None, make: Make) -> dict[str, Any]:
    pools = [pool for group in groups or () for pool in group.get("pools") or [] if isinstance(pool, dict)]
    if not pools:
        return {}
    active = next((pool for pool in pools if pool.get("active")), None)
    shown = active or next((pool for pool in pools if pool.get("alive")), pools[0])
    return {
        "pool_url": text(shown.get("url"), 500),
        "worker_name": text(shown.get("user"), 200),
        "pool_status": _status(pools, active, make),
        "accepted_shares": _sum(pools, "accepted_shares"),
        "rejected_shares": _sum(pools, "rejected_shares"),
    }


def _status(pools: list[dict[str, Any]], active: Mapping[str, Any] | None, make: Make) -> str | None:
    if active is not None:
        # older versions of Braiins OS say ALIVE, which the library does not know and takes for dead
        is_dead = active.get("alive") is False and not make.is_braiins
        return "dead" if is_dead else "alive"
    if any(pool.get("alive") for pool in pools):
        return "alive"
    return "dead" if all(pool.get("alive") is False for pool in pools) else None


def _sum(pools: list[dict[str, Any]], name: str) -> int | None:
    known = [shares for pool in pools if (shares := count(pool.get(name))) is not None]
    return sum(known) if known else None
