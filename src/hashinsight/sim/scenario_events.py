"""Reads the events of a scenario file: fault rates, planned faults, common causes, data defects."""

from collections.abc import Collection

from hashinsight.facts.models import find_model
from hashinsight.sim.causes import CAUSES
from hashinsight.sim.models import MAKES
from hashinsight.sim.plan import Defects, FaultRates, PlannedCause, PlannedFault, ScenarioError, Site, Where
from hashinsight.sim.scenario_tables import Table, nearest

_MAX_PER_YEAR = 10_000.0


def read_rates(table: Table, kinds: Collection[str]) -> FaultRates:
    usual = FaultRates()
    by_kind = table.table("rates")
    of_kind = {}
    for kind in by_kind.rest():
        if kind not in kinds:
            raise ScenarioError(f"{by_kind.place}.{kind} is not a kind of fault{nearest(kind, kinds)}")
        of_kind[kind] = by_kind.number(kind, low=0, high=_MAX_PER_YEAR)
    rates = FaultRates(
        on=table.flag("on", default=True),
        per_year=table.number("per_year", low=0, high=_MAX_PER_YEAR) if table.has("per_year") else None,
        scale=table.number("scale", 1.0, low=0, high=10_000),
        repair_days=table.pair("repair_days", usual.repair_days),
        reboots_per_year=table.number("reboots_per_year", usual.reboots_per_year, low=0, high=_MAX_PER_YEAR),
        of_kind=of_kind,
    )
    table.finish()
    return rates


def read_faults(top: Table, sites: tuple[Site, ...], kinds: Collection[str], end: float) -> tuple[PlannedFault, ...]:
    return tuple(_fault(table, sites, kinds, end) for table in top.tables("fault"))


def _fault(table: Table, sites: tuple[Site, ...], kinds: Collection[str], end: float) -> PlannedFault:
    fault = PlannedFault(
        kind=table.one_of("kind", kinds),
        where=_where(table, sites, count=table.whole("count", 1, low=1, high=1_000_000)),
        at_sec=table.span("at", most=end),
        lasts_sec=table.length("for") if table.has("for") else None,
        severity=table.number("severity", 1.0, low=0.05, high=3),
    )
    table.finish()
    return fault


def read_causes(top: Table, sites: tuple[Site, ...], pools: dict[str, str], end: float) -> tuple[PlannedCause, ...]:
    return tuple(_cause(table, sites, pools, end) for table in top.tables("cause"))


def _cause(table: Table, sites: tuple[Site, ...], pools: dict[str, str], end: float) -> PlannedCause:
    kind = next(cause for cause in CAUSES if cause.kind == table.one_of("kind", [known.kind for known in CAUSES]))
    cause = PlannedCause(
        kind=kind.kind,
        where=_where(table, sites),
        at_sec=table.span("at", most=end),
        lasts_sec=table.length("for", kind.usual_sec),
        severity=table.number("severity", 1.0, low=0.05, high=3),
        every_sec=table.length("every") if table.has("every") else None,
        pool=pools[table.one_of("pool", pools)] if table.has("pool") else None,
        restart_failures=table.number("restart_failures", 0.02, low=0, high=1),
        firmware=table.text_or_none("firmware"),
        reported_model=table.text_or_none("model_said"),
        hashrate_factor=table.number("hashrate_factor", 1.0, low=1e-9, high=1e9),
        spooled=table.flag("spooled", default=True),
    )
    if cause.every_sec is not None and cause.every_sec <= cause.lasts_sec:
        raise ScenarioError(f"{table.place}.every must be longer than {table.place}.for")
    table.finish()
    return cause


def _where(table: Table, sites: tuple[Site, ...], count: int | None = None) -> Where:
    site = table.one_of("site", [known.name for known in sites]) if table.has("site") else None
    zones = {zone.name for known in sites if site in {None, known.name} for zone in known.zones}
    name = table.text_or_none("model")
    model = find_model(name) if name else None
    if name and model is None:
        raise ScenarioError(f"{table.place}.model {name!r} is not a model of the catalogue")
    where = Where(
        site=site,
        zone=table.one_of("zone", zones) if table.has("zone") else None,
        model=model.name if model else None,
        switch=table.whole("switch", low=1, high=100_000) if table.has("switch") else None,
        pdu=table.whole("pdu", low=1, high=100_000) if table.has("pdu") else None,
        count=count,
    )
    batches = [
        batch
        for known in sites
        if where.site in {None, known.name}
        for zone in known.zones
        if where.zone in {None, zone.name}
        for batch in zone.batches
        if where.model in {None, batch.model}
    ]
    if not batches:
        raise ScenarioError(f"{table.place} matches no machine")
    return where


def read_defects(table: Table) -> Defects:
    defects = Defects(
        missing=table.number("missing", 0.0, low=0, high=0.9),
        sentinels=table.number("sentinels", 0.0, low=0, high=0.5),
        clock_sec=table.number("clock_sec", 0.0, low=0, high=3600),
        duplicates=table.number("duplicates", 0.0, low=0, high=0.5),
        late=table.number("late", 0.0, low=0, high=0.9),
        late_max_sec=table.span("late_most", 900.0),
        noise=table.number("noise", 1.0, low=0, high=10),
        units_off_make=table.one_of("units_off_make", MAKES) if table.has("units_off_make") else None,
    )
    table.finish()
    return defects
