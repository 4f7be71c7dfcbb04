"""What a tenant has set, as what a cycle is told. Pure."""

from hashinsight.inventory.tenant_settings import RuleLimits, TenantSettings
from hashinsight.problems.config import Config, Life
from hashinsight.problems.heat import Change, Layers

CYCLE_SEC = 300.0


def config_of(settings: TenantSettings, *, site_id: int, site_code: str, interval_sec: float) -> Config:
    """Of one site. Its own limits are kept under its code; a frame knows it by its number."""
    chosen, rules = settings.thresholds, settings.rules
    own = rules.of_site(site_code)
    return Config(
        layers=Layers(
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
        life=Life(
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
