"""Reads the static part of a scenario file: sites, zones, batches of machines, pools, weather."""

from hashinsight.facts.models import find_model
from hashinsight.sim.acts import Pool
from hashinsight.sim.models import SIMULATED
from hashinsight.sim.plan import Batch, ScenarioError, Site, Weather, Zone
from hashinsight.sim.readings import MODES
from hashinsight.sim.tables import Table, nearest

MOST_MACHINES = 1_000_000
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
        raise ScenarioError("sites have no machine at all")
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
    said = table.text("model")
    model = find_model(said)
    if model is None or model not in SIMULATED:
        names = [one.name for one in SIMULATED]
        raise ScenarioError(f"{table.place}.model {said!r} is not simulated{nearest(said, names)}")
    batch = Batch(
        model=model.name,
        count=table.whole("count", low=0, high=MOST_MACHINES),
        firmware=table.text("firmware", STOCK_FIRMWARE[model.make]),
        lot=table.text("lot", f"{model.name} lot"),
        mode=table.one_of("mode", MODES, "normal"),
        faults_per_year=table.number("faults_per_year", low=0, high=50) if table.has("faults_per_year") else None,
    )
    table.finish()
    return batch
