"""Tables of the cgminer API that add to the library's data, by firmware; fetched in parallel. Runs in the child."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hashinsight.edge.library_process import cgminer
from hashinsight.edge.library_process.cgminer import Declined
from hashinsight.edge.library_process.messages import MachineError

SUMMARY = "summary"
_ANSWERING = ("garbled", "reset", "slow")  # it is there, but did not understand
LIMITS_SEC = 600.0  # how often a machine's own limits are read: they change only if somebody sets them
LIMITS_AGAIN_SEC = 30.0  # after a lost answer; doubles each time
_ERRORS = "Hardware Errors"
# the library gives means of a board's corners; for an Avalon too few boards, and for a home model air for chips
_EVERY_TIME = {
    **dict.fromkeys(("antminer stock", "marathon", "avalonminer stock"), ("stats",)),
    "luxos": ("temps",),
}
_LIMITS_IN = {"luxos": "tempctrl", "braiins": "tempctrl"}
_USED_COLUMNS = {
    "stats": (
        *("temp", "fan", "chain_acn", "chain_rate", "freq", "total_rateideal", "rate_unit", "miner_count", "Mode"),
        *("MM ID", "HBinfo"),
    ),
    "devs": (_ERRORS, "Status", "Temperature", "Chip Temp M"),
}
# columns used in addition to the library's data
_SUMMARY_COLUMNS = (
    *(_ERRORS, "Elapsed", "GHS 5s", "MHS 5s", "THS 5s", "GHS av", "MHS av", "THS av", "Power Mode", "Target MHS"),
    *("GHS 1m", "MHS 1m", "GHS 5m", "MHS 5m"),
    *("Factory GHS", "Power", "Fan Speed In", "Fan Speed Out", "Chip Temp Max", "Temperature"),
)
Rows = list[dict[str, Any]]
Tables = dict[str, Rows]


@dataclass
class _OwnLimits:
    """A machine's own limits, and when to read them again."""

    rows: Rows = field(default_factory=list)
    until: float = 0.0
    pause_sec: float = LIMITS_AGAIN_SEC / 2

    async def renew(self, address: str, command: str, timeout_sec: float) -> Rows:
        """A lost answer changes nothing: only a machine that does not know the command has no limits."""
        try:
            answer = await cgminer.query(address, command, timeout_sec=timeout_sec)
            self.rows, self.pause_sec = cgminer.table_rows(answer, command.upper()), LIMITS_AGAIN_SEC / 2
            self.until = time.monotonic() + LIMITS_SEC
        except MachineError as error:
            is_declined = isinstance(error, Declined)
            self.rows = [] if isinstance(error, Declined) and error.is_unknown else self.rows
            self.pause_sec = LIMITS_SEC if is_declined and not self.rows else min(2 * self.pause_sec, LIMITS_SEC)
            self.until = time.monotonic() + self.pause_sec
        return self.rows


class ExtraTables:
    """Tables that were useful for a machine are fetched with its summary next time, while the library still reads."""

    def __init__(self) -> None:
        self._useful: dict[str, tuple[str, ...]] = {}
        self._limits: dict[str, _OwnLimits] = {}
        self._one_by_one: set[str] = set()  # machines that do not accept several commands in one request

    async def fetch(self, address: str, timeout_sec: float) -> Tables | MachineError:
        """At least the summary, or why there is none."""
        names = (SUMMARY, *self._useful.get(address, ()))
        if len(names) > 1 and address not in self._one_by_one:
            try:
                answers = await cgminer.query_joined(address, names, timeout_sec=timeout_sec)
                return {name: cgminer.table_rows(answers[name], name.upper()) for name in names}
            except MachineError as error:
                if error.kind not in _ANSWERING:
                    return error
                self._one_by_one.add(address)
                if error.kind == "slow":  # out of time: next time one by one
                    return error
        return await _fetch_one_by_one(address, names, timeout_sec)

    async def complete(
        self, address: str, tables: Tables, data: Mapping[str, Any], timeout_sec: float
    ) -> dict[str, Any]:
        """The summary's row and the useful tables, fetched now if they are missing, trimmed to what is used."""
        firmware = str((data.get("device_info") or {}).get("firmware") or "").lower()
        useful = _useful_tables(firmware, data, tables[SUMMARY][0])
        self._useful[address] = useful
        limits_table = _LIMITS_IN.get(firmware)
        limits = self._limits.setdefault(address, _OwnLimits()) if limits_table else None
        missing = [name for name in useful if name not in tables]
        fetches = [fetch_table(address, name, timeout_sec) for name in missing]
        if limits is not None and limits_table is not None and limits.until <= time.monotonic():
            fetches.append(limits.renew(address, limits_table, timeout_sec))
        if fetches:
            tables = tables | dict(zip(missing, await asyncio.gather(*fetches), strict=False))
        summary = tables[SUMMARY][0]
        trimmed: dict[str, Any] = {name: _trim(name, tables[name]) for name in useful}
        trimmed[SUMMARY] = {name: summary[name] for name in _SUMMARY_COLUMNS if name in summary}
        return trimmed if limits is None or limits_table is None else trimmed | {limits_table: limits.rows}

    def forget(self, address: str) -> None:
        self._useful.pop(address, None)
        self._limits.pop(address, None)
        self._one_by_one.discard(address)


async def _fetch_one_by_one(address: str, names: tuple[str, ...], timeout_sec: float) -> Tables | MachineError:
    """In parallel. Without a summary the others are dropped."""
    others = asyncio.gather(*(fetch_table(address, name, timeout_sec / 2) for name in names[1:]))
    try:
        summary = await _fetch_summary(address, timeout_sec)
        if isinstance(summary, MachineError):
            return summary
        return {SUMMARY: summary, **dict(zip(names[1:], await others, strict=True))}
    finally:
        others.cancel()


async def _fetch_summary(address: str, timeout_sec: float) -> Rows | MachineError:
    try:
        answer = await cgminer.query(address, SUMMARY, timeout_sec=timeout_sec)
    except MachineError as error:
        return error
    return cgminer.table_rows(answer, SUMMARY.upper()) or MachineError("garbled", "the answer has no summary")


async def fetch_table(address: str, command: str, timeout_sec: float) -> Rows:
    try:
        return cgminer.table_rows(await cgminer.query(address, command, timeout_sec=timeout_sec), command.upper())
    except MachineError:
        return []


def _useful_tables(firmware: str, data: Mapping[str, Any], summary: Mapping[str, Any]) -> tuple[str, ...]:
    """Also for temperatures, error counters and pools that the library did not find."""
    names = list(_EVERY_TIME.get(firmware, ()))
    if not names and not _has_temperature(data):
        names.append("stats")
    if _ERRORS not in summary:
        names.append("devs")
    if firmware == "braiins" and not _has_active_pool(data):
        names.append("pools")
    return tuple(names)


def _trim(name: str, rows: Rows) -> Rows:
    """Long tables are cut to the columns used, to keep the message to the parent small."""
    starts = _USED_COLUMNS.get(name)
    return rows if starts is None else [{k: v for k, v in row.items() if k.startswith(starts)} for row in rows]


def _has_temperature(data: Mapping[str, Any]) -> bool:
    return any(
        board.get(name) is not None
        for board in data.get("hashboards") or []
        for name in ("board_temperature", "outlet_chip_temperature")
    )


def _has_active_pool(data: Mapping[str, Any]) -> bool:
    return any(pool.get("active") for group in data.get("pools") or [] for pool in group.get("pools") or [])
