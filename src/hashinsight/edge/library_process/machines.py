"""Reads machines with asic-rs, and with the plain client what asic-rs leaves out or does not know. For the child."""

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any

from pyasic_rs.data import DataField

from hashinsight.edge.library_process import actions, cgminer, web
from hashinsight.edge.library_process.cgminer import Trouble
from hashinsight.edge.library_process.handles import Credentials, Handle, Handles
from hashinsight.edge.library_process.tables import SUMMARY, Tables, Tables4028, table

LIBRARY, PLAIN = "pyasic_rs", "cgminer"
# what nobody here reads, each a question less to the machine on one make or another
_UNREAD = [
    *(DataField.ApiVersion, DataField.Hostname, DataField.ControlBoardVersion, DataField.PsuFans),
    *(DataField.TuningCapabilities, DataField.TuningPercent, DataField.BestShare, DataField.SessionBestShare),
    *(DataField.FluidTemperature, DataField.OutletFluidTemperature, DataField.DevFeeConnected, DataField.Efficiency),
]
_EXCLUDED = [*_UNREAD, DataField.Chips]  # a chip's figures are ten times the rest, every minute
# here only the chips say how hot a chip is
_CHIPS_READ = frozenset({"UMC OS", "Auradine Stock"})
_DROPPED = (
    *("ip", "hostname", "schema_version", "timestamp", "efficiency", "tuning_capabilities", "control_board_version"),
    *("psu_fans", "fluid_temperature", "outlet_fluid_temperature", "api_version", "best_share", "session_best_share"),
    *("average_temperature", "expected_chips", "total_chips", "scaled_tuning_target", "operating_state"),
    *("devfee_connected", "tuning_percent"),
)
_FOUND_PORTS = (4028, 80, 443)
_STUCK_READS = 25  # so many machines in a row that the plain client hears and the library does not: the library hangs


class LibraryStuck(Exception):
    """The child ends itself: a new one has a library that answers."""


