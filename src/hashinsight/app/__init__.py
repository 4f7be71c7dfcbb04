"""The web application: the routes of all domains behind one set of limits, headers and error responses."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

import structlog
from fastapi import APIRouter, FastAPI
from starlette.middleware import Middleware
from starlette.routing import BaseRoute

from hashinsight import __version__
from hashinsight.app import routes, status_page
from hashinsight.app.console import ConsolePages
from hashinsight.app.fleet_metrics import FleetFigures
from hashinsight.collectors.edge_routes import router as edge_router
from hashinsight.collectors.routes import router as collectors_router
from hashinsight.commands.edge_routes import router as commands_edge_router
from hashinsight.commands.queries.collector_counts import count_by_collector
from hashinsight.commands.routes import router as commands_router
from hashinsight.commands.service import KnownIncarnations, PollTurns
from hashinsight.identity.access import ACCESS_COOKIE
from hashinsight.identity.routes import router as identity_router
from hashinsight.inventory.routes import router as inventory_router
from hashinsight.kit.changes import ChangeFeed
from hashinsight.kit.connections import open_async_redis, open_database, redis_url
from hashinsight.kit.crypto import Vault
from hashinsight.kit.db.database import Database
from hashinsight.kit.embedded.disk import DiskGuard
from hashinsight.kit.secret_key import load_secret_key
from hashinsight.kit.settings import Settings, load_settings
from hashinsight.kit.web.body_limits import BodyLimit, RateLimit, ShedWhenDiskIsLow
from hashinsight.kit.web.error_handlers import ErrorMiddleware, install_handlers
from hashinsight.kit.web.middleware import HeadAsGet, Requests, SecurityHeaders
from hashinsight.kit.web.rate_limits import Rates
from hashinsight.problems.peer_stats import PeerCache
from hashinsight.problems.routes import router as problems_router
from hashinsight.telemetry.edge_routes import router as telemetry_edge_router
from hashinsight.telemetry.right_now import RightNow
from hashinsight.telemetry.routes import router as telemetry_router
from hashinsight.telemetry.service.machines import MachineLookup
from hashinsight.telemetry.service.registration import RegistrationLimits
from hashinsight.telemetry.service.uploads import IngestState, Receiver

log = structlog.get_logger(__name__)


class Application(FastAPI):
    """All routes, and the OpenAPI document with their security and errors."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            title="HashInsight",
            version=__version__,
            summary="Control plane and problem registry for fleets of Bitcoin ASIC miners",
            docs_url=None,  # FastAPI's docs pages load scripts from a CDN: `/docs` is built with the console
            redoc_url=None,
            routes=all_routes(),
            **options,
        )

    def openapi(self) -> dict[str, Any]:
        if self.openapi_schema is None:
            from hashinsight.app.openapi import describe

            self.openapi_schema = describe(super().openapi(), self.routes)
        return self.openapi_schema


def create_app(settings: Settings | None = None, database: Database | None = None) -> FastAPI:
    settings = settings or load_settings()
    rates = Rates(redis_url(settings))
    guard = DiskGuard(settings.data_dir, settings.disk_reserve_mb)
    app = Application(
        lifespan=_lifespan,
        middleware=[  # outermost first
            Middleware(HeadAsGet),
            Middleware(Requests),
            Middleware(SecurityHeaders),
            Middleware(ErrorMiddleware),
            Middleware(RateLimit, rates, settings.rate_per_minute, settings.token_rate_per_minute, ACCESS_COOKIE),
            Middleware(ShedWhenDiskIsLow, guard),
            Middleware(BodyLimit, settings.body_limit_kb, settings.batch_limit_kb),
        ],
    )
    app.state.settings = settings
    app.state.disk = guard
    app.state.rates = rates
    app.state.met = KnownIncarnations()
    app.state.checks = {}  # running readiness checks
    app.state.turns = PollTurns()
    app.state.peers = PeerCache()
    app.state.fleet_figures = FleetFigures()
    app.state.count_commands = count_by_collector  # collectors may not import commands, but their summary counts them
    app.state.database = database or open_database(settings, "api")
    app.state.vault = Vault(load_secret_key(settings))
    app.state.redis = open_async_redis(settings)
    app.state.announcer = ChangeFeed(app.state.redis)
    app.state.right_now = RightNow(app.state.redis)
    limits = RegistrationLimits(
        per_call=settings.register_per_call,
        per_day=settings.register_per_day,
        first_day=settings.register_first_day,
    )
    machines = MachineLookup(app.state.database, auto_register=settings.auto_register, limits=limits)
    app.state.store = IngestState(app.state.database, machines)
    app.state.receiver = Receiver(
        app.state.store,
        app.state.vault,
        app.state.right_now,
        max_bytes=settings.batch_unzipped_limit_kb * 1024,
        max_samples=settings.batch_samples,
    )
    install_handlers(app)
    app.router.default = ConsolePages(app.router.default)
    return app


@cache
def all_routes() -> list[BaseRoute]:
    """Created once per process: applications differ only in their state."""
    everything = APIRouter(generate_unique_id_function=lambda route: route.name)
    # first: collectors call a thousand times as often as people
    machines = (telemetry_edge_router, commands_edge_router, edge_router)
    reading = (telemetry_router, problems_router)
    people = (identity_router, inventory_router, collectors_router, *reading, commands_router)
    for router in (*machines, status_page.router, routes.router, *people):
        everything.include_router(router)
    return everything.routes


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    log.info("api_started", version=__version__)
    yield
    await app.state.store.reports.settle()
    await app.state.announcer.aclose()
    await app.state.right_now.aclose()
    await app.state.rates.aclose()
    await app.state.redis.aclose()
    await app.state.database.dispose()
    log.info("api_stopped")
