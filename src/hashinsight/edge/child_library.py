"""Reads machines with asic-rs, and with the plain client what asic-rs leaves out or does not know. For the child."""

import asyncio
import time
from collections import OrderedDict
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pyasic_rs
from pyasic_rs.data import DataField

from hashinsight.edge import child_acts, child_plain
from hashinsight.edge.child_plain import Trouble

LIBRARY, PLAIN = "pyasic_rs", "cgminer"
_EXCLUDED = [DataField.Chips, DataField.TuningCapabilities]  # a chip's figures are ten times the rest, every minute
_DROPPED = (
    "ip",
    "hostname",
    "schema_version",
    "timestamp",
    "efficiency",
    "tuning_capabilities",
    "control_board_version",
)
_FOUND_PORTS = (4028, 80, 443)
_ERRORS = "Hardware Errors"
_MOST_HANDLES = 20_000
# so long a machine that the library does not know is left to the plain client: shortly at first, it may have been slow
_UNKNOWN_SEC, _UNKNOWN_LONGEST_SEC = 30.0, 600.0
_STUCK_READS = 25  # so many machines in a row that the plain client hears and the library does not: the library hangs
Auth = tuple[str, str] | None


class LibraryStuck(Exception):
    """The child ends itself: a new one has a library that answers."""


class Machines:
    def __init__(self) -> None:
        self._factory = pyasic_rs.MinerFactory().with_port_check(False)  # noqa: FBT003 - the library's form
        self._known: OrderedDict[str, tuple[Any, Auth]] = OrderedDict()
        self._macs: dict[str, str] = {}
        self._unknown: dict[str, tuple[float, float]] = {}  # until when, and how long
        self._silent_in_a_row = 0

    async def read(self, address: str, *, timeout_sec: float, auth: Auth = None) -> dict[str, Any]:
        """Both at once: the plain answer has the error counters, and says what is wrong where the library is mute."""
        summary = asyncio.ensure_future(_asked(address, "summary", timeout_sec))
        library = asyncio.ensure_future(self._read_library(address, timeout_sec, auth))
        try:
            await asyncio.wait((summary, library), return_when=asyncio.FIRST_COMPLETED)
            if not library.done() and _is_dead(await summary):  # whole racks go at once: no time is lost on them
                self._forget(address)
                raise Trouble("unreachable", "no connection within the time")
            data, timed_out = await library
            plain = await summary
        finally:
            summary.cancel()
            library.cancel()
        if data is not None:
            self._silent_in_a_row = 0
            told: dict[str, Any] = {"reader": LIBRARY, "data": data}
            if isinstance(plain, dict):
                told |= {"summary": plain, **await _rest(address, data, plain, timeout_sec / 2)}
            return told
        if isinstance(plain, Trouble):
            raise plain
        self._count_silence(timed_out=timed_out)
        return await self._read_plain(address, plain, timeout_sec)

    async def find(
        self, address: str, *, timeout_sec: float, knock_sec: float, auth: Auth = None
    ) -> dict[str, Any] | None:
        """For a sweep over a range: most addresses have nobody, and are left after one knock."""
        if not await child_plain.knock(address, _FOUND_PORTS, timeout_sec=knock_sec):
            return None
        with suppress(Trouble):
            return await self.read(address, timeout_sec=timeout_sec, auth=auth)
        return None

    async def knock(self, address: str, *, timeout_sec: float) -> bool:
        return await child_plain.knock(address, _FOUND_PORTS, timeout_sec=timeout_sec)

    async def act(self, address: str, verb: str, params: dict[str, Any], *, timeout_sec: float, auth: Auth) -> Any:
        self._unknown.pop(address, None)  # an order is refused for good, so it is asked anew who this is
        try:
            async with asyncio.timeout(timeout_sec):
                miner = await self._handle(address, auth)
        except TimeoutError:
            raise Trouble("not_given", "it did not say who it is in time, so nothing was asked of it") from None
        if miner is None:
            raise Trouble("unsupported", "the library does not know this machine, and only it gives orders")
        try:
            async with asyncio.timeout(timeout_sec):
                return await child_acts.act(miner, verb, params)
        except TimeoutError:
            raise Trouble("slow", "it did not confirm the order in time") from None

    async def _read_library(self, address: str, timeout_sec: float, auth: Auth) -> tuple[dict[str, Any] | None, bool]:
        """What it says, and whether it ran out of time. It never fails: a dead machine has nothing but empty fields."""
        try:
            async with asyncio.timeout(timeout_sec):
                miner = await self._handle(address, auth)
                if miner is None:
                    return None, False
                data = _shaped(await miner.get_data(exclude=_EXCLUDED))
                if self._is_another(address, data):
                    self._forget(address)
                    miner = await self._handle(address, auth)
                    data = _shaped(await miner.get_data(exclude=_EXCLUDED)) if miner is not None else {}
        except TimeoutError:
            self._forget(address)
            return None, True
        except Exception:  # noqa: BLE001 - a panic of the library arrives as an exception of its own kind
            self._forget(address)
            return None, False
        if _says_something(data):
            return data, False
        self._forget(address)
        return None, False

    async def _handle(self, address: str, auth: Auth) -> Any:
        known = self._known.get(address)
        if known is not None and known[1] == auth:
            return known[0]
        until, pause = self._unknown.get(address, (0.0, _UNKNOWN_SEC / 2))
        if until > time.monotonic():
            return None
        miner = await self._factory.get_miner(address)
        if miner is None:
            pause = min(2 * pause, _UNKNOWN_LONGEST_SEC)
            self._unknown[address] = (time.monotonic() + pause, pause)
            return None
        self._unknown.pop(address, None)
        if auth is not None:
            miner.set_auth(*auth)
        self._known[address] = (miner, auth)
        if len(self._known) > _MOST_HANDLES:
            self._known.popitem(last=False)
        return miner

    def _forget(self, address: str) -> None:
        """It is identified anew the next time: another machine may have its address, or it another firmware."""
        self._known.pop(address, None)
        self._macs.pop(address, None)

    def _is_another(self, address: str, data: dict[str, Any]) -> bool:
        mac = str(data.get("mac") or "")
        return bool(mac) and self._macs.setdefault(address, mac) != mac

    def _count_silence(self, *, timed_out: bool) -> None:
        self._silent_in_a_row = self._silent_in_a_row + 1 if timed_out else 0
        if self._silent_in_a_row >= _STUCK_READS:
            raise LibraryStuck

    async def _read_plain(self, address: str, summary: dict[str, Any], timeout_sec: float) -> dict[str, Any]:
        names = ("version", "stats", "pools", "devs")
        tables = await asyncio.gather(*(_table(address, name, timeout_sec / 2) for name in names))
        if not any(tables):
            raise Trouble("unrecognised", "it answers, and neither the library nor the plain client understands it")
        return {"reader": PLAIN, "data": None, "summary": summary, **dict(zip(names, tables, strict=True))}


