"""The settings of a tenant: one typed document with defaults; fields not used yet say so. Pure.

Sections change as a whole: `thresholds` and `rules` by those with permission to govern; `prices`, `approval` and
`pools` by owners. All but `prices` need a step-up.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from hashinsight.wire.sites import fold_code

Share = Annotated[float, Field(ge=0, le=1)]
Pool = Annotated[
    str,
    StringConstraints(
        strip_whitespace=True,
        to_lower=True,
        max_length=255,
        pattern=r"^(\*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$",
    ),
]
Worker = Annotated[str, StringConstraints(strip_whitespace=True, max_length=128, pattern=r"^[^\x00-\x1f]*$")]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Prices(_Section):
    """For losses in money: earnings per PH/s and day, and the price of a kWh."""

    currency: Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")] = "USD"
    hashrate_per_ph_day: Annotated[float, Field(ge=0, le=1_000_000)] = 50.0
    power_per_kwh: Annotated[float, Field(ge=0, le=1000)] = Field(
        0.06, description="Not used yet: losses are in hashrate only."
    )


class Thresholds(_Section):
    overheat_warn_c: Annotated[float, Field(ge=30, le=150)] = 75.0
    overheat_crit_c: Annotated[float, Field(ge=30, le=150)] = 85.0
    debounce_cycles: Annotated[int, Field(ge=1, le=100)] = 2
    debounce_cycles_p0: Annotated[int, Field(ge=1, le=100)] = 2
    resolve_cycles: Annotated[int, Field(ge=1, le=100)] = 3
    cooldown_hours: Annotated[float, Field(ge=0, le=720)] = 24.0
    raise_at_p_fail: Share = Field(0.7, description="Not used yet: there is no risk model.")
    notices_per_cycle: Annotated[int, Field(ge=0, le=10_000)] = Field(
        20, description="Not used yet: there are no notifications."
    )
    tickets_per_cycle: Annotated[int, Field(ge=0, le=10_000)] = Field(
        5, description="Not used yet: there are no tickets."
    )
    reboots_per_site_5min: Annotated[int, Field(ge=1, le=100_000)] = 20
    max_share_of_site_down: Share = 0.2


Celsius = Annotated[float, Field(ge=30, le=150)]
Degrees = Annotated[float, Field(ge=0, le=60)]
Rise = Annotated[float, Field(ge=0, le=20)]  # a larger value would disable an assumed limit
LostShare = Annotated[float, Field(ge=0.1, le=1)]  # 0 would count every empty slot as a lost board
Sigmas = Annotated[float, Field(ge=-20, le=20)]
Times = Annotated[float, Field(gt=0, le=10_000)]
Rpm = Annotated[float, Field(gt=0, le=20_000)]


class RuleLimits(_Section):
    """Limits of the health rules; a limit left out is taken from the wider layer."""

    overheat_warn_c: Celsius | None = None
    overheat_crit_c: Celsius | None = None
    overheat_hold_c: Degrees | None = None
    hashrate_zero_ratio: Share | None = None
    boards_dead_ratio: Share | None = None
    boards_degrading_drop: Share | None = None
    board_lost_share: LostShare | None = None
    hashrate_z: Sigmas | None = None
    hashrate_effect: Share | None = None
    efficiency_z: Sigmas | None = None
    efficiency_effect: Share | None = None
    temp_z: Sigmas | None = None
    temp_effect_c: Degrees | None = None
    fan_behind_rpm: Rpm | None = None
    assumed_rise_c: Rise | None = None
    trend_per_day: Share | None = None
    trend_hours: Times | None = None
    reject_rate: Share | None = None
    reject_times_peers: Times | None = None
    reject_least: Times | None = None
    hw_errors_per_hour: Times | None = None
    hw_errors_times_peers: Times | None = None
    outlier_z: Sigmas | None = None
    outlier_hashrate: Share | None = None
    outlier_temp_c: Degrees | None = None
    outlier_efficiency: Share | None = None
    cusum_sigma_hours: Times | None = None
    reboots_in_6_hours: Times | None = None
    frozen_cycles: Times | None = None
    sensor_spread_c: Degrees | None = None


Name = Annotated[str, StringConstraints(min_length=1, max_length=128)]
Layer = Annotated[dict[Name, RuleLimits], Field(max_length=500)]


class Rules(_Section):
    """Limits by layer, the narrower wins: tenant, site (by code), catalogue, model, firmware, sensor kind."""

    tenant: RuleLimits = RuleLimits()
    sites: Layer = {}
    models: Layer = {}
    firmwares: Layer = {}
    sensors: Layer = {}

    def of_site(self, site_code: str) -> RuleLimits | None:
        """By the exact code, else in any case."""
        alike = (limits for code, limits in self.sites.items() if fold_code(code) == fold_code(site_code))
        return self.sites.get(site_code) or next(alike, None)


class ApprovalSettings(_Section):
    """What makes a command high risk, besides its type.

    `machines` and `power_kw`: how much one requester may command at a site within `window_min` without approval, over
    all requests.
    """

    machines: Annotated[int, Field(ge=1, le=1_000_000)] = 20
    power_kw: Annotated[float, Field(gt=0, le=1_000_000)] = 100.0
    window_min: Annotated[int, Field(ge=5, le=1440)] = 60
    wait_hours: Annotated[float, Field(gt=0, le=720)] = 24.0
    by_requester: bool = Field(False, description="For one-person tenants: requesters may approve their own commands.")  # noqa: FBT003


class Pools(_Section):
    """Allowed pools and workers. An empty list allows every pool, and `wrong_pool` is not evaluated."""

    allowed: Annotated[tuple[Pool, ...], Field(max_length=200, fail_fast=True)] = ()
    workers: Annotated[tuple[Worker, ...], Field(max_length=1000, fail_fast=True)] = ()


class TenantSettings(_Section):
    prices: Prices = Prices()
    thresholds: Thresholds = Thresholds()
    rules: Rules = Rules()
    approval: ApprovalSettings = ApprovalSettings()
    pools: Pools = Pools()


@dataclass(frozen=True)
class VersionedSettings:
    """The document as stored; version 0: the defaults."""

    version: int
    settings: TenantSettings
    updated_at: datetime | None


SECTIONS = tuple(TenantSettings.model_fields)


def changed_sections(old: TenantSettings, new: TenantSettings) -> tuple[str, ...]:
    return tuple(name for name in SECTIONS if getattr(old, name) != getattr(new, name))
