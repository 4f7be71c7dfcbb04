"""What the rules compare with: defaults, changed layer by layer, resolved to one value a machine.

Layers from the widest to the narrowest: defaults, tenant, site, model, firmware, sensor kind. Temperature limits of the
catalogue and of the machine itself stand between those for everybody and those for one kind: see `heat`.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import lru_cache

import numpy as np

from hashinsight.facts.models import MinerModel, find_model
from hashinsight.facts.temperatures import SensorKind, sensor_kind
from hashinsight.inventory.tenant_settings import RuleLimits, TenantSettings
from hashinsight.problems.frame import Floats, Frame, Ints
from hashinsight.problems.temperature_limits import (
    FLUID,
    NO_LAYERS,
    Change,
    LimitLayers,
    MachineTemperatureLimits,
    machine_temperature_limits,
)
from hashinsight.telemetry.states import SampleFlags as Said
from hashinsight.wire.freshness import DEFAULT_INTERVAL_SEC, freshness

_MOST_LISTED = 1 << 16


@dataclass(frozen=True)
class RuleThresholds:
    """One set of limits. An effect is what a difference must amount to before anybody walks to a machine."""

    overheat_warn_c: float = 75.0
    overheat_crit_c: float = 85.0
    hashrate_zero_ratio: float = 0.01
    boards_dead_ratio: float = 0.5
    boards_degrading_drop: float = 0.1
    board_lost_share: float = 0.6  # of what its missing boards would do, lacking in its hashrate
    hashrate_z: float = -2.0
    hashrate_effect: float = 0.03  # of what is expected of it
    efficiency_z: float = 2.0
    efficiency_effect: float = 0.05  # of its own W/TH
    temp_z: float = 2.5
    temp_effect_c: float = 4.0
    fan_behind_rpm: float = 1000.0  # its slowest fan behind the mean of all
    assumed_rise_c: float = 6.0  # over its own usual, before an assumed limit is heeded
    overheat_hold_c: float = 2.0  # below its limit, a machine that was too hot is not well yet
    trend_per_day: float = 0.03
    trend_hours: float = 12.0
    reject_rate: float = 0.03
    reject_times_peers: float = 4.0
    reject_least: float = 8.0  # rejected shares; fewer say nothing, but where hardly any are usual
    hw_errors_per_hour: float = 12.0
    hw_errors_times_peers: float = 4.0
    outlier_z: float = 3.0
    outlier_hashrate: float = 0.15
    outlier_temp_c: float = 10.0
    outlier_efficiency: float = 0.15
    cusum_sigma_hours: float = 12.0
    reboots_in_6_hours: float = 3.0
    frozen_cycles: float = 2.0
    sensor_spread_c: float = 15.0


THRESHOLD_NAMES = tuple(one.name for one in fields(RuleThresholds))
_DEFAULTS = asdict(RuleThresholds())
IN_FLUID = " in fluid"
_SENSORS = {1: SensorKind.CHIP, 2: SensorKind.BOARD}  # by the flags of a sample; 0: as its firmware does


@dataclass(frozen=True)
class LifecycleConfig:
    """How detections become events, in cycles and hours."""

    debounce: int = 2
    debounce_p0: int = 2
    resolve: int = 3
    resolve_flapping: int = 12
    cooldown_sec: float = 86_400.0
    flapping_recurrences: int = 3
    flapping_sec: float = 86_400.0
    remember_sec: float = 30 * 86_400.0  # what was last seen longer ago and is over is no predecessor any more


@dataclass(frozen=True)
class Config:
    """Everything that a cycle is told beside its data."""

    layers: LimitLayers = NO_LAYERS
    life: LifecycleConfig = LifecycleConfig()
    interval_sec: float = DEFAULT_INTERVAL_SEC  # between two samples of a machine
    cycle_sec: float = 300.0
    allowed_pools: tuple[str, ...] = ()  # of both: empty allows everyone, and is not judged
    allowed_workers: tuple[str, ...] = ()
    baseline_sec: float = 64_800.0  # 18 hours
    smooth_sec: float = 1800.0
    counter_sec: float = 3600.0
    settle_sec: float = 1800.0  # a machine that began to hash this long ago is steady
    boot_sec: float = 600.0  # until a machine that booted must hash
    freeze_sec: float = 7 * 86_400.0
    mode_cycles: int = 3
    mode_grace_sec: float = 1800.0
    mode_fit_sec: float = 4 * 3600.0
    least_peers: int = 30
    least_reference: int = 5
    only_hard: bool = False  # for comparison: no rule that needs a baseline or peers

    @property
    def stale_sec(self) -> float:
        return freshness(self.interval_sec).stale_sec

    @property
    def offline_sec(self) -> float:
        return freshness(self.interval_sec).offline_sec


@dataclass(frozen=True)
class MachineLimits:
    """Every threshold as an array over machines, and what kind of machine it is for."""

    of: Mapping[str, Floats]
    rated_ths: Floats  # NaN: a model that the catalogue does not know
    rated_w: Floats
    model: Ints  # as the catalogue spells it, however the machine does; in fluid it is another one
    models: tuple[str, ...]
    kind: Ints  # which of `heat` holds
    heat: tuple[MachineTemperatureLimits, ...]

    def __getitem__(self, name: str) -> Floats:
        return self.of[name]


def resolve_limits(config: Config, frame: Frame) -> MachineLimits:
    """Loops over kinds of machines, of which there are a few dozen, never over machines."""
    kinds, which = kinds_of(frame)
    values = np.empty((len(THRESHOLD_NAMES), len(kinds)))
    rated = np.full((2, len(kinds)), np.nan)
    names: list[str] = []
    heat: list[MachineTemperatureLimits] = []
    for number, (site_no, model_no, firmware_no, is_air, sensor_no, limits_no) in enumerate(kinds.tolist()):
        site, model = _word(frame.site.of, site_no), _word(frame.model.of, model_no)
        firmware = _word(frame.firmware.of, firmware_no)
        known = _found(model)
        name = known.name if known else model
        chosen = thresholds_for(config.layers, site=site, model=name, firmware=firmware, fluid=not is_air)
        limits = machine_temperature_limits(
            config.layers,
            site=site,
            model=name,
            firmware=firmware,
            fluid=not is_air,
            sensor=_SENSORS.get(sensor_no),
            reported=_word(frame.temp_limits.of, limits_no),
        )
        chosen |= {"overheat_warn_c": limits.main.warn_c, "overheat_crit_c": limits.main.crit_c}
        values[:, number] = [chosen[name] for name in THRESHOLD_NAMES]
        names.append((name or "") + ("" if is_air else IN_FLUID))
        heat.append(limits)
        if known:
            rated[:, number] = known.rated_ths, known.power_w
    spread = values[:, which]
    models = tuple(dict.fromkeys(names))
    model_no = np.array([models.index(name) for name in names], dtype=np.int64)
    return MachineLimits(
        {name: spread[row] for row, name in enumerate(THRESHOLD_NAMES)},
        rated_ths=rated[0, which],
        rated_w=rated[1, which],
        model=model_no[which],
        models=models,
        kind=which,
        heat=tuple(heat),
    )


def thresholds_for(
    layers: LimitLayers, *, site: str | None, model: str | None, firmware: str | None, fluid: bool = False
) -> dict[str, float]:
    """Every threshold; of temperatures, those of the sensor that its firmware reads."""
    limits = machine_temperature_limits(layers, site=site, model=model, firmware=firmware, fluid=fluid).main
    sensors = layers.sensors
    return {
        **_DEFAULTS,
        **layers.tenant,
        **layers.sites.get(site or "", {}),
        **layers.models.get(model or "", {}),
        **layers.firmwares.get(firmware or "", {}),
        **sensors.get(sensor_kind(firmware).value, {}),
        **(sensors.get(FLUID, {}) if fluid else {}),
        "overheat_warn_c": limits.warn_c,
        "overheat_crit_c": limits.crit_c,
    }


@lru_cache(maxsize=4096)
def _found(model: str | None) -> MinerModel | None:
    return find_model(model) if model else None


def kinds_of(frame: Frame) -> tuple[Ints, Ints]:
    """The distinct (site, model, firmware, cooled by air, sensor, own limits) of a frame, and which each machine is."""
    codes = frame.site.no, frame.model.no, frame.firmware.no, frame.is_air.astype(np.int64)
    sensor = frame.flags & (Said.CHIP_SENSOR | Said.BOARD_SENSOR)
    if not sensor.any() and not frame.temp_limits.of:  # nobody names a sensor or a limit: less to tell apart
        found, which = distinct(*codes)
        return np.column_stack([found, np.zeros(len(found), dtype=np.int64), np.full(len(found), -1)]), which
    return distinct(*codes, sensor.astype(np.int64) // Said.CHIP_SENSOR, frame.temp_limits.no)


def distinct(*codes: Ints) -> tuple[Ints, Ints]:
    """Distinct rows of several columns of small numbers, by one number each: far cheaper than sorting rows."""
    sizes = [int(code.max(initial=-1)) + 2 for code in codes]
    packed = np.zeros(len(codes[0]), dtype=np.int64)
    for code, size in zip(codes, sizes, strict=True):
        packed = packed * size + (code + 1)
    found, which = _numbered(packed, math.prod(sizes))
    columns = []
    for size in reversed(sizes):
        columns.append(found % size - 1)
        found = found // size
    return np.stack(columns[::-1], axis=1), which


def _numbered(packed: Ints, most: int) -> tuple[Ints, Ints]:
    """The distinct numbers in order, and which of them each one is: by a list of all, where that is short enough."""
    if most > _MOST_LISTED:
        found, which = np.unique(packed, return_inverse=True)
        return found, which.reshape(-1)
    there = np.zeros(most, dtype=np.bool_)
    there[packed] = True
    return np.flatnonzero(there), (np.cumsum(there) - 1)[packed]


def _word(of: tuple[str, ...], no: int) -> str | None:
    return of[no] if no >= 0 else None


CYCLE_SEC = 300.0


def site_config(settings: TenantSettings, *, site_id: int, site_code: str, interval_sec: float) -> Config:
    """Of one site. Its own limits are kept under its code; a frame knows it by its number."""
    chosen, rules = settings.thresholds, settings.rules
    own = rules.of_site(site_code)
    return Config(
        layers=LimitLayers(
            tenant={
                "overheat_warn_c": chosen.overheat_warn_c,
                "overheat_crit_c": chosen.overheat_crit_c,
                **_said(rules.tenant),
            },
            sites={} if own is None else {str(site_id): _said(own)},
            models={name: _said(limits) for name, limits in rules.models.items()},
            firmwares={name: _said(limits) for name, limits in rules.firmwares.items()},
            sensors={name: _said(limits) for name, limits in rules.sensors.items()},
        ),
        life=LifecycleConfig(
            debounce=chosen.debounce_cycles,
            debounce_p0=min(chosen.debounce_cycles, chosen.debounce_cycles_p0),
            resolve=chosen.resolve_cycles,
            resolve_flapping=4 * chosen.resolve_cycles,
            cooldown_sec=chosen.cooldown_hours * 3600,
        ),
        interval_sec=interval_sec,
        cycle_sec=max(CYCLE_SEC, interval_sec),
        allowed_pools=settings.pools.allowed,
        allowed_workers=settings.pools.workers,
    )


def _said(limits: RuleLimits) -> Change:
    return {name: float(value) for name, value in limits.model_dump().items() if value is not None}
