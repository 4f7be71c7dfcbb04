"""Every failure has one form, a stable code, and tells no secret."""

import asyncio
from collections.abc import AsyncIterator

import httpx
import pytest
from fastapi import APIRouter, Request
from pydantic import BaseModel
from starlette.types import Message
from structlog.testing import capture_logs

from hashinsight.app import create_app
from hashinsight.kit.errors import Conflict, Forbidden, NotFound, RateLimited, Unauthenticated
from hashinsight.kit.settings import Settings

router = APIRouter()
RAISED = {
    "conflict": Conflict("taken", details={"name": "x"}),
    "forbidden": Forbidden("not you"),
    "not-found": NotFound("no such thing"),
    "anonymous": Unauthenticated("who are you?"),
    "rate": RateLimited("slow down", retry_after_sec=7),
    "bug": ZeroDivisionError("in the middle of secret CANARY"),
}


class Login(BaseModel):
    email: str
    password: int


@router.get("/raise/{name}")
@router.get("/api/edge/v1/raise/{name}")
async def fail(name: str) -> None:
    raise RAISED[name]


@router.post("/login")
async def login(body: Login) -> Login:
    return body


@router.post("/api/edge/v1/whole")
async def whole(request: Request) -> int:
    return len(await request.body())


@pytest.fixture
async def api(settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    settings = settings.model_copy(update={"body_limit_kb": 1, "batch_limit_kb": 2})
    app = create_app(settings)
    app.include_router(router)
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with app.router.lifespan_context(app), httpx.AsyncClient(transport=transport, base_url="http://test") as api:
        yield api


@pytest.mark.parametrize(
    ("name", "status", "code"),
    [
        ("conflict", 409, "CONFLICT"),
        ("forbidden", 403, "FORBIDDEN"),
        ("not-found", 404, "NOT_FOUND"),
        ("anonymous", 401, "UNAUTHENTICATED"),
        ("rate", 429, "RATE_LIMITED"),
        ("bug", 500, "INTERNAL_ERROR"),
    ],
)
async def test_each_failure_has_its_status_its_code_and_the_one_form(
    api: httpx.AsyncClient, name: str, status: int, code: str
) -> None:
    answer = await api.get(f"/raise/{name}", headers={"X-Request-ID": "trace-me-1234"})
    body = answer.json()
    assert answer.status_code == status
    assert set(body) == {"error_code", "message", "details", "request_id"}
    assert body["error_code"] == code
    assert body["request_id"] == answer.headers["x-request-id"] == "trace-me-1234"
    assert "CANARY" not in answer.text


async def test_details_and_retry_after_are_sent(api: httpx.AsyncClient) -> None:
    assert (await api.get("/raise/conflict")).json()["details"] == {"name": "x"}
    assert (await api.get("/raise/rate")).headers["retry-after"] == "7"


async def test_collectors_also_get_the_field_that_they_look_for(api: httpx.AsyncClient) -> None:
    assert (await api.get("/api/edge/v1/raise/conflict")).json()["success"] is False
    assert (await api.get("/api/edge/v1/no-such-route")).json()["success"] is False
    assert "success" not in (await api.get("/raise/conflict")).json()


async def test_a_route_that_is_not_there_and_a_wrong_method_have_the_same_form(api: httpx.AsyncClient) -> None:
    assert (await api.get("/api/nowhere")).json()["error_code"] == "NOT_FOUND"
    wrong = await api.delete("/healthz")
    assert (wrong.status_code, wrong.json()["error_code"]) == (405, "METHOD_NOT_ALLOWED")


@pytest.mark.parametrize("content", [b"{", b"\xff\xfe", b"[]", b"null", b'{"email": "a", "password": "CANARY"}'])
async def test_input_that_is_not_valid_is_refused_without_repeating_it(api: httpx.AsyncClient, content: bytes) -> None:
    answer = await api.post("/login", content=content, headers={"content-type": "application/json"})
    assert answer.status_code in (400, 422)
    assert answer.json()["error_code"] in ("BAD_REQUEST", "VALIDATION_FAILED")
    assert "CANARY" not in answer.text


async def test_a_body_that_is_too_large_is_refused_by_its_length_and_by_its_bytes(api: httpx.AsyncClient) -> None:
    async def dripping() -> AsyncIterator[bytes]:
        for _ in range(40):
            yield b" " * 100

    for content in (b" " * 4000, dripping()):
        answer = await api.post("/login", content=content)
        assert answer.status_code == 413
        assert answer.json()["error_code"] == "PAYLOAD_TOO_LARGE"
        assert answer.json()["details"] == {"limit_bytes": 1024}


async def test_concurrent_uploads_of_an_address_are_limited_without_delaying_others(
    settings: Settings,
) -> None:
    app = create_app(settings.model_copy(update={"body_limit_kb": 100, "batch_limit_kb": 100}))
    app.include_router(router)
    held, going_on = asyncio.Event(), asyncio.Event()

    def client(address: str) -> httpx.AsyncClient:
        transport = httpx.ASGITransport(app, raise_app_exceptions=False, client=(address, 1))
        return httpx.AsyncClient(transport=transport, base_url="http://test")

    async def slow() -> AsyncIterator[bytes]:
        yield b" " * 99_000
        held.set()
        await going_on.wait()

    async with app.router.lifespan_context(app), client("192.0.2.1") as api, client("192.0.2.2") as other:
        uploads = []
        for _ in range(4):
            held.clear()
            uploads.append(asyncio.create_task(api.post("/api/edge/v1/whole", content=slow())))
            await held.wait()
        await asyncio.sleep(0)
        refused = await api.post("/api/edge/v1/whole", content=b" " * 99_000)
        assert (refused.status_code, refused.json()["error_code"]) == (503, "TOO_MANY_UPLOADS")
        assert refused.headers["retry-after"] == "10"
        assert (await other.post("/api/edge/v1/whole", content=b" " * 99_000)).json() == 99_000
        going_on.set()
        assert [answer.json() for answer in await asyncio.gather(*uploads)] == [99_000] * 4
        assert (await api.post("/api/edge/v1/whole", content=b" " * 99_000)).json() == 99_000


async def test_telemetry_may_be_larger_than_the_rest_but_not_endless(api: httpx.AsyncClient) -> None:
    assert (await api.post("/api/edge/v1/telemetry/batch", content=b" " * 1500)).status_code == 401
    assert (await api.post("/api/edge/v1/telemetry/batch", content=b" " * 3000)).status_code == 413


@pytest.mark.parametrize(
    "given", ["", "short", "x" * 65, "with space and more", "new\tline-tab", "汉字汉字汉字汉字".encode()]
)
async def test_a_request_id_that_is_not_plain_is_replaced(api: httpx.AsyncClient, given: str | bytes) -> None:
    raw = given if isinstance(given, bytes) else given.encode()
    answer = await api.get("/healthz", headers=[(b"x-request-id", raw)])
    assert answer.headers["x-request-id"].encode() != raw
    assert len(answer.headers["x-request-id"]) == 36


async def test_security_headers_are_on_every_answer_also_on_errors(api: httpx.AsyncClient) -> None:
    for path in ("/status", "/healthz", "/api/nowhere", "/raise/bug"):
        headers = (await api.get(path)).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["cache-control"] == "no-store"
        assert "server" not in headers


async def test_a_caller_that_goes_away_in_the_middle_of_its_request_is_one_quiet_line(
    api: httpx.AsyncClient,
) -> None:
    """As a server tells it: half a body, and then nobody."""
    half: Message = {"type": "http.request", "body": b'{"acks": [', "more_body": True}
    messages = iter([half, {"type": "http.disconnect"}])
    sent: list[Message] = []

    async def receive() -> Message:
        return next(messages)

    async def send(message: Message) -> None:
        sent.append(message)

    transport = api._transport
    assert isinstance(transport, httpx.ASGITransport)
    path = "/api/edge/v1/whole"
    scope = {"type": "http", "method": "POST", "path": path, "query_string": b"", "headers": [], "http_version": "1.1"}
    with capture_logs() as lines:
        await transport.app(scope, receive, send)
    assert sent[0]["status"] == 499
    assert [(line["event"], line["log_level"], line["status"]) for line in lines] == [("request", "info", 499)]
