"""The collector against the real server over HTTP, on a real database, with the server stopped and started."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
import uvicorn

from hashinsight.edge.cloud.answers import AnswerKind
from hashinsight.edge.cloud.heartbeat import Heartbeat, heartbeat_body
from hashinsight.edge.cloud.intake import Intake
from hashinsight.edge.cloud.remote_config import EffectiveConfig, local_config
from hashinsight.edge.cloud.reporter import Reporter
from hashinsight.edge.cloud.resources import Resources, open_resources
from hashinsight.edge.cloud.uplink import Uplink
from hashinsight.edge.polling import PollCounts
from hashinsight.edge.status import check
from tests.edge.factories import sample, settings_in
from tests.edge.server_process import ServerProcess, until
from tests.installation import hashinsight
from tests.telemetry.site_with_collector import SiteWithCollector


@pytest.fixture
async def served(api: httpx.AsyncClient, server: ServerProcess) -> AsyncIterator[None]:
    """The same application on the same port in this process, for tests that do not stop it."""
    app = api.app  # type: ignore[attr-defined] # the fixture hangs it there
    config = uvicorn.Config(app, host="127.0.0.1", port=server.port, lifespan="off", log_config=None)
    here = uvicorn.Server(config)
    here.install_signal_handlers = lambda: None  # type: ignore[attr-defined] # they are pytest's
    task = asyncio.ensure_future(here._serve())
    await until(server.answers, "the server")
    yield
    here.should_exit = True
    await task


@pytest.fixture
async def resources(
    tmp_path_factory: pytest.TempPathFactory, server: ServerProcess, place: SiteWithCollector
) -> AsyncIterator[Resources]:
    folder = tmp_path_factory.mktemp("edge")
    settings = settings_in(folder, server.url, cloud_upload_interval_sec=0.1, spool_batch_samples=300)
    settings.token_path.write_text(place.collector["X-Collector-Key"])
    made = open_resources(settings)
    yield made
    await made.aclose()


def config_of(resources: Resources) -> Callable[[], EffectiveConfig]:
    return lambda: local_config(resources.settings)


@contextmanager
def running(*work: Awaitable[None]) -> Iterator[None]:
    tasks = [asyncio.ensure_future(work_item) for work_item in work]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()


def stored(url: str) -> list[Any]:
    with psycopg.connect(url) as connection:
        query = "select miner_id, ts from telemetry_raw join miners using (miner_no) order by ts"
        return connection.execute(query).fetchall()


async def test_an_outage_loses_and_duplicates_nothing_and_the_newest_arrive_first(
    resources: Resources, server: ServerProcess, superuser_url: str
) -> None:
    now = time.time()
    for minute in range(60):  # an hour of outage
        at = now - 3600 + 60 * minute
        made = [sample(100 * minute + k, datetime.fromtimestamp(at, UTC)) for k in range(50)]
        await resources.spool_thread(resources.spool.put, made, now=at)
    uplink = Uplink(resources, config_of(resources))
    with running(uplink.run_live(), uplink.run_backlog()):

        async def is_reported() -> bool:
            return resources.faults.is_open("cloud")

        await until(is_reported, "that the cloud is away")
        assert uplink.figures.delivered == 0
        await server.start()

        async def some_are_in() -> bool:
            return uplink.figures.delivered >= 1000

        await until(some_are_in, "the first")
        assert max(row[1] for row in stored(superuser_url)).timestamp() > now - 100, "the newest are there"
        server.stop()  # killed in the middle of the backlog
        await asyncio.sleep(0.3)
        await server.start()

        async def all_are_gone() -> bool:
            return (await resources.spool_thread(resources.spool.depth)).samples == 0

        await until(all_are_gone, "the backlog")
    assert not resources.faults.is_open("cloud")
    rows = stored(superuser_url)
    assert len(rows) == len(set(rows)) == 3000
    assert uplink.figures.rejected == 0
    assert await resources.spool_thread(resources.spool.take_gaps) == []


@pytest.mark.usefixtures("served")
async def test_a_batch_whose_answer_was_lost_is_stored_once(resources: Resources, superuser_url: str) -> None:
    await resources.spool_thread(resources.spool.put, [sample(n) for n in range(20)], now=time.time())
    uplink = Uplink(resources, config_of(resources))
    batch = await resources.spool_thread(resources.spool.take_live, since=0.0, limit=100)
    assert batch
    confirm = resources.spool.confirm
    resources.spool.confirm = resources.spool.release  # type: ignore[method-assign]
    assert (await uplink.deliver(batch)).kind is AnswerKind.DELIVERED  # as if killed between answer and deletion
    resources.spool.confirm = confirm  # type: ignore[method-assign]
    again = await resources.spool_thread(resources.spool.take_live, since=0.0, limit=100)
    assert again == batch
    await uplink.deliver(again)
    assert uplink.figures.duplicates == 20
    assert len(stored(superuser_url)) == 20
    assert (await resources.spool_thread(resources.spool.depth)).samples == 0


@pytest.mark.usefixtures("served")
async def test_a_revoked_token_is_logged_once_loses_nothing_and_a_new_one_needs_no_restart(
    resources: Resources, place: SiteWithCollector
) -> None:
    listed = await place.api.get("/api/admin/v1/collectors", headers=place.owner)
    (collector,) = listed.json()["collectors"]
    path = f"/api/admin/v1/collectors/{collector['id']}"
    assert (await place.api.post(f"{path}/revoke-tokens", headers=place.owner, json={})).is_success
    await resources.spool_thread(resources.spool.put, [sample(1)], now=time.time())
    uplink = Uplink(resources, config_of(resources))
    for _ in range(3):
        batch = await resources.spool_thread(resources.spool.take_live, since=0.0, limit=100)
        assert batch
        answer = await uplink.deliver(batch)
        assert (answer.kind, answer.code) == (AnswerKind.DENIED, "COLLECTOR_TOKEN_REVOKED")
    assert [trouble.what for trouble in resources.faults.last] == ["token"]
    rotated = await place.api.post(f"{path}/rotate-token", headers=place.owner, json={})
    resources.settings.token_path.write_text(rotated.json()["token"])
    batch = await resources.spool_thread(resources.spool.take_live, since=0.0, limit=100)
    assert batch
    assert (await uplink.deliver(batch)).kind is AnswerKind.DELIVERED


@pytest.mark.usefixtures("served")
async def test_heartbeats_events_gaps_and_the_configuration_reach_the_registry(
    resources: Resources, place: SiteWithCollector
) -> None:
    intake = Intake(resources)
    applied: list[EffectiveConfig] = []
    counts = PollCounts(200, 198, 2, {}, {}, reads=200, failures=0, latest_sec=0.0, child_restarts=0)

    async def gather() -> dict[str, Any]:
        depth = await resources.spool_thread(resources.spool.depth)
        return heartbeat_body(resources, depth, counts, {"reader": "pyasic_rs"}, uptime_sec=61.0)

    beat = Heartbeat(resources, gather, applied.append, intake.add_event)
    await resources.spool_thread(resources.spool.put, [sample(1)], now=time.time() - 90_000)
    await resources.spool_thread(resources.spool.put, [sample(2)], now=time.time())
    intake.add_event(
        "local_protection", "critical", "A-1 was stopped", "92 °C", "A-1", {"temp_c": 92, "note": "x" * 50_000}
    )
    await intake.store()
    await beat.send()
    await Reporter(resources).send_events()
    await Reporter(resources).send_events()
    assert await Reporter(resources).send_events() is None
    shown = (await place.api.get("/api/admin/v1/collectors", headers=place.owner)).json()["collectors"][0]
    assert shown["total_miners"] == 200
    assert shown["config_version"] == beat.config.version == "v1.0.0"
    assert [config.version for config in applied] == ["v1.0.0"]
    events = (await place.api.get("/api/admin/v1/collector-events", headers=place.owner)).json()["events"]
    by_kind = {event["kind"]: event for event in events}
    assert by_kind["local_protection"]["severity"] == "critical"
    assert by_kind["telemetry_gap"]["details"]["samples"] == 1
    beats = await place.api.get(f"/api/admin/v1/collectors/{shown['id']}/heartbeats", headers=place.owner)
    assert beats.json()["heartbeats"][0]["spool_depth"] == 1


@pytest.mark.usefixtures("served")
async def test_rejected_samples_are_counted_and_removed(resources: Resources) -> None:
    old = datetime.now(UTC) - timedelta(days=3)
    await resources.spool_thread(resources.spool.put, [sample(1), sample(2, old), {"miner_id": "A-3"}], now=time.time())
    uplink = Uplink(resources, config_of(resources))
    batch = await resources.spool_thread(resources.spool.take_live, since=0.0, limit=100)
    assert batch
    assert (await uplink.deliver(batch)).kind is AnswerKind.DELIVERED
    assert uplink.figures.rejected_codes == {"TOO_OLD": 1, "BAD_TIME": 1}
    assert (await resources.spool_thread(resources.spool.depth)).samples == 0


@pytest.mark.usefixtures("served")
async def test_check_shows_what_is_wrong(resources: Resources) -> None:
    offline = settings_in(resources.settings.state_dir)
    assert (await check(offline))[-1][:2] == ("cloud", False)
    assert (await check(resources.settings))[-1] == ("token", True, "collector active, site tx-1")
    resources.settings.token_path.write_text("hi_collector_wrong")
    assert (await check(resources.settings))[-1][:2] == ("token", False)


@pytest.mark.usefixtures("served")
async def test_a_collector_enrols_with_a_code_and_may_connect_once_approved(
    tmp_path: Path, server: ServerProcess, place: SiteWithCollector
) -> None:
    async def post(path: str, **body: Any) -> Any:
        answer = await place.api.post(f"/api/admin/v1/collectors{path}", json=body, headers=place.owner)
        assert answer.is_success, answer.text
        return answer.json()

    made = await post("", site_id="tx-1", name="new", credential="enrolment_code")
    collector_id = made["collector"]["id"]
    state = tmp_path / "state"
    settings: dict[str, Any] = {
        "edge_state_dir": state,
        "edge_cloud_url": server.url,
        "edge_miners_ranges": "127.0.0.1",
    }

    def edge(*words: str, stdin: str | None = None) -> Any:
        return asyncio.to_thread(hashinsight, "edge", *words, stdin=stdin, **settings)

    wrong = await edge("enrol", "hi_enrol_wrong")
    assert (wrong.returncode, wrong.stdout) == (78, "")
    assert wrong.stderr.startswith("hashinsight: not enrolled: ENROLMENT_CODE_UNKNOWN, ")
    enrolled = await edge("enrol", stdin=f"{made['enrolment_code']}\n")
    assert enrolled.returncode == 0, enrolled.stderr
    assert enrolled.stdout.startswith(f"enrolled as collector {collector_id} at site tx-1: pending\n")
    token = state / "token"
    assert token.stat().st_mode & 0o777 == 0o600
    assert token.read_text().strip() not in enrolled.stdout + enrolled.stderr
    assert "FAIL token: collector pending, site tx-1" in (await edge("check")).stdout
    again = await edge("enrol", stdin="another")
    assert "there is already a token in" in again.stderr
    await post(f"/{collector_id}/approve")
    checked = await edge("check")
    assert (checked.returncode, checked.stdout.splitlines()[-1]) == (0, "ok   token: collector active, site tx-1")
