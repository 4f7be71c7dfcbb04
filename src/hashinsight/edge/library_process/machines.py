"""Reads machines with asic-rs, and with plain clients what asic-rs leaves out or does not know. Runs in the child."""

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any

from pyasic_rs.data import DataField

from hashinsight.edge.library_process import actions, cgminer, web
from hashinsight.edge.library_process.handles import Credentials, Handle, Handles
from hashinsight.edge.library_process.messages import MachineError
from hashinsight.edge.library_process.tables import SUMMARY, ExtraTables, Tables, fetch_table

LIBRARY, PLAIN = "pyasic_rs", "cgminer"
# not used here; leaving them out saves a query on one make or another
_UNREAD = [
    *(DataField.ApiVersion, DataField.Hostname, DataField.ControlBoardVersion, DataField.PsuFans),
    *(DataField.TuningCapabilities, DataField.TuningPercent, DataField.BestShare, DataField.SessionBestShare),
    *(DataField.FluidTemperature, DataField.OutletFluidTemperature, DataField.DevFeeConnected, DataField.Efficiency),
]
_EXCLUDED = [*_UNREAD, DataField.Chips]  # chip figures are ten times the rest
# these report chip temperatures only per chip
_CHIPS_READ = frozenset({"UMC OS", "Auradine Stock"})
_DROPPED = (
    *("ip", "hostname", "schema_version", "timestamp", "efficiency", "tuning_capabilities", "control_board_version"),
    *("psu_fans", "fluid_temperature", "outlet_fluid_temperature", "api_version", "best_share", "session_best_share"),
    *("average_temperature", "expected_chips", "total_chips", "scaled_tuning_target", "operating_state"),
    *("devfee_connected", "tuning_percent"),
)
_PROBED_PORTS = (4028, 80, 443)
_STUCK_READS = 25  # machines in a row that answer the plain client but not the library: the library hangs


class LibraryStuck(Exception):
    """The child exits; a new one has a library that works."""


