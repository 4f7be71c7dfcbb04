from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest

from hashinsight.app import create_app
from hashinsight.kit.settings import Settings


@asynccontextmanager
async def api(settings: Settings, **changes: object) -> AsyncIterator[httpx.AsyncClient]:
    app = create_app(Settings.model_validate({**settings.model_dump(), **changes}))
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://test") as client,
    ):
        yield client


pytestmark = pytest.mark.usefixtures("endless_minute")


async def test_an_address_over_its_rate_gets_429_but_probes_are_answered(settings: Settings) -> None:
    async with api(settings, rate_per_minute=5) as client:
        answers = [(await client.get("/")).status_code for _ in range(7)]
        assert answers == [200] * 5 + [429] * 2
        refused = await client.get("/")
        assert (refused.json()["error_code"], refused.headers["retry-after"]) == ("RATE_LIMITED", "60")
        assert (await client.get("/healthz")).status_code == 200


async def test_the_rate_is_counted_over_all_processes(settings: Settings) -> None:
    async with api(settings, rate_per_minute=5) as limited, api(settings, rate_per_minute=5) as two:
        answers = [(await client.get("/")).status_code for client in (limited, two, limited, two, limited, two)]
    assert answers == [200] * 5 + [429]


async def test_without_redis_requests_are_answered_and_still_limited(settings: Settings) -> None:
    async with api(settings, rate_per_minute=5, redis_url="redis://127.0.0.1:1/0") as client:
        answers = [(await client.get("/")).status_code for _ in range(6)]
    assert answers == [200] * 5 + [429]


async def test_a_token_has_its_own_limit_however_it_is_sent(settings: Settings) -> None:
    async with api(settings, token_rate_per_minute=5) as client:
        for name, value in (("Authorization", "Bearer one"), ("X-Collector-Key", "two"), ("X-API-Key", "three")):
            answers = [(await client.get("/", headers={name: value})).status_code for _ in range(6)]
            assert answers == [200] * 5 + [429], name
        assert (await client.get("/", headers={"Authorization": "bearer  one"})).status_code == 429
        assert (await client.get("/")).status_code == 200


async def test_a_token_is_counted_whatever_other_credentials_are_sent(settings: Settings) -> None:
    async with api(settings, token_rate_per_minute=5) as client:
        for mine in ({"X-API-Key": "three"}, {"Cookie": "a=b; hi_access=four"}):
            neighbours = [{**mine, "X-Collector-Key": f"{mine} {n}"} for n in range(6)]
            answers = [(await client.get("/api/nowhere", headers=headers)).status_code for headers in neighbours]
            assert answers == [404] * 5 + [429], mine


async def test_when_the_disk_is_low_telemetry_is_refused_with_retry_after_and_nothing_else_is(
    settings: Settings,
) -> None:
    async with api(settings, disk_reserve_mb=10**9) as client:
        for path in ("/api/edge/v1/telemetry/batch", "/api/collector/upload"):
            refused = await client.post(path, content=b"{}")
            assert refused.status_code == 503
            assert refused.json()["error_code"] == "DISK_LOW"
            assert refused.json()["success"] is False
            assert refused.headers["retry-after"] == "60"
        assert (await client.get("/")).status_code == 200
        ready = await client.get("/readyz")
        assert ready.status_code == 200
        assert ready.json()["status"] == "degraded"
        assert "telemetry is refused" in ready.json()["parts"]["disk"]["message"]
