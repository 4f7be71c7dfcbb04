"""The machines of a site: identity by MAC and serial, current address, saved between runs."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from hashinsight.edge.miner_ids import IdRule, clean_mac, clean_serial
from hashinsight.edge.storage.disk import replace_file

MAX_MACHINES = 50_000

log = logging.getLogger(__name__)


class RosterFull(Exception):
    """No site has this many machines: something else answers on these addresses."""


class SavedMachine(msgspec.Struct):
    miner_id: str
    address: str
    mac: str | None = None
    serial: str | None = None
    make: str | None = None
    has_fans: bool = False


class SavedRoster(msgspec.Struct):
    rule: str
    machines: list[SavedMachine]


@dataclass(slots=True, eq=False)
class Machine:
    """`address` is empty if another machine has taken it and this one has not been found again yet."""

    miner_id: str
    address: str
    mac: str | None = None
    serial: str | None = None
    make: str | None = None
    has_fans: bool = False  # a fan was seen turning once: a machine in oil always reports 0 rpm
    slot: int = 0
    online: bool | None = None  # None: not read yet
    failures: int = 0  # in a row
    error: tuple[str, str] | None = None  # why it cannot be read: kind and sentence
    record: dict[str, Any] | None = None  # the last reading
    read_at: datetime | None = None
    being_read: bool = field(default=False, repr=False)


class Roster:
    """By id and by address. A machine keeps its id when it moves; MAC and serial tell that it is the same one."""

    def __init__(self, rule: IdRule, path: Path | None = None) -> None:
        self._rule = rule
        self._path = path
        self._by_id: dict[str, Machine] = {}
        self._by_address: dict[str, Machine] = {}
        self._by_hardware: dict[str, Machine] = {}
        self._slots = 0
        self.changed = False
        saved_roster = _load(path)
        for saved in saved_roster.machines:
            if (
                saved.miner_id
                and saved.miner_id not in self._by_id
                and not (saved.address and saved.address in self._by_address)
            ):
                name = self._current_name(saved, saved_roster.rule)
                self._add(Machine(name, saved.address, saved.mac, saved.serial, saved.make, saved.has_fans))
        self.changed = False

    def __len__(self) -> int:
        return len(self._by_id)

    def __iter__(self) -> Iterator[Machine]:
        return iter(tuple(self._by_id.values()))

    def find(self, miner_id: str) -> Machine | None:
        return self._by_id.get(miner_id)

    def find_at(self, address: str) -> Machine | None:
        return self._by_address.get(address)

    def identify(self, address: str, *, mac: object, serial: object, make: str | None = None) -> Machine:
        """The machine that answers at this address: a known one, one that moved here, or a new one."""
        valid_mac, valid_serial = clean_mac(mac), clean_serial(serial)
        here = self._by_address.get(address)
        if here is not None and _is_same(here, valid_mac, valid_serial):
            self._learn(here, valid_mac, valid_serial, make)
            return here
        known = self._find_by_hardware(valid_mac, valid_serial)
        if here is not None:
            self._vacate(here)
        if known is not None:
            log.info("machine %s moved from %s to %s", known.miner_id, known.address or "no address", address)
            self._vacate(known)
            known.address = address
            self._by_address[address] = known
            self._learn(known, valid_mac, valid_serial, make)
            return known
        if len(self._by_id) >= MAX_MACHINES:
            raise RosterFull(f"there are already {MAX_MACHINES} machines")
        name = self._free_name(self._rule.name(address, valid_mac, valid_serial), valid_mac or address)
        return self._add(Machine(name, address, valid_mac, valid_serial, make))

    def note_fans(self, machine: Machine, speeds: Sequence[int]) -> None:
        if not machine.has_fans and any(speeds):
            machine.has_fans = self.changed = True

    def save(self) -> None:
        """After each sweep and at shutdown; without it machines are only found again."""
        if self._path is None or not self.changed:
            return
        machines = [
            SavedMachine(machine.miner_id, machine.address, machine.mac, machine.serial, machine.make, machine.has_fans)
            for machine in self._by_id.values()
        ]
        replace_file(self._path, msgspec.json.encode(SavedRoster(self._rule.kind, machines)))
        self.changed = False

    def _current_name(self, saved: SavedMachine, rule: str) -> str:
        """Names stay while the rule stays; a machine added to the asset list since then takes its listed name."""
        if rule == self._rule.kind and not self._rule.find_listed(saved.address, saved.mac, saved.serial):
            return saved.miner_id
        return self._free_name(self._rule.name(saved.address, saved.mac, saved.serial), saved.mac or saved.address)

    def _add(self, machine: Machine) -> Machine:
        machine.slot = self._slots
        self._slots += 1
        self._by_id[machine.miner_id] = machine
        if machine.address:
            self._by_address[machine.address] = machine
        for key in _hardware_keys(machine.mac, machine.serial):
            self._by_hardware.setdefault(key, machine)
        self.changed = True
        return machine

    def _find_by_hardware(self, mac: str | None, serial: str | None) -> Machine | None:
        """By MAC, or by serial if the MACs do not contradict: serials are cloned with firmware."""
        for key in _hardware_keys(mac, serial):
            machine = self._by_hardware.get(key)
            if machine is not None and _is_same(machine, mac, serial):
                return machine
        return None

    def _learn(self, machine: Machine, mac: str | None, serial: str | None, make: str | None) -> None:
        before = (machine.mac, machine.serial, machine.make)
        machine.mac, machine.serial = machine.mac or mac, machine.serial or serial
        machine.make = make or machine.make
        if before != (machine.mac, machine.serial, machine.make):
            for key in _hardware_keys(machine.mac, machine.serial):
                self._by_hardware.setdefault(key, machine)
            self.changed = True

    def _vacate(self, machine: Machine) -> None:
        if self._by_address.get(machine.address) is machine:
            del self._by_address[machine.address]
        machine.address = ""
        self.changed = True

    def _free_name(self, name: str, hardware: str) -> str:
        if name not in self._by_id:
            return name
        log.warning("two machines have the id %s: one gets a suffix from its MAC", name)
        unique, no = f"{name}~{hardware.replace(':', '')[-6:]}", 2
        while unique in self._by_id:
            unique, no = f"{name}~{no}", no + 1
        return unique


def _is_same(machine: Machine, mac: str | None, serial: str | None) -> bool:
    """A machine that reports neither this time is the one that was here before."""
    if machine.mac and mac:
        return machine.mac == mac
    return not (machine.serial and serial) or machine.serial == serial


def _hardware_keys(mac: str | None, serial: str | None) -> list[str]:
    return [*([f"mac {mac}"] if mac else []), *([f"serial {serial}"] if serial else [])]


def _load(path: Path | None) -> SavedRoster:
    try:
        return msgspec.json.decode(path.read_bytes(), type=SavedRoster) if path is not None else SavedRoster("", [])
    except FileNotFoundError:
        return SavedRoster("", [])
    except (OSError, msgspec.DecodeError):
        log.warning("the saved list of machines cannot be read: discovery starts from scratch")
        return SavedRoster("", [])
