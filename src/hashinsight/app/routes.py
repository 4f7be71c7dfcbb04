"""Liveness, readiness and metrics, for load balancers and Prometheus."""

import hmac
import ipaddress
from typing import Literal

import structlog
from fastapi import APIRouter, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from pydantic import BaseModel
from sqlalchemy.exc import SQLAlchemyError

from hashinsight import __version__
from hashinsight.app.fleet_metrics import FleetFigures
from hashinsight.app.readiness import Readiness, check_in_time, check_readiness
from hashinsight.audit.service.sealing import get_unsealed_tail
from hashinsight.identity.access import now_of
from hashinsight.kit.clock import system_clock
from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database
from hashinsight.kit.errors import Forbidden, Unauthenticated
from hashinsight.kit.settings import Settings
from hashinsight.kit.ticks.metrics import tick_gauges
from hashinsight.kit.ticks.queries import list_health

log = structlog.get_logger(__name__)
router = APIRouter(tags=["operations"])


class Liveness(BaseModel):
    status: Literal["ok"] = "ok"
    version: str = __version__


@router.get("/healthz")
async def healthz() -> Liveness:
    """Liveness of the process. Checks nothing else: a lost database must not restart API processes."""
    return Liveness()


@router.get("/readyz", responses={503: {"model": Readiness, "description": "A part is down"}})
async def readyz(request: Request, response: Response) -> Readiness:
    """Whether requests can be served, and the state of each part. The API works without Redis, `degraded`."""
    readiness = await check_readiness(request)
    if readiness.status == "not_ready":
        response.status_code = 503
    return readiness


@router.get(
    "/metrics",
    response_class=Response,
    responses={
        200: {"content": {"text/plain": {"schema": {"type": "string"}, "example": "hashinsight_database_up 1\n"}}}
    },
)
async def metrics(request: Request) -> Response:
    """Prometheus metrics of this machine's processes and the installation; fleet metrics only with the token."""
    _check_may_scrape(request)
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call] # untyped in the library
    registry.register(_MetricsRead(await _installation_metrics(request)))
    return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)


class _MetricsRead(Collector):
    """Metrics read beforehand: reading is asynchronous, collecting is not."""

    def __init__(self, metrics: list[Metric]) -> None:
        self._metrics = metrics

    def collect(self) -> list[Metric]:
        return self._metrics


async def _installation_metrics(request: Request) -> list[Metric]:
    state = request.app.state
    build = GaugeMetricFamily("hashinsight_build_info", "Version of HashInsight", labels=["version"])
    build.add_metric([__version__], 1)
    free = GaugeMetricFamily(
        "hashinsight_disk_free_bytes", "Free disk space at the data folder", state.disk.free_mb() * 2**20
    )
    database = await check_in_time(request, "metrics", lambda: _database_metrics(state.database))
    up = GaugeMetricFamily("hashinsight_database_up", "Whether the database responds", 1 if database else 0)
    # sites belong to tenants: without the token, any user of this machine could read them
    has_token = state.settings.metrics_token is not None
    fleet = await _fleet_metrics(request) if database and has_token else []
    return [build, free, *(database or ()), up, *fleet]


async def _fleet_metrics(request: Request) -> list[Metric]:
    """From the last read if reading takes too long: otherwise frequent scrapes would never get any."""
    metrics = await check_in_time(request, "fleet", lambda: _read_fleet(request))
    if metrics is not None:
        return metrics
    figures: FleetFigures = request.app.state.fleet_figures
    return figures.last_read(now=now_of(request))


async def _read_fleet(request: Request) -> list[Metric]:
    """Empty if they cannot be read: Prometheus sees a gap, not old figures."""
    figures: FleetFigures = request.app.state.fleet_figures
    try:
        return await figures.read(request.app.state.database, now=now_of(request))
    except (SQLAlchemyError, OSError) as error:
        log.warning("fleet_metrics_read_failed", error=type(error).__name__)
        return []


async def _database_metrics(database: Database) -> list[Metric]:
    """Empty if the database cannot be reached."""
    try:
        async with database.transaction(job_context(work_seconds=5)) as session:
            now = system_clock()
            metrics: list[Metric] = list(tick_gauges(await list_health(session, now=now), now))
            age = (await get_unsealed_tail(session)).age_sec(now)
    except (SQLAlchemyError, OSError):
        return []
    lag = GaugeMetricFamily("hashinsight_audit_seal_lag_seconds", "Age of the oldest unsealed audit entry", age)
    return [*metrics, lag]


def _check_may_scrape(request: Request) -> None:
    settings: Settings = request.app.state.settings
    if settings.metrics_token is not None:
        expected = f"Bearer {settings.metrics_token.get_secret_value()}"
        if not hmac.compare_digest(request.headers.get("authorization", "").encode(), expected.encode()):
            raise Unauthenticated("send HASHINSIGHT_METRICS_TOKEN as a bearer token")
        return
    forwarded = "x-forwarded-for" in request.headers or "forwarded" in request.headers
    local = (
        request.client is not None and _is_loopback(request.client.host) and _is_loopback(request.url.hostname or "")
    )
    if forwarded or not local:
        raise Forbidden("without HASHINSIGHT_METRICS_TOKEN, metrics are available on this machine only")


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
