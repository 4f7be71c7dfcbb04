"""Finds machines in the site's address ranges: slowly, repeatedly, and without disturbing polling."""

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from hashinsight.edge.library_process.messages import MachineError
from hashinsight.edge.library_process.reader import Auth, Reader, Reading
from hashinsight.edge.roster import Machine, Roster, RosterFull
from hashinsight.edge.settings import range_bounds

AT_ONCE = 64
PER_SEC = 400.0  # addresses: switches take a faster scan for an attack; a /16 takes three minutes

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Sweep:
    probed: int
    found: int
    new: int
    seconds: float


def list_addresses(ranges: Iterable[str]) -> Iterator[str]:
    """Each once, in order, generated one by one: a /12 has a million."""
    spans = sorted((int(first), int(last)) for first, last in map(range_bounds, ranges))
    reached = -1
    for first, last in spans:
        for number in range(max(first, reached + 1), last + 1):
            yield ".".join(str(number >> shift & 255) for shift in (24, 16, 8, 0))
        reached = max(reached, last)


async def sweep(
    reader: Reader,
    roster: Roster,
    addresses: Iterable[str],
    *,
    timeout_sec: float,
    auth: Auth = (),
    on_found: Callable[[Machine, Reading], None] = lambda _, __: None,
) -> Sweep:
    """Probe every address where no machine is online. A machine that is already polled stays as it is."""
    began = time.monotonic()
    remaining = iter(addresses)
    before = len(roster)
    probed = answered = 0

    async def probe_some() -> None:
        nonlocal probed, answered
        for address in remaining:
            here = roster.find_at(address)
            if here is not None and here.online:
                continue
            probed += 1
            ahead = began + probed / PER_SEC - time.monotonic()
            if ahead > 0:
                await asyncio.sleep(ahead)
            reading = await _find(reader, address, timeout_sec, auth)
            if reading is not None and _add(roster, address, reading, on_found):
                answered += 1

    async with asyncio.TaskGroup() as group:
        for _ in range(AT_ONCE):
            group.create_task(probe_some())
    roster.save()
    return Sweep(probed, answered, len(roster) - before, time.monotonic() - began)


async def _find(reader: Reader, address: str, timeout_sec: float, auth: Auth) -> Reading | None:
    """Twice if it reports neither MAC nor serial: a name is given once and kept."""
    reading = None
    for _ in range(2):
        try:
            reading = await reader.find(address, timeout_sec=timeout_sec, auth=auth)
        except MachineError:
            return reading
        data = (reading or {}).get("data")
        if not data or data.get("mac") or data.get("serial_number"):
            return reading
    return reading


def _add(roster: Roster, address: str, reading: Reading, on_found: Callable[[Machine, Reading], None]) -> bool:
    try:
        on_found(identify(roster, address, reading), reading)
    except RosterFull as error:
        log.warning("machine ignored: %s", error)
        return False
    except MachineError:  # it exists; polling will report what is wrong with it
        return True
    return True


def identify(roster: Roster, address: str, reading: Reading) -> Machine:
    """By MAC and serial of the reading, from the library or from the plain client."""
    data = reading.get("data") or {}
    version = next((row for row in reading.get("version") or [] if isinstance(row, dict)), {})
    info = data["device_info"] if isinstance(data.get("device_info"), dict) else {}
    mac, serial = data.get("mac") or version.get("MAC"), data.get("serial_number") or version.get("DNA")
    return roster.identify(address, mac=mac, serial=serial, make=info.get("make"))
