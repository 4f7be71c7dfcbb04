"""A fleet whose clock is one file for all processes of a race: it is driven, and no process has a time of its own."""

import json
import mmap
import struct
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self
from uuid import UUID

from hashinsight.audit.actions import SYSTEM, Actor, ActorKind
from hashinsight.commands.service.leases import LeaseHolder
from hashinsight.inventory.service.settings import change_settings, get_settings
from hashinsight.kit.db.address import address_from_url
from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database
from tests.commands.command_site import NOON, SITE, CommandSite

MACHINES = 8
REBOOTS = 3  # a site in five minutes: few, so that the limit is felt
_SECONDS = struct.Struct("=d")


class SharedClock:
    def __init__(self, path: Path) -> None:
        if not path.exists():
            path.write_bytes(_SECONDS.pack(NOON.timestamp()))
        with path.open("r+b") as file:
            self._memory = mmap.mmap(file.fileno(), _SECONDS.size)

    def read(self) -> datetime:
        return datetime.fromtimestamp(_SECONDS.unpack(self._memory[:])[0], UTC)

    def set(self, now: datetime) -> None:
        self._memory[:] = _SECONDS.pack(now.timestamp())


@dataclass(frozen=True)
class Plan:
    """What another process needs to join in."""

    database_url: str
    superuser_url: str
    clock: str
    tenant: str
    collectors: list[tuple[str, int | None]]
    seed: int
    deaths: int

    def to_line(self) -> str:
        return json.dumps(asdict(self)) + "\n"

    @classmethod
    def from_line(cls, line: str) -> Self:
        plan: dict[str, Any] = json.loads(line)
        return cls(**{**plan, "collectors": [(collector, zone) for collector, zone in plan["collectors"]]})


class SharedClockSite(CommandSite):
    def __init__(self, database: Database, superuser_url: str, clock: SharedClock) -> None:
        self.clock = clock
        begun = clock.read()
        super().__init__(database, superuser_url)
        self.now = begun  # a fleet sets its clock to noon; this one goes on

    @property
    def now(self) -> datetime:
        return self.clock.read()

    @now.setter
    def now(self, value: datetime) -> None:
        self.clock.set(value)

    @property
    def holders(self) -> list[LeaseHolder]:
        """The collectors; the second has two devices."""
        of_south = [replace(self.south, device_id=device) for device in ("s1", "s2")]
        return [self.north, *of_south, self.zoned]

    async def begin(self) -> Self:
        """Without a cap that is felt: most of eight machines is told something at once."""
        self.open(MACHINES)
        await self.set_share_down(1.0)
        return self

    async def set_share_down(self, share: float) -> None:
        """On record, so that the checker knows it."""
        async with self.database.transaction(job_context()) as session:
            held = await get_settings(session, self.tenant)
            limits = {"reboots_per_site_5min": REBOOTS, "max_share_of_site_down": share}
            few = held.settings.thresholds.model_copy(update=limits)
            new = held.settings.model_copy(update={"thresholds": few})
            await change_settings(session, SYSTEM, self.tenant, new, version=held.version, now=self.now)

    def plan(self, clock: Path, *, seed: int, deaths: int) -> Plan:
        known = [(str(collector.collector_id), collector.zone_id) for collector in (self.north, self.south, self.zoned)]
        address = self.database.address.url
        return Plan(address, self._url, str(clock), str(self.tenant), known, seed, deaths)


def joined(plan: Plan) -> SharedClockSite:
    """The same fleet, in another process."""
    database = Database(address_from_url(plan.database_url), pool=4)
    fleet = SharedClockSite(database, plan.superuser_url, SharedClock(Path(plan.clock)))
    fleet.tenant = UUID(plan.tenant)
    fleet.north, fleet.south, fleet.zoned = (
        LeaseHolder(fleet.tenant, SITE, zone_id, UUID(collector), None, Actor(ActorKind.COLLECTOR, collector))
        for collector, zone_id in plan.collectors
    )
    return fleet
