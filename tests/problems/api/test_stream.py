"""The stream, over a real socket: what it tells, to whom, how it goes on after a break, and when it ends."""

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, cast
from uuid import UUID

import httpx
import pytest
import uvicorn
from fastapi import FastAPI

from hashinsight.identity.access import authenticate
from hashinsight.kit.changes import note_change, stop_streams
from hashinsight.kit.db.context import job_context
from hashinsight.kit.ids import new_id, new_ids
from hashinsight.problems.queries import timeline
from hashinsight.problems.service.stream import MAX_STREAMS_PER_USER
from tests.installation import HANG_TIMEOUT_SEC
from tests.problems.api.problems_api import V1, ProblemsApi, code_of


@dataclass
class Event:
    kind: str
    data: dict[str, Any]
    id: str | None


class Line:
    """A stream as a browser reads it."""

    def __init__(self, answer: httpx.Response) -> None:
        self._lines = answer.aiter_lines()

    async def next(self) -> Event:
        """The next event; comments are passed over."""
        readings: dict[str, str] = {}
        async with asyncio.timeout(HANG_TIMEOUT_SEC):
            async for line in self._lines:
                if not line and "event" in readings:
                    return Event(readings["event"], json.loads(readings["data"]), readings.get("id"))
                name, _, value = line.partition(": ")
                if name:
                    readings[name] = value
        raise AssertionError("the stream ended")

    async def ends(self) -> bool:
        async with asyncio.timeout(HANG_TIMEOUT_SEC):
            return [line async for line in self._lines if line] == []


@pytest.fixture
async def port(problems_api: ProblemsApi) -> AsyncIterator[int]:
    """The same application, on a socket of loopback."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    app = cast("FastAPI", problems_api.api.app)  # type: ignore[attr-defined] # hung there by a fixture
    server = uvicorn.Server(uvicorn.Config(app, lifespan="off", log_config=None, timeout_graceful_shutdown=10))
    running = asyncio.create_task(server.serve(sockets=[listening]))
    yield int(listening.getsockname()[1])
    stop_streams()
    server.should_exit = True
    await running
    listening.close()


@contextlib.asynccontextmanager
async def watched(port: int, headers: Mapping[str, str], **query: Any) -> AsyncIterator[Line]:
    url = f"http://127.0.0.1:{port}{V1}/stream"
    async with (
        httpx.AsyncClient(timeout=HANG_TIMEOUT_SEC) as client,
        client.stream("GET", url, params=query, headers=dict(headers)) as answer,
    ):
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        yield Line(answer)


async def test_an_act_is_streamed_at_once_to_those_who_see_the_problem_only(
    problems_api: ProblemsApi, port: int
) -> None:
    problem, even = problems_api.problem("m1"), problems_api.problem("m2")
    noc = await problems_api.headers()
    of_zone = await problems_api.headers("Customer", zones=[problems_api.tenants.zone_id("z2")])
    async with (
        watched(port, noc) as all_of_it,
        watched(port, of_zone) as part,
        watched(port, noc, site_id="tx-2") as far,
    ):
        for line in (all_of_it, part, far):
            assert (await line.next()).kind == "hello"
        await problems_api.act(problem, "acknowledge", noc)
        shown = await all_of_it.next()
        assert (shown.kind, shown.data["site_id"]) == ("problems", problems_api.tenants.site_id())
        (change,) = shown.data["changes"]
        assert {name: change[name] for name in ("problem_id", "kind", "miner_id", "status")} == {
            "problem_id": str(problem), "kind": "acknowledged", "miner_id": "m1", "status": "ack",
        }  # fmt: skip
        await problems_api.act(even, "start", noc)
        for line in (all_of_it, part):  # the first thing that the zone's holder hears of at all
            (change,) = (await line.next()).data["changes"]
            assert (change["problem_id"], change["kind"]) == (str(even), "started")
        stop_streams()
        assert (await far.next()).data == {"reason": "STOPPING"}


async def test_a_stream_goes_on_where_it_broke_off_and_misses_nothing(problems_api: ProblemsApi, port: int) -> None:
    problem, noc = problems_api.problem("m1"), await problems_api.headers()
    async with watched(port, noc) as line:
        await line.next()
        await problems_api.act(problem, "acknowledge", noc)
        last = await line.next()
    await problems_api.act(problem, "comment", noc, comment="while nobody watched")
    await problems_api.act(problem, "start", noc)
    async with watched(port, {**noc, "Last-Event-ID": str(last.id)}, seconds=1) as line:
        await line.next()
        kinds = [change["kind"] for change in (await line.next()).data["changes"]]
        assert kinds[-2:] == ["comment", "started"]
        assert (await line.next()).data == {"reason": "TIME_IS_UP"}
        assert await line.ends()


async def test_an_event_id_later_than_all_entries_makes_the_caller_read_its_lists_again(
    problems_api: ProblemsApi, port: int
) -> None:
    """As after the server's clock was set back: the stream would else be silent until its time has come."""
    problem, noc = problems_api.problem("m1"), await problems_api.headers()
    await problems_api.act(problem, "acknowledge", noc)
    for last in (UUID(int=(new_id().int >> 80) + 600_000 << 80), UUID(int=2**128 - 1)):
        async with watched(port, {**noc, "Last-Event-ID": str(last)}) as line:
            await line.next()
            assert (await line.next()).kind == "resync"
            await problems_api.act(problem, "comment", noc, comment="after it")
            (change,) = (await line.next()).data["changes"]
            assert change["kind"] == "comment"