class Machines:
    def __init__(self) -> None:
        self._handles = Handles()
        self._macs: dict[str, str] = {}
        self._tables = Tables4028()
        self._silent_in_a_row = 0

    async def read(self, address: str, *, timeout_sec: float, auth: Credentials = ()) -> dict[str, Any]:
        """Both at once: the plain answer has the error counters, and says what is wrong where the library is mute."""
        library = asyncio.create_task(self._read_library(address, timeout_sec, auth))
        try:
            tables = await self._tables.ask(address, timeout_sec)
            if not library.done() and _is_dead(tables):  # whole racks go at once: no time is lost on them
                self._forget(address)
                raise Trouble("unreachable", "no connection within the time")
            data, timed_out = await library
        finally:
            library.cancel()
        if data is not None:
            self._silent_in_a_row = 0
            told: dict[str, Any] = {"reader": LIBRARY, "data": data}
            if isinstance(tables, Trouble) and tables.kind == "garbled":  # its other tables may be better
                tables = {SUMMARY: [{}]}
            if not isinstance(tables, Trouble) and tables[SUMMARY]:
                told |= await self._tables.finish(address, tables, data, timeout_sec / 2)
            if "temps" not in told and web.is_misread_braiins(data):
                told["temps"] = await web.list_braiins_temperatures(address)
            return told
        if isinstance(tables, Trouble) and tables.kind != "garbled":
            raise tables
        self._count_silence(timed_out=timed_out)
        return await self._read_plain(address, tables, timeout_sec)

    async def find(
        self, address: str, *, timeout_sec: float, knock_sec: float, auth: Credentials = ()
    ) -> dict[str, Any] | None:
        """For a sweep over a range: most addresses have nobody, and are left after one knock."""
        if not await cgminer.knock(address, _FOUND_PORTS, timeout_sec=knock_sec):
            return None
        with suppress(Trouble):
            return await self.read(address, timeout_sec=timeout_sec, auth=auth)
        return None

    async def knock(self, address: str, *, timeout_sec: float) -> bool:
        return await cgminer.knock(address, _FOUND_PORTS, timeout_sec=timeout_sec)

    async def act(
        self, address: str, verb: str, params: dict[str, Any], *, timeout_sec: float, auth: Credentials
    ) -> Any:
        try:
            async with asyncio.timeout(timeout_sec):
                handle = await self._handles.get_for_order(address, credentials_of(auth))
        except TimeoutError:
            raise Trouble("not_given", "it did not say who it is in time, so nothing was asked of it") from None
        try:
            async with asyncio.timeout(timeout_sec):
                return await actions.act(handle, verb, params)
        except TimeoutError:
            raise Trouble("slow", "it did not confirm the order in time") from None

    async def _read_library(
        self, address: str, timeout_sec: float, auth: Credentials
    ) -> tuple[dict[str, Any] | None, bool]:
        """What it says, and whether it ran out of time. It never fails: a dead machine has nothing but empty fields."""
        try:
            async with asyncio.timeout(timeout_sec):
                handle = await self._handles.find(address, credentials_of(auth))
                if handle is None:
                    return None, False
                data = await _data_of(handle)
                if self._is_another(address, data):
                    self._forget(address, is_another=True)
                    handle = await self._handles.find(address, credentials_of(auth))
                    data = await _data_of(handle) if handle is not None else {}
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

    def _forget(self, address: str, *, is_another: bool = False) -> None:
        self._handles.forget(address, is_another=is_another)
        self._tables.forget(address)

    def _is_another(self, address: str, data: dict[str, Any]) -> bool:
        """Also one that came while nobody answered: the last MAC address is kept."""
        mac = str(data.get("mac") or "")
        known, self._macs[address] = self._macs.get(address, mac), mac or self._macs.get(address, "")
        return bool(mac and known) and known != mac

    def _count_silence(self, *, timed_out: bool) -> None:
        self._silent_in_a_row = self._silent_in_a_row + 1 if timed_out else 0
        if self._silent_in_a_row >= _STUCK_READS:
            raise LibraryStuck

    async def _read_plain(self, address: str, asked: Tables | Trouble, timeout_sec: float) -> dict[str, Any]:
        """Also of firmware that has no summary: its statistics say the same."""
        told = await _tables(address, ("version", "stats", "pools", "devs", "devdetails"), timeout_sec / 2)
        if isinstance(asked, Trouble) and not told["stats"]:
            raise asked
        if not any(told.values()):
            raise Trouble("unrecognised", "it answers, and neither the library nor the plain client understands it")
        summary = {} if isinstance(asked, Trouble) else next(iter(asked[SUMMARY]), {})
        if not told["stats"]:  # firmware of other makers, which has tables of its own for them
            told |= await _tables(address, ("temps", "fans"), timeout_sec / 2)
        return {"reader": PLAIN, "data": None, "summary": summary, **told}


async def _tables(address: str, names: tuple[str, ...], timeout_sec: float) -> Tables:
    rows = await asyncio.gather(*(table(address, name, timeout_sec) for name in names))
    return dict(zip(names, rows, strict=True))


def credentials_of(auth: Iterable[Sequence[str]]) -> Credentials:
    """As they come out of a message."""
    return tuple((make, user, password) for make, user, password in auth)


def _is_dead(tables: Tables | Trouble) -> bool:
    return isinstance(tables, Trouble) and tables.kind == "unreachable"


async def _data_of(handle: Handle) -> dict[str, Any]:
    excluded = _UNREAD if handle.firmware in _CHIPS_READ else _EXCLUDED
    return _shaped(await handle.miner.get_data(exclude=excluded))


def _shaped(data: Any) -> dict[str, Any]:
    told: dict[str, Any] = data.model_dump()
    for name in _DROPPED:
        told.pop(name, None)
    uptime = told.get("uptime")
    if isinstance(uptime, timedelta):
        told["uptime"] = uptime.total_seconds()
    for board in told.get("hashboards") or []:
        chips = board.pop("chips", None)
        if chips:
            board["chip_temperatures"] = [chip.get("temperature") for chip in chips]
    return told


def _says_something(data: dict[str, Any]) -> bool:
    """A machine that refuses the login leaves everything empty: a list of pools with none in it, too."""
    boards = data.get("hashboards") or []
    if any(data.get(name) is not None for name in ("hashrate", "uptime", "wattage")):
        return True
    if any(group.get("pools") for group in data.get("pools") or []):
        return True
    return any(board.get("hashrate") is not None for board in boards)
