"""The configuration of a cycle: thresholds, changed layer by layer and resolved to one value per machine.

Layers from the widest to the narrowest: defaults, tenant, site, model, firmware, sensor kind. For temperature limits
those of the catalogue and of the machine itself come between site and model: see `temperature_limits`.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import lru_cache

import numpy as np

from hashinsight.facts.models import MinerModel, find_model
from hashinsight.facts.temperatures import SensorKind, sensor_kind
from hashinsight.inventory.tenant_settings import RuleLimits, TenantSettings, Thresholds
from hashinsight.problems.codes import CYCLE_SEC
from hashinsight.problems.frame import Floats, Frame, Ints
from hashinsight.problems.group_stats import distinct_rows
from hashinsight.problems.temperature_limits import (
    FLUID,
    NO_LAYERS,
    LimitChanges,
    LimitLayers,
    MachineTemperatureLimits,
    machine_temperature_limits,
)
from hashinsight.telemetry.states import SampleFlags
from hashinsight.wire.freshness import DEFAULT_INTERVAL_SEC

_DEFAULTS = Thresholds()  # of a tenant that has changed nothing


@dataclass(frozen=True)
class RuleThresholds:
    """What rules compare with. An effect is how large a difference must be to be worth a walk to the machine."""

    overheat_warn_c: float = _DEFAULTS.overheat_warn_c
    overheat_crit_c: float = _DEFAULTS.overheat_crit_c
    hashrate_zero_ratio: float = 0.01
    boards_dead_ratio: float = 0.5
    boards_degrading_drop: float = 0.1
    board_lost_share: float = 0.6  # of the missing boards' hashrate that must be missing
    hashrate_z: float = -2.0
    hashrate_effect: float = 0.03  # of its expected hashrate
    efficiency_z: float = 2.0
    efficiency_effect: float = 0.05  # of its own W/TH
    temp_z: float = 2.5
    temp_effect_c: float = 4.0
    fan_behind_rpm: float = 1000.0  # its slowest fan behind the mean of all
    assumed_rise_c: float = 6.0  # above its baseline, before an assumed limit counts
    overheat_hold_c: float = 2.0  # below its limit, until a machine that was too hot counts as cool
    trend_per_day: float = 0.03
    trend_hours: float = 12.0
    reject_rate: float = 0.03
    reject_times_peers: float = 4.0
    reject_least: float = 8.0  # rejected shares; fewer do not count, unless hardly any are usual
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


THRESHOLD_NAMES = tuple(field.name for field in fields(RuleThresholds))
_THRESHOLDS = asdict(RuleThresholds())
IN_FLUID = " in fluid"
_FLAPPING_TIMES = 4  # as many healthy cycles to resolve a flapping problem
_SENSORS = {1: SensorKind.CHIP, 2: SensorKind.BOARD}  # by the flags of a sample; 0: as its firmware does


@dataclass(frozen=True)
class LifecycleConfig:
    """How hits become events: cycles until a problem opens or resolves, and how long it may reopen."""

    debounce: int = _DEFAULTS.debounce_cycles
    debounce_p0: int = _DEFAULTS.debounce_cycles_p0
    resolve: int = _DEFAULTS.resolve_cycles
    resolve_flapping: int = _FLAPPING_TIMES * _DEFAULTS.resolve_cycles
    cooldown_sec: float = _DEFAULTS.cooldown_hours * 3600
    flapping_recurrences: int = 3
    flapping_sec: float = 86_400.0
    remember_sec: float = 30 * 86_400.0  # a problem resolved longer ago is not linked as predecessor


@dataclass(frozen=True)
class Config:
    """Everything a cycle needs beside its data."""

    layers: LimitLayers = NO_LAYERS
    life: LifecycleConfig = LifecycleConfig()
    interval_sec: float = DEFAULT_INTERVAL_SEC  # of machines whose collector's interval is not known
    cycle_sec: float = CYCLE_SEC
    allowed_pools: tuple[str, ...] = ()  # of both: an empty list allows all
    allowed_workers: tuple[str, ...] = ()
    baseline_sec: float = 64_800.0  # 18 hours
    smooth_sec: float = 1800.0
    counter_sec: float = 3600.0
    settle_sec: float = 1800.0  # a machine that has been hashing this long is steady
    boot_sec: float = 600.0  # a machine that booted need not hash earlier
    freeze_sec: float = 7 * 86_400.0
    mode_cycles: int = 3
    mode_grace_sec: float = 1800.0
    mode_fit_sec: float = 4 * 3600.0
    min_peers: int = 30
    min_reference: int = 5
    only_hard: bool = False  # without the rules that need a baseline or peers


@dataclass(frozen=True)
class MachineLimits:
    """Every threshold by machine, and the kind of each machine."""

    of: Mapping[str, Floats]
    rated_ths: Floats  # NaN: a model that the catalogue does not know
    rated_w: Floats
    model: Ints  # into `models`
    models: tuple[str, ...]  # as the catalogue spells them; in fluid a model is another one
    kind: Ints  # into `heat`
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
        site, model = _text(frame.site.of, site_no), _text(frame.model.of, model_no)
        firmware = _text(frame.firmware.of, firmware_no)
        known = _find_model(model)
        name = known.name if known else model
        chosen = thresholds_for(config.layers, site=site, model=name, firmware=firmware, fluid=not is_air)
        limits = machine_temperature_limits(
            config.layers,
            site=site,
            model=name,
            firmware=firmware,
            fluid=not is_air,
            sensor=_SENSORS.get(sensor_no),
            reported=_text(frame.temp_limits.of, limits_no),
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
    """Every threshold; temperature limits are those of the sensor that the firmware reads."""
    limits = machine_temperature_limits(layers, site=site, model=model, firmware=firmware, fluid=fluid).main
    sensors = layers.sensors
    return {
        **_THRESHOLDS,
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
def _find_model(model: str | None) -> MinerModel | None:
    return find_model(model) if model else None


def kinds_of(frame: Frame) -> tuple[Ints, Ints]:
    """The distinct (site, model, firmware, air-cooled, sensor, reported limits), and which of them each machine is."""
    codes = frame.site.no, frame.model.no, frame.firmware.no, frame.is_air.astype(np.int64)
    sensor = frame.flags & (SampleFlags.CHIP_SENSOR | SampleFlags.BOARD_SENSOR)
    if not sensor.any() and not frame.temp_limits.of:  # no machine reports a sensor or a limit: fewer columns
        kinds, which = distinct_rows(*codes)
        return np.column_stack([kinds, np.zeros(len(kinds), dtype=np.int64), np.full(len(kinds), -1)]), which
    return distinct_rows(*codes, sensor.astype(np.int64) // SampleFlags.CHIP_SENSOR, frame.temp_limits.no)


def _text(of: tuple[str, ...], no: int) -> str | None:
    return of[no] if no >= 0 else None


def site_config(settings: TenantSettings, *, site_id: int, site_code: str, interval_sec: float) -> Config:
    """From the tenant's settings. A site's limits are stored by its code; a frame has its id."""
    chosen, rules = settings.thresholds, settings.rules
    own = rules.of_site(site_code)
    return Config(
        layers=LimitLayers(
            tenant={
                "overheat_warn_c": chosen.overheat_warn_c,
                "overheat_crit_c": chosen.overheat_crit_c,
                **_given_limits(rules.tenant),
            },
            sites={} if own is None else {str(site_id): _given_limits(own)},
            models={name: _given_limits(limits) for name, limits in rules.models.items()},
            firmwares={name: _given_limits(limits) for name, limits in rules.firmwares.items()},
            sensors={name: _given_limits(limits) for name, limits in rules.sensors.items()},
        ),
        life=LifecycleConfig(
            debounce=chosen.debounce_cycles,
            debounce_p0=min(chosen.debounce_cycles, chosen.debounce_cycles_p0),
            resolve=chosen.resolve_cycles,
            resolve_flapping=_FLAPPING_TIMES * chosen.resolve_cycles,
            cooldown_sec=chosen.cooldown_hours * 3600,
        ),
        interval_sec=interval_sec,
        cycle_sec=max(CYCLE_SEC, interval_sec),
        allowed_pools=settings.pools.allowed,
        allowed_workers=settings.pools.workers,
    )


def _given_limits(limits: RuleLimits) -> LimitChanges:
    return {name: float(value) for name, value in limits.model_dump().items() if value is not None}
