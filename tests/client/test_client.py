"""The typed client: how it signs in, what it makes of refusals, and that it follows pages to their end."""

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


def answering(handler: Callable[[httpx.Request], httpx.Response]) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.MockTransport(handler), base_url="http://127.0.0.1")


async def test_signing_in_and_a_session_that_is_renewed_when_its_token_ran_out(
    api: httpx.AsyncClient, people: People
) -> None:
    _, email = await people.user("Owner")
    app = cast("FastAPI", api.app)  # type: ignore[attr-defined] # the fixture hangs it there
    async with await HashInsight.sign_in(api, email, PASSWORD) as hi:
        before = hi._caller.headers["Authorization"]
        assert [one async for one in hi.commands.list()] == []
        later = system_clock() + timedelta(minutes=20)
        app.state.clock = lambda: later
        assert [one async for one in hi.commands.list()] == []
        assert hi._caller.headers["Authorization"] != before


async def test_a_refusal_has_its_status_code_and_message(api: httpx.AsyncClient, people: People) -> None:
    _, email = await people.user("Owner")
    with pytest.raises(ApiError) as refused:
        await HashInsight.sign_in(api, email, "wrong")
    assert (refused.value.status, refused.value.code) == (401, "INVALID_CREDENTIALS")
    assert refused.value.request_id
    with pytest.raises(ApiError) as unknown:
        await HashInsight(api, api_key="hi_api_forged").commands.catalogue()
    assert unknown.value.code == "API_KEY_INVALID"


async def test_what_is_not_ours_is_an_error_too() -> None:
    def page(_request: httpx.Request) -> httpx.Response:
        return httpx.Response(502, text="<html>Bad gateway</html>")

    with pytest.raises(ApiError) as refused:
        await HashInsight(answering(page), token="t").commands.get("x")
    assert (refused.value.status, refused.value.code) == (502, "NOT_OURS")


async def test_waiting_is_told_in_seconds() -> None:
    def slowed(_request: httpx.Request) -> httpx.Response:
        return httpx.Response(429, json={"error_code": "RATE_LIMITED"}, headers={"Retry-After": "60"})

    with pytest.raises(ApiError) as refused:
        await EdgeClient(answering(slowed), "t").poll()
    assert (refused.value.code, refused.value.retry_after_sec) == ("RATE_LIMITED", 60)


async def test_pages_are_followed_to_the_end_and_no_further_than_asked() -> None:
    asked: list[str | None] = []

    def pages(request: httpx.Request) -> httpx.Response:
        cursor = request.url.params.get("cursor")
        asked.append(cursor)
        return httpx.Response(
            200, json={"commands": [{"n": len(asked)}], "next_cursor": None if cursor == "2" else "2"}
        )

    hi = HashInsight(answering(pages), token="t")
    assert len([one async for one in hi.commands.list(site_id="tx-1", state=["queued"])]) == 2
    assert asked == [None, "2"]
    await anext(hi.commands.list())
    assert asked == [None, "2", None]


async def test_what_is_left_out_of_a_request_is_left_to_the_server() -> None:
    new = CommandRequest("set_fan", {"speed": 60}, miner_ids=["m1"], emergency=False)
    assert new.to_wire() == {
        "command_type": "set_fan",
        "params": {"speed": 60},
        "miner_ids": ["m1"],
        "emergency": False,
    }
    assert "hunter2" not in repr(CommandRequest("set_pool", {"pool_password": "hunter2"}))


async def test_an_empty_poll_is_empty_whatever_its_status() -> None:
    for answer in (httpx.Response(204), httpx.Response(200, json={"commands": []})):
        assert await EdgeClient(answering(lambda _, answer=answer: answer), "t").poll() == []  # type: ignore[misc]


async def test_acks_go_out_in_the_words_of_the_wire() -> None:
    seen: list[httpx.Request] = []

    def note(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, json={"success": True, "applied": 1, "results": [{"applied": True}]})

    edge = EdgeClient(answering(note), "t", device_id="box")
    await edge.ack("d1", "failed", error_code="TIMEOUT")
    assert (await edge.ack_many([Ack("d1", AckStatus.SUCCEEDED)])) == [{"applied": True}]
    assert [one.url.path for one in seen] == ["/api/edge/v1/commands/d1/ack", "/api/edge/v1/commands/ack/batch"]
    assert seen[0].headers["x-device-id"] == "box"
    assert b'"error_code":"TIMEOUT"' in seen[0].content.replace(b" ", b"")
