"""Tables of port 4028 that say more than the library, by firmware: asked beside it, in the same time. For the child."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hashinsight.edge.library_process import cgminer
from hashinsight.edge.library_process.cgminer import Declined, Trouble

SUMMARY = "summary"
_HEARD = ("garbled", "reset", "slow")  # it is there, and did not understand
LIMITS_SEC = 600.0  # a machine's own limits change when somebody sets them: so often they are asked
LIMITS_AGAIN_SEC = 30.0  # after an answer that was lost; doubles with every further one
_ERRORS = "Hardware Errors"
# the library gives the mean of a board's corners; of an Avalon too few boards, and the air for a home model's chips
_EVERY_TIME = {
    **dict.fromkeys(("antminer stock", "marathon", "avalonminer stock"), ("stats",)),
    "luxos": ("temps",),
}
_LIMITS_IN = {"luxos": "tempctrl", "braiins": "tempctrl"}
_KEPT = {
    "stats": (
        *("temp", "fan", "chain_acn", "chain_rate", "freq", "total_rateideal", "rate_unit", "miner_count", "Mode"),
        *("MM ID", "HBinfo"),
    ),
    "devs": (_ERRORS, "Status", "Temperature", "Chip Temp M"),
}
# of a summary beside the library's reading
_READ = (
    *(_ERRORS, "Elapsed", "GHS 5s", "MHS 5s", "THS 5s", "GHS av", "MHS av", "THS av", "Power Mode", "Target MHS"),
    *("GHS 1m", "MHS 1m", "GHS 5m", "MHS 5m"),
    *("Factory GHS", "Power", "Fan Speed In", "Fan Speed Out", "Chip Temp Max", "Temperature"),
)
Rows = list[dict[str, Any]]
Tables = dict[str, Rows]


@dataclass
class _Limits:
    """A machine's own limits, and until when they are not asked for again."""

    rows: Rows = field(default_factory=list)
    until: float = 0.0
    pause_sec: float = LIMITS_AGAIN_SEC / 2

    async def renew(self, address: str, command: str, timeout_sec: float) -> Rows:
        """An answer that is lost changes no limit: only a machine that does not know the command has none."""
        try:
            answer = await cgminer.ask(address, command, timeout_sec=timeout_sec)
            self.rows, self.pause_sec = cgminer.rows(answer, command.upper()), LIMITS_AGAIN_SEC / 2
            self.until = time.monotonic() + LIMITS_SEC
        except Trouble as problem:
            is_declined = isinstance(problem, Declined)
            self.rows = [] if isinstance(problem, Declined) and problem.is_unknown else self.rows
            self.pause_sec = LIMITS_SEC if is_declined and not self.rows else min(2 * self.pause_sec, LIMITS_SEC)
            self.until = time.monotonic() + self.pause_sec
        return self.rows


class Tables4028:
    """What was worth asking of a machine is asked with its summary the next time, while the library still reads."""

    def __init__(self) -> None:
        self._worth: dict[str, tuple[str, ...]] = {}
        self._limits: dict[str, _Limits] = {}
        self._one_by_one: set[str] = set()  # these do not take several commands in one question

    async def ask(self, address: str, timeout_sec: float) -> Tables | Trouble:
        """The summary at least, or why there is none."""
        names = (SUMMARY, *self._worth.get(address, ()))
        if len(names) > 1 and address not in self._one_by_one:
            try:
                answers = await cgminer.ask_joined(address, names, timeout_sec=timeout_sec)
                return {name: cgminer.rows(answers[name], name.upper()) for name in names}
            except Trouble as problem:
                if problem.kind not in _HEARD:
                    return problem
                self._one_by_one.add(address)
                if problem.kind == "slow":  # its time is over: the next turn asks one by one
                    return problem
        return await _one_by_one(address, names, timeout_sec)

    async def finish(self, address: str, tables: Tables, data: Mapping[str, Any], timeout_sec: float) -> dict[str, Any]:
        """What is read of them: the summary's row, and tables worth asking for, asked now where they were not yet."""
        firmware = str((data.get("device_info") or {}).get("firmware") or "").lower()
        wanted = _wanted(firmware, data, tables[SUMMARY][0])
        self._worth[address] = wanted
        limits = _LIMITS_IN.get(firmware)
        known = self._limits.setdefault(address, _Limits()) if limits else None
        is_due = known is not None and known.until <= time.monotonic()
        missing = [name for name in wanted if name not in tables]
        asked = [table(address, name, timeout_sec) for name in missing]
        if known is not None and limits is not None and is_due:
            asked.append(known.renew(address, limits, timeout_sec))
        if asked:
            tables = tables | dict(zip(missing, await asyncio.gather(*asked), strict=False))
        summary = tables[SUMMARY][0]
        kept: dict[str, Any] = {name: _kept(name, tables[name]) for name in wanted}
        kept[SUMMARY] = {name: summary[name] for name in _READ if name in summary}
        return kept if known is None or limits is None else kept | {limits: known.rows}

    def forget(self, address: str) -> None:
        self._worth.pop(address, None)
        self._limits.pop(address, None)
        self._one_by_one.discard(address)


async def _one_by_one(address: str, names: tuple[str, ...], timeout_sec: float) -> Tables | Trouble:
    """At the same time. Without a summary there is nothing."""
    more = asyncio.gather(*(table(address, name, timeout_sec / 2) for name in names[1:]))
    try:
        summary = await _summary(address, timeout_sec)
        if isinstance(summary, Trouble):
            return summary
        return {SUMMARY: summary, **dict(zip(names[1:], await more, strict=True))}
    finally:
        more.cancel()


async def _summary(address: str, timeout_sec: float) -> Rows | Trouble:
    try:
        answer = await cgminer.ask(address, SUMMARY, timeout_sec=timeout_sec)
    except Trouble as problem:
        return problem
    return cgminer.rows(answer, SUMMARY.upper()) or Trouble("garbled", "its answer has no summary")


async def table(address: str, command: str, timeout_sec: float) -> Rows:
    try:
        return cgminer.rows(await cgminer.ask(address, command, timeout_sec=timeout_sec), command.upper())
    except Trouble:
        return []


def _wanted(firmware: str, data: Mapping[str, Any], summary: Mapping[str, Any]) -> tuple[str, ...]:
    """Also temperatures that the library did not find, error counters of boards, and pools that it cannot read."""
    names = list(_EVERY_TIME.get(firmware, ()))
    if not names and not _has_temperature(data):
        names.append("stats")
    if _ERRORS not in summary:
        names.append("devs")
    if firmware == "braiins" and not _has_active_pool(data):
        names.append("pools")
    return tuple(names)


def _kept(name: str, rows: Rows) -> Rows:
    """Of long tables what is read from them: the rest would be packed and unpacked for nobody."""
    starts = _KEPT.get(name)
    return rows if starts is None else [{k: v for k, v in row.items() if k.startswith(starts)} for row in rows]


def _has_temperature(data: Mapping[str, Any]) -> bool:
    return any(
        board.get(name) is not None
        for board in data.get("hashboards") or []
        for name in ("board_temperature", "outlet_chip_temperature")
    )


def _has_active_pool(data: Mapping[str, Any]) -> bool:
    return any(pool.get("active") for group in data.get("pools") or [] for pool in group.get("pools") or [])
