"""Looks for machines in the ranges of a site: gently, over and over, and without disturbing the reading."""

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from hashinsight.edge.library_process.process import NotRead
from hashinsight.edge.library_process.reader import Auth, Reader, Told
from hashinsight.edge.roster import Machine, NoRoom, Roster
from hashinsight.edge.settings import bounds_of

AT_ONCE = 64
PER_SEC = 400.0  # addresses: switches count a scan that is faster as an attack, and a /16 is done in three minutes

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Sweep:
    asked: int
    found: int
    new: int
    seconds: float


def list_addresses(ranges: Iterable[str]) -> Iterator[str]:
    """Each once, in order, and made one by one: a /12 is a million."""
    spans = sorted((int(first), int(last)) for first, last in map(bounds_of, ranges))
    reached = -1
    for first, last in spans:
        for number in range(max(first, reached + 1), last + 1):
            yield ".".join(str(number >> shift & 255) for shift in (24, 16, 8, 0))
        reached = max(reached, last)


async def sweep(
    reader: Reader,
    roster: Roster,
    wanted: Iterable[str],
    *,
    timeout_sec: float,
    auth: Auth = (),
    on_found: Callable[[Machine, Told], None] = lambda _, __: None,
) -> Sweep:
    """Asks every address that no machine is known at. A machine that is read already is found where it is."""
    began = time.monotonic()
    left = iter(wanted)
    before = len(roster)
    asked = found = 0

    async def ask_some() -> None:
        nonlocal asked, found
        for address in left:
            here = roster.at(address)
            if here is not None and here.online:
                continue
            asked += 1
            ahead = began + asked / PER_SEC - time.monotonic()
            if ahead > 0:
                await asyncio.sleep(ahead)
            told = await _found(reader, address, timeout_sec, auth)
            if told is not None and _seated(roster, address, told, on_found):
                found += 1

    async with asyncio.TaskGroup() as group:
        for _ in range(AT_ONCE):
            group.create_task(ask_some())
    roster.save()
    return Sweep(asked, found, len(roster) - before, time.monotonic() - began)


async def _found(reader: Reader, address: str, timeout_sec: float, auth: Auth) -> Told | None:
    """Twice where it did not say who it is: a name is given once, and kept."""
    told = None
    for _ in range(2):
        try:
            told = await reader.find(address, timeout_sec=timeout_sec, auth=auth)
        except NotRead:
            return told
        data = (told or {}).get("data")
        if not data or data.get("mac") or data.get("serial_number"):
            return told
    return told


def _seated(roster: Roster, address: str, told: Told, on_found: Callable[[Machine, Told], None]) -> bool:
    try:
        on_found(seat(roster, address, told), told)
    except NoRoom as problem:
        log.warning("a machine is left out: %s", problem)
        return False
    except NotRead:  # it is there, and told as what it is when its turn comes
        return True
    return True


def seat(roster: Roster, address: str, told: Told) -> Machine:
    """By what it told, whoever read it."""
    data = told.get("data") or {}
    version = next((row for row in told.get("version") or [] if isinstance(row, dict)), {})
    info = data["device_info"] if isinstance(data.get("device_info"), dict) else {}
    mac, serial = data.get("mac") or version.get("MAC"), data.get("serial_number") or version.get("DNA")
    return roster.seat(address, mac=mac, serial=serial, make=info.get("make"))
