"""The cap on machines of a site that are in transition by commands, at every lease that took one more down. Pure.

Only what is certain is counted, so that a right run is never found fault with: a machine from its lease to its release,
and for a minute behind the ack of a restart or of settings, because no sample can show it back before. Left out are
emergencies, which go out in any case, and machines that may have been down already, which take no room.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from uuid import UUID

import msgspec

from hashinsight.commands.catalogue import RESTARTS, SETTINGS, TAKES_DOWN
from hashinsight.commands.checker.findings import Finding, Name, found
from hashinsight.commands.checker.timeline import Timeline
from hashinsight.commands.limits import outage_cap
from hashinsight.commands.states import Event

_SURELY_DOWN = timedelta(minutes=1)  # behind an ack
_AT_LONGEST = timedelta(minutes=10)  # behind the end of the lease
_SETTINGS_AT_LONGEST = timedelta(minutes=5)  # behind the ack
_CLOCKS_DIFFER = timedelta(minutes=10)  # at most, between processes
_FOR_EVER = datetime.max.replace(tzinfo=UTC)
CAPPED = (*TAKES_DOWN, "enable_hashing")  # the latter ends what a stop began


class Outage(msgspec.Struct, frozen=True):
    """One lease of a command that takes its machine down, or starts it; and the move that let the machine go."""

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
        """Until when the machine may have counted as down by it, apart from a stop that holds."""
        if self.released_at is None:
            return _FOR_EVER
        if self.released_by in (Event.FAILED, Event.RETRIED) and self.error_code != "OUTCOME_UNKNOWN":
            return self.released_at
        if self.is_done and self.command_type in SETTINGS:
            return self.released_at + _SETTINGS_AT_LONGEST
        return max(self.released_at, self.lease_until + _AT_LONGEST)

    def is_surely_down(self, at: datetime, recorded_at: datetime) -> bool:
        """At a moment by the callers' clock, and by the database's."""
        if self.released_at is None or self.release_recorded_at is None or self.release_recorded_at > recorded_at:
            return True
        if not self.is_done or self.command_type not in RESTARTS:
            return False
        return at < min(self.released_at + _SURELY_DOWN, self.last_end)


def check_caps(
    outages: Iterable[Outage], shares: Timeline[float], machines: Mapping[int, int], *, since: datetime | None = None
) -> Iterator[Finding]:
    """`machines`: how many each site has. `since`: the earlier ones are there for what they left down."""
    sites: dict[int, list[Outage]] = defaultdict(list)
    for one in sorted(outages, key=lambda outage: outage.recorded_at):
        sites[one.site_id].append(one)
    for site_id, line in sites.items():
        stops = _stops(line)
        going: list[Outage] = []
        for one in _taking_room(line):
            going = [each for each in going if not _is_over(each, one)]
            down = {each.miner_no for each in going if _counts(each, one, stops[each.miner_no])} | {one.miner_no}
            going.append(one)
            share = max(shares.between(one.at - _CLOCKS_DIFFER, one.at))
            cap = outage_cap(share, machines.get(site_id, 0))
            if len(down) > cap and (since is None or one.at >= since):
                message = f"{one.command_type} at site {site_id}, at {one.at}"
                yield found(Name.CAP_EXCEEDED, one.command_id, message, in_transition=len(down), cap=cap)


def _taking_room(line: Iterable[Outage]) -> Iterator[Outage]:
    """Those whose machine was surely up when they were handed out, without emergencies."""
    down_until: dict[int, datetime] = {}
    stopped: set[int] = set()
    for one in line:
        if one.command_type == "enable_hashing":
            if one.is_done:
                stopped.discard(one.miner_no)
            continue
        is_up = down_until.get(one.miner_no, one.at) <= one.at and one.miner_no not in stopped
        down_until[one.miner_no] = max(one.last_end, down_until.get(one.miner_no, one.last_end))
        if one.is_done and one.command_type not in RESTARTS:
            stopped.add(one.miner_no)
        if is_up and not one.emergency:
            yield one


def _stops(line: Iterable[Outage]) -> dict[int, list[datetime]]:
    """When each machine was stopped, by the database's clock."""
    stops: dict[int, list[datetime]] = defaultdict(list)
    for one in line:
        if one.is_done and one.command_type not in RESTARTS and one.release_recorded_at is not None:
            stops[one.miner_no].append(one.release_recorded_at)
    return stops


def _counts(earlier: Outage, now: Outage, stops: Iterable[datetime]) -> bool:
    """Not one that was stopped since: it stands on purpose, and is in transition no longer."""
    stopped = any(earlier.recorded_at < at <= now.recorded_at for at in stops)
    return not stopped and earlier.is_surely_down(now.at, now.recorded_at)


def _is_over(earlier: Outage, now: Outage) -> bool:
    return earlier.last_end < now.at - _CLOCKS_DIFFER and not earlier.is_surely_down(now.at, now.recorded_at)
