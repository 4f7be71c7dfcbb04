import asyncio
import os
import shutil
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import psycopg
import pytest

from hashinsight import __version__
from hashinsight.app import create_app
from hashinsight.kit.clock import system_clock
from hashinsight.kit.db.database import Database
from hashinsight.kit.settings import Settings
from hashinsight.kit.ticks.heartbeats import heartbeat
from tests.cpu_waits import CpuWaits
from tests.installation import HANG_TIMEOUT_SEC


async def ask(settings: Settings, path: str, client_host: str = "127.0.0.1", **headers: str) -> httpx.Response:
    app = create_app(settings)
    transport = httpx.ASGITransport(app, client=(client_host, 1))
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client,
    ):
        return await client.get(path, headers=headers)


def changed(settings: Settings, **changes: Any) -> Settings:
    return Settings.model_validate({**settings.model_dump(), **changes})


async def test_alive_is_answered_whatever_else_is_down(settings: Settings) -> None:
    lost = changed(settings, database_url="postgresql://u@127.0.0.1:1/x", redis_url="redis://127.0.0.1:1")
    assert (await ask(lost, "/healthz")).json()["status"] == "ok"


async def test_ready_lists_every_part_and_the_missing_ones(client: httpx.AsyncClient, database: Database) -> None:
    states = {"database": "ok", "redis": "ok", "disk": "ok", "worker": "degraded", "scheduler": "degraded"}
    answer = await client.get("/readyz")
    assert answer.status_code == 200
    assert answer.json()["status"] == "degraded"
    assert {name: part["state"] for name, part in answer.json()["parts"].items()} == states
    assert "hashinsight worker" in answer.json()["parts"]["worker"]["message"]
    async with heartbeat(database, "worker", system_clock), heartbeat(database, "scheduler", system_clock):
        while (await client.get("/readyz")).json()["status"] != "ready":  # noqa: ASYNC110 - it comes with the first beat
            await asyncio.sleep(0.05)


