"""Sets the first pool of a machine and keeps its backup pools. Runs in the child.

Makes that do not reveal pool passwords get `x` for the pools that are kept: nearly all pools accept any password.
"""

from dataclasses import dataclass, replace
from typing import Any

import pyasic_rs

from hashinsight.edge.library_process import web
from hashinsight.edge.library_process.handles import Handle
from hashinsight.edge.library_process.messages import MachineError
from hashinsight.edge.readings.numbers import host_and_path

_ANY_PASSWORD = "x"  # noqa: S105 - for pools that check none


@dataclass(frozen=True)
class Pool:
    url: str
    user: str
    password: str = ""

    def is_same(self, other: "Pool") -> bool:
        return host_and_path(self.url) == host_and_path(other.url) and self.user == other.user

    def snapshot(self) -> dict[str, str]:
        return {"url": self.url, "user": self.user}


def with_first(pools: list[Pool], wanted: Pool) -> list[Pool]:
    """The wanted pool replaces the first. If it was a backup it moves up, and the first becomes a backup. Pure."""
    known = next((pool for pool in pools if pool.is_same(wanted)), None)
    if known is not None:
        wanted = replace(wanted, password=wanted.password or known.password)
    rest = pools if known is not None else pools[1:]
    return [wanted, *(pool for pool in rest if not pool.is_same(wanted))]


async def list_pools(handle: Handle) -> list[Pool]:
    if handle.firmware == web.VNISH:
        return await _vnish_pools(await web.unlock_vnish(handle.address, handle.login))
    return [pool for group in await _groups(handle) for pool in group[2]]


async def set_first(handle: Handle, wanted: Pool, *, had_pools: bool, is_stopped: bool) -> str:
    """Both flags from the last reading. Pools that cannot be read would be lost; a stopped machine stays stopped."""
    if handle.firmware == web.VNISH:
        return await _set_vnish(handle, wanted, had_pools=had_pools, is_stopped=is_stopped)
    groups = [group for group in await _groups(handle) if group[2]]
    _check_readable(groups, had_pools=had_pools)
    name, quota, pools = groups[0] if groups else ("default", 1, [])
    changed = [(name or "default", quota, with_first(pools, wanted)), *groups[1:]]
    if not await handle.miner.set_pools_config([_group(*group) for group in changed]):
        raise MachineError("refused_by_machine", "The machine refused the pools")
    return "set_pools_config"


Group = tuple[str, int, list[Pool]]


async def _groups(handle: Handle) -> list[Group]:
    configured = await handle.miner.get_pools_config() or []
    return [
        (group.name, group.quota, [Pool(str(pool.url), pool.username, pool.password) for pool in group.pools])
        for group in configured
    ]


def _group(name: str, quota: int, pools: list[Pool]) -> pyasic_rs.PoolGroup:
    members = [
        pyasic_rs.Pool(url=pool.url, username=pool.user, password=pool.password or _ANY_PASSWORD) for pool in pools
    ]
    return pyasic_rs.PoolGroup(name=name, quota=quota, pools=members)


def _check_readable(pools: list[Any], *, had_pools: bool) -> None:
    if had_pools and not pools:
        raise MachineError("not_sent", "its pools could not be read, and its backup pools would be lost; not changed")


async def _vnish_pools(session: web.VnishSession) -> list[Pool]:
    settings = await session.request("GET", "settings")
    rows = ((settings or {}).get("miner") or {}).get("pools") if isinstance(settings, dict) else None
    return [
        Pool(str(row["url"]), str(row.get("user") or ""), str(row.get("pass") or ""))
        for row in rows or []
        if isinstance(row, dict) and row.get("url")
    ]


async def _set_vnish(handle: Handle, wanted: Pool, *, had_pools: bool, is_stopped: bool) -> str:
    """Written the way it stores them, with or without scheme; mining is restarted if it requires that."""
    session = await web.unlock_vnish(handle.address, handle.login)
    pools = await _vnish_pools(session)
    _check_readable(pools, had_pools=had_pools)
    if pools and "://" not in pools[0].url:
        wanted = replace(wanted, url=wanted.url.removeprefix("stratum+tcp://"))
    rows = [
        {"url": pool.url, "user": pool.user, "pass": pool.password or _ANY_PASSWORD, "order": no, "id": no}
        for no, pool in enumerate(with_first(pools, wanted))
    ]
    answer = await session.request("POST", "settings", {"miner": {"pools": rows}})
    if isinstance(answer, dict) and answer.get("restart_required") and not is_stopped:
        await session.request("POST", "mining/restart")
        return "settings, mining/restart"
    return "settings"
