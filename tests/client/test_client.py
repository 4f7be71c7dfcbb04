"""The typed client: sign-in, token refresh, errors, paging, acks."""

from collections.abc import Callable
from datetime import timedelta
from typing import cast

import httpx
import pytest
from fastapi import FastAPI

from hashinsight.client import ApiError, CommandRequest, EdgeClient, HashInsight
from hashinsight.kit.clock import system_clock
from hashinsight.wire.acks import Ack, AckStatus
from tests.people import PASSWORD, People


def http_client(handler: Callable[[httpx.Request], httpx.Response]) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.MockTransport(handler), base_url="http://127.0.0.1")


async def test_an_expired_access_token_is_refreshed(api: httpx.AsyncClient, people: People) -> None:
    _, email = await people.user("Owner")
    app = cast("FastAPI", api.app)  # type: ignore[attr-defined] # the fixture hangs it there
    async with await HashInsight.sign_in(api, email, PASSWORD) as hi:
        before = hi._session.headers["Authorization"]
        assert [row async for row in hi.commands.list()] == []
        later = system_clock() + timedelta(minutes=20)
        app.state.clock = lambda: later
        assert [row async for row in hi.commands.list()] == []
        assert hi._session.headers["Authorization"] != before


async def test_an_api_error_has_status_code_and_request_id(api: httpx.AsyncClient, people: People) -> None:
    _, email = await people.user("Owner")
    with pytest.raises(ApiError) as refused:
        await HashInsight.sign_in(api, email, "wrong")
    assert (refused.value.status, refused.value.code) == (401, "INVALID_CREDENTIALS")
    assert refused.value.request_id
    with pytest.raises(ApiError) as unknown:
        await HashInsight(api, api_key="hi_api_forged").commands.catalogue()
    assert unknown.value.code == "API_KEY_INVALID"


async def test_a_response_of_a_proxy_is_an_api_error() -> None:
    def page(_request: httpx.Request) -> httpx.Response:
        return httpx.Response(502, text="<html>Bad gateway</html>")

    with pytest.raises(ApiError) as refused:
        await HashInsight(http_client(page), token="t").commands.get("x")
    assert (refused.value.status, refused.value.code) == (502, "NOT_OURS")


async def test_retry_after_is_given_in_seconds() -> None:
    def slowed(_request: httpx.Request) -> httpx.Response:
        return httpx.Response(429, json={"error_code": "RATE_LIMITED"}, headers={"Retry-After": "60"})

    with pytest.raises(ApiError) as refused:
        await EdgeClient(http_client(slowed), "t").poll()
    assert (refused.value.code, refused.value.retry_after_sec) == ("RATE_LIMITED", 60)


async def test_pages_are_fetched_only_as_far_as_they_are_read() -> None:
    cursors: list[str | None] = []

    def pages(request: httpx.Request) -> httpx.Response:
        cursor = request.url.params.get("cursor")
        cursors.append(cursor)
        return httpx.Response(
            200, json={"commands": [{"n": len(cursors)}], "next_cursor": None if cursor == "2" else "2"}
        )

    hi = HashInsight(http_client(pages), token="t")
    assert len([row async for row in hi.commands.list(site_id="tx-1", state=["queued"])]) == 2
    assert cursors == [None, "2"]
    await anext(hi.commands.list())
    assert cursors == [None, "2", None]


async def test_omitted_fields_are_not_sent() -> None:
    request = CommandRequest("set_fan", {"speed": 60}, miner_ids=["m1"], emergency=False)
    assert request.to_wire() == {
        "command_type": "set_fan",
        "params": {"speed": 60},
        "miner_ids": ["m1"],
        "emergency": False,
    }
    assert "hunter2" not in repr(CommandRequest("set_pool", {"pool_password": "hunter2"}))


async def test_an_empty_poll_may_be_200_or_204() -> None:
    for answer in (httpx.Response(204), httpx.Response(200, json={"commands": []})):
        assert await EdgeClient(http_client(lambda _, answer=answer: answer), "t").poll() == []  # type: ignore[misc]


async def test_acks_are_sent_in_the_wire_format() -> None:
    requests: list[httpx.Request] = []

    def record(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        return httpx.Response(200, json={"success": True, "applied": 1, "results": [{"applied": True}]})

    edge = EdgeClient(http_client(record), "t", device_id="box")
    await edge.ack("d1", "failed", error_code="TIMEOUT")
    assert (await edge.ack_many([Ack("d1", AckStatus.SUCCEEDED)])) == [{"applied": True}]
    assert [request.url.path for request in requests] == [
        "/api/edge/v1/commands/d1/ack",
        "/api/edge/v1/commands/ack/batch",
    ]
    assert requests[0].headers["x-device-id"] == "box"
    assert b'"error_code":"TIMEOUT"' in requests[0].content.replace(b" ", b"")
