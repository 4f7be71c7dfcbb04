"""What a machine is called in the cloud: one rule, so that it keeps its name for years. Pure.

auto     its serial, else its MAC, else a digest of site and address
serial   its serial; a machine without one is named by the digest
mac      its MAC, written 02:AB:…
address  its address; the address then leaves the site, so this must be chosen explicitly
file     as the asset list names it, by serial, MAC or address; machines not listed as under `auto`
"""

import csv
import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hashinsight.edge.settings import SettingsError

_MIN_SERIAL, _MAX_SERIAL = 6, 64
_NO_MAC = frozenset({"00:00:00:00:00:00", "FF:FF:FF:FF:FF:FF"})
_MAX_ROWS = 100_000
_ADDRESS_NAMES = ("address", "ip", "ip_address")


@dataclass(frozen=True)
class IdRule:
    kind: str = "auto"
    salt: str = ""
    listed: Mapping[str, str] = field(default_factory=dict)

    def find_listed(self, address: str, mac: str | None, serial: str | None) -> str | None:
        keys = (f"serial {serial}", f"mac {mac}", f"address {address}") if self.kind == "file" else ()
        return next((self.listed[key] for key in keys if key in self.listed), None)

    def name(self, address: str, mac: str | None, serial: str | None) -> str:
        listed = self.find_listed(address, mac, serial)
        if listed is not None:
            return listed
        if self.kind == "address":
            return address
        hardware = {"serial": serial, "mac": mac}.get(self.kind, serial or mac)
        return hardware or f"m-{hashlib.sha256(f'{self.salt} {address}'.encode()).hexdigest()[:16]}"


def clean_mac(value: object) -> str | None:
    digits = re.sub(r"[^0-9A-Fa-f]", "", value) if isinstance(value, str) else ""
    if len(digits) != 12:  # noqa: PLR2004 - six bytes
        return None
    mac = ":".join(digits[place : place + 2] for place in range(0, 12, 2)).upper()
    return None if mac in _NO_MAC else mac


def clean_serial(value: object) -> str | None:
    """What firmware reports for "none" (`N/A`, zeros, one repeated letter) is not a serial."""
    serial = value.strip() if isinstance(value, str) else ""
    if not _MIN_SERIAL <= len(serial) <= _MAX_SERIAL or not serial.isprintable() or len(set(serial)) == 1:
        return None
    return serial


def read_asset_list(path: Path) -> dict[str, str]:
    """An asset list: a CSV with `miner_id` and any of serial, mac and address."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            return _read_rows(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise SettingsError(f"cannot read the asset list {path}: {error}") from None


def _read_rows(rows: "csv.DictReader[str]") -> dict[str, str]:
    columns = {name.strip().lower(): name for name in rows.fieldnames or ()}
    if "miner_id" not in columns:
        raise SettingsError("the asset list has no column miner_id")
    listed: dict[str, str] = {}
    for no, row in enumerate(rows):
        if no >= _MAX_ROWS:
            raise SettingsError(f"the asset list has more than {_MAX_ROWS} rows")
        miner_id = (row[columns["miner_id"]] or "").strip()
        if miner_id:
            listed |= dict.fromkeys(_keys(row, columns), miner_id)
    return listed


def _keys(row: Mapping[str, str], columns: Mapping[str, str]) -> Iterable[str]:
    cells = {name: (row.get(column) or "").strip() for name, column in columns.items()}
    mac, serial = clean_mac(cells.get("mac", "")), clean_serial(cells.get("serial", ""))
    if serial:
        yield f"serial {serial}"
    if mac:
        yield f"mac {mac}"
    for name in _ADDRESS_NAMES:
        if cells.get(name):
            yield f"address {cells[name]}"
