"""The machines of a site: who they are, whatever address they have today, and where that is kept between two runs."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from hashinsight.edge.miner_ids import IdRule, clean_mac, clean_serial
from hashinsight.edge.storage.disk import write_whole

MOST_MACHINES = 50_000

log = logging.getLogger(__name__)


class NoRoom(Exception):
    """A site has no such number of machines: something answers that is none."""


class Kept(msgspec.Struct):
    miner_id: str
    address: str
    mac: str | None = None
    serial: str | None = None
    make: str | None = None
    has_fans: bool = False


class KeptRoster(msgspec.Struct):
    rule: str
    machines: list[Kept]


@dataclass(slots=True, eq=False)
class Machine:
    """`address` is empty when another machine has taken it and this one was not found again yet."""

    miner_id: str
    address: str
    mac: str | None = None
    serial: str | None = None
    make: str | None = None
    has_fans: bool = False  # one of them was seen turning: a machine in oil says 0 rpm for ever
    slot: int = 0
    online: bool | None = None  # None: not asked yet
    failures: int = 0  # in a row
    trouble: tuple[str, str] | None = None  # why not: a word, and a sentence
    record: dict[str, Any] | None = None  # what it told last
    read_at: datetime | None = None
    being_read: bool = field(default=False, repr=False)


class Roster:
    """By id and by address. A machine keeps its id when it moves; mac and serial say that it is the same."""

    def __init__(self, rule: IdRule, path: Path | None = None) -> None:
        self._rule = rule
        self._path = path
        self._by_id: dict[str, Machine] = {}
        self._by_address: dict[str, Machine] = {}
        self._by_mark: dict[str, Machine] = {}
        self._slots = 0
        self.changed = False
        kept = _stored(path)
        for one in kept.machines:
            if (
                one.miner_id
                and one.miner_id not in self._by_id
                and not (one.address and one.address in self._by_address)
            ):
                name = self._name_now(one, kept.rule)
                self._add(Machine(name, one.address, one.mac, one.serial, one.make, one.has_fans))
        self.changed = False

    def __len__(self) -> int:
        return len(self._by_id)

    def __iter__(self) -> Iterator[Machine]:
        return iter(tuple(self._by_id.values()))

    def find(self, miner_id: str) -> Machine | None:
        return self._by_id.get(miner_id)

    def at(self, address: str) -> Machine | None:
        return self._by_address.get(address)

    def seat(self, address: str, *, mac: object, serial: object, make: str | None = None) -> Machine:
        """The machine that answers at this address: a known one, one that moved here, or a new one."""
        said_mac, said_serial = clean_mac(mac), clean_serial(serial)
        here = self._by_address.get(address)
        if here is not None and _is_same(here, said_mac, said_serial):
            self._learn(here, said_mac, said_serial, make)
            return here
        known = self._known(said_mac, said_serial)
        if here is not None:
            self._vacate(here)
        if known is not None:
            log.info("machine %s is at %s now, it was at %s", known.miner_id, address, known.address or "no address")
            self._vacate(known)
            known.address = address
            self._by_address[address] = known
            self._learn(known, said_mac, said_serial, make)
            return known
        if len(self._by_id) >= MOST_MACHINES:
            raise NoRoom(f"there are {MOST_MACHINES} machines already")
        name = self._free_name(self._rule.name(address, said_mac, said_serial), said_mac or address)
        return self._add(Machine(name, address, said_mac, said_serial, make))

    def note_fans(self, machine: Machine, speeds: Sequence[int]) -> None:
        if not machine.has_fans and any(speeds):
            machine.has_fans = self.changed = True

    def forget(self, machine: Machine) -> None:
        self._vacate(machine)
        self._by_id.pop(machine.miner_id, None)
        for mark in _marks(machine.mac, machine.serial):
            self._by_mark.pop(mark, None)
        self.changed = True

    def save(self) -> None:
        """Called after a sweep and at the end; what is lost without it is found again."""
        if self._path is None or not self.changed:
            return
        machines = [
            Kept(one.miner_id, one.address, one.mac, one.serial, one.make, one.has_fans) for one in self._by_id.values()
        ]
        write_whole(self._path, msgspec.json.encode(KeptRoster(self._rule.kind, machines)))
        self.changed = False

    def _name_now(self, kept: "Kept", rule: str) -> str:
        """Names stay while the rule stays; an asset list that learnt of a machine since then is obeyed."""
        if rule == self._rule.kind and not self._rule.lists(kept.address, kept.mac, kept.serial):
            return kept.miner_id
        return self._free_name(self._rule.name(kept.address, kept.mac, kept.serial), kept.mac or kept.address)

    def _add(self, machine: Machine) -> Machine:
        machine.slot = self._slots
        self._slots += 1
        self._by_id[machine.miner_id] = machine
        if machine.address:
            self._by_address[machine.address] = machine
        for mark in _marks(machine.mac, machine.serial):
            self._by_mark.setdefault(mark, machine)
        self.changed = True
        return machine

    def _known(self, mac: str | None, serial: str | None) -> Machine | None:
        """By its mac, or by its serial where the macs do not speak against it: serials are cloned with firmware."""
        for mark in _marks(mac, serial):
            found = self._by_mark.get(mark)
            if found is not None and _is_same(found, mac, serial):
                return found
        return None

    def _learn(self, machine: Machine, mac: str | None, serial: str | None, make: str | None) -> None:
        before = (machine.mac, machine.serial, machine.make)
        machine.mac, machine.serial = machine.mac or mac, machine.serial or serial
        machine.make = make or machine.make
        if before != (machine.mac, machine.serial, machine.make):
            for mark in _marks(machine.mac, machine.serial):
                self._by_mark.setdefault(mark, machine)
            self.changed = True

    def _vacate(self, machine: Machine) -> None:
        if self._by_address.get(machine.address) is machine:
            del self._by_address[machine.address]
        machine.address = ""
        self.changed = True

    def _free_name(self, name: str, mark: str) -> str:
        if name not in self._by_id:
            return name
        log.warning("two machines here are called %s: one of them is told apart by its mac", name)
        made, no = f"{name}~{mark.replace(':', '')[-6:]}", 2
        while made in self._by_id:
            made, no = f"{name}~{no}", no + 1
        return made


def _is_same(machine: Machine, mac: str | None, serial: str | None) -> bool:
    """A machine that says neither of the two this time is the one that was here before."""
    if machine.mac and mac:
        return machine.mac == mac
    return not (machine.serial and serial) or machine.serial == serial


def _marks(mac: str | None, serial: str | None) -> list[str]:
    return [*([f"mac {mac}"] if mac else []), *([f"serial {serial}"] if serial else [])]


def _stored(path: Path | None) -> KeptRoster:
    try:
        return msgspec.json.decode(path.read_bytes(), type=KeptRoster) if path is not None else KeptRoster("", [])
    except FileNotFoundError:
        return KeptRoster("", [])
    except (OSError, msgspec.DecodeError):
        log.warning("the list of machines cannot be read: they are found anew")
        return KeptRoster("", [])