class Machines:
    def __init__(self) -> None:
        self._handles = Handles()
        self._macs: dict[str, str] = {}
        self._tables = ExtraTables()
        self._library_failures = 0

    async def read(self, address: str, *, timeout_sec: float, auth: Credentials = ()) -> dict[str, Any]:
        """Library and plain client in parallel: the latter has error counters, and the reason if the library fails."""
        library = asyncio.create_task(self._read_library(address, timeout_sec, auth))
        try:
            tables = await self._tables.fetch(address, timeout_sec)
            if not library.done() and _is_unreachable(tables):  # whole racks go down at once: waste no time on them
                self._forget(address)
                raise MachineError("unreachable", "no connection in time")
            data, timed_out = await library
        finally:
            library.cancel()
        if data is not None:
            self._library_failures = 0
            reading: dict[str, Any] = {"reader": LIBRARY, "data": data}
            if isinstance(tables, MachineError) and tables.kind == "garbled":  # other tables may be readable
                tables = {SUMMARY: [{}]}
            if not isinstance(tables, MachineError) and tables[SUMMARY]:
                reading |= await self._tables.complete(address, tables, data, timeout_sec / 2)
            if "temps" not in reading and web.is_misread_braiins(data):
                reading["temps"] = await web.list_braiins_temperatures(address)
            return reading
        if isinstance(tables, MachineError) and tables.kind != "garbled":
            raise tables
        self._note_library_failure(timed_out=timed_out)
        return await self._read_plain(address, tables, timeout_sec)

    async def find(
        self, address: str, *, timeout_sec: float, probe_sec: float, auth: Credentials = ()
    ) -> dict[str, Any] | None:
        """For discovery: at most addresses nothing listens, which costs one probe."""
        if not await cgminer.probe(address, _PROBED_PORTS, timeout_sec=probe_sec):
            return None
        with suppress(MachineError):
            return await self.read(address, timeout_sec=timeout_sec, auth=auth)
        return None

    async def probe(self, address: str, *, timeout_sec: float) -> bool:
        return await cgminer.probe(address, _PROBED_PORTS, timeout_sec=timeout_sec)

    async def act(
        self, address: str, verb: str, params: dict[str, Any], *, timeout_sec: float, auth: Credentials
    ) -> Any:
        try:
            async with asyncio.timeout(timeout_sec):
                handle = await self._handles.get_for_action(address, _credentials(auth))
        except TimeoutError:
            raise MachineError("not_sent", "not identified in time; nothing was sent") from None
        try:
            async with asyncio.timeout(timeout_sec):
                return await actions.act(handle, verb, params)
        except TimeoutError:
            raise MachineError("slow", "action not confirmed in time") from None

    async def _read_library(
        self, address: str, timeout_sec: float, auth: Credentials
    ) -> tuple[dict[str, Any] | None, bool]:
        """The library's data, and whether it timed out. Never raises: an unreachable machine has only empty fields."""
        try:
            async with asyncio.timeout(timeout_sec):
                handle = await self._handles.find(address, _credentials(auth))
                if handle is None:
                    return None, False
                data = await _get_data(handle)
                if self._is_another(address, data):
                    self._forget(address, is_another=True)
                    handle = await self._handles.find(address, _credentials(auth))
                    data = await _get_data(handle) if handle is not None else {}
        except TimeoutError:
            self._forget(address)
            return None, True
        except Exception:  # noqa: BLE001 - a panic in the library arrives as an exception of its own type
            self._forget(address)
            return None, False
        if _has_figures(data):
            return data, False
        self._forget(address)
        return None, False

    def _forget(self, address: str, *, is_another: bool = False) -> None:
        self._handles.forget(address, is_another=is_another)
        self._tables.forget(address)

    def _is_another(self, address: str, data: dict[str, Any]) -> bool:
        """Also if it was replaced while nothing answered: the last MAC is kept."""
        mac = str(data.get("mac") or "")
        last_mac, self._macs[address] = self._macs.get(address, mac), mac or self._macs.get(address, "")
        return bool(mac and last_mac) and last_mac != mac

    def _note_library_failure(self, *, timed_out: bool) -> None:
        self._library_failures = self._library_failures + 1 if timed_out else 0
        if self._library_failures >= _STUCK_READS:
            raise LibraryStuck

    async def _read_plain(self, address: str, summary: Tables | MachineError, timeout_sec: float) -> dict[str, Any]:
        """Also firmware without a summary: its statistics hold the same figures."""
        tables = await _fetch_tables(address, ("version", "stats", "pools", "devs", "devdetails"), timeout_sec / 2)
        if isinstance(summary, MachineError) and not tables["stats"]:
            raise summary
        if not any(tables.values()):
            raise MachineError("unrecognised", "machine responds, but its protocol is not recognised")
        row = {} if isinstance(summary, MachineError) else next(iter(summary[SUMMARY]), {})
        if not tables["stats"]:  # third-party firmware with separate tables
            tables |= await _fetch_tables(address, ("temps", "fans"), timeout_sec / 2)
        return {"reader": PLAIN, "data": None, "summary": row, **tables}


async def _fetch_tables(address: str, names: tuple[str, ...], timeout_sec: float) -> Tables:
    rows = await asyncio.gather(*(fetch_table(address, name, timeout_sec) for name in names))
    return dict(zip(names, rows, strict=True))


def _credentials(auth: Iterable[Sequence[str]]) -> Credentials:
    """As decoded from a message."""
    return tuple((make, user, password) for make, user, password in auth)


def _is_unreachable(tables: Tables | MachineError) -> bool:
    return isinstance(tables, MachineError) and tables.kind == "unreachable"


async def _get_data(handle: Handle) -> dict[str, Any]:
    excluded = _UNREAD if handle.firmware in _CHIPS_READ else _EXCLUDED
    return _trim(await handle.miner.get_data(exclude=excluded))


def _trim(data: Any) -> dict[str, Any]:
    fields: dict[str, Any] = data.model_dump()
    for name in _DROPPED:
        fields.pop(name, None)
    uptime = fields.get("uptime")
    if isinstance(uptime, timedelta):
        fields["uptime"] = uptime.total_seconds()
    for board in fields.get("hashboards") or []:
        chips = board.pop("chips", None)
        if chips:
            board["chip_temperatures"] = [chip.get("temperature") for chip in chips]
    return fields


def _has_figures(data: dict[str, Any]) -> bool:
    """A machine that refuses the login leaves everything empty, also with a pool list without pools."""
    boards = data.get("hashboards") or []
    if any(data.get(name) is not None for name in ("hashrate", "uptime", "wattage")):
        return True
    if any(group.get("pools") for group in data.get("pools") or []):
        return True
    return any(board.get("hashrate") is not None for board in boards)
