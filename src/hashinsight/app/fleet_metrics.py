"""Fleet metrics for Prometheus, by site: machines, hashrate, power, problems, commands. Same figures as the console.

Read at most once a minute, like the live layer behind them, however often they are scraped. Their age is that of the
newest sample and of the last scan, so it grows for a fleet that sends nothing.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from prometheus_client.core import GaugeMetricFamily, Metric

from hashinsight.audit.actions import SYSTEM
from hashinsight.commands.queries.collector_counts import count_open_by_site as count_commands
from hashinsight.commands.states import OPEN
from hashinsight.identity.scope import WHOLE_TENANT, make_scope
from hashinsight.inventory.queries.places import list_all_sites
from hashinsight.inventory.queries.tables import Site
from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database
from hashinsight.problems.codes import Severity
from hashinsight.problems.queries.counts import count_open_by_site as count_problems
from hashinsight.problems.queries.counts import list_last_scans
from hashinsight.telemetry.losses import CONDITIONS
from hashinsight.telemetry.service.overview import get_site_totals

_READ_EVERY = timedelta(seconds=60)
_SHOWN_FOR = timedelta(minutes=10)  # older figures are dropped: Prometheus sees a gap
# figures of the sites page and their metrics
_SUMS = {
    "hashrate_ths": ("hashinsight_hashrate_ths", "Hashrate of online machines, TH/s, 5-minute mean"),
    "expected_ths": ("hashinsight_expected_hashrate_ths", "Expected hashrate now, TH/s"),
    "stopped_ths": ("hashinsight_stopped_hashrate_ths", "Hashrate stopped by command or maintenance, TH/s"),
    "lost_ths": ("hashinsight_lost_hashrate_ths", "Expected hashrate not delivered, TH/s"),
    "surplus_ths": ("hashinsight_surplus_hashrate_ths", "Hashrate above expected, TH/s; not offset against losses"),
    "power_w": ("hashinsight_power_watts", "Known power of online machines, W"),
}
Counts = Mapping[tuple[int, str], float]


@dataclass(frozen=True)
class _Figures:
    metrics: list[Metric]
    as_of: dict[tuple[str, str], datetime]  # by site and source: sample or scan


class FleetFigures:
    """Read on demand and cached for a minute, per process."""

    def __init__(self) -> None:
        self._read_at: datetime | None = None
        self._kept = _Figures([], {})

    async def read(self, database: Database, *, now: datetime) -> list[Metric]:
        if self._read_at is None or not timedelta(0) <= now - self._read_at < _READ_EVERY:
            self._kept = await _read(database, now=now)
            self._read_at = now
        return self.last_read(now=now)

    def last_read(self, *, now: datetime) -> list[Metric]:
        """As last read, with their current age: for a scrape that cannot wait for the next read."""
        if self._read_at is None or not timedelta(0) <= now - self._read_at <= _SHOWN_FOR:
            return []
        return [*self._kept.metrics, _ages(self._kept.as_of, now=now)]


def _ages(as_of: dict[tuple[str, str], datetime], *, now: datetime) -> Metric:
    """A site without a sample or scan has no age."""
    help_text = "Age of the newest sample and of the last scan behind a site's figures"
    family = GaugeMetricFamily("hashinsight_fleet_age_seconds", help_text, labels=["site", "of"])
    for labels, at in as_of.items():
        family.add_metric(labels, max((now - at).total_seconds(), 0.0))
    return family


async def _read(database: Database, *, now: datetime) -> _Figures:
    async with database.transaction(job_context(work_seconds=5)) as session:
        sites = await list_all_sites(session)
        problems = await count_problems(session)
        commands = await count_commands(session)
        scans = await list_last_scans(session)
    sums: list[dict[str, Any]] = []
    for tenant_id in dict.fromkeys(site.tenant_id for site in sites):
        own = [site for site in sites if site.tenant_id == tenant_id]
        page = await get_site_totals(database, make_scope(tenant_id, SYSTEM, [WHOLE_TENANT]), own, now=now)
        sums += page["sites"]
    machines = {(site["site_id"], state): n for site in sums for state, n in site["conditions"].items()}
    severities, states = [severity.name for severity in Severity], [state.value for state in OPEN]
    codes = {site.id: site.code for site in sites}
    newest = {site["site_id"]: site["newest_at"] for site in sums if site["newest_at"]}
    as_of = {(codes[site_id], "samples"): at for site_id, at in newest.items()}
    as_of |= {(codes[site_id], "scan"): at for site_id, at in scans.items() if site_id in codes}
    metrics = [
        _by_kind("hashinsight_machines", "Machines in service, by state", sites, machines, state=CONDITIONS),
        *_site_sums(sums),
        _by_kind("hashinsight_open_problems", "Open problems", sites, problems, severity=severities),
        _by_kind("hashinsight_commands", "Unfinished commands", sites, commands, state=states),
    ]
    return _Figures(metrics, as_of)


def _by_kind(name: str, help_text: str, sites: list[Site], counts: Counts, **kinds: Sequence[str]) -> Metric:
    """Every kind for every site: missing ones are 0, so that alerts have a series."""
    ((label, values),) = kinds.items()
    family = GaugeMetricFamily(name, help_text, labels=["site", label])
    for site in sites:
        for kind in values:
            family.add_metric([site.code, kind], counts.get((site.id, kind), 0))
    return family


def _site_sums(sums: list[dict[str, Any]]) -> Iterable[Metric]:
    """A figure that no machine of a site reports is unknown, not 0: it has no series."""
    for figure, (name, help_text) in _SUMS.items():
        family = GaugeMetricFamily(name, help_text, labels=["site"])
        for site in sums:
            if site[figure] is not None:
                family.add_metric([site["code"]], site[figure])
        yield family
