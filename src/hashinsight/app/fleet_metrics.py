"""The fleet for Prometheus, by site: machines, hashrate, power, problems, commands. As the pages say it.

The live layer is made anew every minute; more often the figures are not read either, however many servers scrape.
Their age is that of the newest sample, and of the scan, that they rest on: a fleet that sends nothing grows old.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from prometheus_client.core import GaugeMetricFamily, Metric
from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import SYSTEM
from hashinsight.commands.states import OPEN
from hashinsight.identity.scope import WHOLE_TENANT, make_scope
from hashinsight.inventory.queries.tables import Site
from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database
from hashinsight.problems.codes import Severity
from hashinsight.problems.models.events import IS_SHOWN
from hashinsight.telemetry.losses import CONDITIONS
from hashinsight.telemetry.service.overview import get_site_totals

_READ_EVERY = timedelta(seconds=60)
_TOLD_FOR = timedelta(minutes=10)  # older figures are not told at all: Prometheus sees a gap
# figures of the sites page, and what they are called here
_SUMS = {
    "hashrate_ths": ("hashinsight_hashrate_ths", "TH/s of the machines that are online, mean of five minutes"),
    "expected_ths": ("hashinsight_expected_hashrate_ths", "TH/s that the machines should have now"),
    "stopped_ths": ("hashinsight_stopped_hashrate_ths", "TH/s missing on purpose: by command or under maintenance"),
    "lost_ths": ("hashinsight_lost_hashrate_ths", "TH/s expected and not delivered"),
    "surplus_ths": ("hashinsight_surplus_hashrate_ths", "TH/s that machines deliver above expected; offsets no loss"),
    "power_w": ("hashinsight_power_watts", "Power of the machines that are online, where it is known"),
}
_PROBLEMS = text(
    f"select site_id, severity, count(*) as n from problem_events where {IS_SHOWN} group by site_id, severity"  # noqa: S608 - our own words
)
_SCANS = text(
    "select s.id as site_id, r.ran_at as at from sites s cross join lateral"
    " (select ran_at from problem_runs where site_id = s.id order by period desc limit 1) r"
)
_COMMANDS = text("select site_id, state, count(*) as n from commands where finished_at is null group by site_id, state")
Counts = dict[tuple[int, str], float]


@dataclass(frozen=True)
class _Figures:
    metrics: list[Metric]
    as_of: dict[tuple[str, str], datetime]  # by site and what the figures rest on


class FleetFigures:
    """Of one process: read when somebody asks, and kept for a minute."""

    def __init__(self) -> None:
        self._read_at: datetime | None = None
        self._kept = _Figures([], {})

    async def tell(self, database: Database, *, now: datetime) -> list[Metric]:
        if self._read_at is None or not timedelta(0) <= now - self._read_at < _READ_EVERY:
            self._kept = await _read(database, now=now)
            self._read_at = now
        return self.last_read(now=now)

    def last_read(self, *, now: datetime) -> list[Metric]:
        """As they were read last, with their age now: for a scrape that cannot wait until they are read again."""
        if self._read_at is None or not timedelta(0) <= now - self._read_at <= _TOLD_FOR:
            return []
        return [*self._kept.metrics, _ages(self._kept.as_of, now=now)]


def _ages(as_of: dict[tuple[str, str], datetime], *, now: datetime) -> Metric:
    """A site without a sample or scan has no age."""
    words = "Age of the newest sample, and of the last scan, that the figures of a site rest on"
    family = GaugeMetricFamily("hashinsight_fleet_age_seconds", words, labels=["site", "of"])
    for labels, at in as_of.items():
        family.add_metric(labels, max((now - at).total_seconds(), 0.0))
    return family


async def _read(database: Database, *, now: datetime) -> _Figures:
    async with database.transaction(job_context(work_seconds=5)) as session:
        sites = list((await session.execute(select(Site).order_by(Site.code))).scalars())
        problems = await _counted(session, _PROBLEMS)
        commands = await _counted(session, _COMMANDS)
        scans = {row.site_id: row.at for row in await session.execute(_SCANS)}
    sums: list[dict[str, Any]] = []
    for tenant_id in dict.fromkeys(site.tenant_id for site in sites):
        own = [site for site in sites if site.tenant_id == tenant_id]
        page = await get_site_totals(database, make_scope(tenant_id, SYSTEM, [WHOLE_TENANT]), own, now=now)
        sums += page["sites"]
    machines = {(site["site_id"], state): n for site in sums for state, n in site["conditions"].items()}
    severities, states = [one.name for one in Severity], [one.value for one in OPEN]
    codes = {site.id: site.code for site in sites}
    newest = {site["site_id"]: site["newest_at"] for site in sums if site["newest_at"]}
    as_of = {(codes[site_id], "samples"): at for site_id, at in newest.items()}
    as_of |= {(codes[site_id], "scan"): at for site_id, at in scans.items() if site_id in codes}
    metrics = [
        _by_kind("hashinsight_machines", "Machines in service, each in one state", sites, machines, state=CONDITIONS),
        *_site_sums(sums),
        _by_kind("hashinsight_open_problems", "Problems that are open", sites, problems, severity=severities),
        _by_kind("hashinsight_commands", "Commands that are not finished", sites, commands, state=states),
    ]
    return _Figures(metrics, as_of)


async def _counted(session: AsyncSession, statement: Any) -> Counts:
    return {(row.site_id, row[1]): row.n for row in await session.execute(statement)}


def _by_kind(name: str, words: str, sites: list[Site], counts: Counts, **kinds: Sequence[str]) -> Metric:
    """Every kind of every site: what is not there is 0, so that an alert has a series to look at."""
    ((label, values),) = kinds.items()
    family = GaugeMetricFamily(name, words, labels=["site", label])
    for site in sites:
        for kind in values:
            family.add_metric([site.code, kind], counts.get((site.id, kind), 0))
    return family


def _site_sums(sums: list[dict[str, Any]]) -> Iterable[Metric]:
    """What no machine of a site tells is not known, and not 0: it has no series."""
    for figure, (name, words) in _SUMS.items():
        family = GaugeMetricFamily(name, words, labels=["site"])
        for site in sums:
            if site[figure] is not None:
                family.add_metric([site["code"]], site[figure])
        yield family
