"""The limits of a site: the cap on machines in transition at every lease that took one more down, and rates. Pure.

Only certain outages are counted, so that a correct run has no findings: a machine from its lease to its release, and
for a minute after the ack of a restart or settings, because no sample can show it back earlier. Not counted:
emergencies, which go out in any case, and machines that may have been down before, which take no room.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from uuid import UUID

import msgspec

from hashinsight.commands.catalogue import RESTARTS, SETTINGS, TAKES_DOWN
from hashinsight.commands.checker.findings import Finding, FindingName, finding
from hashinsight.commands.checker.rows import Lease, Timeline
from hashinsight.commands.limits import RATE_WINDOW, outage_cap
from hashinsight.commands.states import Event
from hashinsight.wire.acks import OUTCOME_UNKNOWN

_SURELY_DOWN = timedelta(minutes=1)  # after an ack
_AT_LONGEST = timedelta(minutes=10)  # after the end of the lease
_SETTINGS_AT_LONGEST = timedelta(minutes=5)  # after the ack
_CLOCKS_DIFFER = timedelta(minutes=10)  # at most, between processes
_FOREVER = datetime.max.replace(tzinfo=UTC)
CAPPED = (*TAKES_DOWN, "enable_hashing")  # a start ends the outage of a stop


class Outage(msgspec.Struct, frozen=True):
    """A lease of a command that takes its machine down, or starts it, and the move that released the machine."""

    command_id: UUID
    site_id: int
    miner_no: int
    command_type: str
    emergency: bool
    at: datetime
    recorded_at: datetime
    lease_until: datetime
    released_by: Event | None = None
    released_at: datetime | None = None
    release_recorded_at: datetime | None = None
    error_code: str | None = None

    @property
    def is_done(self) -> bool:
        return self.released_by is Event.SUCCEEDED

    @property
    def last_end(self) -> datetime:
        """Until when the machine may have counted as down, apart from a stop."""
        if self.released_at is None:
            return _FOREVER
        if self.released_by in (Event.FAILED, Event.RETRIED) and self.error_code != OUTCOME_UNKNOWN:
            return self.released_at
        if self.is_done and self.command_type in SETTINGS:
            return self.released_at + _SETTINGS_AT_LONGEST
        return max(self.released_at, self.lease_until + _AT_LONGEST)

    def is_surely_down(self, at: datetime, recorded_at: datetime) -> bool:
        """Whether its machine is down for certain at a time, given by the callers' clock and by the database's."""
        if self.released_at is None or self.release_recorded_at is None or self.release_recorded_at > recorded_at:
            return True
        if not self.is_done or self.command_type not in RESTARTS:
            return False
        return at < min(self.released_at + _SURELY_DOWN, self.last_end)


def check_caps(
    outages: Iterable[Outage], shares: Timeline[float], machines: Mapping[int, int], *, since: datetime | None = None
) -> Iterator[Finding]:
    """`machines`: per site. `since`: earlier outages are read only for the machines that they left down."""
    sites: dict[int, list[Outage]] = defaultdict(list)
    for outage in sorted(outages, key=lambda outage: outage.recorded_at):
        sites[outage.site_id].append(outage)
    for site_id, site_outages in sites.items():
        stops = _stops(site_outages)
        earlier: list[Outage] = []
        for outage in _taking_room(site_outages):
            earlier = [other for other in earlier if not _is_over(other, outage)]
            down = {other.miner_no for other in earlier if _counts(other, outage, stops[other.miner_no])}
            down.add(outage.miner_no)
            earlier.append(outage)
            share = max(shares.between(outage.at - _CLOCKS_DIFFER, outage.at))
            cap = outage_cap(share, machines.get(site_id, 0))
            if len(down) > cap and (since is None or outage.at >= since):
                message = f"{outage.command_type} at site {site_id}, at {outage.at}"
                yield finding(FindingName.CAP_EXCEEDED, outage.command_id, message, in_transition=len(down), cap=cap)


def _taking_room(site_outages: Iterable[Outage]) -> Iterator[Outage]:
    """Outages whose machine was certainly up before, without emergencies."""
    down_until: dict[int, datetime] = {}
    stopped: set[int] = set()
    for outage in site_outages:
        if outage.command_type == "enable_hashing":
            if outage.is_done:
                stopped.discard(outage.miner_no)
            continue
        is_up = down_until.get(outage.miner_no, outage.at) <= outage.at and outage.miner_no not in stopped
        down_until[outage.miner_no] = max(outage.last_end, down_until.get(outage.miner_no, outage.last_end))
        if outage.is_done and outage.command_type not in RESTARTS:
            stopped.add(outage.miner_no)
        if is_up and not outage.emergency:
            yield outage


def _stops(site_outages: Iterable[Outage]) -> dict[int, list[datetime]]:
    """Times at which machines were stopped, by the database's clock."""
    stops: dict[int, list[datetime]] = defaultdict(list)
    for outage in site_outages:
        if outage.is_done and outage.command_type not in RESTARTS and outage.release_recorded_at is not None:
            stops[outage.miner_no].append(outage.release_recorded_at)
    return stops


def _counts(earlier: Outage, lease: Outage, stops: Iterable[datetime]) -> bool:
    """Whether its machine was in transition at this lease; one that was stopped since is down on purpose."""
    stopped = any(earlier.recorded_at < at <= lease.recorded_at for at in stops)
    return not stopped and earlier.is_surely_down(lease.at, lease.recorded_at)


def _is_over(earlier: Outage, lease: Outage) -> bool:
    return earlier.last_end < lease.at - _CLOCKS_DIFFER and not earlier.is_surely_down(lease.at, lease.recorded_at)


def check_rates(leases: Iterable[Lease], limits: Mapping[str, Timeline[int]]) -> Iterator[Finding]:
    """Counts leases in the window that ends with each lease. If the limit changed within it, the highest counts."""
    sites: dict[tuple[int, str], list[Lease]] = defaultdict(list)
    for lease in leases:
        sites[lease.site_id, lease.command_type].append(lease)
    for (site_id, command_type), site_leases in sites.items():
        window: deque[datetime] = deque()
        for lease in sorted(site_leases, key=lambda lease: lease.at):
            window.append(lease.at)
            begin = lease.at - RATE_WINDOW
            while window[0] <= begin:
                window.popleft()
            limit = max(limits[command_type].between(begin, lease.at))
            if len(window) > limit:
                message = f"{command_type} at site {site_id}, at {lease.at}"
                yield finding(FindingName.RATE_EXCEEDED, lease.command_id, message, leased=len(window), limit=limit)
