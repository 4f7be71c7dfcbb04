"""What a machine is called in the cloud: by one stated rule, so that it has the same name for years. Pure.

auto     its serial, else its mac, else a digest of site and address
serial   the same, for those who insist: a machine without one is named by the digest
mac      its mac, written 02:AB:…
address  its address; then the address leaves the site, so nobody gets this without choosing it
file     as the asset list has it by serial, mac or address; who is not listed is named as under `auto`
"""

import csv
import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hashinsight.edge.settings import SettingsError

_LEAST_SERIAL, _MOST_SERIAL = 6, 64
_NO_MAC = frozenset({"00:00:00:00:00:00", "FF:FF:FF:FF:FF:FF"})
_MOST_ROWS = 100_000
_ADDRESS_NAMES = ("address", "ip", "ip_address")


@dataclass(frozen=True)
class IdRule:
    kind: str = "auto"
    salt: str = ""
    listed: Mapping[str, str] = field(default_factory=dict)

    def lists(self, address: str, mac: str | None, serial: str | None) -> str | None:
        marks = (f"serial {serial}", f"mac {mac}", f"address {address}") if self.kind == "file" else ()
        return next((self.listed[mark] for mark in marks if mark in self.listed), None)

    def name(self, address: str, mac: str | None, serial: str | None) -> str:
        listed = self.lists(address, mac, serial)
        if listed is not None:
            return listed
        if self.kind == "address":
            return address
        by = {"serial": serial, "mac": mac}.get(self.kind, serial or mac)
        return by or f"m-{hashlib.sha256(f'{self.salt} {address}'.encode()).hexdigest()[:16]}"


def clean_mac(said: object) -> str | None:
    digits = re.sub(r"[^0-9A-Fa-f]", "", said) if isinstance(said, str) else ""
    if len(digits) != 12:  # noqa: PLR2004 - six bytes
        return None
    mac = ":".join(digits[place : place + 2] for place in range(0, 12, 2)).upper()
    return None if mac in _NO_MAC else mac


def clean_serial(said: object) -> str | None:
    """What firmware says for "none" (`N/A`, zeros, one letter over and over) is none."""
    bare = said.strip() if isinstance(said, str) else ""
    if not _LEAST_SERIAL <= len(bare) <= _MOST_SERIAL or not bare.isprintable() or len(set(bare)) == 1:
        return None
    return bare


def read_asset_list(path: Path) -> dict[str, str]:
    """An asset list: a CSV with `miner_id` and any of serial, mac and address. A refusal is one sentence."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            return _listed(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as problem:
        raise SettingsError(f"the list of machines {path} cannot be read: {problem}") from None


def _listed(rows: "csv.DictReader[str]") -> dict[str, str]:
    names = {name.strip().lower(): name for name in rows.fieldnames or ()}
    if "miner_id" not in names:
        raise SettingsError("the list of machines has no column miner_id")
    found: dict[str, str] = {}
    for no, row in enumerate(rows):
        if no >= _MOST_ROWS:
            raise SettingsError(f"the list of machines has more than {_MOST_ROWS} rows")
        miner_id = (row[names["miner_id"]] or "").strip()
        if miner_id:
            found |= dict.fromkeys(_marks(row, names), miner_id)
    return found


def _marks(row: Mapping[str, str], names: Mapping[str, str]) -> Iterable[str]:
    said = {name: (row.get(column) or "").strip() for name, column in names.items()}
    mac, serial = clean_mac(said.get("mac", "")), clean_serial(said.get("serial", ""))
    if serial:
        yield f"serial {serial}"
    if mac:
        yield f"mac {mac}"
    for name in _ADDRESS_NAMES:
        if said.get(name):
            yield f"address {said[name]}"