async def test_an_overflow_is_one_event_and_the_stream_continues(problems_api: ProblemsApi, port: int) -> None:
    problem, noc = problems_api.problem("m1"), await problems_api.headers()
    async with watched(port, noc) as line:
        await line.next()
        problems_api.tenants.write(
            "insert into problem_timeline (id, tenant_id, site_id, problem_id, at, kind, actor_kind)"
            " select n, tenant_id, site_id, id, created_at, 'recurred', 'system'"
            " from problem_events, unnest(%s::uuid[]) n",
            new_ids(600),
        )
        await problems_api.act(problem, "acknowledge", noc)
        assert (await line.next()).kind == "resync"
        await problems_api.act(problem, "start", noc)
        kinds: list[str] = []
        while "started" not in kinds:
            kinds += [change["kind"] for change in (await line.next()).data["changes"]]
        assert set(kinds) <= {"acknowledged", "started"}


async def test_events_lost_in_an_overflow_are_recovered_by_reloading_the_lists(
    problems_api: ProblemsApi, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hashinsight.problems.service.stream._OVERLAP", timedelta(seconds=1))
    monkeypatch.setattr("hashinsight.problems.service.stream._BEAT_SECONDS", 0.2)
    problems_api.problem("m1")
    late, *storm = new_ids(601)  # a cycle made the first id before all others, and commits after them
    entry = (
        "insert into problem_timeline (id, tenant_id, site_id, problem_id, at, kind, actor_kind)"
        " select n, tenant_id, site_id, id, created_at, 'recurred', 'system' from problem_events, unnest(%s::uuid[]) n"
    )
    async with watched(port, await problems_api.headers()) as line:
        await line.next()
        problems_api.tenants.write(entry, storm)
        assert (await line.next()).kind == "resync"
        problems_api.tenants.write(entry, [late])
        assert (await line.next()).kind == "resync"


async def test_a_stream_ends_with_its_login(problems_api: ProblemsApi, port: int) -> None:
    problem, noc = problems_api.problem("m1"), await problems_api.headers()
    other = await problems_api.headers()
    async with watched(port, noc) as ended, watched(port, other) as expired:
        await ended.next()
        await expired.next()
        assert (await problems_api.api.post(f"{V1}/auth/logout", headers=noc)).is_success
        await problems_api.act(problem, "acknowledge", await problems_api.headers())
        assert (await ended.next()).data == {"reason": "SESSION_REVOKED"}
        assert (await expired.next()).kind == "problems"
        problems_api.tenants.at(16 * 60)
        app = cast("FastAPI", problems_api.api.app)  # type: ignore[attr-defined] # hung there by a fixture
        for subscription in app.state.announcer._subscriptions:
            subscription.ring()
        assert (await expired.next()).data == {"reason": "TOKEN_EXPIRED"}


async def test_a_session_that_ends_while_changes_are_read_gets_none_of_them(
    problems_api: ProblemsApi, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem, noc = problems_api.problem("m1"), await problems_api.headers()
    list_since = timeline.list_since

    async def list_and_sign_out(*given: Any, **options: Any) -> Any:
        rows = await list_since(*given, **options)
        if rows:
            assert (await problems_api.api.post(f"{V1}/auth/logout", headers=noc)).is_success
        return rows

    async with watched(port, noc) as ended:
        await ended.next()
        monkeypatch.setattr(timeline, "list_since", list_and_sign_out)
        await problems_api.act(problem, "acknowledge", await problems_api.headers())
        assert (await ended.next()).data == {"reason": "SESSION_REVOKED"}


async def test_changes_read_while_the_database_went_away_are_sent_by_the_next_poll(
    problems_api: ProblemsApi, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The session is checked again after reading: where that check fails, nothing counts as sent."""
    problem, noc = problems_api.problem("m1"), await problems_api.headers()
    list_since = timeline.list_since
    breaks: list[str] = []

    async def list_and_break(*given: Any, **options: Any) -> Any:
        rows = await list_since(*given, **options)
        if rows and not breaks:
            breaks.append("next")
        return rows

    async def authenticate_or_fail(request: Any) -> Any:
        if breaks == ["next"]:
            breaks.append("broken")
            raise OSError("the connection is gone")
        return await authenticate(request)

    async with watched(port, noc) as line:
        await line.next()
        monkeypatch.setattr("hashinsight.problems.service.stream._BEAT_SECONDS", 0.2)
        monkeypatch.setattr(timeline, "list_since", list_and_break)
        monkeypatch.setattr("hashinsight.problems.routes.stream.authenticate", authenticate_or_fail)
        await problems_api.act(problem, "acknowledge", noc)
        (change,) = (await line.next()).data["changes"]
        assert (change["problem_id"], change["kind"]) == (str(problem), "acknowledged")
    assert breaks == ["next", "broken"]


async def test_without_redis_a_stream_polls_the_database(
    problems_api: ProblemsApi, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem, noc = problems_api.problem("m1"), await problems_api.headers()
    app = cast("FastAPI", problems_api.api.app)  # type: ignore[attr-defined] # hung there by a fixture
    announcer = app.state.announcer
    monkeypatch.setattr("hashinsight.problems.service.stream._LOOK_SECONDS", 0.2)
    monkeypatch.setattr(announcer._redis.connection_pool, "connection_kwargs", {"path": "/nowhere"})
    await announcer._redis.connection_pool.disconnect()
    announcer._redis.connection_pool.reset()
    async with watched(port, noc, kinds="problems,telemetry") as line:
        await line.next()
        assert not announcer.is_subscribed
        await problems_api.act(problem, "acknowledge", noc)
        assert (await line.next()).data["changes"][0]["kind"] == "acknowledged"


async def test_a_site_with_new_live_values_is_streamed(problems_api: ProblemsApi, port: int) -> None:
    noc = await problems_api.headers()
    app = cast("FastAPI", problems_api.api.app)  # type: ignore[attr-defined] # hung there by a fixture
    async with watched(port, noc, kinds="telemetry", site_id="tx-1") as line:
        await line.next()
        await asyncio.wait_for(app.state.announcer.subscribed.wait(), HANG_TIMEOUT_SEC)
        tenant, site_id = await problems_api.tenants.people.tenant_id("a"), problems_api.tenants.site_id()
        async with app.state.database.transaction(job_context()) as session:
            note_change(session, tenant, problems_api.tenants.site_id("tx-2"), "telemetry")
            note_change(session, await problems_api.tenants.people.tenant_id("b"), site_id, "telemetry")
            note_change(session, tenant, site_id, "telemetry")
        app.state.announcer.publish(session)
        shown = await line.next()
        assert (shown.kind, shown.data) == ("telemetry", {"site_id": site_id})


async def test_invalid_stream_requests_are_refused_and_a_head_request_ends(problems_api: ProblemsApi) -> None:
    noc = await problems_api.headers()
    for query, code in (
        ("kinds=gossip", (422, "UNKNOWN_KIND")),
        ("seconds=3601", (422, "VALIDATION_FAILED")),
        ("site_id=nowhere", (404, "NOT_FOUND")),
    ):
        assert code_of(await problems_api.api.get(f"{V1}/stream?{query}", headers=noc)) == code
    bad = await problems_api.api.get(f"{V1}/stream", headers={**noc, "Last-Event-ID": "x"})
    assert code_of(bad) == (422, "UNKNOWN_EVENT_ID")
    assert (await problems_api.api.get(f"{V1}/stream")).status_code == 401
    assert (await problems_api.api.head(f"{V1}/stream", headers=noc)).status_code == 200


async def test_one_person_cannot_hold_all_streams_and_others_still_get_theirs(
    problems_api: ProblemsApi, port: int
) -> None:
    greedy, other = await problems_api.headers(), await problems_api.headers()
    url = f"http://127.0.0.1:{port}{V1}/stream"
    async with contextlib.AsyncExitStack() as open_streams:
        held = [await open_streams.enter_async_context(watched(port, greedy)) for _ in range(MAX_STREAMS_PER_USER)]
        assert [(await line.next()).kind for line in held] == ["hello"] * MAX_STREAMS_PER_USER
        async with httpx.AsyncClient(timeout=HANG_TIMEOUT_SEC) as client:
            refused = await client.get(url, headers=dict(greedy))
        assert code_of(refused) == (429, "TOO_MANY_STREAMS")
        assert refused.headers["retry-after"] == "30"
        async with watched(port, other) as line:
            assert (await line.next()).kind == "hello"


async def test_streams_that_are_asked_for_at_the_same_moment_do_not_pass_the_cap_together(
    problems_api: ProblemsApi, port: int
) -> None:
    noc = await problems_api.headers()
    url = f"http://127.0.0.1:{port}{V1}/stream"
    first: list[str] = []

    async def begin(client: httpx.AsyncClient, let_go: asyncio.Event) -> None:
        async with client.stream("GET", url, headers=dict(noc)) as answer:
            if answer.status_code != 200:
                first.append("refused")
                return
            line = Line(answer)  # kept: a generator of lines that is thrown away closes its stream, and makes room
            first.append((await line.next()).kind)
            await let_go.wait()
            del line

    limits, let_go = httpx.Limits(max_connections=None), asyncio.Event()
    async with httpx.AsyncClient(timeout=HANG_TIMEOUT_SEC, limits=limits) as client, asyncio.TaskGroup() as tasks:
        for _ in range(3 * MAX_STREAMS_PER_USER):
            tasks.create_task(begin(client, let_go))
        async with asyncio.timeout(HANG_TIMEOUT_SEC):
            while len(first) < 3 * MAX_STREAMS_PER_USER:  # noqa: ASYNC110 - three lists of events would say no more
                await asyncio.sleep(0.02)
        let_go.set()
    assert 0 < first.count("hello") <= MAX_STREAMS_PER_USER
    assert set(first) <= {"hello", "bye", "refused"}
