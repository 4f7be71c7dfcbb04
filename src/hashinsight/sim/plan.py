"""A scenario as data: sites and machines, planned faults and causes, data defects."""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np


@dataclass(frozen=True)
class Pool:
    url: str
    user: str
    password: str = "x"  # noqa: S105 - what miners send when a pool needs none


def pool_number(pools: tuple[Pool, ...]) -> int:
    """A number for the first pool's address, to compare pools in arrays."""
    return zlib.crc32(pools[0].url.encode(errors="replace")) if pools else -1


class ScenarioError(ValueError):
    """An invalid scenario; the message is one sentence for its author."""


@dataclass(frozen=True)
class Weather:
    mean_c: float = 20.0
    daily_swing_c: float = 16.0  # from the coldest hour to the hottest
    spell_c: float = 2.5  # standard deviation of warm and cold spells
    spell_days: float = 3.0


@dataclass(frozen=True)
class Batch:
    """Machines of one model, firmware and lot in one place."""

    model: str
    count: int
    firmware: str
    lot: str = ""
    mode: str = "normal"
    faults_per_year: float | None = None  # of this lot; None: the model's default


@dataclass(frozen=True)
class Zone:
    name: str
    batches: tuple[Batch, ...]
    hotter_c: float = 0.0
    rack_size: int = 24
    switch_size: int = 48
    pdu_size: int = 12


@dataclass(frozen=True)
class Site:
    name: str
    zones: tuple[Zone, ...]
    pools: tuple[Pool, ...]
    weather: Weather = Weather()
    utc_offset_h: float = 0.0
    says_offline: bool = True  # its collector sends a row for an unreachable machine


@dataclass(frozen=True)
class FaultRates:
    """Rates of random faults. `scale` multiplies them."""

    on: bool = False
    per_year: float | None = None  # of all machines; None: by model and lot
    scale: float = 1.0
    repair_days: tuple[float, float] = (0.5, 3.0)
    reboots_per_year: float = 3.0
    of_kind: dict[str, float] = field(default_factory=dict)  # per machine and year


@dataclass(frozen=True)
class Where:
    """Machine selection: all given fields must match."""

    site: str | None = None
    zone: str | None = None
    model: str | None = None
    switch: int | None = None
    pdu: int | None = None
    count: int | None = None


@dataclass(frozen=True)
class PlannedFault:
    kind: str
    where: Where
    at_sec: float
    lasts_sec: float | None = None
    severity: float = 1.0


@dataclass(frozen=True)
class PlannedCause:
    kind: str
    where: Where
    at_sec: float
    lasts_sec: float
    severity: float = 1.0
    every_sec: float | None = None
    pool: str | None = None
    restart_failures: float = 0.02
    firmware: str | None = None
    reported_model: str | None = None
    hashrate_factor: float = 1.0
    spooled: bool = True


@dataclass(frozen=True)
class Defects:
    """Defects of the data, not of the machines. All zero: clean."""

    missing: float = 0.0
    sentinels: float = 0.0
    clock_sec: float = 0.0
    duplicates: float = 0.0
    late: float = 0.0
    late_max_sec: float = 900.0
    noise: float = 1.0  # factor on the noise of every sensor
    units_off_make: str | None = None

    @property
    def any(self) -> bool:
        shares = (self.missing, self.sentinels, self.clock_sec, self.duplicates, self.late)
        return any(share > 0 for share in shares) or self.units_off_make is not None


@dataclass(frozen=True)
class Scenario:
    name: str
    about: str
    sites: tuple[Site, ...]
    days: float = 14.0
    seed: int = 1
    rates: FaultRates = FaultRates()
    faults: tuple[PlannedFault, ...] = ()
    causes: tuple[PlannedCause, ...] = ()
    defects: Defects = Defects()

    @property
    def machines(self) -> int:
        return sum(batch.count for batch in self._batches())

    def resized(self, machines: int) -> "Scenario":
        """The scenario with this many machines: batches keep their shares, planned faults their number."""
        if machines < 1:
            raise ScenarioError(f"a fleet has at least one machine, not {machines}")
        counts = np.array([batch.count for batch in self._batches()], dtype=np.float64)
        exact = counts * machines / counts.sum()
        whole = np.floor(exact).astype(np.int64)
        # the largest remainders get what rounding down left over; a stable sort keeps the file's order among equals
        whole[np.argsort(-(exact - whole), kind="stable")[: machines - whole.sum()]] += 1
        left = iter(whole.tolist())
        sites = tuple(replace(site, zones=tuple(_resized(zone, left) for zone in site.zones)) for site in self.sites)
        return replace(self, sites=sites)

    def _batches(self) -> list[Batch]:
        return [batch for site in self.sites for zone in site.zones for batch in zone.batches]


def _resized(zone: Zone, counts: Iterator[int]) -> Zone:
    return replace(zone, batches=tuple(replace(batch, count=next(counts)) for batch in zone.batches))