async def _asked(address: str, command: str, timeout_sec: float) -> dict[str, Any] | Trouble:
    """The first row of its table, or why there is none."""
    try:
        answer = await child_plain.ask(address, command, timeout_sec=timeout_sec)
    except Trouble as problem:
        return problem
    found = child_plain.rows(answer, command.upper())
    return found[0] if found else Trouble("garbled", f"its answer has no {command}")


async def _table(address: str, command: str, timeout_sec: float) -> list[dict[str, Any]]:
    try:
        return child_plain.rows(await child_plain.ask(address, command, timeout_sec=timeout_sec), command.upper())
    except Trouble:
        return []


def _is_dead(plain: dict[str, Any] | Trouble) -> bool:
    return isinstance(plain, Trouble) and plain.kind == "unreachable"


async def _rest(address: str, data: dict[str, Any], summary: dict[str, Any], timeout_sec: float) -> dict[str, Any]:
    """Temperatures that the library did not find, and error counters that stand with the boards alone."""
    more: dict[str, Any] = {}
    if not _has_temperature(data):
        more["stats"] = await _table(address, "stats", timeout_sec)
    if _ERRORS not in summary:
        rows = await _table(address, "devs", timeout_sec)
        more["devs"] = [{_ERRORS: row[_ERRORS]} for row in rows if _ERRORS in row]
    return more


def _shaped(data: Any) -> dict[str, Any]:
    told: dict[str, Any] = data.model_dump()
    for name in _DROPPED:
        told.pop(name, None)
    uptime = told.get("uptime")
    if isinstance(uptime, timedelta):
        told["uptime"] = uptime.total_seconds()
    return told


def _says_something(data: dict[str, Any]) -> bool:
    boards = data.get("hashboards") or []
    if any(data.get(name) is not None for name in ("hashrate", "uptime", "wattage")) or data.get("pools"):
        return True
    return any(board.get("hashrate") is not None for board in boards)


def _has_temperature(data: dict[str, Any]) -> bool:
    return any(
        board.get(name) is not None
        for board in data.get("hashboards") or []
        for name in ("board_temperature", "outlet_chip_temperature")
    )
