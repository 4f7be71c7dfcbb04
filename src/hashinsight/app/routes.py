"""What load balancers and Prometheus ask: alive, ready, and how it goes."""

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
from hashinsight.app.readiness import Readiness, in_time, look
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


class Alive(BaseModel):
    status: Literal["ok"] = "ok"
    version: str = __version__


_READY = {
    "status": "ready",
    "parts": {name: {"state": "ok", "message": ""} for name in ("database", "redis", "disk", "worker", "scheduler")},
}
_NOT_READY = {
    "status": "not_ready",
    "parts": {"database": {"state": "down", "message": "the database cannot be reached"}},
}


@router.get("/healthz", responses={200: {"content": {"application/json": {"example": Alive().model_dump()}}}})
async def healthz() -> Alive:
    """Whether the process answers at all. It looks at nothing else, so that a lost database restarts nobody."""
    return Alive()


@router.get(
    "/readyz",
    responses={
        200: {"content": {"application/json": {"example": _READY}}},
        503: {
            "model": Readiness,
            "description": "Some part is down",
            "content": {"application/json": {"example": _NOT_READY}},
        },
    },
)
async def readyz(request: Request, response: Response) -> Readiness:
    """Whether requests can be served, and which part is in the way. Without Redis they can: that is `degraded`."""
    found = await look(request)
    if found.status == "not_ready":
        response.status_code = 503
    return found


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"example": "hashinsight_database_up 1.0\n"}}}},
)
async def metrics(request: Request) -> Response:
    """Prometheus metrics of every process on this machine and of the installation; of the fleet only with the token."""
    _check_may_scrape(request)
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call] # the library left this one out
    registry.register(_Given(await _installation_metrics(request)))
    return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)


class _Given(Collector):
    """Metrics that were read beforehand, because reading them needs to wait and collecting may not."""

    def __init__(self, found: list[Metric]) -> None:
        self._found = found

    def collect(self) -> list[Metric]:
        return self._found


async def _installation_metrics(request: Request) -> list[Metric]:
    state = request.app.state
    build = GaugeMetricFamily("hashinsight_build_info", "What runs here", labels=["version"])
    build.add_metric([__version__], 1)
    free = GaugeMetricFamily(
        "hashinsight_disk_free_bytes", "Free space in the data folder", state.disk.free_mb() * 2**20
    )
    told = await in_time(request, "metrics", lambda: _database_metrics(state.database))
    up = GaugeMetricFamily("hashinsight_database_up", "Whether the database answers", 1 if told else 0)
    # sites belong to tenants: whoever is on this machine by chance is not told of them
    has_token = state.settings.metrics_token is not None
    fleet = await _fleet_metrics(request) if told and has_token else []
    return [build, free, *(told or ()), up, *fleet]


async def _fleet_metrics(request: Request) -> list[Metric]:
    """Those of the last read when reading them takes too long: else a scrape every minute would never get any."""
    metrics = await in_time(request, "fleet", lambda: _read_fleet(request))
    if metrics is not None:
        return metrics
    figures: FleetFigures = request.app.state.fleet_figures
    return figures.last_read(now=now_of(request))


async def _read_fleet(request: Request) -> list[Metric]:
    """None of them when they cannot be read: Prometheus sees a gap, and not the figures of another hour."""
    figures: FleetFigures = request.app.state.fleet_figures
    try:
        return await figures.tell(request.app.state.database, now=now_of(request))
    except (SQLAlchemyError, OSError) as error:
        log.warning("fleet_metrics_not_read", error=type(error).__name__)
        return []


async def _database_metrics(database: Database) -> list[Metric]:
    """None of them when it cannot be asked."""
    try:
        async with database.transaction(job_context(work_seconds=5)) as session:
            now = system_clock()
            found: list[Metric] = list(tick_gauges(await list_health(session, now=now), now))
            age = (await get_unsealed_tail(session)).age_sec(now)
    except (SQLAlchemyError, OSError):
        return []
    return [*found, GaugeMetricFamily("hashinsight_audit_seal_lag_seconds", "Age of the oldest unsealed entry", age)]


def _check_may_scrape(request: Request) -> None:
    settings: Settings = request.app.state.settings
    if settings.metrics_token is not None:
        wanted = f"Bearer {settings.metrics_token.get_secret_value()}"
        if not hmac.compare_digest(request.headers.get("authorization", "").encode(), wanted.encode()):
            raise Unauthenticated("metrics need the bearer token of HASHINSIGHT_METRICS_TOKEN")
        return
    forwarded = "x-forwarded-for" in request.headers or "forwarded" in request.headers
    local = (
        request.client is not None and _is_loopback(request.client.host) and _is_loopback(request.url.hostname or "")
    )
    if forwarded or not local:
        raise Forbidden("without HASHINSIGHT_METRICS_TOKEN, metrics are told only to callers on this machine")


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