async def test_a_hanging_database_is_reported_in_time(settings: Settings) -> None:
    """A server that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"postgresql://u@127.0.0.1:{silent.getsockname()[1]}/x"
        lines, began = CpuWaits((os.getpid(),)), time.monotonic()
        answer = await ask(changed(settings, database_url=url), "/readyz")
        took_sec = time.monotonic() - began - lines.stood_sec()
    assert answer.status_code == 503
    assert answer.json()["parts"]["database"]["state"] == "down"
    assert took_sec < 10


async def test_a_database_that_is_frozen_is_reported_within_three_seconds(
    settings: Settings, superuser_url: str
) -> None:
    """Its connections are open and nothing answers on them, not even the request to stop."""
    app = create_app(settings)
    transport = httpx.ASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client,
    ):
        assert (await client.get("/readyz")).status_code == 200
        with psycopg.connect(superuser_url, autocommit=True) as connection, frozen(connection):
            lines, began = CpuWaits((os.getpid(),)), time.monotonic()
            *answers, metrics = await asyncio.gather(*(client.get("/readyz") for _ in range(5)), client.get("/metrics"))
            took_sec = time.monotonic() - began - lines.stood_sec()
        assert [answer.status_code for answer in answers] == [503] * 5
        assert metrics.status_code == 200
        assert answers[0].json()["parts"]["database"]["message"] == "no answer from the database within 3 s"
        assert took_sec < 5
        async with asyncio.timeout(HANG_TIMEOUT_SEC):
            while (await client.get("/readyz")).status_code != 200:  # noqa: ASYNC110 - it comes with the database
                await asyncio.sleep(0.1)


@contextmanager
def frozen(connection: psycopg.Connection) -> Iterator[None]:
    """Every other connection of this database stands still."""
    query = "select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
    pids = [pid for (pid,) in connection.execute(query)]
    assert pids
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


async def test_head_is_answered_like_get_without_a_body(client: httpx.AsyncClient) -> None:
    for path in ("/", "/healthz", "/readyz"):
        answer = await client.head(path)
        assert (answer.status_code, answer.content) == (200, b"")


async def test_without_the_database_ready_fails_and_names_the_part(settings: Settings) -> None:
    answer = await ask(changed(settings, database_url="postgresql://u:CANARY@127.0.0.1:1/x"), "/readyz")
    assert answer.status_code == 503
    assert answer.json()["parts"]["database"]["state"] == "down"
    assert answer.json()["parts"]["redis"]["state"] == "ok"
    assert "CANARY" not in answer.text


async def test_without_redis_it_is_ready_but_degraded(settings: Settings) -> None:
    answer = await ask(changed(settings, redis_url="redis://127.0.0.1:1"), "/readyz")
    assert answer.status_code == 200
    assert answer.json()["status"] == "degraded"
    assert answer.json()["parts"]["redis"]["state"] == "degraded"


async def test_a_schema_at_another_revision_is_not_ready(client: httpx.AsyncClient, superuser_url: str) -> None:
    with psycopg.connect(superuser_url, autocommit=True) as connection:
        connection.execute("update alembic_version set version_num = '0000'")
    answer = await client.get("/readyz")
    assert answer.status_code == 503
    assert "hashinsight migrate" in answer.json()["parts"]["database"]["message"]


async def test_metrics_cover_requests_and_the_database(client: httpx.AsyncClient) -> None:
    await client.get("/healthz")
    lines = (await client.get("/metrics")).text
    assert 'hashinsight_http_requests_total{method="GET",route="/healthz",status="200"}' in lines
    assert "hashinsight_database_up 1.0" in lines
    assert f'hashinsight_build_info{{version="{__version__}"}} 1.0' in lines
    free = next(line for line in lines.splitlines() if line.startswith("hashinsight_disk_free_bytes "))
    assert float(free.split()[1]) == pytest.approx(shutil.disk_usage("/").free, rel=0.5)


async def test_requests_are_counted_by_the_route_with_its_prefix(client: httpx.AsyncClient) -> None:
    """The same last part stands under `/api/v1` and `/hosting/api`."""
    for prefix in ("/api/v1", "/hosting/api"):
        assert (await client.get(f"{prefix}/miners/m1/problems")).status_code == 401
    lines = (await client.get("/metrics")).text
    for prefix in ("/api/v1", "/hosting/api"):
        assert f'_requests_total{{method="GET",route="{prefix}/miners/{{miner_id}}/problems",status="401"}}' in lines


async def test_metrics_continue_without_the_database_and_show_it_down(settings: Settings) -> None:
    answer = await ask(changed(settings, database_url="postgresql://u@127.0.0.1:1/x"), "/metrics")
    assert answer.status_code == 200
    assert "hashinsight_database_up 0.0" in answer.text


async def test_a_guessed_path_creates_no_series(client: httpx.AsyncClient) -> None:
    await client.get("/guess-8231923")
    assert "guess-8231923" not in (await client.get("/metrics")).text


@pytest.mark.parametrize(("host", "headers"), [("203.0.113.9", {}), ("127.0.0.1", {"X-Forwarded-For": "127.0.0.1"})])
async def test_without_a_token_metrics_are_served_only_on_loopback(
    settings: Settings, host: str, headers: dict[str, str]
) -> None:
    answer = await ask(settings, "/metrics", host, **headers)
    assert (answer.status_code, answer.json()["error_code"]) == (403, "FORBIDDEN")


async def test_with_a_token_metrics_ask_for_it_everywhere(settings: Settings) -> None:
    guarded = changed(settings, metrics_token="t" * 20)
    assert (await ask(guarded, "/metrics")).status_code == 401
    assert (await ask(guarded, "/metrics", Authorization="Bearer wrong")).status_code == 401
    assert (await ask(guarded, "/metrics", "203.0.113.9", Authorization="Bearer " + "t" * 20)).status_code == 200


async def test_the_page_of_the_status_loads_nothing_from_elsewhere(client: httpx.AsyncClient) -> None:
    page = await client.get("/status")
    assert page.status_code == 200
    assert "text/html" in page.headers["content-type"]
    assert "http://" not in page.text
    assert "https://" not in page.text
    for link in ("/readyz", "/openapi.json", "/metrics"):
        assert f'href="{link}"' in page.text
        assert (await client.get(link)).status_code == 200
