"""Scenario files: sites, zones, machines, pools and weather; and the library of scenarios."""

import tomllib
from collections.abc import Collection
from dataclasses import replace
from importlib import resources
from pathlib import Path

from hashinsight.facts.models import find_model
from hashinsight.sim import scenario_events
from hashinsight.sim.faults import PUBLIC
from hashinsight.sim.models import SIMULATED
from hashinsight.sim.plan import Batch, Pool, Scenario, ScenarioError, Site, Weather, Zone
from hashinsight.sim.readings import MODES
from hashinsight.sim.scenario_tables import MAX_DAYS, Table, nearest

MAX_MACHINES = 1_000_000
STOCK_FIRMWARE = {
    "Bitmain": "Antminer stock 2024.03",
    "MicroBT": "Whatsminer 20240312.10.Rel",
    "Canaan": "Avalon 24031301",
}


def read_pools(top: Table) -> dict[str, Pool]:
    pools: dict[str, Pool] = {}
    for table in top.tables("pools", least=1):
        name = table.text("name")
        pools[name] = Pool(table.text("url"), table.text("user"), table.text("password", "x"))
        table.finish()
    return pools


def read_sites(top: Table, pools: dict[str, Pool]) -> tuple[Site, ...]:
    sites = tuple(_site(table, pools) for table in top.tables("sites", least=1))
    names = [site.name for site in sites]
    for name in names:
        if names.count(name) > 1:
            raise ScenarioError(f"sites has {name!r} twice")
    if not any(batch.count for site in sites for zone in site.zones for batch in zone.batches):
        raise ScenarioError("the sites have no machines")
    return sites


def _site(table: Table, pools: dict[str, Pool]) -> Site:
    site = Site(
        name=table.text("name"),
        zones=tuple(_zone(zone) for zone in table.tables("zones", least=1)),
        pools=tuple(pools[name] for name in table.texts("pools", pools)),
        weather=_weather(table.table("weather")),
        utc_offset_h=table.number("utc_offset_h", 0.0, low=-12, high=14),
        says_offline=table.flag("says_offline", default=True),
    )
    table.finish()
    return site


def _weather(table: Table) -> Weather:
    usual = Weather()
    weather = Weather(
        mean_c=table.number("mean_c", usual.mean_c, low=-40, high=45),
        daily_swing_c=table.number("daily_swing_c", usual.daily_swing_c, low=0, high=40),
        spell_c=table.number("spell_c", usual.spell_c, low=0, high=10),
        spell_days=table.number("spell_days", usual.spell_days, low=0.1, high=60),
    )
    table.finish()
    return weather


def _zone(table: Table) -> Zone:
    usual = Zone("", ())
    zone = Zone(
        name=table.text("name"),
        batches=tuple(_batch(batch) for batch in table.tables("machines", least=1)),
        hotter_c=table.number("hotter_c", 0.0, low=-20, high=20),
        rack_size=table.whole("rack_size", usual.rack_size, low=1, high=1000),
        switch_size=table.whole("switch_size", usual.switch_size, low=1, high=1000),
        pdu_size=table.whole("pdu_size", usual.pdu_size, low=1, high=1000),
    )
    table.finish()
    return zone


def _batch(table: Table) -> Batch:
    name = table.text("model")
    model = find_model(name)
    if model is None or model not in SIMULATED:
        names = [model.name for model in SIMULATED]
        raise ScenarioError(f"{table.place}.model {name!r} is not simulated{nearest(name, names)}")
    batch = Batch(
        model=model.name,
        count=table.whole("count", low=0, high=MAX_MACHINES),
        firmware=table.text("firmware", STOCK_FIRMWARE[model.make]),
        lot=table.text("lot", f"{model.name} lot"),
        mode=table.one_of("mode", MODES, "normal"),
        faults_per_year=table.number("faults_per_year", low=0, high=50) if table.has("faults_per_year") else None,
    )
    table.finish()
    return batch


PUBLIC_KINDS = tuple(family.kind for family in PUBLIC)
_DAY = 86_400.0


def read_scenario(path: Path, *, kinds: Collection[str] = PUBLIC_KINDS) -> Scenario:
    """The scenario of a file; every mistake is a ScenarioError that names the key and its place in one sentence."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ScenarioError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ScenarioError(f"{path} is not UTF-8 text") from error
    return parse_scenario(text, path.stem, kinds=kinds)


def parse_scenario(text: str, name: str, *, kinds: Collection[str] = PUBLIC_KINDS) -> Scenario:
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ScenarioError(f"{name} is not TOML: {error}") from error
    top = Table(values, "")
    days = top.number("days", 14.0, low=0.01, high=MAX_DAYS)
    pools = read_pools(top)
    sites = read_sites(top, pools)
    scenario = Scenario(
        name=top.text("name", name),
        about=top.text("about", name),
        sites=sites,
        days=days,
        seed=top.whole("seed", 1, low=0, high=2**63 - 1),
        rates=scenario_events.read_rates(top.table("faults"), kinds) if top.has("faults") else Scenario.rates,
        faults=scenario_events.read_faults(top, sites, kinds, days * _DAY),
        causes=scenario_events.read_causes(top, sites, {name: pool.url for name, pool in pools.items()}, days * _DAY),
        defects=scenario_events.read_defects(top.table("defects")),
    )
    top.finish()
    return scenario


def library() -> dict[str, str]:
    """Every scenario that comes with the program, with its line of description."""
    folder = resources.files(__package__) / "scenarios"
    names = sorted(file.name.removesuffix(".toml") for file in folder.iterdir() if file.name.endswith(".toml"))
    return {name: from_library(name).about for name in names}


def from_library(name: str) -> Scenario:
    folder = resources.files(__package__) / "scenarios"
    file = folder / f"{name}.toml"
    if not name.replace("_", "").isalnum() or not file.is_file():
        known = [entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml")]
        raise ScenarioError(f"the library has no scenario {name!r}{nearest(name, known)}")
    return parse_scenario(file.read_text(encoding="utf-8"), name)


LUXOS = "LuxOS 2024.5.1"


def with_luxos(scenario: Scenario) -> Scenario:
    """The same fleet with LuxOS on every Antminer: stock firmware takes no commands on port 4028."""
    names = {model.name for model in SIMULATED if model.make == "Bitmain"}

    def changed(zone: Zone) -> Zone:
        batches = (replace(batch, firmware=LUXOS) if batch.model in names else batch for batch in zone.batches)
        return replace(zone, batches=tuple(batches))

    return replace(
        scenario, sites=tuple(replace(site, zones=tuple(map(changed, site.zones))) for site in scenario.sites)
    )
